// Several files: a summary, and a row for each that opens to its answer. A single one moves on to its own address.

import type { Verification } from '@provenance-registry/client';
import { memo, useEffect, useState } from 'react';
import { explain, useService } from '../../registryClient.js';
import { navigate } from '../../routing.js';
import { Button } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { FingerprintText } from '../../ui/FingerprintText.js';
import { count, sizeOf } from '../../ui/format.js';
import { Icon } from '../../ui/Icon.js';
import { announce } from '../../ui/LiveRegion.js';
import {
  type Entry,
  FileLost,
  keepFiles,
  restoreFiles,
  retryFiles,
  stopFiles,
  useFiles,
  verifyFiles,
} from './fileLookups.js';
import { Answer, AnswerTitle } from './LookupResult.js';
import { useFollowedFinding } from './lookup.js';

/** More are shown when they are asked for: long lists stay quick. */
const ROWS = 500;

interface SeveralFilesProps {
  /** Undefined after a reload: then the fingerprints that were kept are looked up. */
  readonly given: readonly File[] | undefined;
}

export function SeveralFiles({ given }: SeveralFilesProps) {
  const service = useService();
  const entries = useFiles();
  const [first] = entries;
  const only = entries.length === 1 ? first : undefined;
  useEffect(() => {
    if (given) verifyFiles(given, service);
    else restoreFiles(service);
  }, [given, service]);
  useEffect(() => {
    addEventListener('pagehide', keepFiles);
    return () => {
      removeEventListener('pagehide', keepFiles);
      keepFiles();
    };
  }, []);
  useEffect(() => {
    if (only?.fingerprint) navigate(`/?fingerprint=${only.fingerprint}`, { replace: true });
  }, [only?.fingerprint]);
  if (!first) return <p>These files are not known any more. Choose them again.</p>;
  if (only) return <Single entry={only} />;
  return <List entries={entries} />;
}

function Single({ entry: { filename, step }, entry }: { readonly entry: Entry }) {
  const service = useService();
  const isAtWork = step.name !== 'failed' && step.name !== 'stopped';
  const isLost = step.name === 'failed' && step.error instanceof FileLost;
  return (
    <Card title={<bdi>{filename}</bdi>}>
      <StepText entry={entry} />
      <div className="row">
        {isAtWork && <Button onClick={stopFiles}>Stop</Button>}
        {!isAtWork && !isLost && <Button onClick={() => retryFiles(service)}>Try again</Button>}
      </div>
    </Card>
  );
}

function List({ entries }: { readonly entries: readonly Entry[] }) {
  const [limit, setLimit] = useState(ROWS);
  const hidden = entries.length - limit;
  return (
    <Card title={count(entries.length, 'file')}>
      <Summary entries={entries} />
      <ul className="files">
        {entries.slice(0, limit).map((entry) => (
          <Row key={entry.id} entry={entry} />
        ))}
      </ul>
      {hidden > 0 && (
        <Button onClick={() => setLimit(limit + ROWS)}>Show {count(Math.min(hidden, ROWS), 'more file')}</Button>
      )}
    </Card>
  );
}

interface Tally {
  readonly done: number;
  readonly sentence: string;
  readonly isRetryable: boolean;
}

function tally(entries: readonly Entry[]): Tally {
  const kinds = { registered: 0, noted: 0, unknown: 0, failed: 0, stopped: 0 };
  for (const { step } of entries) {
    if (step.name === 'failed' || step.name === 'stopped') kinds[step.name] += 1;
    if (step.name !== 'answered') continue;
    const { kind } = step.finding;
    kinds[kind === 'recorded' ? 'registered' : kind === 'nothing' ? 'unknown' : 'noted'] += 1;
  }
  const words = [
    `${kinds.registered} registered`,
    ...(kinds.noted > 0 ? [`${kinds.noted} only on chain`] : []),
    `${kinds.unknown} not registered here`,
    ...(kinds.failed > 0 ? [`${kinds.failed} not found out`] : []),
    ...(kinds.stopped > 0 ? [`${kinds.stopped} stopped`] : []),
  ];
  const done = Object.values(kinds).reduce((sum, number) => sum + number, 0);
  return { done, sentence: `${words.join(', ')}.`, isRetryable: kinds.failed + kinds.stopped > 0 };
}

function Summary({ entries }: { readonly entries: readonly Entry[] }) {
  const service = useService();
  const { done, sentence, isRetryable } = tally(entries);
  const isDone = done === entries.length;
  useEffect(() => {
    if (isDone) announce(`All files are done: ${sentence}`);
  }, [isDone, sentence]);
  return (
    <div className="summary">
      <p>
        <strong>
          {done} of {entries.length} done
        </strong>
        : {sentence}
      </p>
      <progress value={done} max={entries.length} aria-label="Files that are done" />
      <div className="row">
        {!isDone && <Button onClick={stopFiles}>Stop</Button>}
        {isDone && isRetryable && <Button onClick={() => retryFiles(service)}>Try the others again</Button>}
      </div>
    </div>
  );
}

const Row = memo(function Row({ entry }: { readonly entry: Entry }) {
  const [wasOpened, setWasOpened] = useState(false);
  const [found, setFound] = useState<Verification>();
  const { filename, size, step, fingerprint } = entry;
  // Only what is looked at: there may be hundreds.
  const followed = useFollowedFinding(wasOpened && step.name === 'answered' ? step.finding : undefined);
  const name = (
    <span className="file-name">
      <bdi>{filename}</bdi> <span className="quiet">{sizeOf(size)}</span>
    </span>
  );
  if (step.name !== 'answered' || fingerprint === undefined) {
    return (
      <li className="file">
        <div className="file-line">
          {name}
          <StepText entry={entry} />
        </div>
      </li>
    );
  }
  return (
    <li className="file">
      <details onToggle={() => setWasOpened(true)}>
        <summary className="file-line">
          {name}
          <AnswerTitle finding={followed ?? step.finding} found={found} />
        </summary>
        {wasOpened && (
          <Answer
            fingerprint={fingerprint}
            finding={followed ?? step.finding}
            file={{ ...entry, fingerprint }}
            found={found}
            onChecked={setFound}
          />
        )}
      </details>
    </li>
  );
});

function StepText({ entry }: { readonly entry: Entry }) {
  const { step, size, fingerprint } = entry;
  switch (step.name) {
    case 'hashing':
      return (
        <span className="file-progress">
          <progress value={step.bytes} max={Math.max(size, 1)} aria-label="Fingerprint computed" />
          <span className="quiet">Computing the fingerprint: {percent(step.bytes, size)} %</span>
        </span>
      );
    case 'failed':
      return (
        <span className="answer-title tone-bad">
          <Icon name="cross" />
          <span>{explainFile(step.error)}</span>
        </span>
      );
    case 'stopped':
      return <span className="quiet">Stopped</span>;
    case 'asking':
      return (
        <span className="quiet">
          Looking it up … {fingerprint && <FingerprintText fingerprint={fingerprint} hasCopy={false} />}
        </span>
      );
    default:
      return <span className="quiet">Waiting</span>;
  }
}

function percent(part: number, whole: number): number {
  return whole === 0 ? 100 : Math.floor((100 * part) / whole);
}

/** Browsers refuse to read folders, and files that were changed or removed meanwhile. */
function explainFile(error: unknown): string {
  if (error instanceof FileLost) return 'It was not read yet when the page was reloaded. Choose it again.';
  const isUnreadable = error instanceof DOMException && ['NotReadableError', 'NotFoundError'].includes(error.name);
  if (!isUnreadable) return explain(error);
  return 'It cannot be read: it was changed or removed after you chose it, or it is a folder.';
}
