// One organization: who is in it, how many may be, what it may do.

import type { Organization, OrganizationMember } from '@provenance-registry/core';
import { useCallback, useState } from 'react';
import { explain, hasCode } from '../../registryClient.js';
import { Link, useTitle } from '../../routing.js';
import { Button } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { FieldError, Form, TextField } from '../../ui/Form.js';
import { count } from '../../ui/format.js';
import { announce } from '../../ui/LiveRegion.js';
import { Notice } from '../../ui/Notice.js';
import { Failure, Loading, useAction } from '../../ui/QueryView.js';
import { Time } from '../../ui/Timestamp.js';
import { useAccount } from './account.js';
import { MarkList } from './MarksPage.js';
import { PersonField, Removal } from './MemberForms.js';
import { Limits, Meter, tierTitles } from './UsageMeters.js';
import { useAuthedQuery } from './useAuthedQuery.js';
import { anything, wrongCount, wrongEmail } from './validators.js';

export function OrganizationPage({ organizationId }: { readonly organizationId: string }) {
  const { service } = useAccount();
  const load = useCallback(
    async (signal: AbortSignal) => {
      const [organization, members, limits, marks] = await Promise.all([
        service.getOrganization({ organizationId }, { signal }),
        service.listOrganizationMembers({ organizationId }, { signal }),
        service.getTierLimits({ organizationId }, { signal }),
        service.listMarks({ signal }),
      ]);
      return { organization, members, limits, marks: marks.filter((mark) => mark.organization?.id === organizationId) };
    },
    [service, organizationId],
  );
  const loading = useAuthedQuery(load);
  useTitle(loading.value?.organization.name ?? 'Organization');
  return (
    <Loading of={loading} what="the organization">
      {({ organization, members, limits, marks }) => (
        <div className="stack">
          <h1>
            <bdi>{organization.name}</bdi>
          </h1>
          {organization.status === 'frozen' && <Frozen organization={organization} />}
          <Card title="Members">
            <Members organization={organization} members={members} onChange={loading.reload} />
          </Card>
          <Units organization={organization} onChange={loading.reload} />
          <Card title="Marks">
            {marks.length === 0 ? (
              <p>
                It owns no Mark yet. <Link to="/dashboard/marks">Make one</Link>
              </p>
            ) : (
              <MarkList marks={marks} />
            )}
          </Card>
          <Card title={`Limits of the ${tierTitles[limits.tier]} tier`}>
            <Limits limits={limits} isOfOrganization />
          </Card>
          {organization.role === 'owner' && (
            <p>
              Machines register files with an API key:{' '}
              <Link to={`/dashboard/keys?of=${organization.id}`}>API keys</Link>
            </p>
          )}
        </div>
      )}
    </Loading>
  );
}

export function Frozen({ organization: { role } }: { readonly organization: Organization }) {
  return (
    <Notice tone="warn" title="This organization is frozen">
      <p>
        {role === 'owner' ? 'You have' : 'Its owner has'} left the Enterprise tier. Until{' '}
        {role === 'owner' ? 'you are' : 'its owner is'} back, nothing can be registered under its Marks, nobody can be
        added, and its API keys do not work. What is registered stays.
      </p>
      {role === 'owner' && (
        <p>
          <Link to="/dashboard/account">See the tiers</Link>
        </p>
      )}
    </Notice>
  );
}

interface PartProps {
  readonly organization: Organization;
  readonly onChange: () => void;
}

function Members({ organization, members, onChange }: PartProps & { members: readonly OrganizationMember[] }) {
  const { service } = useAccount();
  const [leaving, setLeaving] = useState<OrganizationMember>();
  const isOwner = organization.role === 'owner';
  const remove = async (member: OrganizationMember) => {
    await service.removeOrganizationMember({ organizationId: organization.id, userId: member.id });
    announce(`${member.name} is no longer in the organization.`);
    setLeaving(undefined);
    onChange();
  };
  return (
    <>
      <ul className="list">
        {members.map((member) => (
          <li key={member.id} className="list-item">
            <span className="list-name">
              <bdi>{member.name}</bdi>
            </span>
            <span className="list-facts">
              <span>{roleOf(member)}</span>
              <span>
                since <Time at={member.joinedAt} isDayOnly />
              </span>
              {isOwner && member.role === 'member' && (
                <>
                  <AdminSwitch organization={organization} member={member} onChange={onChange} />
                  <Button kind="quiet" aria-label={`Remove ${member.name}`} onClick={() => setLeaving(member)}>
                    Remove
                  </Button>
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
      {isOwner && organization.status === 'active' && <AddMember organization={organization} onChange={onChange} />}
      {leaving && (
        <Removal person={leaving} remove={() => remove(leaving)} onClose={() => setLeaving(undefined)}>
          They may no longer register files under Marks of this organization. What they have registered stays.
        </Removal>
      )}
    </>
  );
}

function roleOf({ role, isAdmin }: OrganizationMember): string {
  if (role === 'owner') return 'Owner';
  return isAdmin ? 'Admin: may make Marks' : 'Member';
}

function AdminSwitch({ organization, member, onChange }: PartProps & { readonly member: OrganizationMember }) {
  const { service } = useAccount();
  const { isBusy, error, run } = useAction(async () => {
    const isAdmin = !member.isAdmin;
    await service.updateOrganizationMember({ organizationId: organization.id, userId: member.id, isAdmin });
    announce(isAdmin ? `${member.name} is an admin now.` : `${member.name} is no admin any more.`);
    onChange();
  });
  return (
    <>
      <Button
        kind="quiet"
        isBusy={isBusy}
        aria-label={`${member.isAdmin ? 'Make plain member' : 'Make admin'}: ${member.name}`}
        onClick={() => run()}
      >
        {member.isAdmin ? 'Make plain member' : 'Make admin'}
      </Button>
      {error !== undefined && <Failure error={error} />}
    </>
  );
}

const addRefusals = {
  NOT_FOUND: 'Nobody here has this email address. They need an account first.',
  CONFLICT: 'They are a member already.',
  USAGE_UNIT_LIMIT_REACHED: 'There is no free place. Add places below, then try again.',
  TIER_LIMIT_REACHED: 'The tier of this organization allows no more members.',
  TIER_RESTRICTION: 'The organization is frozen: nobody can be added.',
};
const aboutTheAddress = ['NOT_FOUND', 'CONFLICT'] as const;

function AddMember({ organization, onChange }: PartProps) {
  const { service, tiers } = useAccount();
  const { id: organizationId, usageUnits, tier } = organization;
  const { maxOrganizationMembers } = tiers.tiers[tier];
  const others = usageUnits.used - 1;
  if (maxOrganizationMembers !== -1 && others >= maxOrganizationMembers) {
    return (
      <Notice>
        <p>
          The {tierTitles[tier]} tier allows {maxOrganizationMembers} members beside the owner.{' '}
          <Link to="/dashboard/account">See the tiers</Link>
        </p>
      </Notice>
    );
  }
  if (usageUnits.used >= usageUnits.total) {
    return (
      <Notice>
        <p>There is no free place. Add places below, then add members.</p>
      </Notice>
    );
  }
  const add = async ({ email, isAdmin }: { email: string; isAdmin: string }) => {
    try {
      const member = { organizationId, email: email.trim(), isAdmin: isAdmin === 'on' };
      const { name } = await service.addOrganizationMember(member);
      announce(`${name} is in the organization now.`);
    } catch (error) {
      if (!aboutTheAddress.some((code) => hasCode(error, code))) throw error;
      throw new FieldError('email', explain(error, addRefusals));
    }
    onChange();
  };
  return (
    <Form
      checks={{ email: (text) => wrongEmail(text.trim()), isAdmin: anything }}
      submit={add}
      refusals={addRefusals}
      action="Add"
      busyAction="Adding …"
      kind="plain"
      isClearedAfter
    >
      {({ email }) => (
        <>
          <PersonField hint="It takes one place." error={email} />
          <label className="check">
            <input type="checkbox" name="isAdmin" /> As an admin, who may make Marks for the organization
          </label>
        </>
      )}
    </Form>
  );
}

function Units({ organization, onChange }: PartProps) {
  const { service } = useAccount();
  const { id: organizationId, usageUnits, role, status } = organization;
  const save = async ({ purchased }: { purchased: string }) => {
    await service.putUsageUnits({ organizationId, purchased: Number(purchased) });
    onChange();
  };
  const wrongPlaces = (text: string) => {
    const taken = usageUnits.used - 1;
    const isTooFew = Number(text) < taken;
    const words = `${count(taken, 'place')} ${taken === 1 ? 'is' : 'are'} taken. Remove members first, or enter more.`;
    return wrongCount(text) ?? (isTooFew ? words : undefined);
  };
  return (
    <Card title="Places">
      <Meter label="Places taken" used={usageUnits.used} limit={usageUnits.total} />
      <p className="quiet">One place comes with the organization and is its owner's. Each member takes another.</p>
      {role === 'owner' && status === 'active' && (
        <Form
          checks={{ purchased: wrongPlaces }}
          submit={save}
          refusals={{ BAD_REQUEST: 'More places are taken than that. Remove members first.' }}
          action="Save"
          busyAction="Saving …"
          doneWord="Saved."
          kind="plain"
        >
          {({ purchased }) => (
            <TextField
              name="purchased"
              type="number"
              label="Places beside the owner's"
              defaultValue={usageUnits.total - 1}
              autoComplete="off"
              error={purchased}
            />
          )}
        </Form>
      )}
    </Card>
  );
}
