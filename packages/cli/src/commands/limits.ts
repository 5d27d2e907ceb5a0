// `limits` and `subscribe`: what a tier allows, how much of it is used, and choosing one.

import { command } from '../command.js';
import { connectLoggedIn } from '../connect.js';
import { lines, list, text } from '../text.js';

const UNLIMITED = -1;

export const limitsCommand = command({
  name: 'limits',
  summary: 'what your tier allows, and what is used',
  description: 'Shows what the tier allows, and how much of it is used: yours, or that of one of your organizations.',
  options: { org: { kind: 'text', label: 'ORGANIZATION', summary: 'id of one of your organizations' } },
  examples: [
    { run: 'provenance limits', meaning: 'Your own' },
    { run: 'provenance limits --org "$ORGANIZATION_ID"', meaning: 'Those of an organization' },
  ],
  async run(context, { org }) {
    const limits = await (await connectLoggedIn(context)).getTierLimits({ organizationId: org });
    const { tier, usage, resetsAt } = limits;
    const row = (what: string, used: number | string, most: number) => [
      what,
      used,
      most === UNLIMITED ? 'unlimited' : most,
    ];
    context.result(
      limits,
      lines([
        text`Tier ${tier}; the day ends ${resetsAt}.`,
        list(
          ['WHAT', 'USED', 'ALLOWED'],
          [
            row('Artifacts today', usage.dailyArtifacts, limits.dailyArtifactLimit),
            row('Artifacts in all', usage.lifetimeArtifacts, limits.lifetimeArtifactLimit),
            row('Marks', usage.marks, limits.maxMarks),
            row('Organizations', usage.organizations, limits.maxOrganizations),
            row('Members of an organization', '', limits.maxOrganizationMembers),
          ],
        ),
      ]),
    );
    return 0;
  },
});

export const subscribeCommand = command({
  name: 'subscribe',
  summary: 'choose a tier',
  description:
    'Sets your tier, at once, where the service lets users do that. Leaving enterprise freezes the organizations that you own.',
  arguments: {
    tier: {
      label: 'TIER',
      summary: 'the tier',
      choices: async () => (await import('@provenance-registry/core')).tierNames,
    },
  },
  examples: [{ run: 'provenance subscribe enterprise', meaning: 'Organizations and API keys' }],
  async run(context, { tier }) {
    const { user } = await (await connectLoggedIn(context)).putSubscription({ tier });
    context.result(user, text`${user.name} is on the tier ${user.tier}.`);
    return 0;
  },
});
