// How far an Artifact is on its way to the chain, in one word with a sign.

import type { ArtifactStatus } from '@provenance-registry/core';
import { Icon, type IconName } from './Icon.js';
import type { Tone } from './Notice.js';

interface Look {
  readonly tone: Tone;
  readonly icon: IconName;
  readonly word: string;
  /** For those who want to know what the word means. */
  readonly sentence: string;
}

const onChain: Look = {
  tone: 'good',
  icon: 'check',
  word: 'On chain',
  sentence: 'It is registered on the chain for good: nobody can change or remove it.',
};

export const statusLooks: Readonly<Record<ArtifactStatus, Look>> = {
  pending: {
    tone: 'info',
    icon: 'clock',
    word: 'Waiting',
    sentence: 'It is recorded here, and waits to be written to the chain.',
  },
  submitting: {
    tone: 'info',
    icon: 'clock',
    word: 'Being written',
    sentence: 'It is recorded here, and is being written to the chain just now.',
  },
  submitted: onChain,
  confirmed: onChain,
  failed: {
    tone: 'bad',
    icon: 'cross',
    word: 'Failed',
    sentence: 'It could not be written to the chain. The file can be registered again.',
  },
};

export function StatusMark({ status }: { readonly status: ArtifactStatus }) {
  const { tone, icon, word, sentence } = statusLooks[status];
  return (
    <span className={`badge tone-${tone}`} title={sentence}>
      <Icon name={icon} />
      {word}
    </span>
  );
}
