// Something that people should know, with its weight: a sign, a colour and words, so that none of them is needed alone.

import type { ReactNode } from 'react';
import { Icon, type IconName } from './Icon.js';

export type Tone = 'info' | 'good' | 'warn' | 'bad';

export const toneIcons: Readonly<Record<Tone, IconName>> = {
  info: 'info',
  good: 'check',
  warn: 'warning',
  bad: 'cross',
};

interface NoticeProps {
  readonly tone?: Tone | undefined;
  readonly title?: ReactNode;
  readonly children?: ReactNode;
  /** What one can do about it: buttons, links. */
  readonly actions?: ReactNode;
  /** Read out at once when it appears. For failures of what one has just done. */
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
