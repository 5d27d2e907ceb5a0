// Buttons. Links that look like buttons use `buttonClass`.

import type { ButtonHTMLAttributes } from 'preact/compat';
import * as styles from './Button.module.css';

/** `primary`: the main action, one per page. `danger`: cannot be undone. `quiet`: secondary actions. `link`: among links. */
type ButtonKind = 'primary' | 'plain' | 'quiet' | 'danger' | 'link';

const kinds: Readonly<Record<ButtonKind, string>> = {
  primary: styles.primary,
  plain: styles.plain,
  quiet: styles.quiet,
  danger: styles.danger,
  link: styles.link,
};

export function buttonClass(kind: ButtonKind = 'plain'): string {
  return kinds[kind];
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
