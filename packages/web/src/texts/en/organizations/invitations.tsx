// Texts of invitations to an organization or a Mark, as those who invite see them, and of invitations to the user.

import type { ReactNode } from 'preact/compat';

export const emailLabel = 'Invite by email address (optional)';
export const mailHint =
  'With an address, the link is mailed to it, if your own address is verified, and only an account with that address can accept the invitation. Without one, you get a link for anyone to use once.';
export const linkHint =
  'For your own list of invitations: this service does not send mail. You get a link to pass on, which anyone can use once.';
export const create = 'Create invitation';
export const creating = 'Creating …';

export const openTitle = 'Open invitations';
export const anyone = 'Anyone with the link';
export const admin = 'Admin';
export const mailed = 'By mail';
export const expiresAt = (time: ReactNode) => <>expires {time}</>;
export const withdraw = 'Withdraw';
export const invitationLink = 'invitation link';
export const invitationFor = (email: string) => `invitation for ${email}`;
export const withdrawInvitation = 'Withdraw invitation';
export const withdrawConsequences = 'Its link stops working immediately.';
export const isGone = 'This invitation was accepted or declined, or it has expired. Reload the page.';
export const withdrawn = 'Invitation withdrawn.';

export const sentTitle = 'Invitation sent';
export const createdTitle = 'Invitation created';
export const done = 'Done';
export const isSending = (email: ReactNode) => (
  <>
    The link is mailed to {email}, unless a reader of that address has stopped such mail. Only an account with this
    verified address can accept it.
  </>
);
export const sendYourself =
  'Send this link to the person that you invite. Anyone with the link can accept the invitation.';
export const sendYourselfTo = (email: ReactNode) => (
  <>
    This service does not send mail. Send this link to {email} yourself. Anyone with the link can accept the invitation.
  </>
);
export const worksUntil = (time: ReactNode) => <>The link works once, until {time}. It cannot be shown again.</>;

export const receivedTitle = 'Invitations for you';
