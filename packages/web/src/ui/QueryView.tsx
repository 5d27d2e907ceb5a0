// What is fetched while people wait: loading it, stopping when nobody waits any more, and trying again.

import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { explain } from '../registryClient.js';
import { Button } from './Button.js';
import { Notice } from './Notice.js';

export interface Loaded<T> {
  /** Stays while it is loaded again, so that nothing jumps. */
  readonly value: T | undefined;
  /** What went wrong the last time. */
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

interface Outcome<T> {
  readonly of: unknown;
  readonly value?: T;
  readonly error?: unknown;
}

/** Loads when `load` changes: keep it still with useCallback. Tries again by itself when the network is back. */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [outcome, setOutcome] = useState<Outcome<T>>();
  const [attempt, setAttempt] = useState(0);
  const [settled, setSettled] = useState(-1);
  const reload = useCallback(() => setAttempt((number) => number + 1), []);
  useEffect(() => {
    const stop = new AbortController();
    const settle = (next: Outcome<T>) => {
      if (stop.signal.aborted) return;
      setOutcome((last) => (last?.of === load ? { ...last, error: undefined, ...next } : next));
      setSettled(attempt);
    };
    load(stop.signal).then(
      (value) => settle({ of: load, value }),
      (error: unknown) => settle({ of: load, error }),
    );
    return () => stop.abort();
  }, [load, attempt]);
  const current = outcome?.of === load ? outcome : undefined;
  const hasFailed = current?.error !== undefined;
  useEffect(() => {
    if (!hasFailed) return;
    window.addEventListener('online', reload);
    return () => window.removeEventListener('online', reload);
  }, [hasFailed, reload]);
  return { value: current?.value, error: current?.error, isLoading: !current || settled !== attempt, reload };
}

/** Something that a person starts, once at a time: what it takes is passed on to `work`. */
export function useAction<A extends readonly unknown[]>(work: (...args: A) => Promise<void>) {
  const [state, setState] = useState<{ isBusy: boolean; error: unknown }>({ isBusy: false, error: undefined });
  const isBusy = useRef(false);
  const run = async (...args: A) => {
    if (isBusy.current) return;
    isBusy.current = true;
    setState({ isBusy: true, error: undefined });
    let error: unknown;
    try {
      await work(...args);
    } catch (thrown) {
      error = thrown;
    }
    isBusy.current = false;
    setState({ isBusy: false, error });
  };
  return { ...state, run };
}

interface LoadingProps<T> {
  readonly of: Loaded<T>;
  /** What is loaded, as in "Loading the Marks …". */
  readonly what: string;
  readonly children: (value: T) => ReactNode;
}

/** What was loaded, or that it is being loaded, or why it was not, with a button to try again. */
export function Loading<T>({ of: { value, error, isLoading, reload }, what, children }: LoadingProps<T>) {
  return (
    <>
      {error !== undefined && <Failure error={error} onRetry={reload} isBusy={isLoading} />}
      {value !== undefined && children(value)}
      {value === undefined && error === undefined && (
        <p className="quiet" role="status">
          Loading {what} …
        </p>
      )}
    </>
  );
}

interface FailureProps {
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
  readonly isBusy?: boolean | undefined;
}

export function Failure({ error, onRetry, isBusy }: FailureProps) {
  const retry = onRetry && (
    <Button onClick={onRetry} isBusy={isBusy}>
      {isBusy ? 'Trying again …' : 'Try again'}
    </Button>
  );
  return (
    <Notice tone="bad" isAlert actions={retry}>
      <p>{explain(error)}</p>
    </Notice>
  );
}
