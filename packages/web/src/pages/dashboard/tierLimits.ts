// Limits of a tier.

import type { Tier, TierLimits } from '@provenance-registry/core';

export const UNLIMITED = -1;

export const tierLabels: Readonly<Record<Tier, string>> = {
  free: 'Free',
  creator: 'Creator',
  enterprise: 'Enterprise',
};

/** Infinity without a limit. After a change of tier, more may be used than the limit allows. */
export function remaining(used: number, limit: number): number {
  return limit === UNLIMITED ? Number.POSITIVE_INFINITY : Math.max(0, limit - used);
}

export function remainingFiles({ usage, dailyArtifactLimit, lifetimeArtifactLimit }: TierLimits): number {
  return Math.min(
    remaining(usage.dailyArtifacts, dailyArtifactLimit),
    remaining(usage.lifetimeArtifacts, lifetimeArtifactLimit),
  );
}
