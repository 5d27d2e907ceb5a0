// The answer about a file in one line.

import type { Verification } from '@provenance-registry/client';
import type { Artifact } from '@provenance-registry/core';
import type { IconName } from '../../ui/Icon.js';
import type { Tone } from '../../ui/Notice.js';
import { statusLooks } from '../../ui/StatusBadge.js';
import type { Finding } from './lookup.js';

export interface Headline {
  readonly tone: Tone;
  readonly icon: IconName;
  readonly text: string;
}

/** What this service says, unless a check has shown that it cannot be so. */
export function headlineOf(finding: Finding, verdict?: Verification['verdict']): Headline {
  if (verdict === 'contradicted') return { tone: 'bad', icon: 'cross', text: 'Contradicted' };
  if (finding.kind === 'nothing') return { tone: 'info', icon: 'question', text: 'Not registered here' };
  if (finding.kind === 'recorded') return recordedHeadline(finding.artifact);
  if (finding.isCurated) {
    return { tone: 'warn', icon: 'warning', text: 'On chain, but not in the records of this service' };
  }
  return { tone: 'warn', icon: 'warning', text: 'Only a note on chain, which anyone can write' };
}

function recordedHeadline({ metadata, status }: Artifact): Headline {
  const { tone, icon } = statusLooks[status];
  const { mark } = metadata;
  return { tone, icon, text: mark ? `Registered under the Mark “${mark.name}”` : 'Registered under a private Mark' };
}
