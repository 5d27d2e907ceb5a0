// Waiting for a status change with `?wait=`. How long it waits: src/domain/artifacts/statusChanges.test.ts.

import { beforeAll, describe, expect, it } from 'vitest';
import { createMark, createUser, type TestUser } from '../../../../test/support/accounts.js';
import {
  createArtifact,
  newFingerprint,
  type Registry,
  startRegistry,
  unreachableChain,
} from '../../../../test/support/artifacts.js';
import { query } from '../../../../test/support/postgres.js';
import { call } from '../../../../test/support/service.js';

describe('waiting', () => {
  let service: Registry;
  let owner: TestUser;
  let markId: string;

  beforeAll(async () => {
    service = await startRegistry(await unreachableChain());
    owner = await createUser(service, 'enterprise');
    markId = (await createMark(service, owner)).body.id;
  });

  const make = async () =>
    (await createArtifact(service, owner, { markId, fingerprint: newFingerprint(), filename: 'a' })).body;
  const wait = async (fingerprint: string, seconds: number) => {
    const path = `/api/v1/artifacts/${fingerprint}?wait=${seconds}`;
    const { status, body } = await call(service, 'GET', path, { token: owner.token });
    expect(status).toBe(200);
    return body.status;
  };
  const move = (id: string, status: number) =>
    query(service.databaseUrl, 'update artifacts set status = $2 where id = $1', [id, status]);

  it('happens only on request, and ends without a change when the chain is unavailable', async () => {
    const { id, fingerprint } = await make();
    const waiting = wait(fingerprint, 50);
    expect(await Promise.race([waiting.then(() => 'waited'), wait(fingerprint, 0)])).toBe('pending');
    await move(id, 1);
    expect(await waiting).toBe('submitting');
    expect(await wait(fingerprint, 1)).toBe('submitting');
  });

  it('ends at every status change, for all who wait', async () => {
    const { id, fingerprint } = await make();
    for (const [number, name] of [
      [1, 'submitting'],
      [2, 'submitted'],
    ] as const) {
      const waiting = Promise.all(Array.from({ length: 20 }, () => wait(fingerprint, 50)));
      // A later request has waited for a second, so the first ones are waiting too.
      await wait(fingerprint, 1);
      await move(id, number);
      expect(new Set(await waiting)).toEqual(new Set([name]));
    }
  });

  it('by a client that disconnected does not affect others', async () => {
    const { id, fingerprint } = await make();
    const gone = new AbortController();
    const lost = fetch(`${service.url}/api/v1/artifacts/${fingerprint}?wait=50`, {
      headers: { authorization: `Bearer ${owner.token}` },
      signal: gone.signal,
    });
    const waiting = wait(fingerprint, 50);
    gone.abort();
    await expect(lost).rejects.toThrow();
    await move(id, 2);
    expect(await waiting).toBe('submitted');
  });
});
