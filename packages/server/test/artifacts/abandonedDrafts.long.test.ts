// Cleaning up after creations whose process died.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createMark, createUser } from '../../../../test/support/accounts.js';
import {
  createArtifact,
  expectConsistentStorage,
  listPublishedFiles,
  newFingerprint,
  type Registry,
  restartRegistry,
  restartRegistryProcess,
  startRegistryProcess,
  unreachableChain,
} from '../../../../test/support/artifacts.js';
import { query } from '../../../../test/support/postgres.js';
import { randomUUID } from '../../../../test/support/random.js';

describe('a creation whose process died', () => {
  it('is undone at the next start when it is old; one that may still be running is kept', async () => {
    const registry = await startRegistryProcess(await unreachableChain());
    const owner = await createUser(registry);
    const markId = (await createMark(registry, owner)).body.id;
    const kept = await createArtifact(registry, owner, { markId, fingerprint: newFingerprint(), filename: 'a' });
    expect(kept.status).toBe(201);
    await registry.end('SIGKILL');

    const [old, fresh] = [randomUUID(), randomUUID()];
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
