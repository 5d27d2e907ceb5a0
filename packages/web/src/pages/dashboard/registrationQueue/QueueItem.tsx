// One file in the queue.

import { type MouseEvent, memo, useState } from 'preact/compat';
import * as texts from '#texts/register';
import { Button } from '../../../ui/Button.js';
import { ConfirmDialog } from '../../../ui/Dialog.js';
import { FileName } from '../../../ui/FileName.js';
import { formatSize } from '../../../ui/format.js';
import { Icon } from '../../../ui/Icon.js';
import { Link } from '../../../ui/Link.js';
import { RandomartThumbnail } from '../../../ui/Randomart.js';
import { Badge } from '../../../ui/StatusBadge.js';
import { Timestamp } from '../../../ui/Timestamp.js';
import { RowCopy } from './CopyControls.js';
import { noteText, planText, stateDisplay } from './messages.js';
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
    <li className="queue-item">
      <div>{row.fingerprint !== undefined && <RandomartThumbnail fingerprint={row.fingerprint} />}</div>
      <div className="queue-file">
        <span className="queue-filename" title={filename}>
          {folder !== '' && (
            <span className="quiet">
              <bdi>{folder}</bdi>/
            </span>
          )}
          <FileName name={filename} />
        </span>
        <span className="queue-details">
          {size !== undefined && <span>{formatSize(size)}</span>}
          {markName !== undefined && <span>{texts.underMark(<bdi>{markName}</bdi>)}</span>}
          {plan !== undefined && <span>{plan}</span>}
          {note !== undefined && <span className={`tone-${stateDisplay[state].tone} queue-note`}>{note}</span>}
        </span>
        <SimilarFiles row={row} />
        <RowCopy row={row} queue={queue} />
      </div>
      <div className="queue-state">
        <Badge {...stateDisplay[state]} />
        {state === 'hashing' && (
          <progress aria-label={texts.hashing(filename)} value={row.hashedBytes} max={Math.max(size ?? 0, 1)} />
        )}
      </div>
      <div className="queue-actions">
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
    <span className="queue-similar tone-warn">
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
    <Link to={`/artifacts/${fingerprint}`} className="queue-link">
      {texts.view(<span className="visually-hidden"> {filename}</span>)}
    </Link>
  );
}
