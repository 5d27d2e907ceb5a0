// The members of an organization: listed, added, removed, made admins.

import type { Organization, OrganizationMember } from '@provenance-registry/core';
import { useState } from 'react';
import { describeError, hasErrorCode } from '../../errorMessages.js';
import { announce } from '../../ui/announcements.js';
import { Button } from '../../ui/Button.js';
import { ErrorNotice } from '../../ui/ErrorNotice.js';
import { FieldError, Form } from '../../ui/Form.js';
import { Link } from '../../ui/Link.js';
import { Notice } from '../../ui/Notice.js';
import { Timestamp } from '../../ui/Timestamp.js';
import { useAction } from '../../ui/useAction.js';
import { acceptAny, validateEmail } from '../../validators.js';
import { useAccount } from './account.js';
import { MemberEmailField } from './MemberEmailField.js';
import { RemoveMemberDialog } from './RemoveMemberDialog.js';
import { remaining, tierLabels } from './tierLimits.js';

interface OrganizationProps {
  readonly organization: Organization;
  readonly onChange: () => void;
}

interface OrganizationMembersProps extends OrganizationProps {
  readonly members: readonly OrganizationMember[];
}

export function OrganizationMembers({ organization, members, onChange }: OrganizationMembersProps) {
  const { client } = useAccount();
  const [removing, setRemoving] = useState<OrganizationMember>();
  const isOwner = organization.role === 'owner';
  const remove = async (member: OrganizationMember) => {
    await client.removeOrganizationMember({ organizationId: organization.id, userId: member.id });
    announce(`${member.name} was removed from the organization.`);
    setRemoving(undefined);
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
            <span className="list-details">
              <span>{roleLabel(member)}</span>
              <span>
                since <Timestamp at={member.joinedAt} isDayOnly />
              </span>
              {isOwner && member.role === 'member' && (
                <>
                  <AdminToggle organization={organization} member={member} onChange={onChange} />
                  <Button kind="quiet" aria-label={`Remove ${member.name}`} onClick={() => setRemoving(member)}>
                    Remove
                  </Button>
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
      {isOwner && organization.status === 'active' && <AddMember organization={organization} onChange={onChange} />}
      {removing && (
        <RemoveMemberDialog member={removing} remove={() => remove(removing)} onClose={() => setRemoving(undefined)}>
          They can no longer register files under Marks of this organization. Files that they registered are not
          affected.
        </RemoveMemberDialog>
      )}
    </>
  );
}

function roleLabel({ role, isAdmin }: OrganizationMember): string {
  if (role === 'owner') return 'Owner';
  return isAdmin ? 'Admin' : 'Member';
}

function AdminToggle({ organization, member, onChange }: OrganizationProps & { readonly member: OrganizationMember }) {
  const { client } = useAccount();
  const { isBusy, error, run } = useAction(async () => {
    const isAdmin = !member.isAdmin;
    await client.updateOrganizationMember({ organizationId: organization.id, userId: member.id, isAdmin });
    announce(isAdmin ? `${member.name} is now an admin.` : `${member.name} is no longer an admin.`);
    onChange();
  });
  const label = member.isAdmin ? 'Remove admin role' : 'Make admin';
  return (
    <>
      <Button kind="quiet" isBusy={isBusy} aria-label={`${label}: ${member.name}`} onClick={() => run()}>
        {label}
      </Button>
      {error !== undefined && <ErrorNotice error={error} />}
    </>
  );
}

const addMemberErrors = {
  NOT_FOUND: 'No account with this email address. They need to sign up first.',
  CONFLICT: 'They are already a member.',
  USAGE_UNIT_LIMIT_REACHED: 'All usage units are in use. Add usage units below, then try again.',
  TIER_LIMIT_REACHED: 'This organization has reached the member limit of its tier.',
  TIER_RESTRICTION: 'This organization is frozen: members cannot be added.',
};
const emailErrorCodes = ['NOT_FOUND', 'CONFLICT'] as const;

function AddMember({ organization, onChange }: OrganizationProps) {
  const { client, tiers } = useAccount();
  const { id: organizationId, usageUnits, tier } = organization;
  const { maxOrganizationMembers } = tiers.tiers[tier];
  // The owner does not count.
  if (remaining(usageUnits.used - 1, maxOrganizationMembers) === 0) {
    return (
      <Notice>
        <p>
          The {tierLabels[tier]} tier allows {maxOrganizationMembers} members in addition to the owner.{' '}
          <Link to="/dashboard/account">View tiers</Link>
        </p>
      </Notice>
    );
  }
  if (usageUnits.used >= usageUnits.total) {
    return (
      <Notice>
        <p>All usage units are in use. Add usage units below to add members.</p>
      </Notice>
    );
  }
  const add = async ({ email, isAdmin }: { email: string; isAdmin: string }) => {
    try {
      const member = { organizationId, email: email.trim(), isAdmin: isAdmin === 'on' };
      const { name } = await client.addOrganizationMember(member);
      announce(`${name} was added to the organization.`);
    } catch (error) {
      if (!emailErrorCodes.some((code) => hasErrorCode(error, code))) throw error;
      throw new FieldError('email', describeError(error, addMemberErrors));
    }
    onChange();
  };
  return (
    <Form
      validators={{ email: validateEmail, isAdmin: acceptAny }}
      submit={add}
      errorMessages={addMemberErrors}
      action="Add member"
      busyAction="Adding …"
      kind="plain"
      resetOnSuccess
    >
      {({ email }) => (
        <>
          <MemberEmailField hint="Uses one usage unit." error={email} />
          <label className="checkbox">
            <input type="checkbox" name="isAdmin" /> Admin: can create Marks for the organization
          </label>
        </>
      )}
    </Form>
  );
}
