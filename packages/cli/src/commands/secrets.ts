// The secrets of accounts that commands ask for.

import { CommandError } from '../errors.js';
import type { SecretReader } from '../prompt.js';

export const passwordSecret = { name: 'password', variable: 'PROVENANCE_PASSWORD', prompt: 'Password: ' } as const;
export const newPasswordSecret = {
  name: 'new password',
  variable: 'PROVENANCE_NEW_PASSWORD',
  prompt: 'New password: ',
  isNew: true,
} as const;

export const totpCodeOption = {
  label: 'CODE',
  summary: 'code of the authenticator app, or a recovery code (or PROVENANCE_TOTP_CODE)',
} as const;

/** Asks on the terminal, or reads the next line of standard input if there is no terminal. */
export async function readTotpCode(readSecret: SecretReader): Promise<string> {
  const code = await readSecret({ name: 'code', variable: 'PROVENANCE_TOTP_CODE', prompt: 'Code: ', optional: true });
  if (code !== '') return code;
  throw new CommandError(
    'TOTP_REQUIRED',
    2,
    'A code of the authenticator app is required: use --totp-code CODE, or set PROVENANCE_TOTP_CODE.',
  );
}
