// An identifier in full, with a button that copies it.

import type { ReactNode } from 'preact/compat';
import { CopyButton } from './CopyButton.js';
import * as copyButtonStyles from './CopyButton.module.css';

interface CopyableCodeProps {
  readonly text: string;
  /** What is copied, as in "Copy transaction". */
  readonly what: string;
  /** Content beside the button, such as a link. */
  readonly children?: ReactNode;
}

export function CopyableCode({ text, what, children }: CopyableCodeProps) {
  return (
    <span className={copyButtonStyles.copyable}>
      <code>{text}</code> <CopyButton text={text} what={what} /> {children}
    </span>
  );
}
