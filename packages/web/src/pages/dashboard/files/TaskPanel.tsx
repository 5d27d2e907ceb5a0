// The progress of work on many files, and its result.

import { useEffect } from 'preact/compat';
import * as texts from '#texts/artifacts/files';
import { announce } from '../../../ui/feedback/LiveRegion.js';
import { Badge } from '../../../ui/feedback/StatusBadge.js';
import { Button } from '../../../ui/form/Button.js';
import * as basics from '../../../ui/layout/basics.module.css';
import * as cardStyles from '../../../ui/layout/Card.module.css';
import * as listsStyles from '../lists.module.css';
import type { Task, TaskResult, TaskState } from './bulkTask.js';

/** Longer lists of problems would hide the files below. */
const MAX_SHOWN_RESULTS = 50;

interface TaskPanelProps {
  readonly state: TaskState;
  readonly onStart: (task: Task) => void;
  readonly onCancel: () => void;
  readonly onClose: () => void;
}

export function TaskPanel({ state, onStart, onCancel, onClose }: TaskPanelProps) {
  const { task, isRunning, isCanceled, results, note } = state;
  const ofOutcome = (outcome: TaskResult['outcome']) => results.filter((result) => result.outcome === outcome);
  const [done, failed, skipped] = [ofOutcome('done'), ofOutcome('failed'), ofOutcome('skipped')];
  const counts = { done: done.length, failed: failed.length, skipped: skipped.length };
  const summary = texts.result({ ...counts, left: task.items.length - results.length });
  useEffect(() => {
    if (!isRunning) announce(summary);
  }, [isRunning, summary]);
  const shown = [...failed, ...skipped, ...done.filter((result) => result.note !== undefined)];
  return (
    <section className={cardStyles.card} aria-label={task.title}>
      <h2>{task.title}</h2>
      {task.lead !== undefined && <p className={basics.quiet}>{task.lead}</p>}
      {isRunning ? (
        <>
          <progress aria-label={task.title} value={results.length} max={Math.max(1, task.items.length)} />
          <p>{texts.progress(results.length, task.items.length)}</p>
        </>
      ) : (
        <p>
          <strong>{isCanceled ? texts.canceled : texts.done}:</strong> {summary}
        </p>
      )}
      {note !== undefined && <p>{note}</p>}
      {shown.length > 0 && <ResultList results={shown} />}
      <div className={basics.row}>
        {isRunning && (
          <Button onClick={onCancel} isBusy={isCanceled}>
            {texts.cancel}
          </Button>
        )}
        {!isRunning && failed.length > 0 && (
          <Button onClick={() => onStart({ ...task, items: failed.map(({ item }) => item) })}>
            {texts.retryFailed(failed.length)}
          </Button>
        )}
        {!isRunning && <Button onClick={onClose}>{texts.close}</Button>}
      </div>
    </section>
  );
}

const outcomes = {
  failed: { tone: 'bad', icon: 'cross', label: texts.failedLabel },
  skipped: { tone: 'warn', icon: 'warning', label: texts.skippedLabel },
  done: { tone: 'info', icon: 'info', label: texts.noteLabel },
} as const;

function ResultList({ results }: { readonly results: readonly TaskResult[] }) {
  const left = results.length - MAX_SHOWN_RESULTS;
  return (
    <>
      <ul className={listsStyles.list}>
        {results.slice(0, MAX_SHOWN_RESULTS).map(({ item, outcome, note }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: results are only added at the end, and names may repeat.
          <li key={index} className={listsStyles.item}>
            <span className={listsStyles.name}>
              <bdi>{item.name}</bdi>
            </span>
            <span className={listsStyles.details}>
              <Badge {...outcomes[outcome]} />
              <span>{note}</span>
            </span>
          </li>
        ))}
      </ul>
      {left > 0 && <p className={basics.quiet}>{texts.moreResults(left)}</p>}
    </>
  );
}
