// The audit command on the data of a stopped service, and the audit of a chain that was reset.

import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { newFingerprint, type Registry, restartRegistry } from '../../../../test/support/artifacts.js';
import { toBytes32 } from '../../../../test/support/registryChain.js';
import { call, launchService, temporaryFolder } from '../../../../test/support/service.js';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import { openChainReader } from '../../src/chain/chainReader.js';
import { auditCommand } from '../../src/commands/audit.js';
import {
  type AuditedRegistry,
  changeFile,
  createEightArtifacts,
  idAt,
  publishedFilePath,
  runSql,
  startAuditedRegistry,
  waitUntilOnChain,
} from '../support/auditedRegistry.js';
import type { Auditor } from '../support/auditor.js';
import { startDeployedChain } from '../support/deployedChain.js';
import { runServerCommand } from '../support/serverCommand.js';

let audited: AuditedRegistry;
let registry: Registry;
let auditor: Auditor;
let onChainIds: string[];

beforeAll(async () => {
  audited = await startAuditedRegistry();
  ({ registry, auditor } = audited);
  await createEightArtifacts(audited);
  onChainIds = await waitUntilOnChain(audited);
  await registry.end();
});

describe('the audit command', () => {
  const run = async (settings: Record<string, string>, ...args: string[]) => {
    const { code, log, messages } = await runServerCommand(auditCommand, settings, ...args);
    return { code, lines: log.split('\n').slice(0, -1), messages };
  };

  it('prints divergences and repairs as JSON, and exits with code 1 when some remain', async () => {
    const [lost, broken] = [`${idAt(onChainIds)}.png`, `${idAt(onChainIds, 1)}.c2pa`];
    const bytes = await changeFile(registry, broken, () => Buffer.from('no manifest'));
    await rm(publishedFilePath(registry, lost));
    const command = await launchService(registry.settings, ['audit', '--repair', '--json']);
    const [code] = await once(command.process, 'close');
    const lines = command.output().log.split('\n').slice(0, -1);
    const found = lines.slice(0, -1).map((line) => JSON.parse(line));
    const [first, second] = found.sort((a, b) => (a.code < b.code ? -1 : 1));
    expect(first).toMatchObject({ code: 'file-missing', artifactId: idAt(onChainIds), file: lost, repaired: true });
    expect(second).toMatchObject({ code: 'signature-broken', file: broken, repairable: false, repaired: false });
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
      summary: { found: { 'file-missing': 1, 'signature-broken': 1 }, repaired: 1, remaining: 1 },
    });
    expect(found).toHaveLength(2);
    expect(code).toBe(1);
    await writeFile(publishedFilePath(registry, broken), bytes);
  });

  it.each([
    ['an unknown argument', {}, ['--repiar'], /--repiar/],
    ['a folder without a service', { DATA_DIR: '/nowhere' }, [], /DATA_DIR: \/nowhere has no keys/],
  ])('exits with code 2 for %s', async (_, settings, args, message) => {
    const { code, lines, messages } = await run({ ...registry.settings, ...settings }, ...args);
    expect([code, lines]).toEqual([2, []]);
    expect(messages).toMatch(message);
  });

  it('exits with code 3 when it cannot be completed', async () => {
    const { code, messages } = await run({ ...registry.settings, RPC_URL: 'http://127.0.0.1:1' });
    expect(code).toBe(3);
    expect(messages).toMatch(/could not be completed/);
  });
});

it('A new development chain has no entries, and is not written to', async () => {
  const folder = await temporaryFolder();
  const unused = async () => {
    throw new Error('the mirror is not read');
  };
  const rows = { readRange: unused, listFingerprints: unused, readResolved: unused, replace: unused };
  const reader = await openChainReader(
    {
      source: {
        kind: 'development',
        folder,
        port: 0,
        adminKey: toBytes32(11),
        writingKey: toBytes32(12),
        writes: true,
        joins: true,
        onFault: (reason) => {
          throw reason;
        },
      },
      queue: { listUsedChains: async () => [] },
    },
    rows,
  );
  try {
    expect((await reader.readEntries([newFingerprint()])).size).toBe(0);
    expect(await reader.mirror.compare([newFingerprint()])).toEqual([]);
  } finally {
    await reader.close();
  }
});

it('Entries that a reset chain lacks are reported, and submitted again by a repair', async () => {
  const { chain } = audited;
  await chain.close();
  audited.chain = await startDeployedChain({ port: chain.port });
  await runSql(registry, `delete from outbox where artifact_id = $1`, idAt(onChainIds));
  const { found } = await auditor.audit();
  const expected = ['entry-missing', 'mirror-unknown'].flatMap((code) => Array.from({ length: 9 }, () => code));
  expect(found.map(({ code }) => code)).toEqual(expected);
  expect((await auditor.audit({ repair: true })).summary).toMatchObject({ repaired: 18, remaining: 0 });
  expect((await auditor.audit()).found).toEqual([]);

  const restarted = await restartRegistry(registry.settings);
  await waitUntil(async () => {
    const { readEntries } = auditor.parts.chain;
    const rows = await runSql(
      registry,
      `select '0x' || encode(fingerprint, 'hex') as fingerprint from artifacts where coalesce(rendition_of, id) = any($1)`,
      onChainIds,
    );
    return (await readEntries(rows.map(({ fingerprint }) => `0x${String(fingerprint).slice(2)}` as const))).size === 9;
  }, 'all are on chain again');
  expect((await call(restarted, 'GET', '/readyz')).status).toBe(200);
  expect((await auditor.audit()).found).toEqual([]);
});
