// Creates a Mark for the user or one of their organizations.

import type { Mark, Organization, Tier, TierLimits } from '@provenance-registry/core';
import { useCallback, useState } from 'react';
import { announce } from '../../ui/announcements.js';
import { Card } from '../../ui/Card.js';
import { Field } from '../../ui/Field.js';
import { Form } from '../../ui/Form.js';
import { Link } from '../../ui/Link.js';
import { Notice } from '../../ui/Notice.js';
import { QueryView } from '../../ui/QueryView.js';
import { type Account, useAccount } from './account.js';
import { MarkFields } from './MarkFields.js';
import { type MarkFormValues, markValidators, parseMarkForm } from './markForm.js';
import { remaining, tierLabels } from './tierLimits.js';
import { Meter } from './UsageMeters.js';
import { useAuthedQuery } from './useAuthedQuery.js';

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
    { organizationId: undefined, name: 'Me', tier: user.tier },
    ...organizations
      .filter((_, index) => isAllowed[index])
      .map(({ id, name, tier }) => ({ organizationId: id, name, tier })),
  ];
}

interface NewMarkCardProps {
  readonly onCreated: (mark: Mark) => void;
  readonly title?: string;
}

export function NewMarkCard({ onCreated, title = 'New Mark' }: NewMarkCardProps) {
  const account = useAccount();
  const query = useAuthedQuery(useCallback((signal: AbortSignal) => findMarkOwners(account, signal), [account]));
  const [ownerId, setOwnerId] = useState<string>();
  return (
    <Card title={title}>
      <QueryView query={query} what="owners">
        {(owners) => {
          const owner = owners.find(({ organizationId }) => organizationId === ownerId) ?? owners[0];
          return (
            <>
              {owners.length > 1 && <OwnerField owners={owners} onChoose={setOwnerId} />}
              {owner && <NewMarkForOwner key={owner.organizationId} owner={owner} onCreated={onCreated} />}
            </>
          );
        }}
      </QueryView>
    </Card>
  );
}

interface OwnerFieldProps {
  readonly owners: readonly MarkOwner[];
  readonly onChoose: (organizationId: string | undefined) => void;
}

function OwnerField({ owners, onChoose }: OwnerFieldProps) {
  return (
    <Field label="Owner" hint="This cannot be changed later. Files count toward the limits of the owner.">
      {(inputProps) => (
        <select {...inputProps} onChange={({ currentTarget }) => onChoose(currentTarget.value || undefined)}>
          {owners.map(({ organizationId = '', name }) => (
            <option key={organizationId} value={organizationId}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface OwnerProps {
  readonly owner: MarkOwner;
  readonly onCreated: (mark: Mark) => void;
}

function NewMarkForOwner({ owner, onCreated }: OwnerProps) {
  const { client } = useAccount();
  const { organizationId } = owner;
  const load = useCallback(
    (signal: AbortSignal) => client.getTierLimits({ organizationId }, { signal }),
    [client, organizationId],
  );
  const query = useAuthedQuery(load);
  return (
    <QueryView query={query} what="limits">
      {(limits) => <NewMarkForm owner={owner} limits={limits} onCreated={onCreated} />}
    </QueryView>
  );
}

function NewMarkForm({ owner, limits, onCreated }: OwnerProps & { readonly limits: TierLimits }) {
  const { client } = useAccount();
  const { organizationId, tier } = owner;
  const create = async (values: MarkFormValues) => {
    const mark = await client.createMark({ ...parseMarkForm(values), organizationId });
    announce('Mark created.');
    onCreated(mark);
  };
  const { usage, maxMarks } = limits;
  if (remaining(usage.marks, maxMarks) === 0) {
    return (
      <>
        <Meter label="Marks" used={usage.marks} limit={maxMarks} />
        <Notice tone="warn">
          <p>
            You have reached the Mark limit of the {tierLabels[tier]} tier.{' '}
            <Link to="/dashboard/account">View tiers</Link>
          </p>
        </Notice>
      </>
    );
  }
  return (
    <Form validators={markValidators} submit={create} action="Create Mark" busyAction="Creating …">
      <MarkFields tier={tier} />
    </Form>
  );
}
