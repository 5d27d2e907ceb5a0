// The members of an organization, their roles, and invitations to it.

import type { Invitation, Organization, OrganizationMember } from '@provenance-registry/core';
import { viewTiers } from '#texts/accounts/tiers';
import * as texts from '#texts/organizations/organizations';
import { ErrorNotice } from '../../../ui/feedback/ErrorNotice.js';
import { announce } from '../../../ui/feedback/LiveRegion.js';
import { Notice } from '../../../ui/feedback/Notice.js';
import { Button } from '../../../ui/form/Button.js';
import { ConfirmButton } from '../../../ui/form/Dialog.js';
import { useAction } from '../../../ui/form/useAction.js';
import { Link } from '../../../ui/text/Link.js';
import { Timestamp } from '../../../ui/text/Timestamp.js';
import { useAccount } from '../account.js';
import { ListItem } from '../lists.js';
import * as listsStyles from '../lists.module.css';
import { remaining, tierLabels } from '../tierLimits.js';
import { Invitations } from './Invitations.js';

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
    announce(texts.memberRemoved(name));
    onChange();
  };
  return (
    <>
      <ul className={listsStyles.list}>
        {members.map((member) => (
          <ListItem key={member.id} name={member.name}>
            <span>{roleLabel(member)}</span>
            <span>{texts.memberSince(<Timestamp at={member.joinedAt} isDayOnly />)}</span>
            {isOwner && member.role === 'member' && (
              <>
                <AdminToggle organization={organization} member={member} onChange={onChange} />
                <ConfirmButton
                  verb={texts.remove}
                  name={member.name}
                  action={texts.removeMember}
                  work={() => remove(member)}
                >
                  <p>{texts.removalConsequences}</p>
                  <p>{texts.removalKeeps}</p>
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
  if (role === 'owner') return texts.roles.owner;
  return isAdmin ? texts.roles.admin : texts.roles.member;
}

function AdminToggle({ organization, member, onChange }: OrganizationProps & { readonly member: OrganizationMember }) {
  const { client } = useAccount();
  const { isBusy, error, run } = useAction(async () => {
    const isAdmin = !member.isAdmin;
    await client.updateOrganizationMember({ organizationId: organization.id, userId: member.id, isAdmin });
    announce(isAdmin ? texts.isAdminNow(member.name) : texts.isAdminNoLonger(member.name));
    onChange();
  });
  const label = member.isAdmin ? texts.removeAdminRole : texts.makeAdmin;
  return (
    <>
      <Button kind="quiet" isBusy={isBusy} aria-label={texts.ofMember(label, member.name)} onClick={() => run()}>
        {label}
      </Button>
      <ErrorNotice error={error} />
    </>
  );
}

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
          {texts.tierIsFull(
            tierLabels[tier],
            maxOrganizationMembers,
            <Link to="/dashboard/account/tier">{viewTiers}</Link>,
          )}
        </p>
      ) : (
        <p>{texts.allUnitsInUse}</p>
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
      adminLabel={texts.inviteAdminLabel}
      errorMessages={texts.inviteErrors}
    />
  );
}
