// Texts of the reminder to verify an email address.

import type { ReactNode } from 'preact/compat';

export const title = 'Verify your email address';
export const reminder = (email: ReactNode) => (
  <>
    Open the link in the mail that was sent to {email}. A verified address can accept invitations and gets notices about
    the security of your account.
  </>
);
export const sentAgain = (email: ReactNode) => (
  <>Another mail to {email} is on its way. Its link is valid for 24 hours.</>
);
export const announcement = 'The mail is on its way.';
export const send = 'Send again';
export const sending = 'Sending …';
