// Hostile stories about evidence, over HTTP: squatter, forged time-stamp, revoked certificate, newer proof, contested then
// withdrawn, and roots that the operator trusts no longer.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createMark, createUser, statusAndCode, type TestUser } from '../../../../test/support/accounts.js';
import {
  fingerprintOf,
  type Registry,
  restartRegistry,
  startRegistry,
  unreachableChain,
} from '../../../../test/support/artifacts.js';
import { query } from '../../../../test/support/postgres.js';
import { randomUUID } from '../../../../test/support/random.js';
import { call, temporaryFolder } from '../../../../test/support/service.js';
import { createImageSigner, newImage } from '../../../../test/support/signedImages.js';
import {
  type Authority,
  asStamper,
  hashOf,
  makeAuthority,
  makeRevocationList,
  makeToken,
  STAMPED_AT,
  type TokenOptions,
} from '../../../../test/support/timestampForge.js';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import {
  actOnClaim,
  contest,
  contestWithFile,
  listClaims,
  readSummary,
  registerUnderNewMark,
} from '../support/claims.js';
import { x509 } from '../support/manifests.js';

const MINUTE = 60_000;
/** Certificates of these authorities are valid now, too. */
const validTo = new Date(Date.now() + 365 * 24 * 60 * MINUTE);
const uncontested = { contested: false, open: 0, checked: 0, supersededBy: null };

let trustFile: string;
let service: Registry;
/** Another process on the same database. */
let other: Registry;
let root: Authority;
let stamper: Authority;
/** Revoked from the start, because its key was stolen. */
let stolen: Authority;
/** Trusted at first; revoked later. */
let fading: Authority;
/** Trusted later. */
let foreignRoot: Authority;
let foreign: Authority;
let photographer: Awaited<ReturnType<typeof createImageSigner>>;
let squatter: TestUser;
let author: TestUser;

const makeStamper = (issuer: Authority, serial: string, name: string) =>
  makeAuthority({ name, issuer, serial, key: 'p256', extensions: asStamper(), validTo });
const revoked = (serial: string) => ({ serial, at: new Date(), reason: x509.X509CrlReason.keyCompromise });

beforeAll(async () => {
  root = await makeAuthority({ validTo });
  foreignRoot = await makeAuthority({ name: 'CN=Foreign root', validTo });
  stamper = await makeStamper(root, '0a', 'CN=Stamper, O=Test');
  stolen = await makeStamper(root, '0b', 'CN=Stolen, O=Test');
  fading = await makeStamper(root, '0c', 'CN=Fading, O=Test');
  foreign = await makeStamper(foreignRoot, '0d', 'CN=Foreign, O=Test');
  photographer = await createImageSigner();
  trustFile = join(await temporaryFolder(), 'trust.pem');
  const pems = [root.pem, photographer.timestampsPem, await makeRevocationList(root, [revoked('0b')])];
  await writeFile(trustFile, pems.join('\n'));
  service = await startRegistry({ ...(await unreachableChain()), CLAIM_TRUST_FILE: trustFile });
  other = await restartRegistry(service.settings);
  squatter = await createUser(service, 'enterprise');
  author = await createUser(service, 'enterprise');
});

/** The squatter registers the author's file. */
async function squat() {
  const file = Buffer.from(randomUUID());
  const artifact = await registerUnderNewMark(service, squatter, {}, { fingerprint: fingerprintOf(file) });
  return { ...artifact, stamp: (options: Partial<TokenOptions> = {}) => stampOf(file, options) };
}

const stampOf = (file: Uint8Array, options: Partial<TokenOptions> = {}) =>
  makeToken({ imprint: hashOf('sha256', file), signer: stamper, ...options });

describe('the author whose file a squatter registered', () => {
  it('contests it with an older time-stamp: contested at once on every process, until the squatter concedes', async () => {
    const { fingerprint, stamp } = await squat();
    const markId = String((await createMark(service, author, { name: 'Author' })).body.id);
    const token = stamp();
    const { status, body } = await contestWithFile(service, author, fingerprint, token, { markId });
    expect([status, body.evidence]).toEqual([
      201,
      {
        state: 'checked',
        time: STAMPED_AT.toISOString(),
        source: 'Stamper, Test',
        reason: null,
        url: `${service.url}/api/v1/public/claims/${body.id}/evidence`,
      },
    ]);
    for (const at of [service, other]) {
      expect(await readSummary(at, fingerprint)).toEqual({ ...uncontested, contested: true, open: 1, checked: 1 });
    }
    // Anyone can check the evidence again.
    const kept = await fetch(body.evidence.url);
    expect(kept.headers.get('content-disposition')).toBe('attachment');
    expect(Buffer.from(await kept.arrayBuffer()).equals(token)).toBe(true);

    expect((await actOnClaim(service, squatter, body.id, 'concede')).status).toBe(200);
    for (const at of [service, other]) {
      expect(await readSummary(at, fingerprint)).toEqual({
        ...uncontested,
        supersededBy: { id: markId, name: 'Author' },
      });
    }
  });

  it('can withdraw: it is contested no longer, and the claim stays visible', async () => {
    const { fingerprint, stamp } = await squat();
    const { body } = await contestWithFile(service, author, fingerprint, stamp());
    expect(await readSummary(other, fingerprint)).toMatchObject({ contested: true });
    expect((await actOnClaim(service, author, body.id, 'withdraw', { text: 'Settled.' })).status).toBe(200);
    for (const at of [service, other]) expect(await readSummary(at, fingerprint)).toEqual(uncontested);
    const { claims } = (await listClaims(other, fingerprint)).body;
    expect(claims).toMatchObject([{ id: body.id, status: 'withdrawn', evidence: { state: 'checked' } }]);
  });

  it('contests it with the file itself, of which only the manifest is kept', async () => {
    const image = await photographer.sign('image/jpeg', await newImage('image/jpeg'));
    const registered = { fingerprint: fingerprintOf(image) };
    const { fingerprint, artifactId } = await registerUnderNewMark(service, squatter, {}, registered);
    // The manifest has just been signed.
    const postpone = `update artifacts set created_at = now() + interval '10 minutes' where id = $1`;
    await query(service.databaseUrl, postpone, [artifactId]);
    const { status, body } = await contestWithFile(service, author, fingerprint, image, { kind: 'manifest' });
    expect([status, body.evidence?.state, body.kind]).toEqual([201, 'checked', 'manifest']);
    expect(await readSummary(other, fingerprint)).toMatchObject({ contested: true });
    const kept = Buffer.from(await (await fetch(body.evidence.url)).arrayBuffer());
    expect(kept.toString('latin1', 4, 8)).toBe('jumb');
    expect(image.includes(kept.subarray(0, 64))).toBe(true);

    // Another file has a manifest too, and says nothing about this one.
    const another = await photographer.sign('image/jpeg', await newImage('image/jpeg'));
    const stranger = await createUser(service);
    const refused = await contestWithFile(service, stranger, fingerprint, another, { kind: 'manifest' });
    expect(statusAndCode(refused)).toEqual([400, 'BAD_REQUEST']);
  });

  it('is told when the chain cannot be asked, and nothing is recorded', async () => {
    const { fingerprint } = await squat();
    const response = await contest(service, author, fingerprint, { kind: 'chain-entry' });
    expect(statusAndCode(response)).toEqual([503, 'UNAVAILABLE']);
    expect(response.headers.get('retry-after')).not.toBeNull();
    expect((await listClaims(service, fingerprint)).body.claims).toEqual([]);
  });
});

describe('evidence that is refused', () => {
  /** The content says another time than the one that was signed. */
  const changeTime = (content: Buffer) => {
    const year = content.indexOf('20240501');
    const changed = Buffer.from(content);
    changed.write('2014', year, 'latin1');
    return changed;
  };

  it.each<[string, () => Partial<TokenOptions>, RegExp]>([
    ['a forged time', () => ({ changeContent: changeTime }), /refused/],
    ['a token under a stolen key', () => ({ signer: stolen }), /revoked/i],
    ['a token of another file', () => ({ imprint: hashOf('sha256', Buffer.from('another file')) }), /refused/],
    ['a proof that is newer than the registration', () => ({ time: new Date() }), /not older/],
    ['a proof that is hardly older', () => ({ time: new Date(Date.now() - 4 * MINUTE) }), /five minutes older/],
    ['a proof of the future', () => ({ time: new Date(Date.now() + 60 * MINUTE) }), /not older/],
  ])('%s: nothing is recorded, and the Artifact is not contested', async (_, options, reason) => {
    const { fingerprint, stamp } = await squat();
    const { status, body } = await contestWithFile(service, author, fingerprint, stamp(options()));
    expect([status, body.code, body.error]).toEqual([400, 'BAD_REQUEST', expect.stringMatching(reason)]);
    expect(await readSummary(service, fingerprint)).toEqual(uncontested);
  });

  it('is no time-stamp at all, or is too large', async () => {
    const { fingerprint } = await squat();
    const noToken = await contestWithFile(service, author, fingerprint, Buffer.from('no token'));
    expect(statusAndCode(noToken)).toEqual([400, 'BAD_REQUEST']);
    const large = await contestWithFile(service, author, fingerprint, Buffer.alloc(65 * 1024, 0x30));
    expect(statusAndCode(large)).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(await readSummary(service, fingerprint)).toEqual(uncontested);
  });
});

describe('the roots that the operator trusts', () => {
  it('decide what is contested, also after they change, and both sides are told', async () => {
    const [early, late] = [await squat(), await squat()];
    // Trusted now: six minutes are enough.
    const time = new Date(Date.now() - 6 * MINUTE);
    const fadingToken = early.stamp({ signer: fading, time });
    const checked = await contestWithFile(service, author, early.fingerprint, fadingToken);
    expect([checked.status, checked.body.evidence?.state]).toEqual([201, 'checked']);
    const unchecked = await contestWithFile(service, author, late.fingerprint, late.stamp({ signer: foreign }));
    expect([unchecked.status, unchecked.body.evidence]).toMatchObject([
      201,
      { state: 'unchecked', reason: expect.stringContaining('does not trust') },
    ]);
    expect(await readSummary(service, early.fingerprint)).toMatchObject({ contested: true });
    expect(await readSummary(service, late.fingerprint)).toEqual({ ...uncontested, open: 1 });

    const list = await makeRevocationList(root, [revoked('0b'), revoked('0c')]);
    await writeFile(trustFile, [root.pem, foreignRoot.pem, list].join('\n'));
    await service.end();
    service = await restartRegistry(service.settings);
    await waitUntil(async () => (await readSummary(other, late.fingerprint)).contested, 'the other claim is checked');
    await waitUntil(async () => !(await readSummary(other, early.fingerprint)).contested, 'the claim is unchecked');
    const [claim] = (await listClaims(service, early.fingerprint)).body.claims;
    expect(claim.evidence).toMatchObject({ state: 'unchecked', reason: expect.stringMatching(/revoked/i) });
    // What was made under other roots is checked once, and the history says so.
    const events = await query<{ id: string }>(
      service.databaseUrl,
      `select data ->> 'claimId' as id from events where type = 'claim.rechecked' and mark_id = any($1)`,
      [[early.markId, late.markId]],
    );
    expect(events.map(({ id }) => id).sort()).toEqual([checked.body.id, unchecked.body.id].sort());
    const { body } = await call(service, 'GET', '/api/v1/claims?role=made', author);
    expect(body.claims.find(({ id }: { id: string }) => id === unchecked.body.id).evidence.state).toBe('checked');
  });
});
