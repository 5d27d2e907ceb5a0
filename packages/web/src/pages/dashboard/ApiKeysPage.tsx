// The API keys of the user's organizations.

import {
  type ApiKey,
  type ApiKeyScope,
  apiKeyScopes,
  MAX_API_KEYS,
  type NewApiKey,
  type Organization,
} from '@provenance-registry/core';
import { useCallback, useState } from 'preact/compat';
import { navigate, useCurrentUrl, useTitle } from '../../routing.js';
import { Button } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { CopyButton } from '../../ui/CopyButton.js';
import { ConfirmButton } from '../../ui/Dialog.js';
import { SelectField } from '../../ui/Field.js';
import { Choice, Form, TextField } from '../../ui/Form.js';
import { Link } from '../../ui/Link.js';
import { announce } from '../../ui/LiveRegion.js';
import { Notice } from '../../ui/Notice.js';
import { QueryView } from '../../ui/query.js';
import { Timestamp } from '../../ui/Timestamp.js';
import { acceptAny, validateKeyName } from '../../validators.js';
import { useAccount, useAuthedQuery } from './account.js';
import { FrozenNotice } from './FrozenNotice.js';
import { ListItem } from './lists.js';
import { Meter, UpgradeHint } from './tierLimits.js';

export function ApiKeysPage() {
  useTitle('API keys');
  const { organizations } = useAccount();
  const owned = organizations.filter(({ role }) => role === 'owner');
  const requestedId = useCurrentUrl().searchParams.get('of');
  const organization = owned.find(({ id }) => id === requestedId) ?? owned[0];
  return (
    <div className="stack">
      <div>
        <h1>API keys</h1>
        <p className="quiet">
          An API key lets software act on behalf of the organization's owner. <a href="/api/reference">API reference</a>
        </p>
      </div>
      {owned.length > 1 && (
        <SelectField
          label="Organization"
          options={owned}
          value={organization?.id}
          onSelect={(id) => navigate(`/dashboard/keys?of=${id}`, { replace: true })}
        />
      )}
      {organization ? <OrganizationKeys key={organization.id} organization={organization} /> : <NoOrganization />}
    </div>
  );
}

function NoOrganization() {
  const { tiers, user } = useAccount();
  return (
    <Notice>
      <p>
        An API key belongs to an organization, and you do not own one.{' '}
        {tiers.tiers[user.tier].apiKeys ? (
          <Link to="/dashboard/organizations">Create an organization</Link>
        ) : (
          <UpgradeHint to="create API keys" hasFeature={({ apiKeys }) => apiKeys} />
        )}
      </p>
    </Notice>
  );
}

function OrganizationKeys({ organization }: { readonly organization: Organization }) {
  const { client, tiers } = useAccount();
  const { id: organizationId, tier, status } = organization;
  const load = useCallback(
    (signal: AbortSignal) => client.listApiKeys({ organizationId }, { signal }),
    [client, organizationId],
  );
  const query = useAuthedQuery(load);
  const [newKey, setNewKey] = useState<NewApiKey>();
  const onCreated = (key: NewApiKey) => {
    setNewKey(key);
    query.reload();
  };
  const mayCreate = tiers.tiers[tier].apiKeys && status === 'active';
  return (
    <>
      {status === 'frozen' && <FrozenNotice organization={organization} />}
      {newKey && <NewKeyNotice apiKey={newKey} onDone={() => setNewKey(undefined)} />}
      <QueryView query={query} what="API keys">
        {(keys) => (
          <>
            <KeyList keys={keys} organizationId={organizationId} onChange={query.reload} />
            {mayCreate && <NewKeyCard organizationId={organizationId} activeKeys={keys.length} onCreated={onCreated} />}
          </>
        )}
      </QueryView>
      {!mayCreate && status === 'active' && (
        <Notice>
          <p>
            <UpgradeHint to="create API keys" hasFeature={({ apiKeys }) => apiKeys} />
          </p>
        </Notice>
      )}
    </>
  );
}

function NewKeyNotice({ apiKey, onDone }: { readonly apiKey: NewApiKey; readonly onDone: () => void }) {
  const actions = (
    <>
      <CopyButton text={apiKey.token} what="key" />
      <Button onClick={onDone}>I have saved it</Button>
    </>
  );
  return (
    <Notice tone="good" isAlert title="Your new API key" actions={actions}>
      <p>Save it in a safe place now. It cannot be shown again.</p>
      <p>
        <code className="secret">{apiKey.token}</code>
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
  const { client } = useAccount();
  const revoke = async ({ id, name }: ApiKey) => {
    await client.deleteApiKey({ keyId: id, organizationId });
    announce(`The key ${name} was revoked.`);
    onChange();
  };
  if (keys.length === 0) return <p>No API keys yet.</p>;
  return (
    <ul className="list">
      {keys.map((key) => (
        <ListItem key={key.id} name={key.name}>
          <code>
            {key.prefix}…{key.last4}
          </code>
          <span>{scopeLabels[key.scope ?? 'all']}</span>
          <span>
            {key.expiresAt === null ? (
              'Never expires'
            ) : (
              <>
                Expires <Timestamp at={key.expiresAt} />
              </>
            )}
          </span>
          <span>
            <LastUse apiKey={key} />
          </span>
          <ConfirmButton verb="Revoke" name={key.name} action="Revoke key" work={() => revoke(key)}>
            <p>Software that uses this key loses access immediately. This cannot be undone.</p>
          </ConfirmButton>
        </ListItem>
      ))}
    </ul>
  );
}

function LastUse({ apiKey }: { readonly apiKey: ApiKey }) {
  const { lastUsedAt, lastUsedAddress, lastUsedAgent } = apiKey;
  if (lastUsedAt === null) return 'Never used';
  return (
    <>
      Last used <Timestamp at={lastUsedAt} />
      {lastUsedAddress !== null && <> from {lastUsedAddress}</>}
      {lastUsedAgent !== null && (
        <>
          {' '}
          with <bdi>{lastUsedAgent}</bdi>
        </>
      )}
    </>
  );
}

const scopeLabels: Readonly<Record<ApiKeyScope | 'all', string>> = {
  all: 'Full access',
  read: 'Read',
  register: 'Register files',
  manage: 'Manage',
};

const scopeHints: typeof scopeLabels = {
  all: 'Everything that the owner can do in the organization.',
  read: 'Read only.',
  register: 'Read, and register files.',
  manage: 'Read, and manage Marks, members and settings of the organization. It cannot register files.',
};

const scopeChoices = (['all', ...apiKeyScopes] as const).map((value) => ({
  value,
  label: scopeLabels[value],
  hint: scopeHints[value],
}));

const DAY_MS = 24 * 60 * 60 * 1000;

/** The ids are days. */
const expiryOptions = [
  { id: '', name: 'Never' },
  { id: '30', name: 'In 30 days' },
  { id: '90', name: 'In 90 days' },
  { id: '365', name: 'In one year' },
];

const keyValidators = { name: validateKeyName, scope: acceptAny, days: acceptAny };

interface NewKeyCardProps {
  readonly organizationId: string;
  readonly activeKeys: number;
  readonly onCreated: (key: NewApiKey) => void;
}

function NewKeyCard({ organizationId, activeKeys, onCreated }: NewKeyCardProps) {
  const { client } = useAccount();
  const create = async ({ name, scope, days }: Record<keyof typeof keyValidators, string>) => {
    const chosen = apiKeyScopes.find((value) => value === scope);
    const key = await client.createApiKey({
      organizationId,
      name: name.trim(),
      ...(chosen && { scope: chosen }),
      ...(days !== '' && { expiresAt: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
    });
    onCreated(key);
  };
  return (
    <Card title="New API key">
      <Meter label="Active keys" used={activeKeys} limit={MAX_API_KEYS} />
      {activeKeys >= MAX_API_KEYS ? (
        <p>Revoke a key to create another one.</p>
      ) : (
        <Form
          validators={keyValidators}
          submit={create}
          errorMessages={{ TIER_LIMIT_REACHED: 'The limit of API keys is reached. Revoke one first.' }}
          action="Create key"
          busyAction="Creating …"
          resetOnSuccess
        >
          <TextField name="name" label="Name" hint="What the key is for, such as “build server”." autoComplete="off" />
          <Choice name="scope" legend="Scope" defaultValue="all" options={scopeChoices} />
          <SelectField name="days" label="Expires" options={expiryOptions} />
        </Form>
      )}
    </Card>
  );
}
