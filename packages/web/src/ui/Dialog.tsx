// A question in front of the page. The browser keeps the focus inside, and gives it back afterwards.

import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { explain } from '../registryClient.js';
import { Button } from './Button.js';
import { Notice } from './Notice.js';
import { useAction } from './QueryView.js';

interface DialogProps {
  readonly title: ReactNode;
  /** By the Escape key or a button. It is shown for as long as it is rendered. */
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Before the page is painted, and closed before it is removed: only then does the focus go back.
  useLayoutEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    dialog?.querySelector<HTMLElement>('[data-first]')?.focus();
    return () => dialog?.close();
  }, []);
  const cancel = (event: { preventDefault: () => void }) => {
    event.preventDefault();
    onClose();
  };
  return (
    <dialog ref={element} className="dialog" aria-labelledby={id} onCancel={cancel}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

interface ConfirmationProps extends DialogProps {
  /** What the button says, as in "Revoke the key". */
  readonly action: string;
  readonly work: () => Promise<void>;
}

/** Asks before something that cannot be taken back, does it, and says why when that failed. */
export function Confirmation({ title, children, action, work, onClose }: ConfirmationProps) {
  const { isBusy, error, run } = useAction(work);
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      {error !== undefined && (
        <Notice tone="bad" isAlert>
          <p>{explain(error)}</p>
        </Notice>
      )}
      <div className="dialog-actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="danger" isBusy={isBusy} onClick={() => run()}>
          {isBusy ? 'One moment …' : action}
        </Button>
      </div>
    </Dialog>
  );
}
