// The way to the service, with what the settings say.

import type { RegistryClient } from '@provenance-registry/client';
import { type Context, complaint } from './context.js';
import { CommandError } from './errors.js';
import type { Settings } from './settings.js';
import { text } from './text.js';

/** Asks nothing yet. A token that has expired is left out: what everybody may ask, one may then still ask. */
export async function connect(context: Context): Promise<RegistryClient> {
  const settings = await context.settings();
  const { value, from } = settings.profile;
  if (settings.isProfileMissing) context.note(complaint(`There is no profile '${value}' (${from}).`));
  return connectAs(context, settings.url.value, hasExpired(settings) ? undefined : settings.token?.value);
}

/** For what the service does not do for everybody. */
export async function connectLoggedIn(context: Context): Promise<RegistryClient> {
  const settings = await context.settings();
  if (settings.token && !hasExpired(settings)) return connect(context);
  const state = settings.token ? 'Your log-in has expired' : 'You are not logged in';
  throw new CommandError('UNAUTHORIZED', 3, `${state}: use 'provenance login', or set PROVENANCE_TOKEN.`);
}

function hasExpired({ tokenExpiresAt }: Settings): boolean {
  return tokenExpiresAt !== undefined && Date.parse(tokenExpiresAt) <= Date.now();
}

export async function connectAs(context: Context, url: string, credential?: string): Promise<RegistryClient> {
  const { createClient } = await import('@provenance-registry/client');
  return createClient({
    baseUrl: url,
    credential,
    signal: context.signal,
    onRetry: ({ reason, delayMs }) => context.hint(text`${reason}; trying again in ${Math.ceil(delayMs / 1000)} s`),
  });
}
