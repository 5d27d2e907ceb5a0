// Creates the SDK client from the settings.

import type { ClientOptions, RegistryClient } from '@provenance-registry/client';
import { type Context, formatWarning } from './context.js';
import { CommandError } from './errors.js';
import type { Settings } from './settings.js';
import { text } from './text.js';

type ConnectOptions = Pick<ClientOptions, 'credential' | 'maxAttempts'>;

/** Sends no request. An expired token is left out, because public requests work without one. */
export async function connect(context: Context, options: ConnectOptions = {}): Promise<RegistryClient> {
  const settings = await context.loadSettings();
  const { value, from } = settings.profile;
  if (settings.isProfileMissing) context.printNote(formatWarning(`Profile '${value}' (${from}) does not exist.`));
  const credential = hasExpired(settings) ? undefined : settings.token?.value;
  return connectTo(context, settings.url.value, { credential, ...options });
}

export async function connectLoggedIn(context: Context, options: ConnectOptions = {}): Promise<RegistryClient> {
  await requireLogin(context);
  return connect(context, options);
}

export async function requireLogin(context: Context): Promise<void> {
  const settings = await context.loadSettings();
  if (settings.token && !hasExpired(settings)) return;
  const state = settings.token ? 'Your session has expired' : 'You are not logged in';
  throw new CommandError('UNAUTHORIZED', 3, `${state}. Run 'provenance login', or set PROVENANCE_TOKEN.`);
}

function hasExpired({ tokenExpiresAt }: Settings): boolean {
  return tokenExpiresAt !== undefined && Date.parse(tokenExpiresAt) <= Date.now();
}

export async function connectTo(context: Context, url: string, options: ConnectOptions = {}): Promise<RegistryClient> {
  const { timeoutMs } = await context.loadSettings();
  const { createClient } = await import('@provenance-registry/client');
  return createClient({
    baseUrl: url,
    ...options,
    timeoutMs,
    signal: context.signal,
    onRetry: ({ reason, delayMs }) => context.printHint(text`${reason}; retrying in ${Math.ceil(delayMs / 1000)} s`),
  });
}
