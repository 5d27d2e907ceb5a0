// Credentials: password, email address and second factor of an account.

import Type, { type Static } from 'typebox';
import { EmailAddress, Password } from '../../text/text.js';
import { accepted, noContent, ok, operations, route } from '../declarations.js';
import { exampleIds } from '../operation.js';
import { CurrentPassword, noMail, notForKeys } from './accounts.js';

const examplePassword = 'correct horse battery';

const wrongPassword = 'The password is wrong.';
const hasNoPassword = 'The account belongs to an OpenID provider and has no password here.';
const commonErrors = { UNAUTHORIZED: wrongPassword, FORBIDDEN: notForKeys, CONFLICT: hasNoPassword };

const TotpSetup = Type.Object(
  {
    secret: Type.String({ description: 'In Base32, for entering it by hand.' }),
    url: Type.String({ description: 'An `otpauth:` URL, usually shown as a QR code.' }),
  },
  { title: 'TotpSetup' },
);
export type TotpSetup = Static<typeof TotpSetup>;

const RecoveryCodes = Type.Object(
  {
    recoveryCodes: Type.Array(Type.String(), {
      description: 'Each works once instead of a code. Shown only now; the service keeps hashes.',
    }),
  },
  { title: 'RecoveryCodes' },
);

export const credentialOperations = operations('Accounts', {
  changePassword: {
    ...route('PUT', '/api/v1/me/password', 'bearer'),
    summary: 'Change your password',
    description: 'Ends all other sessions.',
    body: Type.Object({ currentPassword: CurrentPassword, newPassword: Password }),
    exampleBody: { currentPassword: examplePassword, newPassword: 'staple battery horse' },
    success: noContent('The password is changed.'),
    errors: { BAD_REQUEST: 'The new password is too short or too common.', ...commonErrors },
  },
  changeEmail: {
    ...route('PUT', '/api/v1/me/email', 'bearer'),
    summary: 'Change your email address',
    description:
      'Takes effect when the new address is verified by the link that is mailed to it. On a service that sends no mail ' +
      'it takes effect immediately, unverified.',
    body: Type.Object({ email: EmailAddress, password: CurrentPassword }),
    exampleBody: { email: 'ada.king@example.com', password: examplePassword },
    success: accepted('The change is accepted.'),
    errors: {
      ...commonErrors,
      TIER_RESTRICTION: 'The service sends mail, and mailed links to three new addresses for this account today (UTC).',
      CONFLICT: `${hasNoPassword} Or, on a service that sends no mail, the address is taken.`,
    },
  },
  resendVerification: {
    ...route('POST', '/api/v1/me/email/verification', 'bearer'),
    summary: 'Request another verification mail',
    description: 'For an address that is not verified yet. Requests in quick succession send one mail.',
    success: accepted('A mail is on its way, unless the address is verified.'),
    errors: { FORBIDDEN: notForKeys, NOT_FOUND: noMail, CONFLICT: 'The account has no email address.' },
  },
  startTotp: {
    ...route('POST', '/api/v1/me/totp', 'bearer'),
    summary: 'Set up a second factor',
    description:
      'Creates the secret of a time-based one-time password (RFC 6238). It is needed for logging in once it is confirmed. ' +
      'Replaces a secret that was not confirmed.',
    body: Type.Object({ password: CurrentPassword }),
    exampleBody: { password: examplePassword },
    success: ok('The secret, to be added to an authenticator app.', TotpSetup, {
      secret: 'JBSWY3DPEHPK3PXP',
      url: 'otpauth://totp/Provenance%20registry:ada%40example.com?secret=JBSWY3DPEHPK3PXP&issuer=Provenance%20registry',
    }),
    errors: { ...commonErrors, CONFLICT: `${hasNoPassword} Or it has a second factor already.` },
  },
  confirmTotp: {
    ...route('POST', '/api/v1/me/totp/confirm', 'bearer'),
    summary: 'Confirm the second factor',
    description: 'With a code of the authenticator app. From now on, logging in needs `totpCode`.',
    body: Type.Object({ code: Type.String({ maxLength: 100, description: 'The current code.' }) }),
    exampleBody: { code: exampleIds.TOTP_CODE },
    success: ok('The second factor is on.', RecoveryCodes, { recoveryCodes: ['7k3m-x9qd-2vtc', 'p4hn-w8sj-6rzb'] }),
    errors: {
      BAD_REQUEST: 'The code is wrong.',
      FORBIDDEN: notForKeys,
      CONFLICT: 'No second factor is being set up.',
    },
  },
  removeTotp: {
    ...route('DELETE', '/api/v1/me/totp', 'bearer'),
    summary: 'Remove the second factor',
    description: 'Logging in needs the password alone again. Recovery codes stop working.',
    body: Type.Object({ password: CurrentPassword }),
    exampleBody: { password: examplePassword },
    success: noContent('The second factor is removed.'),
    errors: { ...commonErrors, NOT_FOUND: 'The account has no second factor.' },
  },
});
