// API keys: with them machines act for an organization.

import { type ApiKey, MAX_API_KEYS, type NewApiKey, type Organization } from '@provenance-registry/core';
import { useCallback, useState } from 'react';
import { Link, navigate, useAddress, useTitle } from '../../routing.js';
import { Button } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { CopyButton } from '../../ui/CopyButton.js';
import { Confirmation } from '../../ui/Dialog.js';
import { Field } from '../../ui/Field.js';
import { Form, TextField } from '../../ui/Form.js';
import { announce } from '../../ui/LiveRegion.js';
import { Notice } from '../../ui/Notice.js';
import { Loading } from '../../ui/QueryView.js';
import { Time } from '../../ui/Timestamp.js';
import { firstTierWith, useAccount } from './account.js';
import { ComesWith } from './MarkFields.js';
import { Frozen } from './OrganizationPage.js';
import { Meter } from './UsageMeters.js';
import { useAuthedQuery } from './useAuthedQuery.js';
import { wrongKeyName } from './validators.js';

export function KeysPage() {
  useTitle('API keys');
  const { organizations } = useAccount();
  const owned = organizations.filter(({ role }) => role === 'owner');
  const wanted = useAddress().searchParams.get('of');
  const organization = owned.find(({ id }) => id === wanted) ?? owned[0];
  return (
    <div className="stack">
      <div>
        <h1>API keys</h1>
        <p className="quiet">
          With a key, machines act for an organization as its owner does. <a href="/api/reference">API reference</a>
        </p>
      </div>
      {owned.length > 1 && organization && <OrganizationField owned={owned} chosen={organization} />}
      {organization ? <KeysOf key={organization.id} organization={organization} /> : <NoOrganization />}
    </div>
  );
}

function OrganizationField({ owned, chosen }: { owned: readonly Organization[]; chosen: Organization }) {
  return (
    <Field label="Organization">
      {(connections) => (
        <select
          {...connections}
          value={chosen.id}
          onChange={({ currentTarget }) => navigate(`/dashboard/keys?of=${currentTarget.value}`, { replace: true })}
        >
          {owned.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function NoOrganization() {
  const { tiers, user } = useAccount();
  return (
    <Notice>
      <p>
        A key belongs to an organization, and you own none.{' '}
        {tiers.tiers[user.tier].apiKeys ? (
          <Link to="/dashboard/organizations">Make an organization</Link>
        ) : (
          <ComesWith what="Keys come" tier={firstTierWith(tiers, (rules) => rules.apiKeys)} />
        )}
      </p>
    </Notice>
  );
}

function KeysOf({ organization }: { readonly organization: Organization }) {
  const { service, tiers } = useAccount();
  const { id: organizationId, tier, status } = organization;
  const load = useCallback(
    (signal: AbortSignal) => service.listApiKeys({ organizationId }, { signal }),
    [service, organizationId],
  );
  const loading = useAuthedQuery(load);
  const [made, setMade] = useState<NewApiKey>();
  const onMade = (key: NewApiKey) => {
    setMade(key);
    loading.reload();
  };
  const mayMake = tiers.tiers[tier].apiKeys && status === 'active';
  return (
    <>
      {status === 'frozen' && <Frozen organization={organization} />}
      {made && <ShownOnce made={made} onDone={() => setMade(undefined)} />}
      <Loading of={loading} what="the keys">
        {(keys) => (
          <>
            <KeyList keys={keys} organizationId={organizationId} onChange={loading.reload} />
            {mayMake && <NewKey organizationId={organizationId} active={keys.length} onMade={onMade} />}
          </>
        )}
      </Loading>
      {!mayMake && status === 'active' && (
        <Notice>
          <p>
            <ComesWith what="Keys come" tier={firstTierWith(tiers, (rules) => rules.apiKeys)} />
          </p>
        </Notice>
      )}
    </>
  );
}

function ShownOnce({ made, onDone }: { readonly made: NewApiKey; readonly onDone: () => void }) {
  const actions = (
    <>
      <CopyButton text={made.token} what="the key" />
      <Button onClick={onDone}>I have kept it</Button>
    </>
  );
  return (
    <Notice tone="good" isAlert title="Your new key, shown this once" actions={actions}>
      <p>Keep it in a safe place now. Nobody can show it again, not even this service.</p>
      <p>
        <code className="secret">{made.token}</code>
      </p>
    </Notice>
  );
}

interface KeyListProps {
  readonly keys: readonly ApiKey[];
  readonly organizationId: string;
  readonly onChange: () => void;
}

function KeyList({ keys, organizationId, onChange }: KeyListProps) {
  const { service } = useAccount();
  const [leaving, setLeaving] = useState<ApiKey>();
  const revoke = async ({ id, name }: ApiKey) => {
    await service.deleteApiKey({ keyId: id, organizationId });
    announce(`The key ${name} is revoked.`);
    setLeaving(undefined);
    onChange();
  };
  if (keys.length === 0) return <p>There is no key yet.</p>;
  return (
    <>
      <ul className="list">
        {keys.map((key) => (
          <li key={key.id} className="list-item">
            <span className="list-name">
              <bdi>{key.name}</bdi>
            </span>
            <span className="list-facts">
              <code>
                {key.prefix}…{key.last4}
              </code>
              <span>
                {key.lastUsedAt === null ? (
                  'Never used'
                ) : (
                  <>
                    Last used <Time at={key.lastUsedAt} />
                  </>
                )}
              </span>
              <Button kind="quiet" aria-label={`Revoke ${key.name}`} onClick={() => setLeaving(key)}>
                Revoke
              </Button>
            </span>
          </li>
        ))}
      </ul>
      {leaving && (
        <Confirmation
          title={
            <>
              Revoke <bdi>{leaving.name}</bdi>?
            </>
          }
          action="Revoke the key"
          work={() => revoke(leaving)}
          onClose={() => setLeaving(undefined)}
        >
          <p>Whatever uses it stops working at once. This cannot be taken back.</p>
        </Confirmation>
      )}
    </>
  );
}

interface NewKeyProps {
  readonly organizationId: string;
  readonly active: number;
  readonly onMade: (key: NewApiKey) => void;
}

function NewKey({ organizationId, active, onMade }: NewKeyProps) {
  const { service } = useAccount();
  const make = async ({ name }: { name: string }) =>
    onMade(await service.createApiKey({ organizationId, name: name.trim() }));
  return (
    <Card title="A new key">
      <Meter label="Active keys" used={active} limit={MAX_API_KEYS} />
      {active >= MAX_API_KEYS ? (
        <p>Revoke one that is not needed any more to make another.</p>
      ) : (
        <Form
          checks={{ name: wrongKeyName }}
          submit={make}
          refusals={{ TIER_LIMIT_REACHED: 'There are as many keys as there may be. Revoke one first.' }}
          action="Make the key"
          busyAction="Making the key …"
          isClearedAfter
        >
          {({ name }) => (
            <TextField
              name="name"
              label="What it is for"
              hint="For yourself, such as “build server”."
              autoComplete="off"
              error={name}
            />
          )}
        </Form>
      )}
    </Card>
  );
}
