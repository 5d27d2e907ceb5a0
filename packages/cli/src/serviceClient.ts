// Creates the SDK client of a service, with the command's time limit, its interrupt, and a hint for each retry.

import type { ClientOptions, RegistryClient } from '@provenance-registry/client';
import type { Context } from './context.js';
import { text } from './text.js';

export type ServiceClientOptions = Pick<ClientOptions, 'credential' | 'maxAttempts' | 'timeoutMs'>;

/** Sends no request. The time limit of the user, if any, precedes that of the options. */
export async function createServiceClient(
  context: Context,
  url: string,
  options: ServiceClientOptions = {},
): Promise<RegistryClient> {
  const { timeoutMs = options.timeoutMs } = await context.loadSettings();
  const { createClient } = await import('@provenance-registry/client');
  return createClient({
    baseUrl: url,
    ...options,
    timeoutMs,
    signal: context.signal,
    onRetry: ({ reason, delayMs }) => context.printHint(text`${reason}; retrying in ${Math.ceil(delayMs / 1000)} s`),
  });
}
