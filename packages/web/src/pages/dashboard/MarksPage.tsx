// The Marks that one may register under, and making another.

import type { Mark, Organization, Tier, TierLimits } from '@provenance-registry/core';
import { useCallback, useState } from 'react';
import { Link, navigate, useTitle } from '../../routing.js';
import { Card } from '../../ui/Card.js';
import { Field } from '../../ui/Field.js';
import { Form } from '../../ui/Form.js';
import { Icon } from '../../ui/Icon.js';
import { announce } from '../../ui/LiveRegion.js';
import { Notice } from '../../ui/Notice.js';
import { Loading } from '../../ui/QueryView.js';
import { type Account, useAccount } from './account.js';
import { MarkFields, markChecks, markOf } from './MarkFields.js';
import { leftOf, Meter, tierTitles } from './UsageMeters.js';
import { useAuthedQuery } from './useAuthedQuery.js';

export function MarksPage() {
  useTitle('Marks');
  const { service } = useAccount();
  const marks = useAuthedQuery(useCallback((signal: AbortSignal) => service.listMarks({ signal }), [service]));
  return (
    <div className="stack">
      <div>
        <h1>Marks</h1>
        <p className="quiet">
          A Mark is the name that files are registered under. It says who made them, under which licence, and whether AI
          models may be trained with them.
        </p>
      </div>
      <Loading of={marks} what="your Marks">
        {(list) => <MarkList marks={list} />}
      </Loading>
      <NewMark onMade={({ id }) => navigate(`/dashboard/marks/${id}`)} />
    </div>
  );
}

export function MarkList({ marks }: { readonly marks: readonly Mark[] }) {
  if (marks.length === 0) return <p>You have no Mark yet. Make the first one below.</p>;
  return (
    <ul className="list">
      {marks.map((mark) => (
        <li key={mark.id} className="list-item">
          <Link to={`/dashboard/marks/${mark.id}`} className="list-name">
            <bdi>{mark.name}</bdi>
          </Link>
          <span className="list-facts">
            {mark.visibility === 'private' && (
              <span className="badge tone-info">
                <Icon name="lock" />
                Private
              </span>
            )}
            <span>{mark.license.name}</span>
            {mark.organization && (
              <span>
                of <bdi>{mark.organization.name}</bdi>
              </span>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Whoever a new Mark may belong to. */
interface Owner {
  readonly organizationId: string | undefined;
  readonly name: string;
  readonly tier: Tier;
}

/** Oneself, and the organizations that one owns or is an admin member of. */
async function findOwners({ user, organizations, service }: Account, signal: AbortSignal): Promise<Owner[]> {
  const mayMake = async ({ id, role }: Organization) => {
    if (role === 'owner') return true;
    const members = await service.listOrganizationMembers({ organizationId: id }, { signal });
    return members.some((member) => member.id === user.id && member.isAdmin);
  };
  const may = await Promise.all(organizations.map(mayMake));
  return [
    { organizationId: undefined, name: 'Me', tier: user.tier },
    ...organizations.filter((_, at) => may[at]).map(({ id, name, tier }) => ({ organizationId: id, name, tier })),
  ];
}

interface NewMarkProps {
  readonly onMade: (mark: Mark) => void;
  readonly title?: string;
}

export function NewMark({ onMade, title = 'A new Mark' }: NewMarkProps) {
  const account = useAccount();
  const owners = useAuthedQuery(useCallback((signal: AbortSignal) => findOwners(account, signal), [account]));
  const [ownerId, setOwnerId] = useState<string>();
  return (
    <Card title={title}>
      <Loading of={owners} what="who it may belong to">
        {(list) => {
          const owner = list.find(({ organizationId }) => organizationId === ownerId) ?? list[0];
          return (
            <>
              {list.length > 1 && <OwnerField owners={list} onChoose={setOwnerId} />}
              {owner && <NewMarkOf key={owner.organizationId} owner={owner} onMade={onMade} />}
            </>
          );
        }}
      </Loading>
    </Card>
  );
}

function OwnerField({ owners, onChoose }: { owners: readonly Owner[]; onChoose: (id: string | undefined) => void }) {
  return (
    <Field label="Whose it is" hint="This cannot be changed later. The limits of its owner count.">
      {(connections) => (
        <select {...connections} onChange={({ currentTarget }) => onChoose(currentTarget.value || undefined)}>
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

function NewMarkOf({ owner, onMade }: { readonly owner: Owner; readonly onMade: (mark: Mark) => void }) {
  const { service } = useAccount();
  const { organizationId } = owner;
  const load = useCallback(
    (signal: AbortSignal) => service.getTierLimits({ organizationId }, { signal }),
    [service, organizationId],
  );
  const limits = useAuthedQuery(load);
  return (
    <Loading of={limits} what="how many there may be">
      {(known) => <NewMarkWithin owner={owner} limits={known} onMade={onMade} />}
    </Loading>
  );
}

interface NewMarkWithinProps {
  readonly owner: Owner;
  readonly limits: TierLimits;
  readonly onMade: (mark: Mark) => void;
}

function NewMarkWithin({ owner: { organizationId, tier }, limits, onMade }: NewMarkWithinProps) {
  const { service } = useAccount();
  const make = async (values: Record<keyof typeof markChecks, string>) => {
    const mark = await service.createMark({ ...markOf(values), organizationId });
    announce('The Mark is made.');
    onMade(mark);
  };
  const { usage, maxMarks } = limits;
  if (leftOf(usage.marks, maxMarks) === 0) {
    return (
      <>
        <Meter label="Marks" used={usage.marks} limit={maxMarks} />
        <Notice tone="warn">
          <p>
            The {tierTitles[tier]} tier allows no more Marks. <Link to="/dashboard/account">See the tiers</Link>
          </p>
        </Notice>
      </>
    );
  }
  return (
    <Form checks={markChecks} submit={make} action="Make the Mark" busyAction="Making the Mark …">
      {({ name }) => <MarkFields tier={tier} nameError={name} />}
    </Form>
  );
}
