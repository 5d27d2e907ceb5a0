// Texts of the page of an invitation.

import type { ReactNode } from 'preact/compat';

export const title = 'Invitation';
export const openLink = 'Open the link of your invitation again to see it here.';
export const alsoOnDashboard = 'Invitations to your verified email address are also on your dashboard.';
export const openDashboard = 'Open dashboard';
export const theInvitation = 'invitation';
export const isInvalid = 'This invitation is no longer valid';
export const isInvalidReason = 'It was used, declined or withdrawn, or it has expired. Ask for a new invitation.';
export const isGone = 'This invitation is no longer valid. It was used, declined or withdrawn, or it has expired.';
export const isForAnotherAddress = 'Only an account with the verified address of this invitation can do this.';

export const toOrganization = (inviter: ReactNode, organization: ReactNode, isAdmin: boolean) =>
  isAdmin ? (
    <>
      {inviter} invites you to join the organization {organization} as an admin.
    </>
  ) : (
    <>
      {inviter} invites you to join the organization {organization}.
    </>
  );
export const toMark = (inviter: ReactNode, mark: ReactNode) => (
  <>
    {inviter} invites you to join the Mark {mark}.
  </>
);
export const rightsAsAdmin = 'You can then register files under its Marks, create Marks for it and see its history.';
export const rightsAsMember = 'You can then register files under its Marks.';
export const rightsUnderMark = 'You can then register files under this Mark.';
export const expires = (time: ReactNode) => <>The invitation expires on {time}.</>;

export const accept = 'Accept';
export const accepting = 'Accepting …';
export const acceptWhat = (name: string) => `Accept invitation to ${name}`;
export const joined = (name: string) => `You have joined ${name}.`;
export const decline = 'Decline';
export const declineWhat = (name: string) => `invitation to ${name}`;
export const declineAction = 'Decline invitation';
export const declineEffect = 'Its link stops working. To join later you need a new invitation.';
export const declined = 'Invitation declined.';
export const alreadyMember = (name: string) => `You are already a member of ${name}.`;
export const isFull = 'The organization has reached the member limit of its tier. Ask its owner.';
export const isFrozen = 'The organization is frozen: members cannot be added. Ask its owner.';

export const loggedInAs = (user: ReactNode) => <>You are logged in as {user}.</>;
export const logInWith = (email: ReactNode) => (
  <>To accept or decline it, log in to the account with the address {email}, or sign up with it.</>
);
export const logInFirst = 'To accept or decline it, log in or sign up.';
export const logIn = 'Log in';
export const signUp = 'Sign up';
export const otherAddress = 'This invitation is for another email address';
export const otherAddressReason = (email: ReactNode, user: ReactNode) => (
  <>
    Only an account with the verified address {email} can accept it. You are logged in as {user}.
  </>
);
export const otherAccount = 'Log in with another account';
export const verifyFirst = 'Verify your email address first';
export const verifyFirstReason =
  'Open the link that we mailed to you, then check again. You can request another mail in your account settings.';
export const openSettings = 'Open account settings';
export const checkAgain = 'Check again';
