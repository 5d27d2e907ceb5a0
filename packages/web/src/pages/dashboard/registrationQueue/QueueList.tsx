// The files of the queue, with actions for all of them.

import type { Mark } from '@provenance-registry/core';
import { useState } from 'preact/compat';
import { Button } from '../../../ui/Button.js';
import { pluralize } from '../../../ui/format.js';
import { DownloadCopies } from './CopyControls.js';
import { summaryText } from './messages.js';
import { QueueItem } from './QueueItem.js';
import type { Queue, QueueSummary } from './queue.js';
import { isFinished, isRegistered, type QueueRow } from './queueRow.js';

interface QueueListProps {
  readonly summary: QueueSummary;
  readonly queue: Queue;
  readonly marks: readonly Mark[];
  readonly selected: Mark;
  /** The organization that owns the selected Mark is frozen. */
  readonly isFrozen: boolean;
}

/** Shorter lists need no filter. */
const MIN_ROWS_FOR_FILTER = 10;

const filters = [
  { label: 'All', includes: () => true },
  { label: 'In progress', includes: (row: QueueRow) => !isFinished(row) },
  { label: 'Failed', includes: ({ state }: QueueRow) => state === 'failed' },
] as const;

export function QueueList({ summary, queue, marks, selected, isFrozen }: QueueListProps) {
  const [filter, setFilter] = useState<(typeof filters)[number]>(filters[0]);
  const markNames = new Map(marks.map(({ id, name }) => [id, name]));
  const rows = summary.rows.filter(filter.includes);
  return (
    <section className="queue" aria-label="Files">
      <QueueControls summary={summary} queue={queue} isFrozen={isFrozen} />
      {summary.rows.length >= MIN_ROWS_FOR_FILTER && (
        <fieldset className="queue-filter">
          <legend className="visually-hidden">Filter</legend>
          {filters.map((option) => (
            <label key={option.label}>
              <input type="radio" name="filter" checked={option === filter} onChange={() => setFilter(option)} />
              {option.label}
            </label>
          ))}
        </fieldset>
      )}
      <ul className="queue-list">
        {rows.map((row) => (
          <QueueItem
            key={row.id}
            row={row}
            queue={queue}
            markName={row.markId === selected.id ? undefined : markNames.get(row.markId)}
          />
        ))}
      </ul>
    </section>
  );
}

function QueueControls({ summary, queue, isFrozen }: Pick<QueueListProps, 'summary' | 'queue' | 'isFrozen'>) {
  const { counts, rows, isRunning, stopReason, options, comparison } = summary;
  const isWorking = isRunning && stopReason === undefined;
  const registered = rows.filter(isRegistered).length;
  const finished = rows.filter(isFinished).length;
  const retryFailed = () => {
    queue.retry();
    queue.start();
  };
  return (
    <div className="queue-controls">
      <p className="queue-summary">{summaryText(summary)}</p>
      <progress aria-label="Registered files" value={registered} max={rows.length} />
      {!isWorking && <ComparisonText comparison={comparison} />}
      {!isWorking && counts.waiting > 0 && !options.authorshipStated && (
        <p className="quiet">Without the statement that you made these files or may speak for their maker.</p>
      )}
      <div className="row">
        {isWorking && <Button onClick={queue.pause}>Pause</Button>}
        {!isWorking && counts.waiting > 0 && stopReason !== 'login' && (
          <Button kind="primary" disabled={isFrozen} onClick={queue.start}>
            Register {pluralize(counts.waiting, 'file')}
          </Button>
        )}
        {counts.failed > 0 && <Button onClick={retryFailed}>Retry {counts.failed} failed</Button>}
        <DownloadCopies rows={rows} queue={queue} />
        {finished > 0 && (
          <Button kind="quiet" onClick={queue.clearFinished}>
            Clear {finished} finished
          </Button>
        )}
      </div>
    </div>
  );
}

/** Registering need not wait for it. */
function ComparisonText({ comparison: { done, total, failed } }: Pick<QueueSummary, 'comparison'>) {
  if (total === 0) return null;
  if (done < total) {
    return (
      <p className="quiet">
        Comparing with registered files: {done} of {total}
      </p>
    );
  }
  if (failed === 0) return null;
  return (
    <p className="quiet">
      {pluralize(failed, 'file')} could not be compared with registered ones. You can register{' '}
      {failed === 1 ? 'it' : 'them'} all the same.
    </p>
  );
}
