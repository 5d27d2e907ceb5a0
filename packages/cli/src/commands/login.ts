// `login` and `account logout`: the token that commands use.

import type { NewSession } from '@provenance-registry/core';
import { defineCommand } from '../command.js';
import { changeProfile, configPath, readConfig, readProfile, removeToken, switchProfile } from '../configFile.js';
import type { Profile } from '../configSchema.js';
import { checkRegistry, connectLoggedIn } from '../connect.js';
import type { Context } from '../context.js';
import { UsageError } from '../errors.js';
import type { ExitCode } from '../exitCode.js';
import { chooseProfileFor, DEFAULT_URL } from '../profiles.js';
import { createSecretReader, promptUser, readLine } from '../prompt.js';
import { createServiceClient } from '../serviceClient.js';
import { settingSources } from '../settings.js';
import { text } from '../text.js';
import { requireAccepted, toCommandError } from '../toCommandError.js';
import { passwordSecret, readTotpCode, totpCodeOption } from './secrets.js';

export const loginCommand = defineCommand({
  name: 'login',
  summary: 'log in or create an account',
  description:
    'Logs in and saves the token in the profile of the service; other profiles keep theirs. Prompts for missing values; ' +
    'without a terminal, the password is PROVENANCE_PASSWORD or the first line of standard input. An account with a ' +
    'second factor also needs a code of the authenticator app, or a recovery code.',
  options: {
    email: { label: 'ADDRESS', summary: 'email address of the account (or PROVENANCE_EMAIL)' },
    totpCode: totpCodeOption,
    signUp: { label: 'NAME', summary: 'create an account with this display name' },
    withToken: { kind: 'flag', summary: 'read a token or API key from standard input instead' },
  },
  examples: {
    'provenance login --email ada@example.com': 'Log in; prompts for the password',
    'provenance login --sign-up "Ada Lovelace" --email ada.lovelace@example.com < password.txt':
      'Create an account with a password from a file',
    'provenance login --with-token --profile build < key.txt': 'Save an API key in another profile',
  },
  async run(context, { email, totpCode, signUp, withToken }) {
    const { url, profile: current, isProfileChosen } = await context.loadSettings();
    if (withToken && (email !== undefined || signUp !== undefined)) {
      throw new UsageError('--with-token cannot be combined with --email or --sign-up.');
    }
    const { user, credentials } = withToken
      ? await readCheckedToken(context, url.value)
      : await openSession(context, url.value, { email, totpCode, signUp });
    const { config } = await readConfig(configPath(context.env));
    const profile = isProfileChosen ? current.value : await chooseProfileFor(config, current.value, url.value);
    const change = isProfileChosen ? changeProfile : switchProfile;
    await change(context.env, profile, (before) => ({ ...removeToken(before), url: url.value, ...credentials }));
    context.printResult(
      { profile, url: url.value, user, expiresAt: credentials.tokenExpiresAt ?? null },
      text`Logged in as ${user.name} (profile ${profile}).`,
    );
  },
});

interface Login {
  readonly user: NewSession['user'];
  readonly credentials: Pick<Profile, 'token' | 'tokenExpiresAt'>;
}

async function readCheckedToken(context: Context, url: string): Promise<Login> {
  const token = context.stdin.isTTY ? await promptUser(context, 'Token: ', 'secret') : await readLine(context);
  if (settingSources.token.check(token)) throw new UsageError('The first line of standard input is not a token.');
  await checkRegistry(context, url);
  const client = await createServiceClient(context, url, { credential: token });
  const { user } = await requireAccepted(client.getMe());
  return { user, credentials: { token } };
}

type LoginOptions = Readonly<Record<'email' | 'totpCode' | 'signUp', string | undefined>>;

async function openSession(context: Context, url: string, given: LoginOptions): Promise<Login> {
  const { env, stdin } = context;
  const email =
    given.email || env['PROVENANCE_EMAIL'] || (stdin.isTTY ? await promptUser(context, 'Email: ', 'open') : undefined);
  if (!email) throw new UsageError('Missing email address: use --email ADDRESS.');
  const readSecret = createSecretReader(context);
  const password = await readSecret(passwordSecret);
  await checkRegistry(context, url);
  const client = await createServiceClient(context, url);
  const logIn = async (): Promise<NewSession> => {
    const knownCode = given.totpCode ?? env['PROVENANCE_TOTP_CODE'];
    try {
      return await client.logIn({ email, password, totpCode: knownCode || undefined });
    } catch (error) {
      if ((await toCommandError(error)).code !== 'TOTP_REQUIRED') throw error;
      return client.logIn({ email, password, totpCode: await readTotpCode(readSecret) });
    }
  };
  const request = given.signUp === undefined ? logIn() : client.signUp({ email, password, name: given.signUp });
  const { user, token, expiresAt } = await requireAccepted(request);
  return { user, credentials: { token, tokenExpiresAt: expiresAt } };
}

/** Enough for a response that was lost. The token is removed in any case, so logging out need not wait for long. */
const MAX_LOGOUT_ATTEMPTS = 2;

export const logoutCommand = defineCommand({
  name: 'logout',
  summary: 'log out',
  description:
    'Ends the session of the token in the profile, and removes the token. If the service cannot be reached, the token is ' +
    'removed nevertheless, and the exit code is 3: the session then ends when the token expires. API keys are removed, ' +
    'and keep working until they are revoked. A token from PROVENANCE_TOKEN or --token-file is not ended, except with ' +
    '--everywhere.',
  options: { everywhere: { kind: 'flag', summary: 'end all sessions of the account, on all devices' } },
  examples: {
    'provenance account logout': 'Log out of the current profile',
    'provenance account logout --everywhere': 'Log out on all devices, such as after losing one',
  },
  run: (context, { everywhere }) => (everywhere ? logOutEverywhere(context) : logOut(context)),
});

type SessionState = 'ended' | 'open' | 'none';

async function logOut(context: Context): Promise<ExitCode> {
  const { profile } = await context.loadSettings();
  const { state, reason } = await endSession(context, await readProfile(context.env, profile.value));
  await changeProfile(context.env, profile.value, removeToken);
  context.printResult({ profile: profile.value, session: state }, text`Logged out (profile ${profile.value}).`);
  if (state !== 'open') return 0;
  context.warn(
    `The token was removed, but its session could not be ended: ${reason} It stays open until it expires; to end it ` +
      "earlier, log in again and run 'provenance account logout --everywhere'.",
  );
  return 3;
}

/** Ends the session of the profile's token at the service that issued it. */
async function endSession(context: Context, { token, tokenExpiresAt, url = DEFAULT_URL }: Profile) {
  const { apiKeyPattern } = await import('@provenance-registry/core');
  const result = (state: SessionState, reason = '') => ({ state, reason });
  if (token === undefined || apiKeyPattern.test(token)) return result('none');
  if (tokenExpiresAt !== undefined && Date.parse(tokenExpiresAt) <= Date.now()) return result('ended');
  try {
    const options = { credential: token, maxAttempts: MAX_LOGOUT_ATTEMPTS };
    await checkRegistry(context, url, { maxAttempts: MAX_LOGOUT_ATTEMPTS });
    await (await createServiceClient(context, url, options)).logOut();
    return result('ended');
  } catch (error) {
    const { code, message } = await toCommandError(error);
    return code === 'UNAUTHORIZED' ? result('ended') : result('open', message);
  }
}

/** Keeps the token when it fails, since it is needed to try again. */
async function logOutEverywhere(context: Context): Promise<ExitCode> {
  const { profile, token } = await context.loadSettings();
  await (await connectLoggedIn(context)).endSessions();
  const session: SessionState = 'ended';
  if (token?.from === `profile ${profile.value}`) await changeProfile(context.env, profile.value, removeToken);
  context.printResult({ profile: profile.value, session }, text`Logged out on all devices.`);
  return 0;
}
