// Buttons. Links that look like buttons use `buttonClass`.

import type { ButtonHTMLAttributes } from 'preact/compat';

/** `primary`: the main action, one per page. `danger`: cannot be undone. `quiet`: secondary actions. `link`: among links. */
type ButtonKind = 'primary' | 'plain' | 'quiet' | 'danger' | 'link';

export function buttonClass(kind: ButtonKind = 'plain'): string {
  return `button button-${kind}`;
}

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className'> {
  readonly kind?: ButtonKind | undefined;
  /** Its action is running: the button keeps the focus and ignores clicks. */
  readonly isBusy?: boolean | undefined;
}

export function Button({ kind, isBusy = false, type = 'button', onClick, ...rest }: ButtonProps) {
  return (
    <button
      {...rest}
      type={isBusy && type === 'submit' ? 'button' : type}
      className={buttonClass(kind)}
      aria-disabled={isBusy || undefined}
      onClick={isBusy ? undefined : onClick}
    />
  );
}
