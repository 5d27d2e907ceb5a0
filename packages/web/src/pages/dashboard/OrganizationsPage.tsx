// The organizations of the user.

import { useCallback } from 'preact/compat';
import { navigate, useTitle } from '../../routing.js';
import { Card } from '../../ui/Card.js';
import { Form, TextField } from '../../ui/Form.js';
import { formatNumber, pluralize } from '../../ui/format.js';
import { announce } from '../../ui/LiveRegion.js';
import { QueryView } from '../../ui/query.js';
import { validateName } from '../../validators.js';
import { useAccount, useAuthedQuery } from './account.js';
import { ListItem } from './lists.js';
import { LimitReached, remaining, UpgradeHint } from './tierLimits.js';

export function OrganizationsPage() {
  useTitle('Organizations');
  const { organizations } = useAccount();
  return (
    <div className="stack">
      <div>
        <h1>Organizations</h1>
        <p className="quiet">An organization owns Marks. All its members can register files under them.</p>
      </div>
      {organizations.length === 0 && <p>You are not a member of any organization.</p>}
      {organizations.length > 0 && (
        <ul className="list">
          {organizations.map(({ id, name, role, status, usageUnits }) => (
            <ListItem key={id} name={name} to={`/dashboard/organizations/${id}`}>
              {status === 'frozen' && <span className="badge tone-warn">Frozen</span>}
              <span>{role === 'owner' ? 'Owner' : 'Member'}</span>
              <span>
                {formatNumber(usageUnits.used)} of {pluralize(usageUnits.total, 'usage unit')} in use
              </span>
            </ListItem>
          ))}
        </ul>
      )}
      <NewOrganization />
    </div>
  );
}

function NewOrganization() {
  const { client, reload, user } = useAccount();
  const query = useAuthedQuery(useCallback((signal: AbortSignal) => client.getTierLimits({}, { signal }), [client]));
  const create = async ({ name }: { name: string }) => {
    const { id } = await client.createOrganization({ name: name.trim() });
    announce('Organization created.');
    reload();
    navigate(`/dashboard/organizations/${id}`);
  };
  return (
    <Card title="New organization">
      <QueryView query={query} what="limits">
        {({ maxOrganizations, usage }) => {
          if (maxOrganizations === 0) {
            return (
              <p>
                <UpgradeHint to="create organizations" hasFeature={(rules) => rules.maxOrganizations !== 0} />
              </p>
            );
          }
          if (remaining(usage.organizations, maxOrganizations) === 0) {
            return (
              <LimitReached
                label="Organizations that you own"
                used={usage.organizations}
                limit={maxOrganizations}
                what="organization"
                tier={user.tier}
              />
            );
          }
          return (
            <Form
              validators={{ name: validateName }}
              submit={create}
              action="Create organization"
              busyAction="Creating …"
            >
              <TextField name="name" label="Name" autoComplete="organization" />
            </Form>
          );
        }}
      </QueryView>
    </Card>
  );
}
