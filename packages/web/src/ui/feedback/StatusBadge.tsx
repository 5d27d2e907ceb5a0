// States as badges.

import type { ArtifactStatus } from '@provenance-registry/core';
import * as texts from '#texts/site/ui';
import { Icon, type IconName } from '../text/Icon.js';
import type { Tone } from './Notice.js';
import * as styles from './StatusBadge.module.css';

export interface BadgeProps {
  readonly tone: Tone;
  readonly icon: IconName;
  readonly label: string;
  /** Shown as a tooltip. */
  readonly sentence?: string;
}

export function Badge({ tone, icon, label, sentence }: BadgeProps) {
  return (
    <span className={styles.badge} data-tone={tone} title={sentence}>
      <Icon name={icon} />
      {label}
    </span>
  );
}

type StatusDisplay = Required<BadgeProps>;

/** Not green: that it is on chain is the service's word until a source of the visitor confirms it. */
const onChain: StatusDisplay = { tone: 'info', icon: 'check', ...texts.statuses.onChain };

export const statusDisplay: Readonly<Record<ArtifactStatus, StatusDisplay>> = {
  pending: { tone: 'info', icon: 'clock', ...texts.statuses.pending },
  submitting: { tone: 'info', icon: 'clock', ...texts.statuses.submitting },
  submitted: onChain,
  confirmed: onChain,
  failed: { tone: 'bad', icon: 'cross', ...texts.statuses.failed },
};

/** An open claim has checked evidence that is older than the registration. */
export const contestedDisplay = { tone: 'warn', icon: 'warning' } as const;

export function StatusBadge({ status }: { readonly status: ArtifactStatus }) {
  return <Badge {...statusDisplay[status]} />;
}
