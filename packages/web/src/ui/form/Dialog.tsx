// Modal dialogs. The browser keeps the focus inside and restores it afterwards.

import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'preact/compat';
import * as texts from '#texts/site/ui';
import type { ErrorMessages } from '../../errorMessages.js';
import { ErrorNotice } from '../feedback/ErrorNotice.js';
import * as basics from '../layout/basics.module.css';
import { Button } from './Button.js';
import * as styles from './Dialog.module.css';
import { useAction } from './useAction.js';

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
    // Read from its top: the focus may be in a field below.
    dialog?.scrollTo(0, 0);
    return () => dialog?.close();
  }, []);
  const cancel = (event: { preventDefault: () => void }) => {
    event.preventDefault();
    onClose();
  };
  return (
    <dialog ref={element} className={styles.dialog} aria-labelledby={id} onCancel={cancel}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

interface ConfirmDialogProps extends DialogProps {
  /** Label of the button, such as "Revoke key". */
  readonly action: string;
  readonly work: () => Promise<void>;
  /** Messages for error codes that mean something specific here. */
  readonly errorMessages?: ErrorMessages | undefined;
}

/** Asks before an action that cannot be undone, runs it, and closes or shows its error. */
export function ConfirmDialog({ title, children, action, work, errorMessages, onClose }: ConfirmDialogProps) {
  const { isBusy, error, run } = useAction(async () => {
    await work();
    onClose();
  });
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <ErrorNotice error={error} messages={errorMessages} />
      <div className={`${basics.row} ${styles.actions}`}>
        <Button onClick={onClose}>{texts.cancel}</Button>
        <Button kind="danger" isBusy={isBusy} onClick={() => run()}>
          {isBusy ? texts.pleaseWait : action}
        </Button>
      </div>
    </Dialog>
  );
}

interface ConfirmButtonProps extends Omit<ConfirmDialogProps, 'title' | 'onClose'> {
  readonly verb: string;
  /** What it acts on, as in "Revoke build server?". */
  readonly name: string;
}

/** A button of a list item that asks before it acts. */
export function ConfirmButton({ verb, name, ...dialog }: ConfirmButtonProps) {
  const [isOpen, setIsOpen] = useState(false);
  const title = texts.confirmQuestion(verb, <bdi>{name}</bdi>);
  return (
    <>
      <Button kind="quiet" aria-label={texts.verbAndName(verb, name)} onClick={() => setIsOpen(true)}>
        {verb}
      </Button>
      {isOpen && <ConfirmDialog {...dialog} title={title} onClose={() => setIsOpen(false)} />}
    </>
  );
}
