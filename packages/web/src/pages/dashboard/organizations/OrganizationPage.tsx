// An organization: its overview, members, usage units, Marks, limits and history.

import { useCallback } from 'preact/compat';
import * as texts from '#texts/organizations/organizations';
import { useTitle } from '../../../routing.js';
import { QueryView } from '../../../ui/feedback/query.js';
import * as basics from '../../../ui/layout/basics.module.css';
import { Card } from '../../../ui/layout/Card.js';
import { Link } from '../../../ui/text/Link.js';
import { useAccount, useAuthedQuery } from '../account.js';
import { MarkList } from '../lists.js';
import { useOrganizationEvents } from '../live/eventFilters.js';
import { TierUsageCard } from '../tierLimits.js';
import { FrozenNotice } from './FrozenNotice.js';
import { EVENTS_PER_PAGE, OrganizationHistory } from './OrganizationHistory.js';
import { OrganizationMembers } from './OrganizationMembers.js';
import { OrganizationOverview } from './OrganizationOverview.js';
import { LeaveOrganization, TransferOrganization } from './OrganizationOwnership.js';
import { UsageUnits } from './UsageUnits.js';

export function OrganizationPage({ organizationId }: { readonly organizationId: string }) {
  const { client, user } = useAccount();
  const load = useCallback(
    async (signal: AbortSignal) => {
      const [organization, overview, members, limits, marks] = await Promise.all([
        client.getOrganization({ organizationId }, { signal }),
        client.getOrganizationOverview({ organizationId }, { signal }),
        client.listOrganizationMembers({ organizationId }, { signal }),
        client.getTierLimits({ organizationId }, { signal }),
        client.listMarks({ signal }),
      ]);
      const isOwner = organization.role === 'owner';
      const isAdmin = members.some(({ id, isAdmin }) => id === user.id && isAdmin);
      const [invitations, events] = await Promise.all([
        isOwner ? client.listOrganizationInvitations({ organizationId }, { signal }) : [],
        isOwner || isAdmin
          ? client.listOrganizationEvents({ organizationId, limit: EVENTS_PER_PAGE }, { signal })
          : undefined,
      ]);
      return {
        organization,
        overview,
        members,
        limits,
        marks: marks.filter((mark) => mark.organization?.id === organizationId),
        invitations,
        events,
      };
    },
    [client, organizationId, user.id],
  );
  const query = useAuthedQuery(load, useOrganizationEvents(organizationId));
  useTitle(query.value?.organization.name ?? texts.organization);
  return (
    <QueryView query={query} what={texts.whatIsLoaded}>
      {({ organization, overview, members, limits, marks, invitations, events }) => (
        <div className={basics.stack}>
          <h1>
            <bdi>{organization.name}</bdi>
          </h1>
          {organization.status === 'frozen' && <FrozenNotice organization={organization} />}
          <OrganizationOverview organization={organization} memberCount={members.length} overview={overview} />
          <Card title={texts.membersTitle}>
            <OrganizationMembers
              organization={organization}
              members={members}
              invitations={invitations}
              onChange={query.reload}
            />
          </Card>
          <UsageUnits organization={organization} onChange={query.reload} />
          <Card title={texts.marksTitle}>
            {marks.length === 0 ? (
              <p>{texts.hasNoMarks(<Link to="/dashboard/marks">{texts.createMark}</Link>)}</p>
            ) : (
              <MarkList marks={marks} />
            )}
          </Card>
          <TierUsageCard limits={limits} isOfOrganization />
          {organization.role === 'owner' && (
            <p>{texts.keysHint(<Link to={`/dashboard/keys?of=${organization.id}`}>{texts.apiKeys}</Link>)}</p>
          )}
          {events && (
            <p>{texts.webhooksHint(<Link to={`/dashboard/webhooks?of=${organization.id}`}>{texts.webhooks}</Link>)}</p>
          )}
          {events && <OrganizationHistory organizationId={organization.id} latest={events} />}
          {organization.role === 'owner' ? (
            <TransferOrganization organization={organization} members={members} onChange={query.reload} />
          ) : (
            <LeaveOrganization organization={organization} />
          )}
        </div>
      )}
    </QueryView>
  );
}
