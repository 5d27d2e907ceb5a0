// Whose is this file? The front page: `/?fingerprint=…` is the answer about one file, `/?files` about several.

import { type Fingerprint, isFingerprint } from '@provenance-registry/core';
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { navigate, useAddress, useTitle } from '../../routing.js';
import { Intake } from './VerifyInput.js';
import './verify.css';

const load = () => import('./results.js');
const OneFile = lazy(async () => ({ default: (await load()).OneFile }));
const SeveralFiles = lazy(async () => ({ default: (await load()).SeveralFiles }));

export function VerifyPage() {
  const { search, searchParams } = useAddress();
  const [given, setGiven] = useState<readonly File[]>();
  const asked = searchParams.get('fingerprint') ?? '';
  const fingerprint = isFingerprint(asked) ? asked : undefined;
  useTitle(fingerprint ? `Fingerprint ${fingerprint.slice(0, 10)}…` : '');
  useEffect(() => {
    // Whoever is offline meanwhile is told when it is needed.
    load().catch(() => {});
  }, []);
  const onFiles = useCallback((files: readonly File[]) => {
    if (files.length === 0) return;
    setGiven(files);
    goTo('/?files');
  }, []);
  const onFingerprint = useCallback((found: Fingerprint) => goTo(`/?fingerprint=${found}`), []);
  const isAnswering = fingerprint !== undefined || searchParams.has('files');
  return (
    <>
      <h1>Whose is this file?</h1>
      <p className="lead">See who registered it, since when, and what they allow. No account needed.</p>
      {isAnswering && (
        <AnswerPlace search={search}>
          {fingerprint ? <OneFile key={fingerprint} fingerprint={fingerprint} /> : <SeveralFiles given={given} />}
        </AnswerPlace>
      )}
      {isAnswering && <h2 className="again">Verify something else</h2>}
      <Intake
        key={asked}
        onFiles={onFiles}
        onFingerprint={onFingerprint}
        mistaken={fingerprint ? '' : asked}
        isSmall={isAnswering}
      />
      {!isAnswering && <HowItWorks />}
    </>
  );
}

function HowItWorks() {
  return (
    <ol className="how">
      <li>
        <h2>Computed here</h2>
        <p>Your browser computes the fingerprint of the file: its SHA-256. Any other file has another one.</p>
      </li>
      <li>
        <h2>Looked up</h2>
        <p>The registry says under which Mark it was registered, since when, and under which licence.</p>
      </li>
      <li>
        <h2>Checked by you</h2>
        <p>You need not believe the registry: your browser can ask the chain and check the signature itself.</p>
      </li>
    </ol>
  );
}

/** Asking the same again is no new place to come back to. */
function goTo(address: string): void {
  navigate(address, { replace: location.pathname + location.search === address });
}

/** Whoever has asked goes on reading here, not where the question was. */
function AnswerPlace({ search, children }: { readonly search: string; readonly children: ReactNode }) {
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    if (search !== firstSearch) place.current?.focus({ preventScroll: true });
  }, [search]);
  return (
    <section ref={place} tabIndex={-1} aria-label="Answer" className="answer-place">
      <Suspense fallback={<p className="quiet">Loading …</p>}>{children}</Suspense>
    </section>
  );
}

/** An answer that the page was opened with takes no focus: nobody has asked here yet. */
const firstSearch = location.search;
