// Users with a Mark, created through the SDK.

import { type ClientOptions, createClient, type RegistryClient } from '../../packages/client/src/index.js';
import { randomUUID } from './random.js';

export interface Registrant {
  readonly client: RegistryClient;
  readonly email: string;
  readonly token: string;
  readonly markId: string;
}

/** A user on the enterprise tier, so that no quota applies. */
export async function createRegistrant(
  baseUrl: string,
  options: Omit<ClientOptions, 'baseUrl'> = {},
): Promise<Registrant> {
  const email = `${randomUUID()}@example.com`;
  const { token } = await createClient({ baseUrl }).signUp({ email, password: 'correct horse battery', name: 'Ada' });
  const client = createClient({ ...options, baseUrl, credential: token });
  await client.putSubscription({ tier: 'enterprise' });
  const { id: markId } = await client.createMark({ name: 'Ada Lovelace Photography' });
  return { client, email, token, markId };
}
