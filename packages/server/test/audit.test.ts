// The audit, on what a real service has written: each thing is broken by hand, found, repaired if that is possible, and
// everything is as it was.

import { randomUUID } from 'node:crypto';
import { readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contentRegistryAbi } from '@provenance-registry/contract';
import { createWalletClient, encodeFunctionData, type Hex, http } from 'viem';
import { hardhat } from 'viem/chains';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openChainReader } from '../src/chain/index.js';
import { openS3Store } from '../src/files/s3.js';
import { create, newFingerprint, publicFolder, type Registry, startAgain, startRegistry } from './support/artifacts.js';
import { type Auditor, startAuditor } from './support/auditing.js';
import { type DeployedChain, startDeployedChain } from './support/chains.js';
import { createMark, organization, person } from './support/people.js';
import { query } from './support/postgres.js';
import { bytes16, until } from './support/registrations.js';
import { registrar, word } from './support/registryChain.js';
import { startS3 } from './support/s3.js';
import { call, launch, temporaryFolder } from './support/service.js';

let registry: Registry;
let chain: DeployedChain;
let auditor: Auditor;
let owner: { id: string; token: string };
let organizationId: string;
/** On chain, and known to be. */
let landed: string[];
/** Recorded while the chain was away. */
let waiting: string[];

beforeAll(async () => {
  chain = await startDeployedChain();
  registry = await startRegistry(chain.settings);
  auditor = await startAuditor(registry);
  owner = await person(registry, 'enterprise');
  organizationId = await organization(registry, owner, 1);
});
afterAll(() => chain.close());

const sql = (text: string, ...values: unknown[]) => query<Record<string, unknown>>(registry.databaseUrl, text, values);
const pathOf = (name: string) => join(registry.dataDir, 'public', name);
const readIds = async (status: number) => (await sql('select id from artifacts where status = $1', status)).map(idOf);
const idOf = ({ id }: Record<string, unknown>) => String(id);

async function changeFile(name: string, change: (bytes: Buffer) => Uint8Array | Promise<Uint8Array>): Promise<Buffer> {
  const before = await readFile(pathOf(name));
  await writeFile(pathOf(name), await change(before));
  return before;
}

async function makeOld(path: string, hours: number): Promise<void> {
  const then = new Date(Date.now() - hours * 3_600_000);
  await utimes(path, then, then);
}

it('While Artifacts are created and travel to the chain, nothing is told that is only under way', async () => {
  const mark = await createMark(registry, owner);
  const ofOrganization = await createMark(registry, owner, { organizationId });
  let creating = true;
  const creator = async (markId: string, count: number) => {
    for (let made = 0; made < count; made += 1) {
      const body = { markId, fingerprint: newFingerprint(), filename: 'a.jpg' };
      const answer = await create(registry, owner, body, { key: randomUUID() });
      expect(answer.status).toBe(201);
    }
  };
  const creations = Promise.all([
    creator(mark.body.id, 3),
    creator(mark.body.id, 3),
    creator(ofOrganization.body.id, 2),
  ]);
  const done = creations.finally(() => {
    creating = false;
  });
  let audits = 0;
  while (creating) {
    expect((await auditor.audit()).found).toEqual([]);
    audits += 1;
  }
  await done;
  expect(audits).toBeGreaterThan(1);
  await until(async () => (await readIds(2)).length === 8, 'all Artifacts are submitted');
  landed = await readIds(2);

  await chain.close();
  for (let made = 0; made < 4; made += 1) {
    const body = { markId: mark.body.id, fingerprint: newFingerprint(), filename: 'b.jpg' };
    expect((await create(registry, owner, body)).status).toBe(201);
  }
  await registry.end();
  chain = await startDeployedChain({ folder: chain.folder, port: chain.port });
  waiting = [...(await readIds(0)), ...(await readIds(1))];
  const { found, summary } = await auditor.audit({ repair: true });
  expect(found).toEqual([]);
  expect(summary).toMatchObject({
    walked: { artifacts: 12, files: 36, answers: 8, owners: 2 },
    repaired: 0,
    remaining: 0,
  });
});

/** Exactly this is found, repaired, and not found again. */
async function expectRepaired(code: string, about: object): Promise<void> {
  expect((await auditor.audit({ repair: true })).found).toEqual([{ code, about, repairable: true, repaired: true }]);
  expect((await auditor.audit()).found).toEqual([]);
}

/** Exactly this is found, and nothing is done about it. */
async function expectLost(code: string, about: object): Promise<void> {
  const { found, summary } = await auditor.audit({ repair: true });
  expect(found).toEqual([{ code, about, repairable: false, repaired: false }]);
  expect(summary).toMatchObject({ found: { [code]: 1 }, repaired: 0, remaining: 1 });
}

const one = (ids: readonly string[], place = 0): string => ids[place] ?? '';

describe('files of an Artifact', () => {
  it('a sidecar that is gone', async () => {
    const file = `${one(landed)}.c2pa`;
    const bytes = await readFile(pathOf(file));
    await rm(pathOf(file));
    await expectLost('file-missing', { artifactId: one(landed), file });
    await writeFile(pathOf(file), bytes);
  });

  it('a report that is gone is made again', async () => {
    const file = `${one(landed)}.json`;
    const bytes = await readFile(pathOf(file));
    await rm(pathOf(file));
    await expectRepaired('file-missing', { artifactId: one(landed), file });
    expect(JSON.parse(await readFile(pathOf(file), 'utf8'))).toEqual(JSON.parse(bytes.toString()));
  });

  it('a card that is gone is drawn and signed again', async () => {
    const file = `${one(waiting)}.png`;
    await rm(pathOf(file));
    await expectRepaired('file-missing', { artifactId: one(waiting), file });
  });

  it('a sidecar with one bit changed', async () => {
    const file = `${one(landed)}.c2pa`;
    const before = await changeFile(file, (bytes) => {
      const changed = Buffer.from(bytes);
      const place = changed.indexOf('a.jpg');
      changed.writeUInt8(changed.readUInt8(place) ^ 1, place);
      return changed;
    });
    await expectLost('signature-broken', { artifactId: one(landed), file });
    await writeFile(pathOf(file), before);
  });

  it('the sidecar of another Artifact', async () => {
    const file = `${one(landed)}.c2pa`;
    const before = await changeFile(file, () => readFile(pathOf(`${one(landed, 1)}.c2pa`)));
    await expectLost('manifest-of-another', { artifactId: one(landed), file });
    await writeFile(pathOf(file), before);
  });

  it('files that are about another fingerprint than the Artifact', async () => {
    const artifactId = one(waiting);
    const [row] = await sql('select fingerprint from artifacts where id = $1', artifactId);
    await sql('update artifacts set fingerprint = $2 where id = $1', artifactId, Buffer.alloc(32, 9));
    const { found } = await auditor.audit();
    expect(found.map(({ code, about }) => [code, about.file])).toEqual([
      ['manifest-of-another', `${artifactId}.c2pa`],
      ['card-broken', `${artifactId}.png`],
    ]);
    await sql('update artifacts set fingerprint = $2 where id = $1', artifactId, row?.['fingerprint']);
  });

  it.each([
    ['of another Artifact', () => readFile(pathOf(`${one(landed, 1)}.json`))],
    ['cut off', (bytes: Buffer) => bytes.subarray(0, 500)],
    [
      'with another title',
      (bytes: Buffer) => Buffer.from(bytes.toString().replace('"title":"a.jpg"', '"title":"z.jpg"')),
    ],
  ])('a report %s', async (_, change) => {
    const file = `${one(landed)}.json`;
    const before = await changeFile(file, change);
    await expectRepaired('report-differs', { artifactId: one(landed), file });
    expect(JSON.parse(await readFile(pathOf(file), 'utf8'))).toEqual(JSON.parse(before.toString()));
  });

  it.each([
    ['of another Artifact', () => readFile(pathOf(`${one(landed, 1)}.png`))],
    ['cut off', (bytes: Buffer) => bytes.subarray(0, 5_000)],
  ])('a card %s', async (_, change) => {
    const file = `${one(landed)}.png`;
    await changeFile(file, change);
    await expectRepaired('card-broken', { artifactId: one(landed), file });
  });
});

describe('files of nobody', () => {
  it('are removed when they are old', async () => {
    const [file, young] = [`${randomUUID()}.png`, `${randomUUID()}.json`];
    await writeFile(pathOf(file), 'stray');
    await writeFile(pathOf(young), 'young');
    await makeOld(pathOf(file), 1);
    await expectRepaired('file-stray', { file });
    expect(await publicFolder(registry)).toEqual(expect.not.arrayContaining([file]));
    expect(await publicFolder(registry)).toContain(young);
    await rm(pathOf(young));
  });

  it('are not those of a creation under way, nor files that the service would not make', async () => {
    const id = randomUUID();
    await sql('insert into drafts (artifact_id) values ($1)', id);
    for (const name of [`${id}.c2pa`, 'robots.txt', `${randomUUID()}.jpg`]) {
      await writeFile(pathOf(name), 'somebody');
      await makeOld(pathOf(name), 48);
    }
    expect((await auditor.audit({ repair: true })).found).toEqual([]);
    expect(await publicFolder(registry)).toEqual(expect.arrayContaining([`${id}.c2pa`, 'robots.txt']));
    await sql('delete from drafts');
    await rm(pathOf(`${id}.c2pa`));
  });

  it('are what a killed process did not finish writing, after an hour', async () => {
    const [file, young] = [`${randomUUID()}.draft`, `${randomUUID()}.draft`];
    for (const name of [file, young]) await writeFile(pathOf(name), 'half');
    await makeOld(pathOf(file), 2);
    await expectRepaired('draft-left', { file });
    expect(await publicFolder(registry)).toContain(young);
  });
});

describe('status and chain', () => {
  const stateOf = async (id: string) => {
    const [row] = await sql(
      `select status, transaction_hash, error_reason, manifest_hash,
         exists (select 1 from outbox where artifact_id = artifacts.id) as waits
       from artifacts where id = $1`,
      id,
    );
    return row;
  };

  it.each([0, 1])('one that waits (status %i), and nobody knows of it', async (status) => {
    const id = one(waiting);
    await sql('delete from outbox where artifact_id = $1', id);
    await sql('update artifacts set status = $2 where id = $1', id, status);
    await expectRepaired('outbox-missing', { artifactId: id });
    expect(await stateOf(id)).toMatchObject({ status, waits: true });
  });

  it('one that failed, and would still be brought to the chain', async () => {
    const id = one(waiting);
    await sql(`update artifacts set status = 3, error_reason = 'No.' where id = $1`, id);
    await sql(
      'update counters set lifetime_artifacts = lifetime_artifacts - 1, daily_artifacts = daily_artifacts - 1 where owner_id = $1',
      owner.id,
    );
    await expectRepaired('outbox-left', { artifactId: id });
    expect(await stateOf(id)).toMatchObject({ status: 3, waits: false });
  });

  it('one that failed, and is on chain all the same', async () => {
    const [id = ''] = (
      await sql(
        'select artifacts.id from artifacts join marks on marks.id = mark_id where status = 2 and owner_id = $1',
        owner.id,
      )
    ).map(idOf);
    const before = await stateOf(id);
    const counters = await sql('select * from counters order by owner_id');
    await sql(`update artifacts set status = 3, error_reason = 'No.', transaction_hash = null where id = $1`, id);
    await sql(
      'update counters set lifetime_artifacts = lifetime_artifacts - 1, daily_artifacts = daily_artifacts - 1 where owner_id = $1',
      owner.id,
    );
    await expectRepaired('failed-on-chain', { artifactId: id });
    expect(await stateOf(id)).toEqual({ ...before, waits: true });
    expect(await sql('select * from counters order by owner_id')).toEqual(counters);
  });

  it('one that failed, is on chain, and whose fingerprint somebody else has by now, is left as it is', async () => {
    const id = one(landed, 2);
    await sql(`update artifacts set status = 3, error_reason = 'No.' where id = $1`, id);
    await sql(
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
    expect(await stateOf(id)).toMatchObject({ status: 3 });
    await sql(
      'delete from outbox where artifact_id in (select id from artifacts where status = 0 and id <> all($1))',
      waiting,
    );
    await sql('delete from artifacts where status = 0 and id <> all($1)', waiting);
    await sql('update artifacts set status = 2, error_reason = null where id = $1', id);
    await auditor.audit({ repair: true });
    expect((await auditor.audit()).found).toEqual([]);
  });

  it('one that is submitted, and that the chain does not have, is brought there again', async () => {
    const id = one(waiting, 1);
    await sql('delete from outbox where artifact_id = $1', id);
    await sql('update artifacts set status = 2, transaction_hash = $2 where id = $1', id, Buffer.alloc(32, 7));
    await expectRepaired('entry-missing', { artifactId: id });
    expect(await stateOf(id)).toMatchObject({ status: 2, waits: true });
  });

  it('one whose transaction is not written down', async () => {
    const before = await stateOf(one(landed));
    await sql('update artifacts set transaction_hash = null where id = $1', one(landed));
    await expectRepaired('transaction-missing', { artifactId: one(landed) });
    expect(await stateOf(one(landed))).toEqual(before);
  });

  /** Behind the service's back, by the account that may. */
  async function register(id: string, manifestId: string, hash?: Hex): Promise<void> {
    const [row] = await sql(
      `select '0x' || encode(fingerprint, 'hex') as fingerprint, '0x' || encode(manifest_hash, 'hex') as hash
       from artifacts where id = $1`,
      id,
    );
    const asHex = (text: unknown): Hex => `0x${String(text).slice(2)}`;
    const wallet = createWalletClient({ account: registrar, chain: hardhat, transport: http(chain.url) });
    await wallet.sendTransaction({
      to: asHex(chain.settings.REGISTRY_ADDRESS),
      data: encodeFunctionData({
        abi: contentRegistryAbi,
        functionName: 'registerManifest',
        args: [asHex(row?.['fingerprint']), bytes16(manifestId), hash ?? asHex(row?.['hash']), word(2)],
      }),
    });
    await sql('update artifacts set status = 2, transaction_hash = $2 where id = $1', id, Buffer.alloc(32, 7));
  }

  it('one that the chain has under another id', async () => {
    const id = one(waiting, 2);
    await register(id, randomUUID());
    await expectLost('entry-of-another', { artifactId: id });
    // As the service would have settled it.
    await sql('delete from outbox where artifact_id = $1', id);
    await sql(`update artifacts set status = 3, error_reason = 'Taken.', transaction_hash = null where id = $1`, id);
    await auditor.parts.records.recount(owner.id);
    expect((await auditor.audit()).found).toEqual([]);
  });

  it('one that the chain has with another manifestHash', async () => {
    const id = one(waiting, 3);
    await register(id, id, word(5));
    await expectLost('entry-hash-differs', { artifactId: id });
    await sql('delete from outbox where artifact_id = $1', id);
    await sql('delete from artifacts where id = $1', id);
    for (const extension of ['c2pa', 'json', 'png']) await rm(pathOf(`${id}.${extension}`));
    await auditor.audit({ repair: true });
  });

  it('a manifestHash that is not of its metadata, when the chain proves which of them has changed', async () => {
    const before = await stateOf(one(landed));
    await sql('update artifacts set manifest_hash = $2 where id = $1', one(landed), Buffer.alloc(32, 7));
    await expectRepaired('manifest-hash-broken', { artifactId: one(landed) });
    expect(await stateOf(one(landed))).toEqual(before);
  });

  it('metadata that are not those of their manifestHash', async () => {
    const filename = (name: string) =>
      sql(
        `update artifacts set metadata = jsonb_set(metadata, '{filename}', to_jsonb($2::text)) where id = $1`,
        one(landed),
        name,
      );
    await filename('other.jpg');
    await expectLost('manifest-hash-broken', { artifactId: one(landed) });
    await filename('a.jpg');
  });
});

describe('counters', () => {
  it.each(['organizations', 'marks', 'lifetime_artifacts', 'daily_artifacts'])('%s', async (counter) => {
    await sql(`update counters set ${counter} = ${counter} + 3 where owner_id = $1`, owner.id);
    await expectRepaired('counter-differs', { ownerId: owner.id, counter });
  });

  it.each(['api_keys', 'lifetime_artifacts'])('%s of an organization', async (counter) => {
    await sql(`update counters set ${counter} = ${counter} + 1 where owner_id = $1`, organizationId);
    await expectRepaired('counter-differs', { ownerId: organizationId, counter });
  });

  it('of another day mean nothing', async () => {
    await sql(`update counters set daily_artifacts = 1000, day = day - 1 where owner_id = $1`, owner.id);
    expect((await auditor.audit()).found).toEqual([]);
  });

  it('that are gone', async () => {
    const counters = await sql('select owner_id, marks, lifetime_artifacts from counters order by owner_id');
    await sql('delete from counters where owner_id = $1', owner.id);
    await expectRepaired('counter-differs', { ownerId: owner.id, counter: 'counters' });
    expect(await sql('select owner_id, marks, lifetime_artifacts from counters order by owner_id')).toEqual(counters);
  });

  it('members of an organization', async () => {
    await sql('update organizations set member_count = 2 where id = $1', organizationId);
    await expectRepaired('counter-differs', { ownerId: organizationId, counter: 'member_count' });
  });
});

it('An answer that tells of an Artifact that is not there is forgotten', async () => {
  const about = { callerId: owner.id, key: 'a key' };
  await sql(
    `insert into idempotency_keys (caller_id, key, request_hash, response) values ($1, $2, $3, $4)`,
    ...[owner.id, about.key, Buffer.alloc(32), JSON.stringify({ id: randomUUID() })],
  );
  await expectRepaired('answer-without-artifact', about);
  expect(await sql('select count(*)::int as count from idempotency_keys')).toEqual([{ count: 8 }]);
});

it('Files in a bucket', async () => {
  const folder = await temporaryFolder();
  const s3 = await startS3(folder);
  try {
    const files = openS3Store({ bucket: s3.bucket, prefix: 'some files/a+b' }, s3.environment);
    const names = (await publicFolder(registry)).filter((name) => /\.(c2pa|json|png)$/.test(name));
    for (const name of names) await files.publish(name, await readFile(pathOf(name)));
    const audit = (repair: boolean) => auditor.audit({ repair, parts: { files } });
    expect(await audit(false)).toMatchObject({ found: [], summary: { walked: { files: names.length } } });

    const [stray, lost] = [`${randomUUID()}.png`, `${one(landed)}.png`];
    await files.publish(stray, Buffer.from('stray'));
    await makeOld(join(folder, s3.bucket, 'some files/a+b', `${stray}._S3rver_object`), 1);
    await files.remove(lost);
    const found = [
      { code: 'file-missing', about: { artifactId: one(landed), file: lost }, repairable: true },
      { code: 'file-stray', about: { file: stray }, repairable: true },
    ];
    expect((await audit(true)).found).toEqual(found.map((finding) => ({ ...finding, repaired: true })));
    expect((await audit(false)).found).toEqual([]);
  } finally {
    await s3.stop();
  }
});

describe('the command', () => {
  const run = async (settings: Record<string, string>, ...args: string[]) => {
    const started = await launch(settings, ['audit', ...args]);
    await new Promise((resolve) => started.process.once('close', resolve));
    const { log, messages } = started.output();
    return { code: started.process.exitCode, lines: log.split('\n').slice(0, -1), messages };
  };

  it('says what it finds and what it repairs, as JSON, and that something remains', async () => {
    const [lost, broken] = [`${one(landed)}.png`, `${one(landed, 1)}.c2pa`];
    const bytes = await changeFile(broken, () => Buffer.from('no manifest'));
    await rm(pathOf(lost));
    const { code, lines } = await run(registry.settings, '--repair', '--json');
    const found = lines.slice(0, -1).map((line) => JSON.parse(line));
    const [first, second] = found.sort((a, b) => (a.code < b.code ? -1 : 1));
    expect(first).toMatchObject({ code: 'file-missing', artifactId: one(landed), file: lost, repaired: true });
    expect(second).toMatchObject({ code: 'signature-broken', file: broken, repairable: false, repaired: false });
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
      summary: { found: { 'file-missing': 1, 'signature-broken': 1 }, repaired: 1, remaining: 1 },
    });
    expect(found).toHaveLength(2);
    expect(code).toBe(1);
    await writeFile(pathOf(broken), bytes);
  });

  it.each([
    ['an argument that there is not', {}, ['--repiar'], /--repiar/],
    ['a folder where no service was', { DATA_DIR: '/nowhere' }, [], /DATA_DIR: there is no keys in \/nowhere/],
  ])('does not begin with %s', async (_, settings, args, message) => {
    const { code, lines, messages } = await run({ ...registry.settings, ...settings }, ...args);
    expect([code, lines]).toEqual([2, []]);
    expect(messages).toMatch(message);
  });

  it('says that it could not be carried out', async () => {
    const { code, messages } = await run({ ...registry.settings, RPC_URL: 'http://127.0.0.1:1' });
    expect(code).toBe(3);
    expect(messages).toMatch(/could not be carried out/);
  });
});

it('A development chain that was begun anew has nothing, and is not written to', async () => {
  const folder = await temporaryFolder();
  const none = { chainsUsed: async () => [] };
  const own = await openChainReader({
    source: {
      kind: 'development',
      folder,
      port: 0,
      adminKey: word(11),
      writingKey: word(12),
      writes: true,
      onFault: (reason) => {
        throw reason;
      },
    },
    queue: none,
  });
  try {
    expect((await own.entries([newFingerprint()])).size).toBe(0);
  } finally {
    await own.close();
  }
});

it('A chain that was begun anew: what it should have is told, and brought there again', async () => {
  await chain.close();
  chain = await startDeployedChain({ port: chain.port });
  await sql(`delete from outbox where artifact_id = $1`, one(landed));
  const { found } = await auditor.audit();
  expect(found.map(({ code }) => code)).toEqual(Array.from({ length: 8 }, () => 'entry-missing'));
  expect((await auditor.audit({ repair: true })).summary).toMatchObject({ repaired: 8, remaining: 0 });
  expect((await auditor.audit()).found).toEqual([]);

  const again = await startAgain(registry.settings);
  await until(async () => {
    const { entries } = auditor.parts.chain;
    const rows = await sql(
      `select '0x' || encode(fingerprint, 'hex') as fingerprint from artifacts where id = any($1)`,
      landed,
    );
    return (await entries(rows.map(({ fingerprint }) => `0x${String(fingerprint).slice(2)}` as const))).size === 8;
  }, 'all are on chain again');
  const answer = await call(again, 'GET', '/readyz');
  expect(answer.status).toBe(200);
  expect((await auditor.audit()).found).toEqual([]);
});
