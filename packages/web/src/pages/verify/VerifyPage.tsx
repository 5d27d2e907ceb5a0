// The front page: verifies files. `/#fingerprint=…` shows the result for one fingerprint, `/?files` for several files.
// `/?fingerprint=…`, of earlier versions, becomes that when it is opened.

import { type Fingerprint, isFingerprint } from '@provenance-registry/core';
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useRef, useState } from 'preact/compat';
import * as texts from '#texts/lookups/verify';
import * as home from '#texts/site/home';
import { navigate, sentFingerprint, useCurrentUrl, useTitle } from '../../routing.js';
import * as basics from '../../ui/layout/basics.module.css';
import { HomeIntro } from '../home/HomeIntro.js';
import { OwnSourcesForm } from './OwnSourcesForm.js';
import { VerifyInput } from './VerifyInput.js';
import * as styles from './VerifyPage.module.css';

const loadResults = () => import('./results.js');
const FingerprintResult = lazy(async () => ({ default: (await loadResults()).FingerprintResult }));
const FileResults = lazy(async () => ({ default: (await loadResults()).FileResults }));

export function VerifyPage() {
  const { search, searchParams, hash } = useCurrentUrl();
  const [files, setFiles] = useState<readonly File[]>();
  const requested = new URLSearchParams(hash.slice(1)).get('fingerprint') ?? '';
  const fingerprint = isFingerprint(requested) ? requested : undefined;
  useTitle(fingerprint ? texts.fingerprintTitle(fingerprint.slice(0, 10)) : '');
  usePrefetchOnIntent();
  const onFiles = useCallback((chosen: readonly File[]) => {
    if (chosen.length === 0) return;
    setFiles(chosen);
    showResult('/?files');
  }, []);
  const onFingerprint = useCallback((entered: Fingerprint) => showResult(`/#fingerprint=${entered}`), []);
  const hasResult = fingerprint !== undefined || searchParams.has('files');
  return (
    <>
      {hasResult ? <h1>{texts.title}</h1> : <h1 className={styles.statement}>{home.statement}</h1>}
      {hasResult && (
        <ResultRegion address={search + hash}>
          {fingerprint ? (
            <FingerprintResult
              key={fingerprint}
              fingerprint={fingerprint}
              lookupBy={fingerprint === sentFingerprint ? 'fingerprint' : 'prefix'}
            />
          ) : (
            <FileResults files={files} />
          )}
        </ResultRegion>
      )}
      {hasResult && <h2 className={styles.more}>{texts.verifyAnother}</h2>}
      <VerifyInput
        key={requested}
        onFiles={onFiles}
        onFingerprint={onFingerprint}
        invalidInput={fingerprint ? '' : requested}
        isSmall={hasResult}
      />
      <OwnSourcesForm />
      {!hasResult && <HomeIntro />}
    </>
  );
}

/** Loads the results as soon as the visitor does anything, such as dragging a file or opening the file dialog. */
function usePrefetchOnIntent(): void {
  useEffect(() => {
    const controller = new AbortController();
    const prefetch = () => {
      controller.abort();
      // An error shows when the results are rendered.
      loadResults().catch(() => {});
    };
    for (const event of ['pointerdown', 'keydown', 'dragenter']) {
      addEventListener(event, prefetch, { signal: controller.signal });
    }
    return () => controller.abort();
  }, []);
}

/** Asking for the same result again adds no history entry. */
function showResult(address: string): void {
  navigate(address, { replace: location.pathname + location.search + location.hash === address });
}

/** A result that the page was opened with does not take the focus: the user has not done anything yet. */
const initialAddress = location.search + location.hash;

function ResultRegion({ address, children }: { readonly address: string; readonly children: ReactNode }) {
  const region = useRef<HTMLElement>(null);
  useEffect(() => {
    if (address !== initialAddress) region.current?.focus({ preventScroll: true });
  }, [address]);
  return (
    <section ref={region} tabIndex={-1} aria-label={texts.result} className={styles.result}>
      <Suspense fallback={<p className={basics.quiet}>{texts.loading}</p>}>{children}</Suspense>
    </section>
  );
}
