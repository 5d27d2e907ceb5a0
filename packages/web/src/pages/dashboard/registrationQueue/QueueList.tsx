// The files of the queue, with actions for all of them.

import type { Mark } from '@provenance-registry/core';
import { useState } from 'preact/compat';
import * as texts from '#texts/artifacts/register';
import { Button, buttonClass } from '../../../ui/form/Button.js';
import * as basics from '../../../ui/layout/basics.module.css';
import { Link } from '../../../ui/text/Link.js';
import { MAX_SHEET_FILES, sheetAddress } from '../../contactSheet/sheetLink.js';
import { DownloadCopies } from './CopyControls.js';
import { summaryText } from './messages.js';
import { QueueItem } from './QueueItem.js';
import * as styles from './QueueList.module.css';
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
  { label: texts.filters.all, includes: () => true },
  { label: texts.filters.inProgress, includes: (row: QueueRow) => !isFinished(row) },
  { label: texts.filters.failed, includes: ({ state }: QueueRow) => state === 'failed' },
] as const;

export function QueueList({ summary, queue, marks, selected, isFrozen }: QueueListProps) {
  const [filter, setFilter] = useState<(typeof filters)[number]>(filters[0]);
  const markNames = new Map(marks.map(({ id, name }) => [id, name]));
  const rows = summary.rows.filter(filter.includes);
  return (
    <section className={basics.box} aria-label={texts.files}>
      <QueueControls summary={summary} queue={queue} isFrozen={isFrozen} />
      {summary.rows.length >= MIN_ROWS_FOR_FILTER && (
        <fieldset className={styles.filter}>
          <legend className={basics.visuallyHidden}>{texts.filter}</legend>
          {filters.map((option) => (
            <label key={option.label}>
              <input type="radio" name="filter" checked={option === filter} onChange={() => setFilter(option)} />
              {option.label}
            </label>
          ))}
        </fieldset>
      )}
      <ul className={basics.list}>
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
    <div className={styles.controls}>
      <p className={styles.summary}>{summaryText(summary)}</p>
      <progress aria-label={texts.registeredFiles} value={registered} max={rows.length} />
      {!isWorking && <ComparisonText comparison={comparison} />}
      {!isWorking && counts.waiting > 0 && !options.authorshipStated && (
        <p className={basics.quiet}>{texts.withoutStatement}</p>
      )}
      <div className={basics.row}>
        {isWorking && <Button onClick={() => queue.pause()}>{texts.pause}</Button>}
        {!isWorking && counts.waiting > 0 && stopReason !== 'login' && (
          <Button kind="primary" disabled={isFrozen} onClick={() => queue.start()}>
            {texts.register(counts.waiting)}
          </Button>
        )}
        {counts.failed > 0 && <Button onClick={retryFailed}>{texts.retryFailed(counts.failed)}</Button>}
        <DownloadCopies rows={rows} queue={queue} />
        {!isWorking && <OwnFiles rows={rows} />}
        {finished > 0 && (
          <Button kind="quiet" onClick={() => queue.clearFinished()}>
            {texts.clearFinished(finished)}
          </Button>
        )}
      </div>
    </div>
  );
}

/** Where registered files are found again, and a page with their links to share with clients. */
function OwnFiles({ rows }: { readonly rows: readonly QueueRow[] }) {
  const own = rows.filter((row) => isRegistered(row) && row.state !== 'others' && !row.isSignedCopy);
  const fingerprints = [...new Set(own.flatMap(({ fingerprint = [] }) => fingerprint))].slice(0, MAX_SHEET_FILES);
  if (fingerprints.length === 0) return null;
  return (
    <>
      <Link to="/dashboard/files" className={buttonClass()}>
        {texts.toFiles}
      </Link>
      <Link to={sheetAddress({ title: '', fingerprints })} className={buttonClass()}>
        {texts.toSheet(fingerprints.length)}
      </Link>
    </>
  );
}

/** Registering need not wait for it. */
function ComparisonText({ comparison: { done, total, failed } }: Pick<QueueSummary, 'comparison'>) {
  if (total === 0) return null;
  if (done < total) {
    return <p className={basics.quiet}>{texts.comparing(done, total)}</p>;
  }
  if (failed === 0) return null;
  return <p className={basics.quiet}>{texts.notCompared(failed)}</p>;
}
