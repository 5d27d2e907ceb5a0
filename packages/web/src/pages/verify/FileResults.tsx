// The results for several files: a summary, and a row per file. A single file gets a page of its own.

import type { EmbeddedManifest, Lookup } from '@provenance-registry/client';
import type { Fingerprint } from '@provenance-registry/core';
import { memo, useEffect, useState } from 'preact/compat';
import * as texts from '#texts/lookups/verifyResult';
import { describeError } from '../../errorMessages.js';
import { useRegistryClient } from '../../registryClient.js';
import { navigate } from '../../routing.js';
import { announce } from '../../ui/feedback/LiveRegion.js';
import { FileName } from '../../ui/file/FileName.js';
import { Button } from '../../ui/form/Button.js';
import * as basics from '../../ui/layout/basics.module.css';
import { Card } from '../../ui/layout/Card.js';
import { FingerprintText } from '../../ui/text/FingerprintText.js';
import { formatNumber, formatSize } from '../../ui/text/format.js';
import { Icon } from '../../ui/text/Icon.js';
import * as styles from './FileResults.module.css';
import { useFileChecks } from './fileChecks.js';
import {
  type FileLookup,
  FileLostError,
  findChosenFile,
  findFile,
  restoreLookups,
  retryLookups,
  saveLookups,
  startLookups,
  stopLookups,
  useFileLookups,
} from './fileLookups.js';
import { useFileManifests } from './fileManifests.js';
import { collectFindings, ResultDetails, ResultTitle } from './ResultDetails.js';
import * as resultDetailsStyles from './ResultDetails.module.css';
import { Thumbnail } from './thumbnail/Thumbnail.js';

/** Rows shown at first, and added by each click, so that long lists stay fast. */
const ROWS_PER_STEP = 500;

/** `files` is undefined after a reload: then the stored fingerprints are looked up. */
export function FileResults({ files }: { readonly files: readonly File[] | undefined }) {
  const client = useRegistryClient();
  const lookups = useFileLookups();
  const [first] = lookups;
  const single = lookups.length === 1 ? first : undefined;
  useEffect(() => {
    if (files) startLookups(files, client);
    else restoreLookups(client);
  }, [files, client]);
  useEffect(() => {
    addEventListener('pagehide', saveLookups);
    return () => {
      removeEventListener('pagehide', saveLookups);
      saveLookups();
    };
  }, []);
  useEffect(() => {
    // Rendered before the files were replaced, it is still the one of an earlier file.
    if (single?.fingerprint && findFile(single.fingerprint))
      navigate(`/#fingerprint=${single.fingerprint}`, { replace: true });
  }, [single?.fingerprint]);
  if (!first) return <p>{texts.filesGone}</p>;
  if (single) return <SingleFile lookup={single} />;
  return <FileList lookups={lookups} />;
}

function SingleFile({ lookup }: { readonly lookup: FileLookup }) {
  const client = useRegistryClient();
  const { id, filename, size, mediaType, step } = lookup;
  const isRunning = step.name !== 'failed' && step.name !== 'stopped';
  const isLost = step.name === 'failed' && step.error instanceof FileLostError;
  return (
    <Card title={<FileName name={filename} />}>
      <div className={resultDetailsStyles.head}>
        <Thumbnail content={findChosenFile(id)} mediaType={mediaType} />
        <div className={basics.stack}>
          <p className={basics.quiet}>{formatSize(size)}</p>
          <StepText lookup={lookup} />
          <div className={basics.row}>
            {isRunning && <Button onClick={stopLookups}>{texts.stop}</Button>}
            {!isRunning && !isLost && <Button onClick={() => retryLookups(client)}>{texts.tryAgain}</Button>}
          </div>
        </div>
      </div>
    </Card>
  );
}

function FileList({ lookups }: { readonly lookups: readonly FileLookup[] }) {
  const [limit, setLimit] = useState(ROWS_PER_STEP);
  const manifests = useFileManifests(lookups);
  const hidden = lookups.length - limit;
  return (
    <Card title={texts.fileCount(lookups.length)}>
      <Summary lookups={lookups} manifests={manifests} />
      <ul className={`${basics.list} ${styles.files}`}>
        {lookups.slice(0, limit).map((lookup) => (
          <FileRow key={lookup.id} lookup={lookup} manifest={lookup.fingerprint && manifests.get(lookup.fingerprint)} />
        ))}
      </ul>
      {hidden > 0 && (
        <Button onClick={() => setLimit(limit + ROWS_PER_STEP)}>
          {texts.showMore(Math.min(hidden, ROWS_PER_STEP))}
        </Button>
      )}
    </Card>
  );
}

interface SummaryProps {
  readonly lookups: readonly FileLookup[];
  readonly manifests: ReadonlyMap<Fingerprint, EmbeddedManifest>;
}

function summarize({ lookups, manifests }: SummaryProps) {
  const counts = { registered: 0, onChain: 0, notFound: 0, copies: 0, failed: 0, stopped: 0 };
  const hasManifest = ({ fingerprint }: FileLookup) => fingerprint !== undefined && manifests.has(fingerprint);
  for (const lookup of lookups) {
    const outcome = outcomeOf(lookup, manifests);
    if (outcome) counts[outcome] += 1;
  }
  const credentials = lookups.filter(hasManifest).length - counts.copies;
  const done = Object.values(counts).reduce((sum, number) => sum + number, 0);
  const canRetry = counts.failed + counts.stopped > 0;
  return { done, sentence: texts.counts({ ...counts, credentials }), canRetry };
}

const outcomes = { artifact: 'registered', chain: 'onChain', none: 'notFound' } as const;

/** Undefined while it is checked. */
function outcomeOf({ step, fingerprint }: FileLookup, manifests: SummaryProps['manifests']) {
  if (step.name === 'failed' || step.name === 'stopped') return step.name;
  if (step.name !== 'done') return undefined;
  const isCopy = fingerprint !== undefined && manifests.get(fingerprint)?.signedCopyOf !== undefined;
  const { match } = step.result;
  return match === 'none' && isCopy ? 'copies' : outcomes[match];
}

function Summary({ lookups, manifests }: SummaryProps) {
  const client = useRegistryClient();
  const { done, sentence, canRetry } = summarize({ lookups, manifests });
  const isDone = done === lookups.length;
  useEffect(() => {
    if (isDone) announce(texts.allChecked(sentence));
  }, [isDone, sentence]);
  const checked = <strong>{texts.checkedOf(formatNumber(done), formatNumber(lookups.length))}</strong>;
  return (
    <div className={styles.summary}>
      <p>{texts.progressSentence(checked, sentence)}</p>
      <progress value={done} max={lookups.length} aria-label={texts.filesChecked} />
      <div className={basics.row}>
        {!isDone && <Button onClick={stopLookups}>{texts.stop}</Button>}
        {isDone && canRetry && <Button onClick={() => retryLookups(client)}>{texts.retryFailed}</Button>}
      </div>
    </div>
  );
}

interface FileRowProps {
  readonly lookup: FileLookup;
  /** The one inside the file, if it was read before the row was opened. */
  readonly manifest: EmbeddedManifest | undefined;
}

const FileRow = memo(function FileRow({ lookup, manifest }: FileRowProps) {
  const { step, fingerprint } = lookup;
  return (
    <li className={styles.file}>
      {step.name === 'done' && fingerprint ? (
        <CheckedFile lookup={lookup} manifest={manifest} fingerprint={fingerprint} result={step.result} />
      ) : (
        <div className={styles.line}>
          <FileNameAndSize lookup={lookup} />
          <StepText lookup={lookup} />
        </div>
      )}
    </li>
  );
});

function FileNameAndSize({ lookup: { filename, size } }: Pick<FileRowProps, 'lookup'>) {
  return (
    <span className={basics.clip}>
      <FileName name={filename} /> <span className={basics.quiet}>{formatSize(size)}</span>
    </span>
  );
}

interface CheckedFileProps extends FileRowProps {
  readonly fingerprint: Fingerprint;
  readonly result: Lookup;
}

function CheckedFile({ lookup, manifest, fingerprint, result }: CheckedFileProps) {
  const [wasOpened, setWasOpened] = useState(false);
  // Only opened rows read files and follow registrations: there may be hundreds.
  const file = wasOpened ? findFile(fingerprint) : undefined;
  const checks = useFileChecks(fingerprint, file, { result, error: undefined, retry: () => {} }, wasOpened);
  const findings = collectFindings(checks);
  return (
    <details onToggle={() => setWasOpened(true)}>
      <summary className={styles.line}>
        <FileNameAndSize lookup={lookup} />
        <ResultTitle findings={{ ...findings, hasFile: true, embedded: findings.embedded ?? manifest }} />
      </summary>
      {wasOpened && <ResultDetails checks={checks} />}
    </details>
  );
}

function StepText({ lookup: { step, size, fingerprint } }: { readonly lookup: FileLookup }) {
  switch (step.name) {
    case 'hashing':
      return (
        <span className={styles.progress}>
          <progress value={step.bytes} max={Math.max(size, 1)} aria-label={texts.fingerprintComputed} />
          <span className={basics.quiet}>{texts.computing(percentage(step.bytes, size))}</span>
        </span>
      );
    case 'failed':
      return (
        <span className={`${basics.aside} ${resultDetailsStyles.title}`} data-tone="bad">
          <Icon name="cross" />
          <span>{describeFileError(step.error)}</span>
        </span>
      );
    case 'stopped':
      return <span className={basics.quiet}>{texts.stopped}</span>;
    case 'lookingUp':
      return (
        <span className={basics.quiet}>
          {texts.lookingUpFingerprint(fingerprint && <FingerprintText fingerprint={fingerprint} hasCopy={false} />)}
        </span>
      );
    default:
      return <span className={basics.quiet}>{texts.waiting}</span>;
  }
}

function percentage(part: number, total: number): number {
  return total === 0 ? 100 : Math.floor((100 * part) / total);
}

function describeFileError(error: unknown): string {
  if (error instanceof FileLostError) return texts.fileLost;
  const isUnreadable = error instanceof DOMException && ['NotReadableError', 'NotFoundError'].includes(error.name);
  return isUnreadable ? texts.fileUnreadable : describeError(error);
}
