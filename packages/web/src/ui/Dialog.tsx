// Modal dialogs. The browser keeps the focus inside and restores it afterwards.

import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { describeError } from '../errorMessages.js';
import { Button } from './Button.js';
import { Notice } from './Notice.js';
import { useAction } from './useAction.js';
import './dialog.css';

interface DialogProps {
  readonly title: ReactNode;
  /** Called on Escape. The dialog is open while it is rendered. */
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Closed before it is removed, because only then does the browser restore the focus.
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

interface ConfirmDialogProps extends DialogProps {
  /** Label of the button, such as "Revoke key". */
  readonly action: string;
  readonly work: () => Promise<void>;
}

/** Asks before an action that cannot be undone, runs it, and shows its error. */
export function ConfirmDialog({ title, children, action, work, onClose }: ConfirmDialogProps) {
  const { isBusy, error, run } = useAction(work);
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      {error !== undefined && (
        <Notice tone="bad" isAlert>
          <p>{describeError(error)}</p>
        </Notice>
      )}
      <div className="dialog-actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="danger" isBusy={isBusy} onClick={() => run()}>
          {isBusy ? 'Please wait …' : action}
        </Button>
      </div>
    </Dialog>
  );
}
