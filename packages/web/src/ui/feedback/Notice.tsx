// A message with a tone, shown by icon, color and text.

import type { ReactNode } from 'preact/compat';
import * as basics from '../layout/basics.module.css';
import { Icon, type IconName } from '../text/Icon.js';
import * as styles from './Notice.module.css';

export type Tone = 'info' | 'good' | 'warn' | 'bad';

const toneIcons: Readonly<Record<Tone, IconName>> = { info: 'info', good: 'check', warn: 'warning', bad: 'cross' };

interface NoticeProps {
  readonly tone?: Tone | undefined;
  readonly title?: ReactNode;
  readonly children?: ReactNode;
  /** Buttons or links. */
  readonly actions?: ReactNode;
  /** Screen readers announce it at once. For errors of an action that the user has just taken. */
  readonly isAlert?: boolean | undefined;
}

export function Notice({ tone = 'info', title, children, actions, isAlert = false }: NoticeProps) {
  return (
    <div className={styles.notice} data-tone={tone} role={isAlert ? 'alert' : undefined}>
      <Icon name={toneIcons[tone]} />
      <div className={styles.text}>
        {title !== undefined && <p className={styles.title}>{title}</p>}
        {children}
        {actions !== undefined && <div className={basics.row}>{actions}</div>}
      </div>
    </div>
  );
}
