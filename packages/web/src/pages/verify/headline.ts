// A lookup result in one line.

import type { Verification } from '@provenance-registry/client';
import type { Artifact } from '@provenance-registry/core';
import type { IconName } from '../../ui/Icon.js';
import type { Tone } from '../../ui/Notice.js';
import { statusDisplay } from '../../ui/StatusBadge.js';
import type { LookupResult } from './lookup.js';

export interface Headline {
  readonly tone: Tone;
  readonly icon: IconName;
  readonly text: string;
}

/** What the service states, unless independent checks contradict it. */
export function headlineFor(result: LookupResult, verdict?: Verification['verdict']): Headline {
  if (verdict === 'contradicted') return { tone: 'bad', icon: 'cross', text: 'Contradicted' };
  if (result.kind === 'notFound') return { tone: 'info', icon: 'question', text: 'Not registered here' };
  if (result.kind === 'recorded') return recordedHeadline(result.artifact);
  if (result.isCurated) return { tone: 'warn', icon: 'warning', text: 'On chain, but not recorded by this service' };
  return { tone: 'warn', icon: 'warning', text: 'Only in the public registry, which is open to everyone' };
}

function recordedHeadline({ metadata, status }: Artifact): Headline {
  const { tone, icon } = statusDisplay[status];
  const { mark } = metadata;
  return { tone, icon, text: mark ? `Registered under the Mark “${mark.name}”` : 'Registered under a private Mark' };
}
