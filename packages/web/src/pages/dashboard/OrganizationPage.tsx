// An organization: its members, usage units, Marks, limits and history.

import { useCallback } from 'preact/compat';
import { useTitle } from '../../routing.js';
import { Card } from '../../ui/Card.js';
import { Form, TextField } from '../../ui/Form.js';
import { pluralize } from '../../ui/format.js';
import { Link } from '../../ui/Link.js';
import { QueryView } from '../../ui/query.js';
import { validateCount } from '../../validators.js';
import { useAccount, useAuthedQuery } from './account.js';
import { FrozenNotice } from './FrozenNotice.js';
import { MarkList } from './lists.js';
import { EVENTS_PER_PAGE, OrganizationHistory } from './OrganizationHistory.js';
import { OrganizationMembers, type OrganizationProps } from './OrganizationMembers.js';
import { LeaveOrganization, TransferOrganization } from './OrganizationOwnership.js';
import { Meter, TierUsageCard } from './tierLimits.js';

export function OrganizationPage({ organizationId }: { readonly organizationId: string }) {
  const { client, user } = useAccount();
  const load = useCallback(
    async (signal: AbortSignal) => {
      const [organization, members, limits, marks] = await Promise.all([
        client.getOrganization({ organizationId }, { signal }),
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
        members,
        limits,
        marks: marks.filter((mark) => mark.organization?.id === organizationId),
        invitations,
        events,
      };
    },
    [client, organizationId, user.id],
  );
  const query = useAuthedQuery(load);
  useTitle(query.value?.organization.name ?? 'Organization');
  return (
    <QueryView query={query} what="organization">
      {({ organization, members, limits, marks, invitations, events }) => (
        <div className="stack">
          <h1>
            <bdi>{organization.name}</bdi>
          </h1>
          {organization.status === 'frozen' && <FrozenNotice organization={organization} />}
          <Card title="Members">
            <OrganizationMembers
              organization={organization}
              members={members}
              invitations={invitations}
              onChange={query.reload}
            />
          </Card>
          <UsageUnits organization={organization} onChange={query.reload} />
          <Card title="Marks">
            {marks.length === 0 ? (
              <p>
                This organization has no Marks yet. <Link to="/dashboard/marks">Create a Mark</Link>
              </p>
            ) : (
              <MarkList marks={marks} />
            )}
          </Card>
          <TierUsageCard limits={limits} isOfOrganization />
          {organization.role === 'owner' && (
            <p>
              Use an API key to register files from your own software:{' '}
              <Link to={`/dashboard/keys?of=${organization.id}`}>API keys</Link>
            </p>
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

function UsageUnits({ organization, onChange }: OrganizationProps) {
  const { client } = useAccount();
  const { id: organizationId, usageUnits, role, status } = organization;
  const save = async ({ purchased }: { purchased: string }) => {
    await client.putUsageUnits({ organizationId, purchased: Number(purchased) });
    onChange();
  };
  const validatePurchased = (text: string) => {
    const used = usageUnits.used - 1;
    const isTooLow = Number(text) < used;
    const message = `${pluralize(used, 'usage unit')} ${used === 1 ? 'is' : 'are'} in use. Remove members or withdraw invitations first, or enter a higher number.`;
    return validateCount(text) ?? (isTooLow ? message : undefined);
  };
  return (
    <Card title="Usage units">
      <Meter label="Usage units in use" used={usageUnits.used} limit={usageUnits.total} />
      <p className="quiet">
        The owner uses the included unit. Each other member and each open invitation uses one unit.
      </p>
      {role === 'owner' && status === 'active' && (
        <Form
          validators={{ purchased: validatePurchased }}
          submit={save}
          errorMessages={{ BAD_REQUEST: 'More usage units are in use. Remove members or withdraw invitations first.' }}
          action="Save"
          busyAction="Saving …"
          doneMessage="Saved."
          kind="plain"
        >
          <TextField
            name="purchased"
            type="number"
            label="Additional usage units"
            defaultValue={usageUnits.total - 1}
            autoComplete="off"
          />
        </Form>
      )}
    </Card>
  );
}
