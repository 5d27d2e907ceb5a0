// Texts of organizations: the list, members, usage units, leaving and transferring.

import type { ReactNode } from 'preact/compat';
import { formatNumber, pluralize } from '../../../ui/text/format.js';

export const title = 'Organizations';
export const lead = 'An organization owns Marks. All its members can register files under them.';
export const isEmpty = 'You are not a member of any organization.';
export const frozen = 'Frozen';
export const roles = { owner: 'Owner', admin: 'Admin', member: 'Member' };
export const unitsInUse = (used: number, total: number) =>
  `${formatNumber(used)} of ${pluralize(total, 'usage unit')} in use`;
export const newTitle = 'New organization';
export const nameLabel = 'Name';
export const create = 'Create organization';
export const creating = 'Creating …';
export const created = 'Organization created.';

export const organization = 'Organization';
export const whatIsLoaded = 'organization';
export const marksTitle = 'Marks';
export const hasNoMarks = (link: ReactNode) => <>This organization has no Marks yet. {link}</>;
export const createMark = 'Create a Mark';
export const keysHint = (link: ReactNode) => <>Use an API key to register files from your own software: {link}</>;
export const apiKeys = 'API keys';
export const webhooksHint = (link: ReactNode) => (
  <>Send what happens in this organization to a server of yours: {link}</>
);
export const webhooks = 'Webhooks';

export const membersTitle = 'Members';
export const memberSince = (day: ReactNode) => <>since {day}</>;
export const remove = 'Remove';
export const removeMember = 'Remove member';
export const memberRemoved = (name: string) => `${name} was removed from the organization.`;
export const removalConsequences =
  'They lose all access to this organization immediately. Marks of the organization that they administer pass to you, and their open invitations to its Marks are withdrawn.';
export const removalKeeps = 'Files that they registered are not affected. Their usage unit is free again.';
export const makeAdmin = 'Make admin';
export const removeAdminRole = 'Remove admin role';
export const ofMember = (action: string, name: string) => `${action}: ${name}`;
export const isAdminNow = (name: string) => `${name} is now an admin.`;
export const isAdminNoLonger = (name: string) => `${name} is no longer an admin.`;

export const inviteErrors = {
  USAGE_UNIT_LIMIT_REACHED: 'All usage units are in use. Add usage units below, then try again.',
  TIER_LIMIT_REACHED: 'This organization has reached the member limit of its tier.',
  TIER_RESTRICTION: 'This organization is frozen: members cannot be invited.',
};
export const inviteAdminLabel = 'Admin: can create Marks for the organization and see its history';
export const tierIsFull = (tier: string, limit: number, tiers: ReactNode) => (
  <>
    The {tier} tier allows {pluralize(limit, 'member or invitation', 'members and invitations')} in addition to the
    owner. {tiers}
  </>
);
export const allUnitsInUse = 'All usage units are in use. Add usage units below to invite members.';

export const unitsTitle = 'Usage units';
export const unitsMeter = 'Usage units in use';
export const unitsHint = 'The owner uses the included unit. Each other member and each open invitation uses one unit.';
export const additionalUnits = 'Additional usage units';
export const unitsAreLimited = (tier: string, limit: number) =>
  `At most ${formatNumber(limit)}: the ${tier} tier allows ${pluralize(limit, 'member')} in addition to the owner, so more could not be used.`;
export const unitsAreUseless = (tier: string, tiers: ReactNode) => (
  <>
    The {tier} tier allows no members in addition to the owner, so additional usage units could not be used. {tiers}
  </>
);
export const unusableUnits = (count: number, tier: string) =>
  `${pluralize(count, 'usage unit')} cannot be used: the ${tier} tier does not allow as many members.`;
export const tooFewUnits = (used: number) =>
  `${used === 1 ? '1 usage unit is' : `${formatNumber(used)} usage units are`} in use. Remove members or withdraw invitations first, or enter a higher number.`;
export const moreUnitsInUse = 'More usage units are in use. Remove members or withdraw invitations first.';
export const save = 'Save';
export const saving = 'Saving …';
export const saved = 'Saved.';

export const leaveTitle = 'Leave organization';
export const leaveHint = 'You lose access to its Marks. Files that you registered stay registered.';
export const leaveQuestion = (name: ReactNode) => <>Leave {name}?</>;
export const leaveConsequences =
  'You lose all access to this organization immediately. Marks of the organization that you administer pass to its owner, and your open invitations to its Marks are withdrawn.';
export const leaveKeeps = 'Files that you registered are not affected. To come back you need a new invitation.';
export const hasLeft = (name: string) => `You have left ${name}.`;

export const transferTitle = 'Transfer organization';
export const transferHint = 'Makes a member the owner. You stay as an admin member.';
export const transferNeedsMember = 'An organization can be transferred to one of its members. Invite one first.';
export const newOwner = 'New owner';
export const transferQuestion = (name: ReactNode, member: ReactNode) => (
  <>
    Transfer {name} to {member}?
  </>
);
export const transferErrors = {
  TIER_LIMIT_REACHED: 'The tier of this member does not allow another organization.',
  NOT_FOUND: 'This user is no longer a member. Reload the page.',
};
export const transferConsequences = (member: ReactNode) => (
  <>{member} becomes the owner, and you stay as an admin member. Only the new owner can undo this.</>
);
export const transferMayFreeze = (
  <>
    <strong>The tier of the new owner applies immediately.</strong> If it is not Enterprise, the organization is frozen:
    all other members, including you, and purchased usage units are removed, open invitations are withdrawn, webhooks
    are deleted, and files cannot be registered.
  </>
);
export const transferChangesTier = 'The tier of the new owner applies immediately, with its limits.';
export const transferRevokesKeys =
  'All API keys of the organization are revoked, with the webhooks and invitations that they made. Open invitations to ' +
  'the organization are withdrawn.';
export const isOwnerNow = (member: string, name: string) => `${member} is now the owner of ${name}.`;
