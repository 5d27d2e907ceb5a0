// People with an account, and files that nobody has seen before.

import { createHash, randomUUID } from 'node:crypto';
import type { Fingerprint } from '@provenance-registry/core';
import { type ClientOptions, createClient, type RegistryClient } from '../../src/index.js';

export interface NewFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly fingerprint: Fingerprint;
}

export function newFile(): NewFile {
  const bytes = new TextEncoder().encode(`file ${randomUUID()}`);
  return { bytes, fingerprint: `0x${createHash('sha256').update(bytes).digest('hex')}` };
}

export interface Registrant {
  readonly client: RegistryClient;
  readonly email: string;
  readonly token: string;
  readonly markId: string;
}

/** Someone with a Mark, free of any cap. */
export async function registrant(baseUrl: string, options: Omit<ClientOptions, 'baseUrl'> = {}): Promise<Registrant> {
  const email = `${randomUUID()}@example.com`;
  const { token } = await createClient({ baseUrl }).signUp({ email, password: 'correct horse battery', name: 'Ada' });
  const client = createClient({ ...options, baseUrl, credential: token });
  await client.putSubscription({ tier: 'enterprise' });
  const { id: markId } = await client.createMark({ name: 'Ada Lovelace Photography' });
  return { client, email, token, markId };
}
