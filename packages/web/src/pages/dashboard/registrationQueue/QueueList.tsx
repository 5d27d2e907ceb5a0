// The list of files, and what can be done with all of them.

import type { Mark } from '@provenance-registry/core';
import { useState } from 'react';
import { Button } from '../../../ui/Button.js';
import { count } from '../../../ui/format.js';
import { sumOf } from './messages.js';
import { FileRow } from './QueueRow.js';
import type { Queue, Summary } from './queue.js';
import { isFinished, isOnItsWay, type Row } from './queueRow.js';

interface FileListProps {
  readonly summary: Summary;
  readonly queue: Queue;
  readonly marks: readonly Mark[];
  readonly chosen: Mark;
  /** The organization that owns the chosen Mark is frozen. */
  readonly isFrozen: boolean;
}

/** Fewer are seen at a glance. */
const FILTER_FROM = 10;

const filters = {
  all: { label: 'All', shows: () => true },
  open: { label: 'Not through yet', shows: (row: Row) => !isFinished(row) },
  failed: { label: 'Failed', shows: ({ state }: Row) => state === 'failed' },
} as const;
const filterNames = ['all', 'open', 'failed'] as const;

export function FileList({ summary, queue, marks, chosen, isFrozen }: FileListProps) {
  const [filter, setFilter] = useState<keyof typeof filters>('all');
  const names = new Map(marks.map(({ id, name }) => [id, name]));
  const shown = summary.rows.filter(filters[filter].shows);
  return (
    <section className="batch" aria-label="Files">
      <Controls summary={summary} queue={queue} isFrozen={isFrozen} />
      {summary.rows.length >= FILTER_FROM && (
        <fieldset className="filter">
          <legend className="unseen">Which files are shown</legend>
          {filterNames.map((name) => (
            <label key={name}>
              <input type="radio" name="filter" checked={name === filter} onChange={() => setFilter(name)} />
              {filters[name].label}
            </label>
          ))}
        </fieldset>
      )}
      <ul className="batch-list">
        {shown.map((row) => (
          <FileRow
            key={row.id}
            row={row}
            queue={queue}
            markName={row.markId === chosen.id ? undefined : names.get(row.markId)}
          />
        ))}
      </ul>
    </section>
  );
}

function Controls({ summary, queue, isFrozen }: Pick<FileListProps, 'summary' | 'queue' | 'isFrozen'>) {
  const { counts, rows, isRunning, halt } = summary;
  const isAtWork = isRunning && halt === undefined;
  const done = rows.filter((row) => isFinished(row) || isOnItsWay(row)).length;
  const finished = rows.filter(isFinished).length;
  const tryAgain = () => {
    queue.retry();
    queue.start();
  };
  return (
    <div className="controls">
      <p className="controls-sum">{sumOf(summary)}</p>
      <progress aria-label="Registered so far" value={done} max={rows.length} />
      <div className="row">
        {isAtWork && <Button onClick={queue.pause}>Pause</Button>}
        {!isAtWork && counts.waiting > 0 && halt !== 'login' && (
          <Button kind="primary" disabled={isFrozen} onClick={queue.start}>
            Register {count(counts.waiting, 'file')}
          </Button>
        )}
        {counts.failed > 0 && <Button onClick={tryAgain}>Try {counts.failed} failed again</Button>}
        {finished > 0 && (
          <Button kind="quiet" onClick={queue.clear}>
            Take {finished} finished off the list
          </Button>
        )}
      </div>
    </div>
  );
}
