// The API keys of the user's organizations.

import { type ApiKey, apiKeyScopes, MAX_API_KEYS, type NewApiKey, type Organization } from '@provenance-registry/core';
import { useCallback, useState } from 'preact/compat';
import * as texts from '#texts/accounts/apiKeys';
import { navigate, useCurrentUrl, useTitle } from '../../routing.js';
import { announce } from '../../ui/feedback/LiveRegion.js';
import { Notice } from '../../ui/feedback/Notice.js';
import { QueryView } from '../../ui/feedback/query.js';
import { Button } from '../../ui/form/Button.js';
import { ConfirmButton } from '../../ui/form/Dialog.js';
import { SelectField } from '../../ui/form/Field.js';
import { Choice, Form, TextField } from '../../ui/form/Form.js';
import * as basics from '../../ui/layout/basics.module.css';
import { Card } from '../../ui/layout/Card.js';
import { CopyButton } from '../../ui/text/CopyButton.js';
import { Link } from '../../ui/text/Link.js';
import { Secret } from '../../ui/text/Secret.js';
import { Timestamp } from '../../ui/text/Timestamp.js';
import { acceptAny, validateKeyName } from '../../validators.js';
import { useAccount, useAuthedQuery } from './account.js';
import { ListItem } from './lists.js';
import * as listsStyles from './lists.module.css';
import { keyEvents } from './live/eventFilters.js';
import { FrozenNotice } from './organizations/FrozenNotice.js';
import { Meter, UpgradeHint } from './tierLimits.js';

export function ApiKeysPage() {
  useTitle(texts.title);
  const { organizations } = useAccount();
  const owned = organizations.filter(({ role }) => role === 'owner');
  const requestedId = useCurrentUrl().searchParams.get('of');
  const organization = owned.find(({ id }) => id === requestedId) ?? owned[0];
  return (
    <div className={basics.stack}>
      <div>
        <h1>{texts.title}</h1>
        <p className={basics.quiet}>{texts.lead(<a href="/api/reference">{texts.reference}</a>)}</p>
      </div>
      {owned.length > 1 && (
        <SelectField
          label={texts.organization}
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
  const next = tiers.tiers[user.tier].apiKeys ? (
    <Link to="/dashboard/organizations">{texts.createOrganization}</Link>
  ) : (
    <UpgradeHint feature="apiKeys" hasFeature={({ apiKeys }) => apiKeys} />
  );
  return (
    <Notice>
      <p>{texts.ownsNoOrganization(next)}</p>
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
  const query = useAuthedQuery(load, keyEvents);
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
      <QueryView query={query} what={texts.whatIsLoaded}>
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
            <UpgradeHint feature="apiKeys" hasFeature={({ apiKeys }) => apiKeys} />
          </p>
        </Notice>
      )}
    </>
  );
}

function NewKeyNotice({ apiKey, onDone }: { readonly apiKey: NewApiKey; readonly onDone: () => void }) {
  const actions = (
    <>
      <CopyButton text={apiKey.token} what={texts.key} />
      <Button onClick={onDone}>{texts.hasSaved}</Button>
    </>
  );
  return (
    <Notice tone="good" isAlert title={texts.newKeyTitle} actions={actions}>
      <p>{texts.newKeyHint}</p>
      <p>
        <Secret>{apiKey.token}</Secret>
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
    announce(texts.revoked(name));
    onChange();
  };
  if (keys.length === 0) return <p>{texts.isEmpty}</p>;
  return (
    <ul className={listsStyles.list}>
      {keys.map((key) => (
        <ListItem key={key.id} name={key.name}>
          <code>
            {key.prefix}…{key.last4}
          </code>
          <span>{texts.scopes[key.scope ?? 'all'].label}</span>
          <span>{key.expiresAt === null ? texts.neverExpires : texts.expiresAt(<Timestamp at={key.expiresAt} />)}</span>
          <span>
            <LastUse apiKey={key} />
          </span>
          <ConfirmButton verb={texts.revoke} name={key.name} action={texts.revokeKey} work={() => revoke(key)}>
            <p>{texts.revokeConsequences}</p>
          </ConfirmButton>
        </ListItem>
      ))}
    </ul>
  );
}

function LastUse({ apiKey }: { readonly apiKey: ApiKey }) {
  const { lastUsedAt, lastUsedAddress, lastUsedAgent } = apiKey;
  if (lastUsedAt === null) return texts.neverUsed;
  const time = <Timestamp at={lastUsedAt} />;
  const program = lastUsedAgent !== null && <bdi>{lastUsedAgent}</bdi>;
  if (lastUsedAddress === null) return program ? texts.lastUsedWith(time, program) : texts.lastUsed(time);
  return program ? texts.lastUsedFromWith(time, lastUsedAddress, program) : texts.lastUsedFrom(time, lastUsedAddress);
}

const scopeChoices = (['all', ...apiKeyScopes] as const).map((value) => ({
  value,
  ...texts.scopes[value],
}));

const DAY_MS = 24 * 60 * 60 * 1000;

/** The ids are days. */
const expiryOptions = [
  { id: '', name: texts.never },
  { id: '30', name: texts.in30Days },
  { id: '90', name: texts.in90Days },
  { id: '365', name: texts.inOneYear },
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
    <Card title={texts.createTitle}>
      <Meter label={texts.activeKeys} used={activeKeys} limit={MAX_API_KEYS} />
      {activeKeys >= MAX_API_KEYS ? (
        <p>{texts.isFull}</p>
      ) : (
        <Form
          validators={keyValidators}
          submit={create}
          errorMessages={{ TIER_LIMIT_REACHED: texts.limitReached }}
          action={texts.create}
          busyAction={texts.creating}
          resetOnSuccess
        >
          <TextField name="name" label={texts.nameLabel} hint={texts.nameHint} autoComplete="off" />
          <Choice name="scope" legend={texts.scopeLabel} defaultValue="all" options={scopeChoices} />
          <SelectField name="days" label={texts.expiresLabel} options={expiryOptions} />
        </Form>
      )}
    </Card>
  );
}
