// The members of an organization: listed, added, removed, made admins.

import type { Organization, OrganizationMember } from '@provenance-registry/core';
import { Button } from '../../ui/Button.js';
import { ConfirmButton } from '../../ui/Dialog.js';
import { ErrorNotice } from '../../ui/ErrorNotice.js';
import { Form, TextField } from '../../ui/Form.js';
import { Link } from '../../ui/Link.js';
import { announce } from '../../ui/LiveRegion.js';
import { Notice } from '../../ui/Notice.js';
import { Timestamp } from '../../ui/Timestamp.js';
import { useAction } from '../../ui/useAction.js';
import { acceptAny, validateEmail } from '../../validators.js';
import { useAccount } from './account.js';
import { ListItem } from './lists.js';
import { remaining, tierLabels } from './tierLimits.js';

export interface OrganizationProps {
  readonly organization: Organization;
  readonly onChange: () => void;
}

type MembersProps = OrganizationProps & { readonly members: readonly OrganizationMember[] };

export function OrganizationMembers({ organization, members, onChange }: MembersProps) {
  const { client } = useAccount();
  const isOwner = organization.role === 'owner';
  const remove = async ({ id, name }: OrganizationMember) => {
    await client.removeOrganizationMember({ organizationId: organization.id, userId: id });
    announce(`${name} was removed from the organization.`);
    onChange();
  };
  return (
    <>
      <ul className="list">
        {members.map((member) => (
          <ListItem key={member.id} name={member.name}>
            <span>{roleLabel(member)}</span>
            <span>
              since <Timestamp at={member.joinedAt} isDayOnly />
            </span>
            {isOwner && member.role === 'member' && (
              <>
                <AdminToggle organization={organization} member={member} onChange={onChange} />
                <ConfirmButton verb="Remove" name={member.name} action="Remove member" work={() => remove(member)}>
                  <p>
                    They can no longer register files under Marks of this organization. Files that they registered are
                    not affected.
                  </p>
                </ConfirmButton>
              </>
            )}
          </ListItem>
        ))}
      </ul>
      {isOwner && organization.status === 'active' && <AddMember organization={organization} onChange={onChange} />}
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
      <ErrorNotice error={error} />
    </>
  );
}

const emailErrors = {
  NOT_FOUND: 'No account with this email address. They need to sign up first.',
  CONFLICT: 'They are already a member.',
};
const addMemberErrors = {
  USAGE_UNIT_LIMIT_REACHED: 'All usage units are in use. Add usage units below, then try again.',
  TIER_LIMIT_REACHED: 'This organization has reached the member limit of its tier.',
  TIER_RESTRICTION: 'This organization is frozen: members cannot be added.',
};

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
          <Link to="/dashboard/account/tier">View tiers</Link>
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
    const member = { organizationId, email: email.trim(), isAdmin: isAdmin === 'on' };
    const { name } = await client.addOrganizationMember(member);
    announce(`${name} was added to the organization.`);
    onChange();
  };
  return (
    <Form
      validators={{ email: validateEmail, isAdmin: acceptAny }}
      submit={add}
      fieldErrorMessages={{ email: emailErrors }}
      errorMessages={addMemberErrors}
      action="Add member"
      busyAction="Adding …"
      kind="plain"
      resetOnSuccess
    >
      <TextField
        name="email"
        type="email"
        label="Add member"
        hint="The email address of their account. Uses one usage unit."
        autoComplete="off"
      />
      <label className="checkbox">
        <input type="checkbox" name="isAdmin" /> Admin: can create Marks for the organization
      </label>
    </Form>
  );
}
