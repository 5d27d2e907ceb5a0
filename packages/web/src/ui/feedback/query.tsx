// Loads data for a component, and shows whether it is loading, failed or loaded.

import { type ReactNode, useCallback, useEffect, useState } from 'preact/compat';
import * as texts from '#texts/site/ui';
import * as basics from '../layout/basics.module.css';
import { ErrorNotice } from './ErrorNotice.js';

export interface QueryState<T> {
  /** Stays while it is loaded again, so that the page does not jump. */
  readonly value: T | undefined;
  /** The error of the last attempt. */
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

interface QueryResult<T> {
  /** The function and the attempt that loaded it. */
  readonly load: unknown;
  readonly attempt: number;
  readonly value?: T;
  readonly error?: unknown;
}

/** Loads when `load` changes: memoize it with useCallback. Retries when the browser comes back online. */
export function useQuery<T>(load: (signal: AbortSignal) => Promise<T>): QueryState<T> {
  const [result, setResult] = useState<QueryResult<T>>();
  const [attempt, setAttempt] = useState(0);
  const reload = useCallback(() => setAttempt((number) => number + 1), []);
  useEffect(() => {
    const controller = new AbortController();
    const settle = (next: QueryResult<T>) => {
      if (controller.signal.aborted) return;
      setResult((last) => (last?.load === load ? { ...last, error: undefined, ...next } : next));
    };
    load(controller.signal).then(
      (value) => settle({ load, attempt, value }),
      (error: unknown) => settle({ load, attempt, error }),
    );
    return () => controller.abort();
  }, [load, attempt]);
  const current = result?.load === load ? result : undefined;
  useRetryWhenOnline(current?.error !== undefined, reload);
  return { value: current?.value, error: current?.error, isLoading: current?.attempt !== attempt, reload };
}

/** Memoize `retry` with useCallback. */
export function useRetryWhenOnline(hasFailed: boolean, retry: () => void): void {
  useEffect(() => {
    if (!hasFailed) return;
    window.addEventListener('online', retry);
    return () => window.removeEventListener('online', retry);
  }, [hasFailed, retry]);
}

interface QueryViewProps<T> {
  readonly query: QueryState<T>;
  /** What is loaded, as in "Loading Marks …". */
  readonly what: string;
  readonly children: (value: T) => ReactNode;
}

export function QueryView<T>({ query: { value, error, isLoading, reload }, what, children }: QueryViewProps<T>) {
  return (
    <>
      <ErrorNotice error={error} onRetry={reload} isBusy={isLoading} />
      {value !== undefined && children(value)}
      {value === undefined && error === undefined && (
        <p className={basics.quiet} role="status">
          {texts.loading(what)}
        </p>
      )}
    </>
  );
}
