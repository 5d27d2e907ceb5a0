// The status of an Artifact as a badge.

import type { ArtifactStatus } from '@provenance-registry/core';
import { Icon, type IconName } from './Icon.js';
import type { Tone } from './Notice.js';

interface StatusDisplay {
  readonly tone: Tone;
  readonly icon: IconName;
  readonly label: string;
  readonly sentence: string;
}

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

export function StatusBadge({ status }: { readonly status: ArtifactStatus }) {
  const { tone, icon, label, sentence } = statusDisplay[status];
  return (
    <span className={`badge tone-${tone}`} title={sentence}>
      <Icon name={icon} />
      {label}
    </span>
  );
}
