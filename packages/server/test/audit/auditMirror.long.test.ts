// The audit of the mirror: whatever differs from the contract is found, and mirrored again.

import { createJsonRpcClient } from '@provenance-registry/chain-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import { mirroredEntryWalk, registrationWalk } from '../../src/audit/mirror.js';
import { confirmedDivergences } from '../../src/audit/walk.js';
import { toLowerCase } from '../../src/chain/chainSource.js';
import { createMirrorAudit } from '../../src/chain/mirror/mirrorAudit.js';
import type { AuditedMirror, Hex } from '../../src/domain/ports/index.js';
import { type MirrorSetup, newFingerprint, openMirrorSetup } from '../support/mirrors.js';

let world: MirrorSetup;
let mirror: AuditedMirror;
let curated: Hex;
let open: Hex;

beforeAll(async () => {
  world = await openMirrorSetup();
  [curated = '0x'] = await world.registerCurated(3);
  open = await world.registerPublic();
  await world.registerPublic({ endpoints: ['javascript:alert(1)'] });
  await world.registerPublic({ fingerprint: curated });
  const started = world.start();
  await waitUntil(async () => (await world.progress())?.isFresh === true, 'the mirror is fresh');
  await started.stop();
  const node = createJsonRpcClient({ url: world.chain.node.url });
  const contract = { node, registry: toLowerCase(world.chain.registry), isEmpty: false };
  mirror = createMirrorAudit(contract, world.auditRows);
});
afterAll(() => world.close());

async function audit(repair: boolean): Promise<[string, unknown][]> {
  const found: [string, unknown][] = [];
  for (const walk of [mirroredEntryWalk({ mirror }), registrationWalk({ mirror })]) {
    for await (const divergence of confirmedDivergences(walk, { recheckMs: 0, retryMs: 0 }, () => {})) {
      found.push([divergence.code, divergence.about]);
      if (repair) expect(await divergence.repair?.()).toBe(true);
    }
  }
  return found;
}

const count = async () => (await world.query('select curated_count from chain_mirror'))[0];

describe('The audit of the mirror', () => {
  it('finds nothing in a mirror that equals the contract', async () => {
    expect(await audit(false)).toEqual([]);
  });

  it.each<[string, string, () => Hex, string]>([
    ['a missing curated entry', 'mirror-missing', () => curated, 'delete from chain_entries where fingerprint = $1'],
    ['a missing public entry', 'mirror-missing', () => open, 'delete from chain_entries where fingerprint = $1'],
    ...[
      `manifest_id = 'another'`,
      `manifest_hash = decode(repeat('11', 32), 'hex')`,
      `registered_by = decode(repeat('11', 20), 'hex')`,
      `registered_at = now()`,
    ].map((change): [string, string, () => Hex, string] => [
      `a curated entry with ${change}`,
      'mirror-differs',
      () => curated,
      `update chain_entries set ${change} where fingerprint = $1 and source = 1`,
    ]),
    [
      'a public entry with other endpoints',
      'mirror-differs',
      () => open,
      `update chain_entries set endpoints = '{https://other.example}' where fingerprint = $1`,
    ],
  ])('finds and repairs %s', async (_, code, fingerprint, damage) => {
    const before = await world.rows();
    await world.query(damage, [Buffer.from(fingerprint().slice(2), 'hex')]);
    expect(await audit(false)).toEqual([[code, { fingerprint: fingerprint() }]]);
    expect(await audit(true)).toEqual([[code, { fingerprint: fingerprint() }]]);
    expect(await audit(false)).toEqual([]);
    const resolved = (rows: typeof before) => rows.filter((row) => row.source === 1 || row.fingerprint !== curated);
    expect(resolved(await world.rows())).toEqual(resolved(before));
    expect(await count()).toEqual({ curated_count: '3' });
  });

  it('finds and removes an entry that the contract does not have', async () => {
    const fingerprint = newFingerprint();
    await world.query(
      `insert into chain_entries
       select $1, source, manifest_id, manifest_hash, registered_by, endpoints, block_number, log_index, registered_at
       from chain_entries where source = 1 limit 1`,
      [Buffer.from(fingerprint.slice(2), 'hex')],
    );
    expect(await audit(true)).toEqual([['mirror-unknown', { fingerprint }]]);
    expect(await audit(false)).toEqual([]);
    expect(await count()).toEqual({ curated_count: '3' });
  });
});
