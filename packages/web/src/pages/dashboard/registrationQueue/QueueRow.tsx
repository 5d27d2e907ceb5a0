// One file in the list.

import { type MouseEvent, memo } from 'react';
import { Link } from '../../../routing.js';
import { Button } from '../../../ui/Button.js';
import { sizeOf } from '../../../ui/format.js';
import { Icon } from '../../../ui/Icon.js';
import { BishopThumb } from '../../../ui/RandomartThumbnail.js';
import { looks, noteOf } from './messages.js';
import type { Queue } from './queue.js';
import type { Row } from './queueRow.js';

interface FileRowProps {
  readonly row: Row;
  readonly queue: Queue;
  /** When it is another than the one that is chosen. */
  readonly markName: string | undefined;
}

/** Drawn again only when its row has changed: hundreds of others have not. */
export const FileRow = memo(function FileRow({ row, queue, markName }: FileRowProps) {
  const { id, folder, filename, size, state } = row;
  const { tone, icon, word } = looks[state];
  const note = noteOf(row);
  const remove = ({ currentTarget }: MouseEvent) => {
    focusBeside(currentTarget);
    queue.remove(id);
  };
  return (
    <li className="batch-row">
      <div>{row.fingerprint !== undefined && <BishopThumb fingerprint={row.fingerprint} />}</div>
      <div className="batch-what">
        <span className="batch-name" title={filename}>
          {folder !== '' && (
            <span className="quiet">
              <bdi>{folder}</bdi>/
            </span>
          )}
          <bdi>{filename}</bdi>
        </span>
        <span className="batch-facts">
          {size !== undefined && <span>{sizeOf(size)}</span>}
          {markName !== undefined && (
            <span>
              under <bdi>{markName}</bdi>
            </span>
          )}
          {note !== undefined && <span className={`tone-${tone} batch-note`}>{note}</span>}
        </span>
      </div>
      <div className="batch-state">
        <span className={`badge tone-${tone}`}>
          <Icon name={icon} />
          {word}
        </span>
        {state === 'hashing' && <Hashing row={row} />}
      </div>
      <div className="batch-actions">
        <SeeIt row={row} />
        {state === 'failed' && (
          <Button kind="quiet" aria-label={`Try again: ${filename}`} onClick={() => tryAgain(queue, id)}>
            Try again
          </Button>
        )}
        {state !== 'sending' && (
          <Button kind="quiet" aria-label={`Remove ${filename} from the list`} onClick={remove}>
            <Icon name="cross" />
          </Button>
        )}
      </div>
    </li>
  );
});

/** The button goes with its row: the keyboard goes on with the next one. */
function focusBeside(button: Element): void {
  const item = button.closest('li');
  const beside = item?.nextElementSibling ?? item?.previousElementSibling;
  beside?.querySelector<HTMLElement>('button:last-of-type')?.focus();
}

function tryAgain(queue: Queue, id: string): void {
  queue.retry(id);
  queue.start();
}

function Hashing({ row: { filename, hashedBytes, size = 0 } }: { readonly row: Row }) {
  return <progress aria-label={`Hashing ${filename}`} value={hashedBytes} max={Math.max(size, 1)} />;
}

const registered = new Set(['pending', 'submitting', 'submitted', 'yours', 'others']);

function SeeIt({ row: { state, fingerprint, filename } }: { readonly row: Row }) {
  if (fingerprint === undefined || !registered.has(state)) return null;
  return (
    <Link to={`/artifacts/${fingerprint}`} className="batch-link">
      See it<span className="unseen"> ({filename})</span>
    </Link>
  );
}
