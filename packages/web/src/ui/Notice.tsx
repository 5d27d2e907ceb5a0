// A message with a tone, shown by icon, color and text.

import type { ReactNode } from 'preact/compat';
import { Icon, type IconName } from './Icon.js';

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
    <div className={`notice tone-${tone}`} role={isAlert ? 'alert' : undefined}>
      <Icon name={toneIcons[tone]} />
      <div className="notice-text">
        {title !== undefined && <p className="notice-title">{title}</p>}
        {children}
        {actions !== undefined && <div className="row">{actions}</div>}
      </div>
    </div>
  );
}
