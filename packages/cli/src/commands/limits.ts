// `account limits` and `account subscribe`: the limits of a tier, their usage, and changing the tier.

import { defineApiCommand } from '../apiCommand.js';
import { organizationArgument } from '../names.js';
import { formatList, joinLines, text } from '../text.js';

const UNLIMITED = -1;

export const limitsCommand = defineApiCommand({
  name: 'limits',
  summary: 'show the limits and usage of your tier',
  description: 'Shows the limits of your tier and their usage, or those of one of your organizations.',
  options: { org: organizationArgument },
  examples: {
    'provenance account limits': 'Your own limits',
    'provenance account limits --org "$ORGANIZATION_ID"': 'Limits of an organization',
  },
  request: (client, { org: organizationId }) => client.getTierLimits({ organizationId }),
  format(limits) {
    const { tier, usage, resetsAt } = limits;
    const list = formatList(
      ['LIMIT', 'USED', 'ALLOWED'],
      [
        ['Artifacts today', usage.dailyArtifacts, formatLimit(limits.dailyArtifactLimit)],
        ['Artifacts in total', usage.lifetimeArtifacts, formatLimit(limits.lifetimeArtifactLimit)],
        ['Marks', usage.marks, formatLimit(limits.maxMarks)],
        ['Organizations', usage.organizations, formatLimit(limits.maxOrganizations)],
        ['Members per organization', '', formatLimit(limits.maxOrganizationMembers)],
      ],
    );
    return joinLines([text`Tier: ${tier}. The daily limit resets at ${resetsAt}.`, list]);
  },
});

function formatLimit(limit: number): string | number {
  return limit === UNLIMITED ? 'unlimited' : limit;
}

export const subscribeCommand = defineApiCommand({
  name: 'subscribe',
  summary: 'change your tier',
  description:
    'Changes your tier immediately, if the service allows it. Leaving enterprise freezes the organizations you own.',
  arguments: {
    tier: {
      label: 'TIER',
      summary: 'the tier',
      choices: async () => (await import('@provenance-registry/core')).tierNames,
    },
  },
  examples: { 'provenance account subscribe enterprise': 'Use organizations and API keys' },
  request: async (client, { tier }) => (await client.putSubscription({ tier })).user,
  format: ({ name, tier }) => text`${name} is now on the ${tier} tier.`,
});
