// `login`, `logout` and `whoami`: whose token the commands use.

import type { Session } from '@provenance-registry/core';
import { command } from '../command.js';
import { changeProfile } from '../configFile.js';
import type { Profile } from '../configSchema.js';
import { connectAs, connectLoggedIn } from '../connect.js';
import type { Context } from '../context.js';
import { CommandError, UsageError } from '../errors.js';
import { asCommandError } from '../explain.js';
import { ask, readLine } from '../prompt.js';
import { fields, text } from '../text.js';

export const loginCommand = command({
  name: 'login',
  summary: 'log in, or make an account',
  description:
    'Logs in and keeps the token in the profile. Asks for what it is not told; a password that does not come from a ' +
    'terminal is the first line of standard input, or PROVENANCE_PASSWORD.',
  options: {
    email: { kind: 'text', label: 'ADDRESS', summary: 'of the account; or PROVENANCE_EMAIL' },
    signUp: { kind: 'text', label: 'NAME', summary: 'make a new account, for somebody of that name' },
    withToken: { kind: 'flag', summary: 'read a token or an API key from standard input instead' },
  },
  examples: [
    { run: 'provenance login --email ada@example.com', meaning: 'Asks for the password' },
    {
      run: 'provenance login --sign-up "Ada Lovelace" --email ada.lovelace@example.com < password.txt',
      meaning: 'A new account, with the password of a file',
    },
    { run: 'provenance login --with-token --profile build < key.txt', meaning: 'An API key for another profile' },
  ],
  async run(context, { email, signUp, withToken }) {
    const { url, profile } = await context.settings();
    if (withToken && (email !== undefined || signUp !== undefined)) {
      throw new UsageError('--with-token takes neither --email nor --sign-up.', ['login']);
    }
    const kept = withToken
      ? await checkedToken(context, url.value)
      : await openSession(context, url.value, { email, signUp });
    await changeProfile(context.env, profile.value, ({ tokenExpiresAt: _, ...before }) => ({
      ...before,
      url: url.value,
      ...kept.token,
    }));
    context.result(
      { profile: profile.value, url: url.value, user: kept.user, expiresAt: kept.token.tokenExpiresAt ?? null },
      text`Logged in as ${kept.user.name}, in the profile ${profile.value}.`,
    );
    return 0;
  },
});

interface Kept {
  readonly user: Session['user'];
  readonly token: Pick<Profile, 'token' | 'tokenExpiresAt'>;
}

async function checkedToken(context: Context, url: string): Promise<Kept> {
  const token = context.stdin.isTTY ? await ask(context, 'Token: ', 'secret') : await readLine(context);
  if (!/^[\x21-\x7e]+$/.test(token)) throw new UsageError('Standard input has no token in its first line.', ['login']);
  const { user } = await asked((await connectAs(context, url, token)).getMe());
  return { user, token: { token } };
}

async function openSession(
  context: Context,
  url: string,
  given: { readonly email: string | undefined; readonly signUp: string | undefined },
): Promise<Kept> {
  const { env, stdin } = context;
  const email =
    given.email || env['PROVENANCE_EMAIL'] || (stdin.isTTY ? await ask(context, 'Email: ', 'open') : undefined);
  if (!email) throw new UsageError('Whose account is it? Say --email ADDRESS.', ['login']);
  const password =
    env['PROVENANCE_PASSWORD'] || (stdin.isTTY ? await ask(context, 'Password: ', 'secret') : await readLine(context));
  const client = await connectAs(context, url);
  const opening =
    given.signUp === undefined
      ? client.logIn({ email, password })
      : client.signUp({ email, password, name: given.signUp });
  const { user, token, expiresAt } = await asked(opening);
  return { user, token: { token, tokenExpiresAt: expiresAt } };
}

/** Here a 401 is the answer itself: no, not with these. */
async function asked<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    const { code, cause, message } = await asCommandError(error);
    if (code === 'UNAUTHORIZED') throw new CommandError(code, 1, cause instanceof Error ? cause.message : message);
    throw error;
  }
}

export const logoutCommand = command({
  name: 'logout',
  summary: 'forget the token',
  description: 'Takes the token out of the profile. The service keeps no list of tokens: it expires by itself.',
  examples: [{ run: 'provenance logout', meaning: 'Forget the token of the profile that is in use' }],
  async run(context) {
    const { profile } = await context.settings();
    await changeProfile(context.env, profile.value, ({ token: _, tokenExpiresAt: _expires, ...rest }) => rest);
    context.result({ profile: profile.value }, text`The profile ${profile.value} has no token any more.`);
    return 0;
  },
});

export const whoamiCommand = command({
  name: 'whoami',
  summary: 'who the service takes you for',
  description: 'Shows the account behind the token that the commands use.',
  examples: [{ run: 'provenance whoami', meaning: 'Who am I?' }],
  async run(context) {
    const { url, tokenExpiresAt, token } = await context.settings();
    const client = await connectLoggedIn(context);
    const me = await client.getMe();
    const { id, name, email, tier } = me.user;
    context.result(
      me,
      fields([
        ['Name', name],
        ['Email', email],
        ['Id', id],
        ['Tier', tier],
        ['Organizations', me.organizations.length],
        ['Service', url.value],
        ['Token', token?.from],
        ['Until', tokenExpiresAt],
      ]),
    );
    return 0;
  },
});
