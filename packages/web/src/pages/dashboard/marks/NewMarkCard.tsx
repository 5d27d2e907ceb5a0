// Creates a Mark for the user or one of their organizations.

import type { Mark, Organization, Tier } from '@provenance-registry/core';
import { useCallback, useState } from 'preact/compat';
import { limits, markLimitReached } from '#texts/accounts/tiers';
import * as texts from '#texts/marks/marks';
import { announce } from '../../../ui/feedback/LiveRegion.js';
import { QueryView } from '../../../ui/feedback/query.js';
import { SelectField } from '../../../ui/form/Field.js';
import { Form } from '../../../ui/form/Form.js';
import { Card } from '../../../ui/layout/Card.js';
import { type Account, useAccount, useAuthedQuery } from '../account.js';
import { LimitReached, remaining } from '../tierLimits.js';
import { MarkFields, type MarkFormValues, markValidators, parseMarkForm } from './MarkFields.js';

/** Undefined `organizationId`: the user. */
interface MarkOwner {
  readonly organizationId: string | undefined;
  readonly name: string;
  readonly tier: Tier;
}

/** The user, and the organizations that they own or administer. */
async function findMarkOwners({ user, organizations, client }: Account, signal: AbortSignal): Promise<MarkOwner[]> {
  const mayCreateMarks = async ({ id, role }: Organization) => {
    if (role === 'owner') return true;
    const members = await client.listOrganizationMembers({ organizationId: id }, { signal });
    return members.some((member) => member.id === user.id && member.isAdmin);
  };
  const isAllowed = await Promise.all(organizations.map(mayCreateMarks));
  return [
    { organizationId: undefined, name: texts.me, tier: user.tier },
    ...organizations
      .filter((_, index) => isAllowed[index])
      .map(({ id, name, tier }) => ({ organizationId: id, name, tier })),
  ];
}

interface NewMarkCardProps {
  readonly onCreated: (mark: Mark) => void;
  readonly title?: string;
}

export function NewMarkCard({ onCreated, title = texts.newTitle }: NewMarkCardProps) {
  const account = useAccount();
  const query = useAuthedQuery(useCallback((signal: AbortSignal) => findMarkOwners(account, signal), [account]));
  const [ownerId, setOwnerId] = useState<string>();
  return (
    <Card title={title}>
      <QueryView query={query} what={texts.owners}>
        {(owners) => {
          const owner = owners.find(({ organizationId }) => organizationId === ownerId) ?? owners[0];
          return (
            <>
              {owners.length > 1 && (
                <SelectField
                  label={texts.ownerLabel}
                  hint={texts.ownerHint}
                  options={owners.map(({ organizationId = '', name }) => ({ id: organizationId, name }))}
                  onSelect={(id) => setOwnerId(id || undefined)}
                />
              )}
              {owner && <NewMarkForm key={owner.organizationId} owner={owner} onCreated={onCreated} />}
            </>
          );
        }}
      </QueryView>
    </Card>
  );
}

function NewMarkForm({ owner, onCreated }: { owner: MarkOwner; onCreated: NewMarkCardProps['onCreated'] }) {
  const { client } = useAccount();
  const { organizationId, tier } = owner;
  const load = useCallback(
    (signal: AbortSignal) => client.getTierLimits({ organizationId }, { signal }),
    [client, organizationId],
  );
  const query = useAuthedQuery(load);
  const create = async (values: MarkFormValues) => {
    const mark = await client.createMark({ ...parseMarkForm(values), organizationId });
    announce(texts.created);
    onCreated(mark);
  };
  return (
    <QueryView query={query} what={limits}>
      {({ usage, maxMarks }) =>
        remaining(usage.marks, maxMarks) === 0 ? (
          <LimitReached label={texts.marks} used={usage.marks} limit={maxMarks} text={markLimitReached} tier={tier} />
        ) : (
          <Form validators={markValidators} submit={create} action={texts.create} busyAction={texts.creating}>
            <MarkFields tier={tier} />
          </Form>
        )
      }
    </QueryView>
  );
}
