// One file in the queue.

import { type MouseEvent, memo } from 'react';
import { Button } from '../../../ui/Button.js';
import { formatSize } from '../../../ui/format.js';
import { Icon } from '../../../ui/Icon.js';
import { Link } from '../../../ui/Link.js';
import { RandomartThumbnail } from '../../../ui/Randomart.js';
import { Badge } from '../../../ui/StatusBadge.js';
import { noteText, stateDisplay } from './messages.js';
import type { Queue } from './queue.js';
import { isAwaitingChain, isFinished, type QueueRow } from './queueRow.js';

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
  const remove = ({ currentTarget }: MouseEvent) => {
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
          <bdi>{filename}</bdi>
        </span>
        <span className="queue-details">
          {size !== undefined && <span>{formatSize(size)}</span>}
          {markName !== undefined && (
            <span>
              under <bdi>{markName}</bdi>
            </span>
          )}
          {note !== undefined && <span className={`tone-${stateDisplay[state].tone} queue-note`}>{note}</span>}
        </span>
      </div>
      <div className="queue-state">
        <Badge {...stateDisplay[state]} />
        {state === 'hashing' && (
          <progress aria-label={`Hashing ${filename}`} value={row.hashedBytes} max={Math.max(size ?? 0, 1)} />
        )}
      </div>
      <div className="queue-actions">
        <ArtifactLink row={row} />
        {state === 'failed' && (
          <Button kind="quiet" aria-label={`Retry ${filename}`} onClick={retry}>
            Retry
          </Button>
        )}
        {state !== 'sending' && (
          <Button kind="quiet" aria-label={`Remove ${filename}`} onClick={remove}>
            <Icon name="cross" />
          </Button>
        )}
      </div>
    </li>
  );
});

/** The button is removed with its row: the focus moves to the next row. */
function focusNeighbor(button: Element): void {
  const item = button.closest('li');
  const neighbor = item?.nextElementSibling ?? item?.previousElementSibling;
  neighbor?.querySelector<HTMLElement>('button:last-of-type')?.focus();
}

function ArtifactLink({ row }: { readonly row: QueueRow }) {
  const { fingerprint, filename } = row;
  if (fingerprint === undefined || !(isFinished(row) || isAwaitingChain(row))) return null;
  return (
    <Link to={`/artifacts/${fingerprint}`} className="queue-link">
      View<span className="visually-hidden"> {filename}</span>
    </Link>
  );
}
