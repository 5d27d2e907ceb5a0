// The organizations that one belongs to, and making another.

import { useCallback } from 'react';
import { Link, navigate, useTitle } from '../../routing.js';
import { Card } from '../../ui/Card.js';
import { Form, TextField } from '../../ui/Form.js';
import { count } from '../../ui/format.js';
import { announce } from '../../ui/LiveRegion.js';
import { Notice } from '../../ui/Notice.js';
import { Loading } from '../../ui/QueryView.js';
import { firstTierWith, useAccount } from './account.js';
import { ComesWith } from './MarkFields.js';
import { leftOf, Meter, tierTitles } from './UsageMeters.js';
import { useAuthedQuery } from './useAuthedQuery.js';
import { wrongName } from './validators.js';

export function OrganizationsPage() {
  useTitle('Organizations');
  const { organizations } = useAccount();
  return (
    <div className="stack">
      <div>
        <h1>Organizations</h1>
        <p className="quiet">An organization owns Marks together. Everybody in it may register files under them.</p>
      </div>
      {organizations.length === 0 && <p>You belong to no organization.</p>}
      <OrganizationList />
      <NewOrganization />
    </div>
  );
}

export function OrganizationList() {
  const { organizations } = useAccount();
  if (organizations.length === 0) return null;
  return (
    <ul className="list">
      {organizations.map(({ id, name, role, status, usageUnits }) => (
        <li key={id} className="list-item">
          <Link to={`/dashboard/organizations/${id}`} className="list-name">
            <bdi>{name}</bdi>
          </Link>
          <span className="list-facts">
            {status === 'frozen' && <span className="badge tone-warn">Frozen</span>}
            <span>{role === 'owner' ? 'Yours' : 'You are a member'}</span>
            <span>{count(usageUnits.used, 'person', 'people')}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}

function NewOrganization() {
  const { service, reload, user, tiers } = useAccount();
  const limits = useAuthedQuery(useCallback((signal: AbortSignal) => service.getTierLimits({}, { signal }), [service]));
  const make = async ({ name }: { name: string }) => {
    const { id } = await service.createOrganization({ name: name.trim() });
    announce('The organization is made.');
    reload();
    navigate(`/dashboard/organizations/${id}`);
  };
  return (
    <Card title="A new organization">
      <Loading of={limits} what="how many there may be">
        {({ maxOrganizations, usage }) => {
          if (maxOrganizations === 0) {
            const tier = firstTierWith(tiers, (rules) => rules.maxOrganizations !== 0);
            return (
              <p>
                <ComesWith what="Organizations come" tier={tier} />
              </p>
            );
          }
          if (leftOf(usage.organizations, maxOrganizations) === 0) {
            return (
              <>
                <Meter label="Organizations that you own" used={usage.organizations} limit={maxOrganizations} />
                <Notice tone="warn">
                  <p>
                    The {tierTitles[user.tier]} tier allows no more. <Link to="/dashboard/account">See the tiers</Link>
                  </p>
                </Notice>
              </>
            );
          }
          return (
            <Form checks={{ name: wrongName }} submit={make} action="Make the organization" busyAction="Making it …">
              {({ name }) => <TextField name="name" label="Name" autoComplete="organization" error={name} />}
            </Form>
          );
        }}
      </Loading>
    </Card>
  );
}
