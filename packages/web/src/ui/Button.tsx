// Buttons. Links that look like one take `buttonClass`.

import type { ButtonHTMLAttributes } from 'react';

/** `primary`: what one came for, once a screen. `danger`: cannot be taken back. `quiet`: everything beside. */
type ButtonKind = 'primary' | 'plain' | 'quiet' | 'danger';

export function buttonClass(kind: ButtonKind = 'plain'): string {
  return `button button-${kind}`;
}

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className'> {
  readonly kind?: ButtonKind | undefined;
  /** Something that it started is under way: it stays in place and in focus, and does nothing. */
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
