// The organizations of the user.

import { useCallback } from 'preact/compat';
import { limits, organizationLimitReached, ownedOrganizations } from '#texts/accounts/tiers';
import * as texts from '#texts/organizations/organizations';
import { navigate, useTitle } from '../../../routing.js';
import { announce } from '../../../ui/feedback/LiveRegion.js';
import { QueryView } from '../../../ui/feedback/query.js';
import * as statusBadgeStyles from '../../../ui/feedback/StatusBadge.module.css';
import { Form, TextField } from '../../../ui/form/Form.js';
import * as basics from '../../../ui/layout/basics.module.css';
import { Card } from '../../../ui/layout/Card.js';
import { validateName } from '../../../validators.js';
import { useAccount, useAuthedQuery } from '../account.js';
import { ListItem } from '../lists.js';
import * as listsStyles from '../lists.module.css';
import { organizationEvents } from '../live/eventFilters.js';
import { LimitReached, remaining, UpgradeHint } from '../tierLimits.js';

export function OrganizationsPage() {
  useTitle(texts.title);
  const { organizations } = useAccount();
  return (
    <div className={basics.stack}>
      <div>
        <h1>{texts.title}</h1>
        <p className={basics.quiet}>{texts.lead}</p>
      </div>
      {organizations.length === 0 && <p>{texts.isEmpty}</p>}
      {organizations.length > 0 && (
        <ul className={listsStyles.list}>
          {organizations.map(({ id, name, role, status, usageUnits }) => (
            <ListItem key={id} name={name} to={`/dashboard/organizations/${id}`}>
              {status === 'frozen' && (
                <span className={statusBadgeStyles.badge} data-tone="warn">
                  {texts.frozen}
                </span>
              )}
              <span>{texts.roles[role]}</span>
              <span>{texts.unitsInUse(usageUnits.used, usageUnits.total)}</span>
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
  const query = useAuthedQuery(
    useCallback((signal: AbortSignal) => client.getTierLimits({}, { signal }), [client]),
    organizationEvents,
  );
  const create = async ({ name }: { name: string }) => {
    const { id } = await client.createOrganization({ name: name.trim() });
    announce(texts.created);
    reload();
    navigate(`/dashboard/organizations/${id}`);
  };
  return (
    <Card title={texts.newTitle}>
      <QueryView query={query} what={limits}>
        {({ maxOrganizations, usage }) => {
          if (maxOrganizations === 0) {
            return (
              <p>
                <UpgradeHint feature="organizations" hasFeature={(rules) => rules.maxOrganizations !== 0} />
              </p>
            );
          }
          if (remaining(usage.organizations, maxOrganizations) === 0) {
            return (
              <LimitReached
                label={ownedOrganizations}
                used={usage.organizations}
                limit={maxOrganizations}
                text={organizationLimitReached}
                tier={user.tier}
              />
            );
          }
          return (
            <Form validators={{ name: validateName }} submit={create} action={texts.create} busyAction={texts.creating}>
              <TextField name="name" label={texts.nameLabel} autoComplete="organization" />
            </Form>
          );
        }}
      </QueryView>
    </Card>
  );
}
