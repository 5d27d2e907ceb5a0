// The members of an organization, their roles, and invitations to it.

import type { Invitation, Organization, OrganizationMember } from '@provenance-registry/core';
import { Button } from '../../ui/Button.js';
import { ConfirmButton } from '../../ui/Dialog.js';
import { ErrorNotice } from '../../ui/ErrorNotice.js';
import { Link } from '../../ui/Link.js';
import { announce } from '../../ui/LiveRegion.js';
import { Notice } from '../../ui/Notice.js';
import { Timestamp } from '../../ui/Timestamp.js';
import { useAction } from '../../ui/useAction.js';
import { useAccount } from './account.js';
import { Invitations } from './Invitations.js';
import { ListItem } from './lists.js';
import { remaining, tierLabels } from './tierLimits.js';

export interface OrganizationProps {
  readonly organization: Organization;
  readonly onChange: () => void;
}

interface MembersProps extends OrganizationProps {
  readonly members: readonly OrganizationMember[];
  /** The open ones; empty unless the user is the owner. */
  readonly invitations: readonly Invitation[];
}

export function OrganizationMembers({ organization, members, invitations, onChange }: MembersProps) {
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
                    They lose all access to this organization immediately. Marks of the organization that they
                    administer pass to you, and their open invitations to its Marks are withdrawn.
                  </p>
                  <p>Files that they registered are not affected. Their usage unit is free again.</p>
                </ConfirmButton>
              </>
            )}
          </ListItem>
        ))}
      </ul>
      {isOwner && organization.status === 'active' && (
        <OrganizationInvitations organization={organization} invitations={invitations} onChange={onChange} />
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
      <ErrorNotice error={error} />
    </>
  );
}

const inviteErrors = {
  USAGE_UNIT_LIMIT_REACHED: 'All usage units are in use. Add usage units below, then try again.',
  TIER_LIMIT_REACHED: 'This organization has reached the member limit of its tier.',
  TIER_RESTRICTION: 'This organization is frozen: members cannot be invited.',
};

function OrganizationInvitations({
  organization,
  invitations,
  onChange,
}: OrganizationProps & Pick<MembersProps, 'invitations'>) {
  const { client, tiers } = useAccount();
  const { id: organizationId, tier, usageUnits } = organization;
  const { maxOrganizationMembers } = tiers.tiers[tier];
  // The owner does not count.
  const isTierFull = remaining(usageUnits.used - 1, maxOrganizationMembers) === 0;
  const isFull = isTierFull || usageUnits.used >= usageUnits.total;
  const unavailable = isFull && (
    <Notice>
      {isTierFull ? (
        <p>
          The {tierLabels[tier]} tier allows {maxOrganizationMembers} members and invitations in addition to the owner.{' '}
          <Link to="/dashboard/account/tier">View tiers</Link>
        </p>
      ) : (
        <p>All usage units are in use. Add usage units below to invite members.</p>
      )}
    </Notice>
  );
  return (
    <Invitations
      invitations={invitations}
      invite={(invitation) => client.createOrganizationInvitation({ organizationId, ...invitation })}
      withdraw={(invitationId) => client.withdrawOrganizationInvitation({ organizationId, invitationId })}
      onChange={onChange}
      unavailable={unavailable || undefined}
      adminLabel="Admin: can create Marks for the organization and see its history"
      errorMessages={inviteErrors}
    />
  );
}
