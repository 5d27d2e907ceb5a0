// The results for several files: a summary, and a row per file. A single file gets a page of its own.

import type { FileVerification } from '@provenance-registry/client';
import { memo, useEffect, useState } from 'preact/compat';
import { describeError } from '../../errorMessages.js';
import { useRegistryClient } from '../../registryClient.js';
import { navigate } from '../../routing.js';
import { Button } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { FingerprintText } from '../../ui/FingerprintText.js';
import { formatSize, pluralize } from '../../ui/format.js';
import { Icon } from '../../ui/Icon.js';
import { announce } from '../../ui/LiveRegion.js';
import {
  type FileLookup,
  FileLostError,
  findFile,
  restoreLookups,
  retryLookups,
  saveLookups,
  startLookups,
  stopLookups,
  useFileLookups,
} from './fileLookups.js';
import { useLiveLookup } from './lookup.js';
import { ResultDetails, ResultTitle } from './ResultDetails.js';
import { useEmbeddedManifest } from './useEmbeddedManifest.js';

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
  if (!first) return <p>These files are no longer available. Choose them again.</p>;
  if (single) return <SingleFile lookup={single} />;
  return <FileList lookups={lookups} />;
}

function SingleFile({ lookup }: { readonly lookup: FileLookup }) {
  const client = useRegistryClient();
  const { filename, step } = lookup;
  const isRunning = step.name !== 'failed' && step.name !== 'stopped';
  const isLost = step.name === 'failed' && step.error instanceof FileLostError;
  return (
    <Card title={<bdi>{filename}</bdi>}>
      <StepText lookup={lookup} />
      <div className="row">
        {isRunning && <Button onClick={stopLookups}>Stop</Button>}
        {!isRunning && !isLost && <Button onClick={() => retryLookups(client)}>Try again</Button>}
      </div>
    </Card>
  );
}

function FileList({ lookups }: { readonly lookups: readonly FileLookup[] }) {
  const [limit, setLimit] = useState(ROWS_PER_STEP);
  const hidden = lookups.length - limit;
  return (
    <Card title={pluralize(lookups.length, 'file')}>
      <Summary lookups={lookups} />
      <ul className="files">
        {lookups.slice(0, limit).map((lookup) => (
          <FileRow key={lookup.id} lookup={lookup} />
        ))}
      </ul>
      {hidden > 0 && (
        <Button onClick={() => setLimit(limit + ROWS_PER_STEP)}>
          Show {pluralize(Math.min(hidden, ROWS_PER_STEP), 'more file')}
        </Button>
      )}
    </Card>
  );
}

function summarize(lookups: readonly FileLookup[]) {
  const counts = { registered: 0, onChain: 0, notFound: 0, failed: 0, stopped: 0 };
  for (const { step } of lookups) {
    if (step.name === 'failed' || step.name === 'stopped') counts[step.name] += 1;
    if (step.name === 'done') counts[step.result.kind === 'recorded' ? 'registered' : step.result.kind] += 1;
  }
  const parts = [
    `${counts.registered} registered`,
    ...(counts.onChain > 0 ? [`${counts.onChain} only on chain`] : []),
    `${counts.notFound} not registered here`,
    ...(counts.failed > 0 ? [`${counts.failed} could not be checked`] : []),
    ...(counts.stopped > 0 ? [`${counts.stopped} stopped`] : []),
  ];
  const done = Object.values(counts).reduce((sum, number) => sum + number, 0);
  return { done, sentence: `${parts.join(', ')}.`, canRetry: counts.failed + counts.stopped > 0 };
}

function Summary({ lookups }: { readonly lookups: readonly FileLookup[] }) {
  const client = useRegistryClient();
  const { done, sentence, canRetry } = summarize(lookups);
  const isDone = done === lookups.length;
  useEffect(() => {
    if (isDone) announce(`All files checked: ${sentence}`);
  }, [isDone, sentence]);
  return (
    <div className="summary">
      <p>
        <strong>
          {done} of {lookups.length} checked
        </strong>
        : {sentence}
      </p>
      <progress value={done} max={lookups.length} aria-label="Files checked" />
      <div className="row">
        {!isDone && <Button onClick={stopLookups}>Stop</Button>}
        {isDone && canRetry && <Button onClick={() => retryLookups(client)}>Retry failed</Button>}
      </div>
    </div>
  );
}

const FileRow = memo(function FileRow({ lookup }: { readonly lookup: FileLookup }) {
  const [wasOpened, setWasOpened] = useState(false);
  const [verification, setVerification] = useState<FileVerification>();
  const { filename, size, step, fingerprint } = lookup;
  const loaded = step.name === 'done' ? step.result : undefined;
  // Only opened rows poll: there may be hundreds.
  const result = useLiveLookup(wasOpened ? loaded : undefined) ?? loaded;
  const file = wasOpened && fingerprint ? findFile(fingerprint) : undefined;
  const embedded = useEmbeddedManifest(file?.content);
  const name = (
    <span className="file-name">
      <bdi>{filename}</bdi> <span className="quiet">{formatSize(size)}</span>
    </span>
  );
  return (
    <li className="file">
      {result === undefined || fingerprint === undefined ? (
        <div className="file-line">
          {name}
          <StepText lookup={lookup} />
        </div>
      ) : (
        <details onToggle={() => setWasOpened(true)}>
          <summary className="file-line">
            {name}
            <ResultTitle result={result} embedded={embedded} verification={verification} file={lookup} />
          </summary>
          {wasOpened && (
            <ResultDetails
              fingerprint={fingerprint}
              result={result}
              file={file}
              embedded={embedded}
              verification={verification}
              onVerified={setVerification}
            />
          )}
        </details>
      )}
    </li>
  );
});

function StepText({ lookup: { step, size, fingerprint } }: { readonly lookup: FileLookup }) {
  switch (step.name) {
    case 'hashing':
      return (
        <span className="file-progress">
          <progress value={step.bytes} max={Math.max(size, 1)} aria-label="Fingerprint computed" />
          <span className="quiet">Computing fingerprint: {percentage(step.bytes, size)} %</span>
        </span>
      );
    case 'failed':
      return (
        <span className="result-title tone-bad">
          <Icon name="cross" />
          <span>{describeFileError(step.error)}</span>
        </span>
      );
    case 'stopped':
      return <span className="quiet">Stopped</span>;
    case 'lookingUp':
      return (
        <span className="quiet">
          Looking up … {fingerprint && <FingerprintText fingerprint={fingerprint} hasCopy={false} />}
        </span>
      );
    default:
      return <span className="quiet">Waiting</span>;
  }
}

function percentage(part: number, total: number): number {
  return total === 0 ? 100 : Math.floor((100 * part) / total);
}

function describeFileError(error: unknown): string {
  if (error instanceof FileLostError) return 'The page was reloaded before this file was read. Choose it again.';
  const isUnreadable = error instanceof DOMException && ['NotReadableError', 'NotFoundError'].includes(error.name);
  if (!isUnreadable) return describeError(error);
  return 'This file cannot be read: it was changed or removed after you chose it, or it is a folder.';
}
