// Tells which tier has a feature that the current one lacks.

import type { Tier } from '@provenance-registry/core';
import { Link } from '../../ui/Link.js';
import { tierLabels } from './tierLimits.js';

interface UpgradeHintProps {
  /** As in "Upgrade to the Creator tier to use private Marks." */
  readonly to: string;
  /** Undefined when no tier has the feature. */
  readonly tier: Tier | undefined;
}

export function UpgradeHint({ to, tier }: UpgradeHintProps) {
  if (tier === undefined) return <>No tier of this service allows you to {to}.</>;
  return (
    <>
      Upgrade to the {tierLabels[tier]} tier to {to}. <Link to="/dashboard/account">View tiers</Link>
    </>
  );
}
