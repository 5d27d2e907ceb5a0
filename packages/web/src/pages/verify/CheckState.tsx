// The state of the check of a source, as a badge.

import type { Check } from '@provenance-registry/client';
import * as texts from '#texts/lookups/verifyChecks';
import { Badge, type BadgeProps } from '../../ui/feedback/StatusBadge.js';

export const stateDisplay: Readonly<Record<Check['state'], BadgeProps>> = {
  confirmed: { tone: 'good', icon: 'check', label: texts.states.confirmed },
  agrees: { tone: 'info', icon: 'question', label: texts.states.agrees },
  contradicted: { tone: 'bad', icon: 'cross', label: texts.states.contradicted },
  absent: { tone: 'info', icon: 'question', label: texts.states.absent },
  unavailable: { tone: 'warn', icon: 'warning', label: texts.states.unavailable },
};

export function CheckState({ check }: { readonly check: Pick<Check, 'state'> }) {
  return <Badge {...stateDisplay[check.state]} />;
}
