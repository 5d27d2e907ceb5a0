// Users with a Mark, inserted into the database without a service.

import type { User } from '@provenance-registry/core';
import { randomUUID } from '../../../../test/support/random.js';
import type { Store } from '../../src/domain/ports/index.js';

export async function insertOwner(store: Store): Promise<{ user: User; markId: string }> {
  const markId = randomUUID();
  const user = await store.users.insert({
    id: randomUUID(),
    email: `${markId}@example.com`,
    name: 'Ada Lovelace',
    passwordHash: 'none',
  });
  if (!user) throw new Error('no user');
  await store.marks.insert({
    id: markId,
    name: 'Ada Lovelace Photography',
    visibility: 'public',
    license: 'CC-BY-4.0',
    allowAiTraining: false,
    aiPreferences: null,
    adminId: user.id,
    owner: { userId: user.id },
  });
  return { user, markId };
}
