// Waiting for a status change, and cleaning up after creations whose process died.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createMark, createUser, type TestUser } from '../../../../test/support/accounts.js';
import {
  createArtifact,
  expectConsistentStorage,
  listPublishedFiles,
  newFingerprint,
  type Registry,
  restartRegistry,
  restartRegistryProcess,
  startRegistry,
  startRegistryProcess,
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
    const began = Date.now();
    const path = `/api/v1/artifacts/${fingerprint}?wait=${seconds}`;
    const { status, body } = await call(service, 'GET', path, { token: owner.token });
    expect(status).toBe(200);
    return { status: body.status, ms: Date.now() - began };
  };
  const move = (ids: string[], status: number) =>
    query(service.databaseUrl, 'update artifacts set status = $2 where id = any($1)', [ids, status]);

  it('ends after the given time when the chain is unavailable', async () => {
    const { fingerprint } = await make();
    const { status, ms } = await wait(fingerprint, 2);
    expect(status).toBe('pending');
    expect(ms).toBeGreaterThanOrEqual(1_990);
    expect(ms).toBeLessThan(15_000);
  });

  it('happens only on request, and only when the status can change', async () => {
    const { id, fingerprint } = await make();
    expect((await wait(fingerprint, 0)).ms).toBeLessThan(10_000);
    await move([id], 2);
    const { status, ms } = await wait(fingerprint, 50);
    expect(status).toBe('submitted');
    expect(ms).toBeLessThan(10_000);
  });

  it('ends when the status changes, for 200 concurrent requests', async () => {
    const made = [await make(), await make(), await make()];
    const waiting = Promise.all(Array.from({ length: 200 }, (_, index) => wait(made[index % 3].fingerprint, 50)));
    const late = await wait(made[0].fingerprint, 1);
    expect(late.status).toBe('pending');
    await move(
      made.map(({ id }) => id),
      2,
    );
    const ended = await waiting;
    expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(['submitted']));
    expect(Math.max(...ended.map(({ ms }) => ms))).toBeLessThan(40_000);
  });

  it('ends at every status change', async () => {
    const { id, fingerprint } = await make();
    for (const [number, name] of [
      [1, 'submitting'],
      [2, 'submitted'],
    ] as const) {
      const waiting = wait(fingerprint, 50);
      // A later request has waited for a second, so the first one is waiting too.
      await wait(fingerprint, 1);
      await move([id], number);
      const { status, ms } = await waiting;
      expect(status).toBe(name);
      expect(ms).toBeLessThan(40_000);
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
    await move([id], 2);
    expect((await waiting).status).toBe('submitted');
  });
});

describe('a creation whose process died', () => {
  it('is undone at the next start when it is old; one that may still be running is kept', async () => {
    const registry = await startRegistryProcess(await unreachableChain());
    const owner = await createUser(registry);
    const markId = (await createMark(registry, owner)).body.id;
    const kept = await createArtifact(registry, owner, { markId, fingerprint: newFingerprint(), filename: 'a' });
    expect(kept.status).toBe(201);
    await registry.end('SIGKILL');

    const [old, fresh] = [crypto.randomUUID(), crypto.randomUUID()];
    const folder = join(registry.dataDir, 'public');
    await mkdir(folder, { recursive: true });
    for (const id of [old, fresh]) {
      for (const extension of ['c2pa', 'json', 'png']) await writeFile(join(folder, `${id}.${extension}`), 'half');
    }
    await query(
      registry.databaseUrl,
      "insert into drafts (artifact_id, created_at) values ($1, now() - interval '31 seconds'), ($2, now() + interval '1 hour')",
      [old, fresh],
    );
    const next = await restartRegistry(registry.settings);
    await expect
      .poll(() => listPublishedFiles(registry).then((names) => names.filter((name) => name.startsWith(old))))
      .toEqual([]);
    await expect
      .poll(() => query(registry.databaseUrl, 'select artifact_id from drafts'))
      .toEqual([{ artifact_id: fresh }]);
    const names = await listPublishedFiles(registry);
    expect(names.filter((name) => name.startsWith(fresh))).toHaveLength(3);
    expect(names.filter((name) => name.startsWith(kept.body.id))).toHaveLength(3);

    await query(registry.databaseUrl, "update drafts set created_at = now() - interval '31 seconds'");
    await next.end();
    await restartRegistry(registry.settings);
    await expect.poll(() => query(registry.databaseUrl, 'select artifact_id from drafts')).toEqual([]);
    await expectConsistentStorage(registry);
  });

  it('never blocks its fingerprint: after repeated kills, the same request succeeds', async () => {
    let registry = await startRegistryProcess(await unreachableChain());
    const owner = await createUser(registry, 'enterprise');
    const markId = (await createMark(registry, owner)).body.id;
    const requests = Array.from({ length: 12 }, (_, index) => ({
      body: { markId, fingerprint: newFingerprint(), filename: `${index}` },
      key: `request ${index}`,
    }));
    const send = (service: Registry) =>
      Promise.all(
        requests.map(({ body, key }) =>
          createArtifact(service, owner, body, { key }).then(
            ({ status }) => status,
            () => 0,
          ),
        ),
      );
    for (let round = 0; round < 2; round += 1) {
      const sent = send(registry);
      // Killed while it writes: as soon as the first draft exists.
      await expect
        .poll(() => query(registry.databaseUrl, 'select 1 from drafts union all select 1 from artifacts'), {
          interval: 5,
        })
        .not.toEqual([]);
      await registry.end('SIGKILL');
      await sent;
      registry = await restartRegistryProcess(registry.settings);
    }
    expect(new Set(await send(registry))).toEqual(new Set([201]));
    await query(registry.databaseUrl, "update drafts set created_at = now() - interval '31 seconds'");
    await expect.poll(() => query(registry.databaseUrl, 'select artifact_id from drafts')).toEqual([]);
    const leftovers = (await listPublishedFiles(registry)).filter((name) => !name.endsWith('.draft'));
    const artifacts = await query<{ id: string }>(registry.databaseUrl, 'select id from artifacts');
    expect(artifacts).toHaveLength(12);
    expect(leftovers).toHaveLength(36);
  });
});
