// Texts about tiers, their limits and how much of them is used.

import type { Tier } from '@provenance-registry/core';
import type { ReactNode } from 'preact/compat';
import { formatNumber } from '../../../ui/text/format.js';

export const tierLabels: Readonly<Record<Tier, string>> = {
  free: 'Free',
  creator: 'Creator',
  enterprise: 'Enterprise',
};

export const viewTiers = 'View tiers';
export const limits = 'limits';
export const usageTitle = (tier: string) => `Limits of the ${tier} tier`;
export const ownUsageTitle = 'Your usage';
export const filesToday = 'Files today';
export const filesInTotal = 'Files in total';
export const marks = 'Marks';
export const organizations = 'Organizations';
export const ownedOrganizations = 'Organizations that you own';
export const unlimited = (used: number) => `${formatNumber(used)}, unlimited`;
export const usedOfLimit = (used: number, limit: number) => `${formatNumber(used)} of ${formatNumber(limit)}`;
export const resetsAt = (time: ReactNode) => <>Resets at {time}</>;

export const overDailyLimit = (reset: ReactNode) => (
  <>
    More than this tier allows, because they were registered under an earlier tier or limit. They stay registered. New
    files can be registered after {reset}.
  </>
);
export const overDailyLimitOnly =
  'More than this tier allows, because they were registered under an earlier tier or limit. They stay registered.';
export const overTotalLimit =
  'More than this tier allows, because they were registered under an earlier tier or limit. They stay registered. New files can be registered on a tier that allows more.';
export const totalLimitReached = 'The limit is reached. New files can be registered on a tier that allows more.';
export const overMarkLimit =
  'More than this tier allows, because they were created under an earlier tier or limit. You keep all of them, and files can be registered under them. New Marks can be created on a tier that allows more.';
export const overOrganizationLimit =
  'More than this tier allows, because they were created under an earlier tier or limit. You keep all of them. New organizations can be created on a tier that allows more.';

export const markLimitReached = (tier: string, tiers: ReactNode) => (
  <>
    You have reached the Mark limit of the {tier} tier. {tiers}
  </>
);
export const organizationLimitReached = (tier: string, tiers: ReactNode) => (
  <>
    You have reached the organization limit of the {tier} tier. {tiers}
  </>
);

interface UpgradeHint {
  readonly upgrade: (tier: string, tiers: ReactNode) => ReactNode;
  /** No tier of the service has the feature. */
  readonly unavailable: string;
}

/** Texts by the feature that the current tier lacks. */
export const upgradeHints = {
  privateMarks: {
    upgrade: (tier, tiers) => (
      <>
        Upgrade to the {tier} tier to use private Marks. {tiers}
      </>
    ),
    unavailable: 'No tier of this service allows you to use private Marks.',
  },
  markEditing: {
    upgrade: (tier, tiers) => (
      <>
        Upgrade to the {tier} tier to edit Marks. {tiers}
      </>
    ),
    unavailable: 'No tier of this service allows you to edit Marks.',
  },
  apiKeys: {
    upgrade: (tier, tiers) => (
      <>
        Upgrade to the {tier} tier to create API keys. {tiers}
      </>
    ),
    unavailable: 'No tier of this service allows you to create API keys.',
  },
  organizations: {
    upgrade: (tier, tiers) => (
      <>
        Upgrade to the {tier} tier to create organizations. {tiers}
      </>
    ),
    unavailable: 'No tier of this service allows you to create organizations.',
  },
} as const satisfies Readonly<Record<string, UpgradeHint>>;

export const frozenTitle = 'This organization is frozen';
export const frozenForOwner =
  'You have left the Enterprise tier. Until you return, files cannot be registered under its Marks, members cannot be added, and its API keys do not work. Registered files are not affected.';
export const frozenForMember =
  'Its owner has left the Enterprise tier. Until they return, files cannot be registered under its Marks, members cannot be added, and its API keys do not work. Registered files are not affected.';
