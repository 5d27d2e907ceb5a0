// Connects to the service of the settings, after making sure that it is the registry that the profile knows.

import type { RegistryClient } from '@provenance-registry/client';
import { type Context, formatWarning } from './context.js';
import { CommandError } from './errors.js';
import { createServiceClient, type ServiceClientOptions } from './serviceClient.js';
import type { Settings } from './settings.js';

/** Throws if the registry is not the one that the profile knows, before anything else is sent. */
export async function connect(context: Context, options: ServiceClientOptions = {}): Promise<RegistryClient> {
  const client = await connectUnchecked(context, options);
  await checkRegistry(context, client.baseUrl, options);
  return client;
}

export async function connectLoggedIn(context: Context, options: ServiceClientOptions = {}): Promise<RegistryClient> {
  await requireLogin(context);
  return connect(context, options);
}

/**
 * Sends no request: for commands that check who the registry is themselves. An expired token is left out, because public
 * requests work without one.
 */
export async function connectUnchecked(context: Context, options: ServiceClientOptions = {}): Promise<RegistryClient> {
  const settings = await context.loadSettings();
  const { value, from } = settings.profile;
  if (settings.isProfileMissing) context.printNote(formatWarning(`Profile '${value}' (${from}) does not exist.`));
  const credential = hasExpired(settings) ? undefined : settings.token?.value;
  return createServiceClient(context, settings.url.value, { credential, ...options });
}

/** Asks a registry who it is, before anything else is sent there, and prints what there is to know about that. */
export async function checkRegistry(context: Context, url: string, options: ServiceClientOptions = {}): Promise<void> {
  // Loaded on demand, to keep the start of other commands fast.
  const { requireSameRegistry } = await import('./trust/registryCheck.js');
  const note = await requireSameRegistry(context, url, options);
  if (note !== undefined) context.printNote(formatWarning(note));
}

export async function requireLogin(context: Context): Promise<void> {
  const settings = await context.loadSettings();
  if (settings.token && !hasExpired(settings)) return;
  throw new CommandError('UNAUTHORIZED', 3, describeMissingLogin(settings));
}

function describeMissingLogin({ token, tokenExpiresAt, otherServiceUrl, profile, url }: Settings): string {
  const where = `profile ${profile.value}`;
  if (token)
    return `Your session at ${url.value} expired at ${tokenExpiresAt} (${where}). Run 'provenance login' again.`;
  if (otherServiceUrl !== undefined) {
    return (
      `You are not logged in to ${url.value} (${url.from}): the token of ${where} is for ${otherServiceUrl}. ` +
      `Run 'provenance login --url ${url.value}', or 'provenance config profiles' to find another profile.`
    );
  }
  return `You are not logged in to ${url.value}: ${where} has no token. Run 'provenance login', or set PROVENANCE_TOKEN.`;
}

function hasExpired({ tokenExpiresAt }: Settings): boolean {
  return tokenExpiresAt !== undefined && Date.parse(tokenExpiresAt) <= Date.now();
}
