// Texts of the members of a Mark, its admin role and its representative.

import type { ReactNode } from 'preact/compat';

export const title = 'Members';
export const lead = 'Members can register files under this Mark.';
export const admin = 'Admin';
export const owner = 'Owner';
export const member = 'Member';
export const allMembersOf = (organization: ReactNode) => <>All members of {organization}</>;
export const invitations = 'invitations';
export const leave = 'Leave';
export const leaveMark = 'Leave Mark';
export const leaveConsequences =
  'You can no longer register files under this Mark. To come back you need a new invitation. Files that you registered are not affected.';
export const hasLeft = (mark: string) => `You have left the Mark ${mark}.`;
export const remove = 'Remove';
export const removeMember = 'Remove member';
export const removalConsequences =
  'They can no longer register files under this Mark. Files that they registered under it are not affected.';
export const removed = (name: string) => `${name} was removed from this Mark.`;
export const inviteErrors = {
  TIER_RESTRICTION: 'The organization of this Mark is frozen: members cannot be invited.',
  CONFLICT: 'This Mark has too many open invitations. Withdraw one first.',
};

export const adminTitle = 'Admin role';
export const adminHint = 'The admin edits this Mark, invites members and decides who can see its files.';
export const members = 'members';
export const adminNeedsMember = 'The role can be handed over to a member. Invite one first.';
export const newAdmin = 'New admin';
export const you = (name: string) => `${name} (you)`;
export const isAdminNow = (name: string) => `${name} is now the admin of this Mark.`;
export const takeRole = 'Take admin role';
export const takeQuestion = 'Take the admin role?';
export const takeConsequences = (formerAdmin: ReactNode) => (
  <>{formerAdmin} can then no longer edit this Mark or invite members.</>
);
export const handOverRole = 'Hand over admin role';
export const handOverQuestion = 'Hand over the admin role?';
export const handOverConsequences = (newAdminName: ReactNode) => (
  <>
    {newAdminName} can then edit this Mark, invite and remove members, and decide who can see its files. Registered
    files are not affected.
  </>
);
export const handOverOwnConsequences = (newAdminName: ReactNode) => (
  <>
    {newAdminName} can then edit this Mark, invite and remove members, and decide who can see its files. You lose these
    rights. Registered files are not affected.
  </>
);
export const isNoMember = 'This user is no longer a member. Reload the page.';

export const representativeTitle = 'Represented by another Mark';
export const representativeLead =
  'Registered files never change their Mark. If another Mark speaks for it by now, this statement is shown with the Mark and its files.';
export const marks = 'Marks';
export const hasNoCandidates =
  'You can choose any public Mark that you can register files under. There is no other one yet.';
export const representedBy = 'Represented by';
export const noOtherMark = 'No other Mark';
export const changeStatement = 'Change statement';
export const statementChanged = 'Statement changed.';
export const stateQuestion = 'State that another Mark represents this one?';
export const removeQuestion = 'Remove the statement?';
export const statementConsequences = (mark: ReactNode) => (
  <>“Now represented by {mark}” is shown to anyone with this Mark and its files. You can change it later.</>
);
export const noStatement = 'No other Mark is shown with this one any more.';
