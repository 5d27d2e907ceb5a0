// States as badges.

import type { ArtifactStatus } from '@provenance-registry/core';
import { Icon, type IconName } from './Icon.js';
import type { Tone } from './Notice.js';

export interface BadgeProps {
  readonly tone: Tone;
  readonly icon: IconName;
  readonly label: string;
  /** Shown as a tooltip. */
  readonly sentence?: string;
}

export function Badge({ tone, icon, label, sentence }: BadgeProps) {
  return (
    <span className={`badge tone-${tone}`} title={sentence}>
      <Icon name={icon} />
      {label}
    </span>
  );
}

type StatusDisplay = Required<BadgeProps>;

const onChain: StatusDisplay = {
  tone: 'good',
  icon: 'check',
  label: 'On chain',
  sentence: 'Permanently registered on chain. It cannot be changed or removed.',
};

export const statusDisplay: Readonly<Record<ArtifactStatus, StatusDisplay>> = {
  pending: {
    tone: 'info',
    icon: 'clock',
    label: 'Pending',
    sentence: 'Recorded by this service and waiting to be written to the chain.',
  },
  submitting: {
    tone: 'info',
    icon: 'clock',
    label: 'Submitting',
    sentence: 'Recorded by this service and being written to the chain.',
  },
  submitted: onChain,
  confirmed: onChain,
  failed: {
    tone: 'bad',
    icon: 'cross',
    label: 'Failed',
    sentence: 'It could not be written to the chain. The file can be registered again.',
  },
};

/** An open claim has checked evidence that is older than the registration. */
export const contestedDisplay = { tone: 'warn', icon: 'warning' } as const;

export function StatusBadge({ status }: { readonly status: ArtifactStatus }) {
  return <Badge {...statusDisplay[status]} />;
}
