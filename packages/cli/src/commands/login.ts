// `login`, `logout` and `whoami`: the token that commands use.

import type { NewSession } from '@provenance-registry/core';
import { defineCommand } from '../command.js';
import { changeProfile, removeToken } from '../configFile.js';
import type { Profile } from '../configSchema.js';
import { connectLoggedIn, connectTo } from '../connect.js';
import type { Context } from '../context.js';
import { CommandError, UsageError } from '../errors.js';
import { promptUser, readLine } from '../prompt.js';
import { settingSources } from '../settings.js';
import { formatFields, text } from '../text.js';
import { toCommandError } from '../toCommandError.js';

export const loginCommand = defineCommand({
  name: 'login',
  summary: 'log in or create an account',
  description:
    'Logs in and saves the token in the profile. Prompts for missing values; without a terminal, the password is ' +
    'PROVENANCE_PASSWORD or the first line of standard input.',
  options: {
    email: { label: 'ADDRESS', summary: 'email address of the account (or PROVENANCE_EMAIL)' },
    signUp: { label: 'NAME', summary: 'create an account with this display name' },
    withToken: { kind: 'flag', summary: 'read a token or API key from standard input instead' },
  },
  examples: {
    'provenance login --email ada@example.com': 'Log in; prompts for the password',
    'provenance login --sign-up "Ada Lovelace" --email ada.lovelace@example.com < password.txt':
      'Create an account with a password from a file',
    'provenance login --with-token --profile build < key.txt': 'Save an API key in another profile',
  },
  async run(context, { email, signUp, withToken }) {
    const { url, profile } = await context.loadSettings();
    if (withToken && (email !== undefined || signUp !== undefined)) {
      throw new UsageError('--with-token cannot be combined with --email or --sign-up.', ['login']);
    }
    const { user, credentials } = withToken
      ? await readCheckedToken(context, url.value)
      : await openSession(context, url.value, { email, signUp });
    await changeProfile(context.env, profile.value, (before) => ({
      ...removeToken(before),
      url: url.value,
      ...credentials,
    }));
    context.printResult(
      { profile: profile.value, url: url.value, user, expiresAt: credentials.tokenExpiresAt ?? null },
      text`Logged in as ${user.name} (profile ${profile.value}).`,
    );
  },
});

interface Login {
  readonly user: NewSession['user'];
  readonly credentials: Pick<Profile, 'token' | 'tokenExpiresAt'>;
}

async function readCheckedToken(context: Context, url: string): Promise<Login> {
  const token = context.stdin.isTTY ? await promptUser(context, 'Token: ', 'secret') : await readLine(context);
  if (settingSources.token.check(token))
    throw new UsageError('The first line of standard input is not a token.', ['login']);
  const client = await connectTo(context, url, { credential: token });
  const { user } = await requireAccepted(client.getMe());
  return { user, credentials: { token } };
}

type LoginOptions = Readonly<Record<'email' | 'signUp', string | undefined>>;

async function openSession(context: Context, url: string, given: LoginOptions): Promise<Login> {
  const { env, stdin } = context;
  const email =
    given.email || env['PROVENANCE_EMAIL'] || (stdin.isTTY ? await promptUser(context, 'Email: ', 'open') : undefined);
  if (!email) throw new UsageError('Missing email address: use --email ADDRESS.', ['login']);
  const password =
    env['PROVENANCE_PASSWORD'] ||
    (stdin.isTTY ? await promptUser(context, 'Password: ', 'secret') : await readLine(context));
  const client = await connectTo(context, url);
  const request =
    given.signUp === undefined
      ? client.logIn({ email, password })
      : client.signUp({ email, password, name: given.signUp });
  const { user, token, expiresAt } = await requireAccepted(request);
  return { user, credentials: { token, tokenExpiresAt: expiresAt } };
}

/** For a login, a 401 is a definite no: exit code 1, without the advice to log in. */
async function requireAccepted<T>(response: Promise<T>): Promise<T> {
  try {
    return await response;
  } catch (error) {
    const { code, cause, message } = await toCommandError(error);
    if (code === 'UNAUTHORIZED') throw new CommandError(code, 1, cause instanceof Error ? cause.message : message);
    throw error;
  }
}

export const logoutCommand = defineCommand({
  name: 'logout',
  summary: 'remove the saved token',
  description: 'Removes the token from the profile. The token itself stays valid until it expires.',
  examples: { 'provenance logout': 'Remove the token from the current profile' },
  async run(context) {
    const { profile } = await context.loadSettings();
    await changeProfile(context.env, profile.value, removeToken);
    context.printResult({ profile: profile.value }, text`Logged out (profile ${profile.value}).`);
  },
});

export const whoamiCommand = defineCommand({
  name: 'whoami',
  summary: 'show the current account',
  description: 'Shows the account that the current token belongs to.',
  examples: { 'provenance whoami': 'Show your account' },
  async run(context) {
    const { url, tokenExpiresAt, token } = await context.loadSettings();
    const client = await connectLoggedIn(context);
    const me = await client.getMe();
    const { id, name, email, tier } = me.user;
    context.printResult(
      me,
      formatFields([
        ['Name', name],
        ['Email', email],
        ['ID', id],
        ['Tier', tier],
        ['Organizations', me.organizations.length],
        ['Service', url.value],
        ['Token from', token?.from],
        ['Token expires', tokenExpiresAt],
      ]),
    );
  },
});
