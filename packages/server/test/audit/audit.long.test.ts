// The audit of Artifacts, counters and idempotency records, against the chain: each fault is created by hand, found, and
// repaired where possible, after which the audit finds nothing.

import { rm } from 'node:fs/promises';
import { contentRegistryAbi } from '@provenance-registry/contract';
import { createWalletClient, encodeFunctionData, type Hex, http } from 'viem';
import { hardhat } from 'viem/chains';
import { beforeAll, describe, expect, it } from 'vitest';
import type { TestUser } from '../../../../test/support/accounts.js';
import type { Registry } from '../../../../test/support/artifacts.js';
import { randomUUID } from '../../../../test/support/random.js';
import { toBytes32 } from '../../../../test/support/registryChain.js';
import { registrar } from '../../../../test/support/wallets.js';
import { FAILED_WITH_ARTIFACT } from '../../src/database/queries/artifacts/chainOutbox.js';
import {
  type AuditedRegistry,
  createEightArtifacts,
  createWaitingArtifacts,
  expectRepaired,
  expectUnrepairable,
  idAt,
  publishedFilePath,
  readState,
  runSql,
  startAuditedRegistry,
  waitUntilOnChain,
} from '../support/auditedRegistry.js';
import type { Auditor } from '../support/auditor.js';
import { toBytes16 } from '../support/registrations.js';

let audited: AuditedRegistry;
let registry: Registry;
let auditor: Auditor;
let owner: TestUser;
let organizationId: string;
let landed: string[];
let waiting: string[];

beforeAll(async () => {
  audited = await startAuditedRegistry();
  ({ registry, auditor, owner, organizationId } = audited);
});

it('Artifacts that are being created and registered are not reported', async () => {
  let underWay = true;
  const arriving = createEightArtifacts(audited)
    .then(() => waitUntilOnChain(audited))
    .finally(() => {
      underWay = false;
    });
  while (underWay) expect((await auditor.audit()).found).toEqual([]);
  landed = await arriving;

  waiting = await createWaitingArtifacts(audited);
  const { found, summary } = await auditor.audit({ repair: true });
  expect(found).toEqual([]);
  expect(summary).toMatchObject({
    walked: { artifacts: 13, files: 36, answers: 8, owners: 2 },
    repaired: 0,
    remaining: 0,
  });
});

describe('status and chain', () => {
  it.each([0, 1])('an Artifact that waits (status %i) and is not queued', async (status) => {
    const id = idAt(waiting);
    await runSql(registry, 'delete from outbox where artifact_id = $1', id);
    await runSql(registry, 'update artifacts set status = $2 where id = $1', id, status);
    await expectRepaired(auditor, 'outbox-missing', { artifactId: id });
    expect(await readState(registry, id)).toMatchObject({ status, waits: true });
  });

  /** As the service does when an Artifact fails. */
  async function countOneLess(id: string): Promise<void> {
    await runSql(
      registry,
      'update counters set lifetime_artifacts = lifetime_artifacts - 1, daily_artifacts = daily_artifacts - 1 where owner_id = $1',
      owner.id,
    );
    await runSql(
      registry,
      'update mark_counters set artifacts = artifacts - 1 from artifacts where artifacts.id = $1 and artifacts.mark_id = mark_counters.mark_id',
      id,
    );
  }
  const readCounters = () =>
    Promise.all(
      ['counters order by owner_id', 'mark_counters order by mark_id'].map((rows) =>
        runSql(registry, `select * from ${rows}`),
      ),
    );

  it('a failed Artifact that is still queued', async () => {
    const id = idAt(waiting);
    await runSql(registry, `update artifacts set status = 3, error_reason = 'No.' where id = $1`, id);
    await countOneLess(id);
    await expectRepaired(auditor, 'outbox-left', { artifactId: id });
    expect(await readState(registry, id)).toMatchObject({ status: 3, waits: false });
  });

  it('a failed Artifact that is on chain', async () => {
    const [id = ''] = (
      await runSql(
        registry,
        'select artifacts.id from artifacts join marks on marks.id = mark_id where status = 2 and owner_id = $1',
        owner.id,
      )
    ).map((row) => String(row['id']));
    const before = await readState(registry, id);
    const counters = await readCounters();
    await runSql(
      registry,
      `update artifacts set status = 3, error_reason = 'No.', transaction_hash = null where id = $1`,
      id,
    );
    await countOneLess(id);
    await expectRepaired(auditor, 'failed-on-chain', { artifactId: id });
    expect(await readState(registry, id)).toEqual({ ...before, waits: true });
    expect(await readCounters()).toEqual(counters);
  });

  it('a failed Artifact that is on chain, and whose fingerprint has another Artifact, is not changed', async () => {
    const id = idAt(landed, 2);
    await runSql(registry, `update artifacts set status = 3, error_reason = 'No.' where id = $1`, id);
    await runSql(
      registry,
      `insert into artifacts (id, mark_id, created_by, fingerprint, manifest_hash, metadata)
       select $2, mark_id, created_by, fingerprint, manifest_hash, metadata from artifacts where id = $1`,
      id,
      randomUUID(),
    );
    const { found } = await auditor.audit({ repair: true });
    expect(found).toContainEqual({
      code: 'failed-on-chain',
      about: { artifactId: id },
      repairable: true,
      repaired: false,
    });
    expect(await readState(registry, id)).toMatchObject({ status: 3 });
    await runSql(
      registry,
      'delete from outbox where artifact_id in (select id from artifacts where status = 0 and id <> all($1))',
      waiting,
    );
    await runSql(registry, 'delete from artifacts where status = 0 and id <> all($1)', waiting);
    await runSql(registry, 'update artifacts set status = 2, error_reason = null where id = $1', id);
    await auditor.audit({ repair: true });
    expect((await auditor.audit()).found).toEqual([]);
  });

  it('a submitted Artifact that is not on chain is queued again', async () => {
    const id = idAt(waiting, 1);
    await runSql(registry, 'delete from outbox where artifact_id = $1', id);
    await runSql(
      registry,
      'update artifacts set status = 2, transaction_hash = $2 where id = $1',
      id,
      Buffer.alloc(32, 7),
    );
    await expectRepaired(auditor, 'entry-missing', { artifactId: id });
    expect(await readState(registry, id)).toMatchObject({ status: 2, waits: true });
  });

  it('an Artifact without its transaction hash', async () => {
    const before = await readState(registry, idAt(landed));
    await runSql(registry, 'update artifacts set transaction_hash = null where id = $1', idAt(landed));
    await expectRepaired(auditor, 'transaction-missing', { artifactId: idAt(landed) });
    expect(await readState(registry, idAt(landed))).toEqual(before);
  });

  /** Written by the account that may write, without the service. */
  async function register(id: string, manifestId: string, hash?: Hex): Promise<void> {
    const [row] = await runSql(
      registry,
      `select '0x' || encode(fingerprint, 'hex') as fingerprint, '0x' || encode(manifest_hash, 'hex') as hash
       from artifacts where id = $1`,
      id,
    );
    const asHex = (text: unknown): Hex => `0x${String(text).slice(2)}`;
    const wallet = createWalletClient({ account: registrar, chain: hardhat, transport: http(audited.chain.url) });
    await wallet.sendTransaction({
      to: asHex(audited.chain.settings.REGISTRY_ADDRESS),
      data: encodeFunctionData({
        abi: contentRegistryAbi,
        functionName: 'registerManifest',
        args: [asHex(row?.['fingerprint']), toBytes16(manifestId), hash ?? asHex(row?.['hash']), toBytes32(2)],
      }),
    });
    await runSql(
      registry,
      'update artifacts set status = 2, transaction_hash = $2 where id = $1',
      id,
      Buffer.alloc(32, 7),
    );
  }

  it('an Artifact that is on chain with another id', async () => {
    const id = idAt(waiting, 2);
    await register(id, randomUUID());
    await expectUnrepairable(auditor, 'entry-of-another', { artifactId: id });
    // As the service would record it.
    await runSql(registry, 'delete from outbox where artifact_id = $1', id);
    await runSql(
      registry,
      `update artifacts set status = 3, error_reason = 'Taken.', transaction_hash = null where id = $1`,
      id,
    );
    await auditor.parts.records.recount(owner.id);
    expect((await auditor.audit()).found).toEqual([]);
  });

  it('an Artifact that is on chain with another manifestHash', async () => {
    const id = idAt(waiting, 3);
    await register(id, id, toBytes32(5));
    await expectUnrepairable(auditor, 'entry-hash-differs', { artifactId: id });
    await runSql(registry, 'delete from outbox where artifact_id = $1', id);
    await runSql(registry, 'delete from artifacts where id = $1', id);
    for (const extension of ['c2pa', 'json', 'png']) await rm(publishedFilePath(registry, `${id}.${extension}`));
    await auditor.audit({ repair: true });
  });

  it('a manifestHash that does not match its metadata, when the chain proves which of them has changed', async () => {
    const before = await readState(registry, idAt(landed));
    await runSql(registry, 'update artifacts set manifest_hash = $2 where id = $1', idAt(landed), Buffer.alloc(32, 7));
    await expectRepaired(auditor, 'manifest-hash-broken', { artifactId: idAt(landed) });
    expect(await readState(registry, idAt(landed))).toEqual(before);
  });

  it('metadata that does not match its manifestHash', async () => {
    const filename = (name: string) =>
      runSql(
        registry,
        `update artifacts set metadata = jsonb_set(metadata, '{filename}', to_jsonb($2::text)) where id = $1`,
        idAt(landed),
        name,
      );
    await filename('other.jpg');
    await expectUnrepairable(auditor, 'manifest-hash-broken', { artifactId: idAt(landed) });
    await filename('a.jpg');
  });
});

it('the codes by which look-alikes are found are those of the metadata', async () => {
  const image = idAt(landed, landed.length - 1);
  const readCodes = () => runSql(registry, 'select artifact_id, p_hash, d_hash from image_codes');
  const before = await readCodes();
  expect(before).toMatchObject([{ artifact_id: image }]);
  const faults: [code: string, artifactId: string, statement: string][] = [
    ['image-codes-missing', image, 'delete from image_codes where artifact_id = $1'],
    ['image-codes-differ', image, 'update image_codes set d_hash = d_hash # 1 where artifact_id = $1'],
    ['image-codes-unknown', idAt(landed), 'insert into image_codes (artifact_id, p_hash) values ($1, 1)'],
  ];
  for (const [code, artifactId, statement] of faults) {
    await runSql(registry, statement, artifactId);
    await expectRepaired(auditor, code, { artifactId });
    expect(await readCodes()).toEqual(before);
  }
});

describe('a signed copy', () => {
  interface Copy {
    readonly id: string;
    readonly original: string;
    readonly state: Record<string, unknown>;
  }
  async function readCopy(): Promise<Copy> {
    const [row = {}] = await runSql(registry, 'select * from artifacts where rendition_of is not null');
    return { id: String(row['id']), original: String(row['rendition_of']), state: row };
  }
  const update = ({ id }: Pick<Copy, 'id'>, changes: string, ...values: unknown[]) =>
    runSql(registry, `update artifacts set ${changes} where id = $1`, id, ...values);
  const isQueued = async ({ id }: Copy) =>
    (await runSql(registry, 'select 1 from outbox where artifact_id = $1', id)).length === 1;

  it('is checked like an Artifact, without files', async () => {
    const copy = await readCopy();
    await update(copy, `transaction_hash = null, manifest_hash = sha256('another')`);
    const found = (await auditor.audit({ repair: true })).found;
    expect(found.map(({ code, about, repaired }) => [code, about.artifactId, repaired])).toEqual([
      ['transaction-missing', copy.id, true],
      ['manifest-hash-broken', copy.id, true],
    ]);
    expect((await readCopy()).state).toEqual(copy.state);
  });

  it('that is failed and on chain is submitted, and counts nowhere', async () => {
    const copy = await readCopy();
    const counters = await runSql(registry, 'select * from counters order by owner_id');
    await update(copy, `status = 3, error_reason = 'No.', transaction_hash = null`);
    await expectRepaired(auditor, 'failed-on-chain', { artifactId: copy.id });
    expect((await readCopy()).state).toEqual(copy.state);
    expect(await runSql(registry, 'select * from counters order by owner_id')).toEqual(counters);
  });

  it('that is not on chain is queued again', async () => {
    const copy = await readCopy();
    await runSql(registry, 'delete from outbox where artifact_id = $1', copy.id);
    await update(copy, 'fingerprint = $2', Buffer.alloc(32, 9));
    await expectRepaired(auditor, 'entry-missing', { artifactId: copy.id });
    expect(await isQueued(copy)).toBe(true);
    await update(copy, 'fingerprint = $2', copy.state['fingerprint']);
  });

  it('that is on chain with the id of another Artifact', async () => {
    const copy = await readCopy();
    const other = idAt(landed.filter((id) => id !== copy.original));
    const hashOf = '(select manifest_hash from artifacts original where original.id = $2)';
    await update(copy, `rendition_of = $2, manifest_hash = ${hashOf}`, other);
    await expectUnrepairable(auditor, 'entry-of-another', { artifactId: copy.id });
    await update(copy, `rendition_of = $2, manifest_hash = ${hashOf}`, copy.original);
    expect((await auditor.audit()).found).toEqual([]);
  });

  it('waits for the chain again when its failed Artifact turns out to be there, if its fingerprint is free', async () => {
    const copy = await readCopy();
    const fail = async (fingerprint: unknown) => {
      await runSql(registry, 'delete from outbox where artifact_id = any($1)', [copy.id, copy.original]);
      await update({ id: copy.original }, `status = 3, error_reason = 'No.'`);
      await update(copy, 'status = 3, error_reason = $2, fingerprint = $3', FAILED_WITH_ARTIFACT, fingerprint);
      await auditor.parts.records.recount(organizationId);
    };
    const [taken] = await runSql(registry, 'select fingerprint from artifacts where id = $1', idAt(landed));
    await fail(taken?.['fingerprint']);
    await expectRepaired(auditor, 'failed-on-chain', { artifactId: copy.original });
    expect((await readCopy()).state).toMatchObject({ status: 3 });

    await fail(Buffer.alloc(32, 9));
    await expectRepaired(auditor, 'failed-on-chain', { artifactId: copy.original });
    expect((await readCopy()).state).toMatchObject({ status: 0, error_reason: null });
    expect(await isQueued(copy)).toBe(true);
    await update(copy, 'status = 2, fingerprint = $2', copy.state['fingerprint']);
    expect((await auditor.audit()).found).toEqual([]);
  });

  it('that is on chain stays failed as long as its Artifact is', async () => {
    const copy = await readCopy();
    await update({ id: copy.original }, `status = 3, error_reason = 'No.'`);
    await update(copy, `status = 3, error_reason = 'No.'`);
    expect(await auditor.parts.records.markRegistered(copy.id, toBytes32(7))).toBe(false);
    expect((await readCopy()).state).toMatchObject({ status: 3 });
    await update({ id: copy.original }, 'status = 2, error_reason = null');
    await update(copy, 'status = 2, error_reason = null');
  });
});

describe('counters', () => {
  it.each(['organizations', 'marks', 'lifetime_artifacts', 'daily_artifacts'])('%s', async (counter) => {
    await runSql(registry, `update counters set ${counter} = ${counter} + 3 where owner_id = $1`, owner.id);
    await expectRepaired(auditor, 'counter-differs', { ownerId: owner.id, counter });
  });

  it.each(['api_keys', 'lifetime_artifacts'])('%s of an organization', async (counter) => {
    await runSql(registry, `update counters set ${counter} = ${counter} + 1 where owner_id = $1`, organizationId);
    await expectRepaired(auditor, 'counter-differs', { ownerId: organizationId, counter });
  });

  it('of another day are ignored', async () => {
    await runSql(registry, `update counters set daily_artifacts = 1000, day = day - 1 where owner_id = $1`, owner.id);
    expect((await auditor.audit()).found).toEqual([]);
  });

  it('that are missing', async () => {
    const counters = await runSql(
      registry,
      'select owner_id, marks, lifetime_artifacts from counters order by owner_id',
    );
    await runSql(registry, 'delete from counters where owner_id = $1', owner.id);
    await expectRepaired(auditor, 'counter-differs', { ownerId: owner.id, counter: 'counters' });
    expect(
      await runSql(registry, 'select owner_id, marks, lifetime_artifacts from counters order by owner_id'),
    ).toEqual(counters);
  });

  it.each([
    ['wrong', 'update mark_counters set artifacts = artifacts + 1'],
    ['missing', 'delete from mark_counters'],
  ])('Artifacts of a Mark that are %s', async (_, change) => {
    await runSql(registry, `${change} where mark_id in (select id from marks where owner_id = $1)`, owner.id);
    await expectRepaired(auditor, 'counter-differs', { ownerId: owner.id, counter: 'mark_counters' });
  });

  it('members of an organization', async () => {
    await runSql(registry, 'update organizations set member_count = 2 where id = $1', organizationId);
    await expectRepaired(auditor, 'counter-differs', { ownerId: organizationId, counter: 'member_count' });
  });
});

it('An idempotency record of an Artifact that does not exist is deleted', async () => {
  const about = { callerId: owner.id, key: 'a key' };
  await runSql(
    registry,
    `insert into idempotency_keys (caller_id, key, request_hash, response) values ($1, $2, $3, $4)`,
    ...[owner.id, about.key, Buffer.alloc(32), JSON.stringify({ id: randomUUID() })],
  );
  await expectRepaired(auditor, 'answer-without-artifact', about);
  expect(await runSql(registry, 'select count(*)::int as count from idempotency_keys')).toEqual([{ count: 8 }]);
});
