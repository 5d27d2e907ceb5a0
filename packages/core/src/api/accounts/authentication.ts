// Authentication: signing up, logging in and out, and the links in mails.

import Type from 'typebox';
import { EmailAddress, Password, PublicName } from '../../text/text.js';
import { accepted, created, noContent, ok, operations, route } from '../declarations.js';
import { exampleIds } from '../operation.js';
import { exampleUser, NewSession, noMail, notForKeys } from './accounts.js';

const OneTimeToken = Type.String({ minLength: 1, maxLength: 200, description: 'The token in the link of the mail.' });
const unknownToken = 'The token is unknown, used or expired.';

const session: NewSession = {
  user: exampleUser,
  token: 'header.claims.signature',
  expiresAt: '2026-06-08T12:00:00.000Z',
};

export const authenticationOperations = operations('Accounts', {
  signUp: {
    ...route('POST', '/api/v1/auth/signup', 'none'),
    summary: 'Sign up',
    description: 'Creates an account on the `free` tier and returns its first token.',
    body: Type.Object({ email: EmailAddress, password: Password, name: PublicName('Your name as shown to others.') }),
    exampleBody: { email: 'ada@example.com', password: 'correct horse battery', name: 'Ada Lovelace' },
    success: created('The account is created.', NewSession, session, '/api/v1/me'),
    errors: {
      BAD_REQUEST: 'A field is not valid, or the password is too easy to guess.',
      CONFLICT: 'That email address already has an account.',
    },
  },
  logIn: {
    ...route('POST', '/api/v1/auth/login', 'none'),
    summary: 'Log in',
    description: 'Starts a session and returns its token. Other sessions stay as they are.',
    body: Type.Object({
      email: Type.String({ maxLength: 1000 }),
      password: Type.String({ maxLength: 1000 }),
      totpCode: Type.Optional(
        Type.String({ maxLength: 100, description: 'The current code of the second factor, or a recovery code.' }),
      ),
    }),
    exampleBody: { email: 'ada@example.com', password: 'correct horse battery' },
    success: ok('Logged in.', NewSession, session),
    errors: {
      UNAUTHORIZED: 'Wrong email or password, or wrong code.',
      TOTP_REQUIRED: 'The account has a second factor: send `totpCode` too.',
    },
  },
  logOut: {
    ...route('POST', '/api/v1/auth/logout', 'bearer'),
    tag: 'Sessions',
    summary: 'Log out',
    description: 'Ends the session of the token that is sent. The token stops working immediately, on every process.',
    success: noContent('The session is ended.'),
    errors: { FORBIDDEN: notForKeys },
  },
  verifyEmail: {
    ...route('POST', '/api/v1/auth/verify-email', 'none'),
    summary: 'Verify an email address',
    description: 'Proves that the address belongs to the user, with the token that was mailed to it.',
    body: Type.Object({ token: OneTimeToken }),
    exampleBody: { token: exampleIds.LINK_TOKEN },
    success: noContent('The address is verified.'),
    errors: { NOT_FOUND: unknownToken, CONFLICT: 'Another account has taken the address in the meantime.' },
  },
  requestPasswordReset: {
    ...route('POST', '/api/v1/auth/password-reset', 'none'),
    summary: 'Request a password reset',
    description:
      'Mails a link that is valid for an hour, if the address has an account; the response is the same if it has none. ' +
      'Requests in quick succession send one mail.',
    body: Type.Object({ email: Type.String({ maxLength: 1000 }) }),
    exampleBody: { email: 'ada@example.com' },
    success: accepted('If the address has an account, a mail is on its way.'),
    errors: { NOT_FOUND: `${noMail} Its operator can create a reset link.` },
  },
  confirmPasswordReset: {
    ...route('POST', '/api/v1/auth/password-reset/confirm', 'none'),
    summary: 'Reset a password',
    description:
      'Sets a new password with the token of a reset link, and ends all sessions. If the address was never verified and ' +
      'the link was mailed, the account is closed and replaced by an empty one with the address and the new password.',
    body: Type.Object({ token: OneTimeToken, newPassword: Password }),
    exampleBody: { token: exampleIds.LINK_TOKEN, newPassword: 'staple battery horse' },
    success: noContent('The password is changed.'),
    errors: { BAD_REQUEST: 'The new password is too short or too common.', NOT_FOUND: unknownToken },
  },
});
