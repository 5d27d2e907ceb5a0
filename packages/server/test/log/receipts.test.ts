// The public log of a running service: registrations are included, receipts prove it, and private Marks stay hidden.

import type { LogReceipt, RegistryIdentity } from '@provenance-registry/core';
import {
  decodeBundle,
  encodeUtf8,
  type Leaf,
  parseCheckpoint,
  parseLeaf,
  parseNote,
  parseOpening,
  parsePolicy,
  parseReceipt,
  verifyReceipt,
} from '@provenance-registry/log';
import { beforeAll, describe, expect, it } from 'vitest';
import { addMarkMember, createMark, createUser, type TestUser } from '../../../../test/support/accounts.js';
import {
  createArtifact,
  fetchPublishedFiles,
  newArtifact,
  newFingerprint,
  type Registry,
  startRegistry,
} from '../../../../test/support/artifacts.js';
import { query } from '../../../../test/support/postgres.js';
import { call } from '../../../../test/support/service.js';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import { hashManifest } from '../../src/domain/log/leaves.js';

let service: Registry;
let owner: TestUser;
let stranger: TestUser;
let markId: string;
let policy: ReturnType<typeof parsePolicy>;

const terms = { license: 'CC-BY-4.0', allowAiTraining: false };

beforeAll(async () => {
  service = await startRegistry();
  [owner, stranger] = [await createUser(service, 'enterprise'), await createUser(service)];
  ({ id: markId } = (await createMark(service, owner, terms)).body);
  policy = parsePolicy((await readLogIdentity()).policy);
});

async function readLogIdentity(): Promise<NonNullable<RegistryIdentity['log']>> {
  let log: RegistryIdentity['log'];
  const isKnown = async () => {
    ({ log } = (await call(service, 'GET', '/.well-known/provenance-registry')).body);
    return log !== undefined;
  };
  await waitUntil(isKnown, 'the log has begun');
  if (!log) throw new Error('there is no log');
  return log;
}

/** The receipt as a reader without an account gets it, once it is ready. */
async function readReceipt(fingerprint: string): Promise<LogReceipt> {
  const { status, body } = await call(service, 'GET', `/api/v1/public/artifacts/${fingerprint}/receipt?wait=30`);
  expect([status, body]).toEqual([200, expect.anything()]);
  return body;
}

async function verify({ receipt, leaf }: LogReceipt): Promise<{ index: number; leaf: Leaf | undefined }> {
  const { index } = await verifyReceipt(receipt, encodeUtf8(leaf), policy);
  return { index, leaf: parseLeaf(encodeUtf8(leaf)) };
}

async function fetchLog(path: string) {
  return fetch(`${service.url}/log/${path}`);
}

/** All leaves that are published. */
async function readLeaves(): Promise<(Leaf | undefined)[]> {
  const { size } = parseCheckpoint(parseNote(await (await fetchLog('checkpoint')).text()).text);
  const bundle = await fetchLog(`tile/entries/000${size < 256 ? `.p/${size}` : ''}`);
  return decodeBundle(new Uint8Array(await bundle.arrayBuffer()), Math.min(size, 256)).map((entry) => parseLeaf(entry));
}

describe('a registration', () => {
  it('is pending in its response, and has a receipt that holds a moment later', async () => {
    const { status, body: artifact } = await createArtifact(service, owner, newArtifact({ markId }));
    expect([status, artifact.log]).toEqual([201, { status: 'pending' }]);
    const receipt = await readReceipt(artifact.fingerprint);
    const { leaf } = await verify(receipt);
    const { c2pa } = await fetchPublishedFiles(service, artifact.id);
    const [row] = await query<{ hash: string }>(
      service.databaseUrl,
      `select '0x' || encode(manifest_hash, 'hex') as hash from artifacts where id = $1`,
      [artifact.id],
    );
    expect(leaf).toEqual({
      kind: 'artifact',
      content: {
        fingerprint: artifact.fingerprint,
        id: artifact.id,
        manifest: hashManifest(c2pa),
        metadata: row?.hash,
        mark: markId,
        ai: [2, 2, 2, 2],
        license: 'CC-BY-4.0',
        time: artifact.createdAt,
      },
    });
  });

  it('has its receipt in the response, if the client prefers to wait', async () => {
    for (const path of ['/api/v1/artifacts', '/api/c2pa/manifests']) {
      const { status, body } = await call(service, 'POST', path, {
        token: owner.token,
        headers: { prefer: 'respond-async, wait=10' },
        body: newArtifact({ markId }),
      });
      expect([status, body.log?.status]).toEqual([201, 'included']);
      const { index } = await verify(body.log);
      expect(body.log.index).toBe(index);
    }
  });

  it('says when to ask again while no checkpoint covers it', async () => {
    const { body: artifact } = await createArtifact(service, owner, newArtifact({ markId }));
    const { status, headers, body } = await call(
      service,
      'GET',
      `/api/v1/public/artifacts/${artifact.fingerprint}/receipt`,
    );
    if (status !== 200) expect([status, headers.get('retry-after'), body.code]).toEqual([404, '1', 'NOT_FOUND']);
    const unknown = await call(service, 'GET', `/api/v1/public/artifacts/${newFingerprint()}/receipt?wait=30`);
    expect([unknown.status, unknown.headers.get('retry-after')]).toEqual([404, null]);
  });

  it('that failed is taken back in the log, and its fingerprint has the receipt of the next one', async () => {
    const fields = newArtifact({ markId });
    const { body: first } = await createArtifact(service, owner, fields);
    const { index } = await verify(await readReceipt(first.fingerprint));
    await query(service.databaseUrl, `update artifacts set status = 3, error_reason = 'refused' where id = $1`, [
      first.id,
    ]);
    const { status, body: second } = await createArtifact(service, owner, fields);
    expect(status).toBe(201);
    const { leaf } = await verify(await readReceipt(first.fingerprint));
    expect(leaf?.content).toMatchObject({ id: second.id });
    expect(await readLeaves()).toContainEqual({ kind: 'failed', content: { index, time: expect.any(String) } });
  });
});

describe('under a private Mark', () => {
  let privateMarkId: string;
  beforeAll(async () => {
    ({ id: privateMarkId } = (await createMark(service, owner, { ...terms, visibility: 'private' })).body);
  });

  it('a leaf hides the Mark, and only those who may see the Mark can open it', async () => {
    const { body: artifact } = await createArtifact(service, owner, newArtifact({ markId: privateMarkId }));
    const receipt = await readReceipt(artifact.fingerprint);
    expect(receipt).not.toHaveProperty('opening');
    expect(JSON.stringify(receipt)).not.toContain(privateMarkId);
    const { leaf } = await verify(receipt);
    if (leaf?.kind !== 'artifact' || !('hidden' in leaf.content)) throw new Error('the leaf hides nothing');
    const readAs = async ({ token }: TestUser) =>
      (await call(service, 'GET', `/api/v1/artifacts/${artifact.fingerprint}/receipt`, { token })).body;
    expect(await readAs(stranger)).not.toHaveProperty('opening');
    const { opening } = await readAs(owner);
    expect(parseOpening(opening, leaf.content.hidden)).toMatchObject({ mark: privateMarkId, license: 'CC-BY-4.0' });
    const member = await createUser(service);
    await addMarkMember(service, owner, privateMarkId, member);
    expect((await readAs(member)).opening).toEqual(opening);

    await call(service, 'PUT', `/api/v1/marks/${privateMarkId}`, {
      token: owner.token,
      body: { visibility: 'public' },
    });
    expect((await readReceipt(artifact.fingerprint)).opening).toEqual(opening);
  });
});

describe('the log', () => {
  it('begins with what it is, and its key', async () => {
    const { origin, vkey } = await readLogIdentity();
    expect(origin).toBe(`${new URL(service.url).host}/log`);
    const [genesis, keys] = await readLeaves();
    expect(genesis).toMatchObject({ kind: 'genesis', content: { origin } });
    expect(keys).toMatchObject({ kind: 'keys', content: { log: vkey, signers: [expect.stringMatching(/^0x/)] } });
  });

  it('has the states of public Marks, and what was public of one that becomes private', async () => {
    const { body: mark } = await createMark(service, owner, { license: 'Apache-2.0' });
    const change = (body: object) => call(service, 'PUT', `/api/v1/marks/${mark.id}`, { token: owner.token, body });
    await change({ name: 'Another name' });
    await change({ license: 'MIT' });
    await change({ visibility: 'private', license: 'GPL-3.0' });
    await change({ license: 'CC-BY-4.0' });
    const { body: artifact } = await createArtifact(service, owner, newArtifact({ markId }));
    await readReceipt(artifact.fingerprint);
    const leaves = await readLeaves();
    const states = leaves.flatMap((leaf) =>
      leaf?.kind === 'mark' && leaf.content.id === mark.id ? [leaf.content] : [],
    );
    expect(states.map(({ visibility, license }) => [visibility, license])).toEqual([
      ['public', 'Apache-2.0'],
      ['public', 'MIT'],
      ['private', 'MIT'],
    ]);
  });

  it('is served as files that caches keep for ever, to every origin, with a checkpoint that says how old it may be', async () => {
    const checkpoint = await fetchLog('checkpoint');
    expect(Object.fromEntries(checkpoint.headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'public, max-age=5',
      'access-control-allow-origin': '*',
    });
    const { size } = parseCheckpoint(parseNote(await checkpoint.text()).text);
    for (const path of [`tile/0/000.p/${size}`, `tile/entries/000.p/${size}`]) {
      const { status, headers } = await fetchLog(path);
      expect([path, status, headers.get('cache-control')]).toEqual([path, 200, 'public, max-age=31536000, immutable']);
    }
    for (const path of ['', 'tile/0/0', 'tile/0/001', 'tile/0/000.p/0', '..%2flog-key.pem', 'checkpoint.draft', 'x']) {
      const { status, headers } = await fetchLog(path);
      expect([path, status, headers.get('access-control-allow-origin')]).toEqual([path, 404, '*']);
    }
  });

  it('grows: an older receipt stays valid', async () => {
    const { body: artifact } = await createArtifact(service, owner, newArtifact({ markId }));
    const before = await readReceipt(artifact.fingerprint);
    await readReceipt((await createArtifact(service, owner, newArtifact({ markId }))).body.fingerprint);
    const after = await readReceipt(artifact.fingerprint);
    expect(parseReceipt(after.receipt).checkpoint).not.toBe(parseReceipt(before.receipt).checkpoint);
    expect((await verify(before)).index).toBe((await verify(after)).index);
  });
});
