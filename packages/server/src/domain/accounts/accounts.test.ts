import type { User } from '@provenance-registry/core';
import { expect, it } from 'vitest';
import { randomUUID } from '../../../../../test/support/random.js';
import type { Ports } from '../ports/index.js';
import { logIn } from './accounts.js';

it('Logging in checks a password exactly once, whether the address exists, has no password, or is unknown', async () => {
  const checked: (string | undefined)[] = [];
  const user: User = {
    id: randomUUID(),
    email: 'ada@example.com',
    name: 'Ada',
    tier: 'free',
    emailVerified: false,
    hasTotp: false,
  };
  const known: Record<string, User & { passwordHash: string | null }> = {
    'ada@example.com': { ...user, passwordHash: 'hash' },
    'bea@example.com': { ...user, passwordHash: null },
  };
  const ports = {
    store: { users: { findByEmail: async (email: string) => known[email] } },
    passwords: {
      verify: async (_: string, hash: string | undefined) => {
        checked.push(hash);
        return false;
      },
    },
  } as unknown as Ports;
  const origin = { address: '192.0.2.1', userAgent: null };
  for (const email of ['ada@example.com', 'bea@example.com', 'nobody@example.com']) {
    await expect(logIn(ports, { email, password: 'x' }, origin)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  }
  expect(checked).toEqual(['hash', undefined, undefined]);
});
