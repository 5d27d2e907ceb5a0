// `limits` and `subscribe`: the limits of a tier, their usage, and changing the tier.

import { defineCommand } from '../command.js';
import { connectLoggedIn } from '../connect.js';
import { formatList, joinLines, text } from '../text.js';

const UNLIMITED = -1;

export const limitsCommand = defineCommand({
  name: 'limits',
  summary: 'show the limits and usage of your tier',
  description: 'Shows the limits of your tier and their usage, or those of one of your organizations.',
  options: { org: { kind: 'text', label: 'ORGANIZATION', summary: 'organization ID' } },
  examples: [
    { run: 'provenance limits', meaning: 'Your own limits' },
    { run: 'provenance limits --org "$ORGANIZATION_ID"', meaning: 'Limits of an organization' },
  ],
  async run(context, { org }) {
    const limits = await (await connectLoggedIn(context)).getTierLimits({ organizationId: org });
    const { tier, usage, resetsAt } = limits;
    const row = (name: string, used: number | string, limit: number) => [
      name,
      used,
      limit === UNLIMITED ? 'unlimited' : limit,
    ];
    context.printResult(
      limits,
      joinLines([
        text`Tier: ${tier}. The daily limit resets at ${resetsAt}.`,
        formatList(
          ['LIMIT', 'USED', 'ALLOWED'],
          [
            row('Artifacts today', usage.dailyArtifacts, limits.dailyArtifactLimit),
            row('Artifacts in total', usage.lifetimeArtifacts, limits.lifetimeArtifactLimit),
            row('Marks', usage.marks, limits.maxMarks),
            row('Organizations', usage.organizations, limits.maxOrganizations),
            row('Members per organization', '', limits.maxOrganizationMembers),
          ],
        ),
      ]),
    );
    return 0;
  },
});

export const subscribeCommand = defineCommand({
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
  examples: [{ run: 'provenance subscribe enterprise', meaning: 'Use organizations and API keys' }],
  async run(context, { tier }) {
    const { user } = await (await connectLoggedIn(context)).putSubscription({ tier });
    context.printResult(user, text`${user.name} is now on the ${user.tier} tier.`);
    return 0;
  },
});
