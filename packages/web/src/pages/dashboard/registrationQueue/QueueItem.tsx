// One file in the queue.

import { type MouseEvent, memo, useState } from 'preact/compat';
import * as texts from '#texts/artifacts/register';
import { RandomartThumbnail } from '../../../ui/artifact/Randomart.js';
import { Badge } from '../../../ui/feedback/StatusBadge.js';
import { FileName } from '../../../ui/file/FileName.js';
import { Button } from '../../../ui/form/Button.js';
import { ConfirmDialog } from '../../../ui/form/Dialog.js';
import * as basics from '../../../ui/layout/basics.module.css';
import { formatSize } from '../../../ui/text/format.js';
import { Icon } from '../../../ui/text/Icon.js';
import { Link } from '../../../ui/text/Link.js';
import { Timestamp } from '../../../ui/text/Timestamp.js';
import { RowCopy } from './CopyControls.js';
import { noteText, planText, stateDisplay } from './messages.js';
import * as styles from './QueueItem.module.css';
import type { Queue } from './queue.js';
import { isBusy, isRegistered, type QueueRow } from './queueRow.js';

interface QueueItemProps {
  readonly row: QueueRow;
  readonly queue: Queue;
  /** Only when it is not the selected Mark. */
  readonly markName: string | undefined;
}

/** Memoized, because most of the up to a thousand rows do not change at a time. */
export const QueueItem = memo(function QueueItem({ row, queue, markName }: QueueItemProps) {
  const { id, folder, filename, size, state } = row;
  const note = noteText(row);
  const plan = planText(row);
  const [isConfirming, setIsConfirming] = useState(false);
  const remove = ({ currentTarget }: MouseEvent<HTMLElement>) => {
    if (row.copy === 'ready') {
      setIsConfirming(true);
      return;
    }
    focusNeighbor(currentTarget);
    queue.remove(id);
  };
  const retry = () => {
    queue.retry(id);
    queue.start();
  };
  return (
    <li className={styles.item}>
      <div>{row.fingerprint !== undefined && <RandomartThumbnail fingerprint={row.fingerprint} />}</div>
      <div className={styles.file}>
        <span className={basics.twoLines} title={filename}>
          {folder !== '' && (
            <span className={basics.quiet}>
              <bdi>{folder}</bdi>/
            </span>
          )}
          <FileName name={filename} />
        </span>
        <span className={`${basics.small} ${styles.details}`}>
          {size !== undefined && <span>{formatSize(size)}</span>}
          {markName !== undefined && <span>{texts.underMark(<bdi>{markName}</bdi>)}</span>}
          {plan !== undefined && <span>{plan}</span>}
          {note !== undefined && (
            <span className={styles.note} data-tone={stateDisplay[state].tone}>
              {note}
            </span>
          )}
        </span>
        <SimilarFiles row={row} />
        <RowCopy row={row} queue={queue} />
      </div>
      <div className={styles.state}>
        <Badge {...stateDisplay[state]} />
        {state === 'hashing' && (
          <progress aria-label={texts.hashing(filename)} value={row.hashedBytes} max={Math.max(size ?? 0, 1)} />
        )}
      </div>
      <div className={styles.actions}>
        <ArtifactLink row={row} />
        {state === 'failed' && (
          <Button kind="quiet" aria-label={texts.retryFile(filename)} onClick={retry}>
            {texts.retry}
          </Button>
        )}
        {!isBusy(row) && (
          <Button kind="quiet" aria-label={texts.removeFile(filename)} onClick={remove}>
            <Icon name="cross" />
          </Button>
        )}
      </div>
      {isConfirming && (
        <ConfirmDialog
          title={texts.removeTitle}
          action={texts.remove}
          work={async () => queue.remove(id)}
          onClose={() => setIsConfirming(false)}
        >
          <p>{texts.removeText(<bdi>{filename}</bdi>)}</p>
        </ConfirmDialog>
      )}
    </li>
  );
});

/** The button is removed with its row: the focus moves to the next row. */
function focusNeighbor(button: Element): void {
  const item = button.closest('li');
  const neighbor = item?.nextElementSibling ?? item?.previousElementSibling;
  neighbor?.querySelector<HTMLElement>('button:last-of-type')?.focus();
}

/** Shown before the user confirms, and after the registration. */
function SimilarFiles({ row: { similar } }: { readonly row: QueueRow }) {
  const [first, ...others] = similar;
  if (!first) return null;
  return (
    <span className={`${basics.aside} ${styles.similar}`} data-tone="warn">
      <Icon name="warning" />
      <span>
        {texts.looksLike(
          (text) => (
            <Link to={`/artifacts/${first.fingerprint}`}>{text}</Link>
          ),
          <bdi>{first.markName}</bdi>,
          <Timestamp at={first.registeredAt} isDayOnly />,
          others.length,
        )}
      </span>
    </span>
  );
}

function ArtifactLink({ row }: { readonly row: QueueRow }) {
  const { fingerprint, filename } = row;
  if (fingerprint === undefined || !isRegistered(row)) return null;
  return (
    <Link to={`/artifacts/${fingerprint}`} className={styles.link}>
      {texts.view(<span className={basics.visuallyHidden}> {filename}</span>)}
    </Link>
  );
}
