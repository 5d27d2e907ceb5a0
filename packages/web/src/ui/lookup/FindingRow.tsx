// One kind of check of a file: its name, the state and the text of what was found.

import type { ReactNode } from 'preact/compat';
import * as texts from '#texts/lookups/verifyResult';
import { Badge, type BadgeProps } from '../feedback/StatusBadge.js';
import { Button } from '../form/Button.js';
import * as styles from './FindingRow.module.css';

const displays = {
  checking: { tone: 'info', icon: 'clock' },
  /** Proven by a source that the visitor named or pinned; all else that was found is only noted. */
  found: { tone: 'good', icon: 'check' },
  noted: { tone: 'info', icon: 'info' },
  notFound: { tone: 'info', icon: 'question' },
  notChecked: { tone: 'info', icon: 'info' },
  failed: { tone: 'warn', icon: 'warning' },
  invalid: { tone: 'bad', icon: 'cross' },
  contested: { tone: 'warn', icon: 'warning' },
  contradicted: { tone: 'bad', icon: 'cross' },
  changed: { tone: 'bad', icon: 'cross' },
} as const satisfies Record<string, Partial<BadgeProps>>;
export type FindingState = keyof typeof displays;

export function labelOf(state: FindingState): string {
  return texts.states[state];
}

interface FindingRowProps {
  readonly title: string;
  readonly state: FindingState;
  readonly children?: ReactNode;
}

export function FindingRow({ title, state, children }: FindingRowProps) {
  return (
    <div className={styles.row} data-tone={displays[state].tone}>
      <dt>
        <span>{title}</span>
        <Badge {...displays[state]} label={labelOf(state)} />
      </dt>
      <dd>{children}</dd>
    </div>
  );
}

export function RetryButton({ onRetry }: { readonly onRetry: () => void }) {
  return (
    <p>
      <Button onClick={onRetry}>{texts.tryAgain}</Button>
    </p>
  );
}
