// Claims over HTTP: who may contest, answer, withdraw and concede, what everyone sees, and what stays private.

import { beforeAll, describe, expect, it } from 'vitest';
import {
  addMarkMember,
  addMember,
  createApiKey,
  createMark,
  createOrganization,
  createUser,
  statusAndCode,
  type TestUser,
} from '../../../../test/support/accounts.js';
import {
  newFingerprint,
  type Registry,
  restartRegistry,
  startRegistry,
  unreachableChain,
} from '../../../../test/support/artifacts.js';
import { query } from '../../../../test/support/postgres.js';
import { randomUUID } from '../../../../test/support/random.js';
import { call } from '../../../../test/support/service.js';
import {
  actOnClaim,
  contest,
  contestWithFile,
  listClaims,
  readSummary,
  registerUnderNewMark,
  statement,
} from '../support/claims.js';

const OPERATOR_TOKEN = 'operator-token-of-this-test';

let service: Registry;
/** Another process on the same database. */
let other: Registry;
let holder: TestUser;
let author: TestUser;

beforeAll(async () => {
  service = await startRegistry({ ...(await unreachableChain()), OPERATOR_TOKEN });
  other = await restartRegistry(service.settings);
  holder = await createUser(service, 'enterprise');
  author = await createUser(service, 'creator');
});

const register = (mark: Record<string, unknown> = {}) => registerUnderNewMark(service, holder, mark);
const addNote = (claimId: string, text: string) =>
  call(service, 'POST', `/api/operator/claims/${claimId}/notes`, { token: OPERATOR_TOKEN, body: { text } });
const listOwn = ({ token }: TestUser, search: string) => call(service, 'GET', `/api/v1/claims?${search}`, { token });
const exportOf = async ({ token }: TestUser) => (await call(service, 'GET', '/api/v1/me/export', { token })).body;

/** A file of the holder, with an open claim of a new user. */
async function createContested(mark: Record<string, unknown> = {}, fields: Record<string, unknown> = {}) {
  const [artifact, claimant] = [await register(mark), await createUser(service)];
  const { body, status } = await contest(service, claimant, artifact.fingerprint, fields);
  expect(status).toBe(201);
  return { ...artifact, claimant, claimId: String(body.id) };
}

describe('a claim', () => {
  it('is public with its statement, and shown with the Artifact on every process', async () => {
    const { fingerprint } = await register();
    const before = { contested: false, open: 0, checked: 0, supersededBy: null };
    expect(await readSummary(service, fingerprint)).toEqual(before);
    const { status, body, headers } = await contest(service, author, fingerprint);
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(String),
        fingerprint,
        status: 'open',
        kind: 'statement',
        claimant: { id: author.id, name: author.name },
        mark: null,
        statement,
        evidence: { state: 'none', time: null, source: null, reason: null, url: null },
        entries: [],
        createdAt: expect.any(String),
      },
    ]);
    expect(headers.get('location')).toBe(`${service.url}/api/v1/public/artifacts/${fingerprint}/claims`);
    for (const at of [service, other]) {
      expect((await listClaims(at, fingerprint)).body).toEqual({ claims: [body] });
      // Words alone do not make an Artifact contested.
      expect(await readSummary(at, fingerprint)).toEqual({ ...before, open: 1 });
    }
    const evidence = await call(service, 'GET', `/api/v1/public/claims/${body.id}/evidence`);
    expect(statusAndCode(evidence)).toEqual([404, 'NOT_FOUND']);
  });

  it('is refused to those who may register under the Mark, to API keys, and for files that are not registered', async () => {
    const { fingerprint, markId } = await register();
    const member = await createUser(service);
    await addMarkMember(service, holder, markId, member);
    const organizationId = await createOrganization(service, holder, 1);
    const key = { token: String((await createApiKey(service, holder, organizationId)).body.token) };
    const failed = await register();
    await query(service.databaseUrl, `update artifacts set status = 3, error_reason = 'x' where id = $1`, [
      failed.artifactId,
    ]);
    const refusals = [
      await contest(service, holder, fingerprint),
      await contest(service, member, fingerprint),
      await contest(service, key, fingerprint),
      await contest(service, author, fingerprint, { markId }),
      await contest(service, author, newFingerprint()),
      await contest(service, author, failed.fingerprint),
      await contest(service, author, fingerprint, { markId: randomUUID() }),
    ];
    const codes = ['FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN', 'NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND'];
    expect(refusals.map(({ body }) => body.code)).toEqual(codes);
    expect((await listClaims(service, fingerprint)).body.claims).toEqual([]);
  });

  let uncontested: string;
  beforeAll(async () => {
    uncontested = (await register()).fingerprint;
  });
  it.each([
    ['an empty statement', { statement: '' }],
    ['an invisible statement', { statement: ' \n\u200b' }],
    ['a statement that is too long', { statement: 'x'.repeat(2001) }],
    ['a bidirectional override', { statement: 'mine \u202e sruoy' }],
    ['a control character', { statement: 'mine\u0007' }],
    ['an unknown kind', { kind: 'oath' }],
    ['evidence without a file', { kind: 'timestamp' }],
    ['an account that is none', { kind: 'chain-entry', account: '0x12' }],
  ])('is refused with %s, and changes nothing', async (_, fields) => {
    expect(statusAndCode(await contest(service, author, uncontested, fields))).toEqual([400, 'BAD_REQUEST']);
    expect((await listClaims(service, uncontested)).body.claims).toEqual([]);
  });

  it('has no file if it is a statement, and line breaks of one kind', async () => {
    const { fingerprint } = await register();
    const fields = { kind: 'statement', statement: 'Line 1\r\nLine 2\rLine 3' };
    const withFile = await contestWithFile(service, author, fingerprint, Buffer.from('x'), fields);
    expect(statusAndCode(withFile)).toEqual([400, 'BAD_REQUEST']);
    expect((await contest(service, author, fingerprint, fields)).body.statement).toBe('Line 1\nLine 2\nLine 3');
  });

  it('is made once per user and Artifact while it is open', async () => {
    const { fingerprint, claimant, claimId } = await createContested();
    expect(statusAndCode(await contest(service, claimant, fingerprint))).toEqual([409, 'CONFLICT']);
    expect((await contest(service, author, fingerprint)).status).toBe(201);
    expect((await actOnClaim(service, claimant, claimId, 'withdraw')).status).toBe(200);
    expect((await contest(service, claimant, fingerprint)).status).toBe(201);
  });

  it('names a public Mark that the claimant may write under', async () => {
    const markId = String((await createMark(service, author, { name: 'Author' })).body.id);
    const hidden = String((await createMark(service, author, { name: 'Secret', visibility: 'private' })).body.id);
    const { fingerprint } = await register();
    const refused = await contest(service, author, fingerprint, { markId: hidden });
    expect([...statusAndCode(refused), refused.body.problems]).toEqual([
      400,
      'BAD_REQUEST',
      [{ path: '/markId', message: refused.body.error }],
    ]);
    const { body } = await contest(service, author, fingerprint, { markId });
    expect(body.mark).toEqual({ id: markId, name: 'Author' });
    // The name of a Mark that becomes private is shown no longer.
    const changes = { token: author.token, body: { visibility: 'private' } };
    expect((await call(service, 'PUT', `/api/v1/marks/${markId}`, changes)).status).toBe(200);
    expect((await listClaims(service, fingerprint)).body.claims[0].mark).toEqual({ id: markId, name: 'Private Mark' });
    expect(statusAndCode(await actOnClaim(service, holder, body.id, 'concede'))).toEqual([409, 'CONFLICT']);
  });
});

describe('what is said about a claim', () => {
  it('is listed in order: answers, notes of the operator, and the withdrawal that ends it', async () => {
    const { fingerprint, claimant, claimId } = await createContested();
    const answered = await actOnClaim(service, holder, claimId, 'answers', { text: 'We made it.' });
    expect([answered.status, answered.body.status]).toEqual([200, 'open']);
    expect((await addNote(claimId, 'Seen.')).status).toBe(200);
    const { body } = await actOnClaim(service, claimant, claimId, 'withdraw', { text: 'Settled.' });
    const at = expect.any(String);
    expect(body.entries).toEqual([
      { type: 'answer', author: { id: holder.id, name: holder.name }, text: 'We made it.', mark: null, at },
      { type: 'operator-note', author: null, text: 'Seen.', mark: null, at },
      { type: 'withdrawal', author: { id: claimant.id, name: claimant.name }, text: 'Settled.', mark: null, at },
    ]);
    expect(body.status).toBe('withdrawn');
    expect((await addNote(claimId, 'Closed on both sides.')).status).toBe(200);
    const listed = (await listClaims(other, fingerprint)).body.claims;
    expect(listed).toMatchObject([{ id: claimId, status: 'withdrawn', entries: { length: 4 } }]);
    expect(await readSummary(other, fingerprint)).toMatchObject({ contested: false, open: 0 });
    for (const [user, action] of [
      [holder, 'answers'],
      [claimant, 'withdraw'],
      [holder, 'concede'],
    ] as const) {
      const late = await actOnClaim(service, user, claimId, action, { text: 'Too late.' });
      expect([action, ...statusAndCode(late)]).toEqual([action, 409, 'CONFLICT']);
    }
  });

  it('is said by the right side only', async () => {
    const { claimant, claimId, markId } = await createContested();
    const member = await createUser(service);
    await addMarkMember(service, holder, markId, member);
    for (const [user, action] of [
      [claimant, 'answers'],
      [claimant, 'concede'],
      [member, 'answers'],
      [member, 'concede'],
      [author, 'withdraw'],
      [holder, 'withdraw'],
    ] as const) {
      const refused = await actOnClaim(service, user, claimId, action, { text: 'x' });
      expect([action, ...statusAndCode(refused)]).toEqual([action, 403, 'FORBIDDEN']);
    }
    const unknown = await actOnClaim(service, holder, randomUUID(), 'answers', { text: 'x' });
    expect(statusAndCode(unknown)).toEqual([404, 'NOT_FOUND']);
  });

  it('concedes the file to the Mark of the claimant, for good', async () => {
    const markId = String((await createMark(service, author, { name: 'Author' })).body.id);
    const artifact = await register();
    const { fingerprint } = artifact;
    const claimId = (await contest(service, author, fingerprint, { markId })).body.id;
    const { body } = await actOnClaim(service, holder, claimId, 'concede', { text: 'Yours.' });
    const mark = { id: markId, name: 'Author' };
    expect(body).toMatchObject({ status: 'superseded', entries: [{ type: 'superseded', text: 'Yours.', mark }] });
    for (const at of [service, other]) {
      expect(await readSummary(at, fingerprint)).toMatchObject({ open: 0, supersededBy: mark });
    }
    // The Mark of the Artifact stays.
    const shown = (await call(service, 'GET', `/api/v1/public/artifacts/${fingerprint}`)).body;
    expect(shown.mark.id).toBe(artifact.markId);
    const late = await actOnClaim(service, author, claimId, 'withdraw');
    expect(statusAndCode(late)).toEqual([409, 'CONFLICT']);
  });

  it('has at most 50 entries, after which the claim can still end', async () => {
    const { claimant, claimId } = await createContested();
    await query(
      service.databaseUrl,
      `insert into claim_entries (claim_id, type, author_id, text) select $1, 'answer', $2, 'x' from generate_series(1, 49)`,
      [claimId, holder.id],
    );
    expect((await actOnClaim(service, holder, claimId, 'answers', { text: 'The 50th.' })).status).toBe(200);
    const full = [await actOnClaim(service, holder, claimId, 'answers', { text: 'x' }), await addNote(claimId, 'x')];
    expect(full.map(statusAndCode)).toEqual([
      [409, 'CONFLICT'],
      [409, 'CONFLICT'],
    ]);
    const { status, body } = await actOnClaim(service, claimant, claimId, 'withdraw');
    expect([status, body.entries.length]).toEqual([200, 51]);
  });

  it('is answered by the new admin after the Mark was handed over', async () => {
    const { claimId, markId } = await createContested();
    const successor = await createUser(service);
    await addMarkMember(service, holder, markId, successor);
    const hand = { token: holder.token, body: { userId: successor.id } };
    expect((await call(service, 'PUT', `/api/v1/marks/${markId}/admin`, hand)).status).toBe(200);
    const received = (await listOwn(successor, 'role=received')).body.claims;
    expect(received.map(({ id }: { id: string }) => id)).toEqual([claimId]);
    const former = await actOnClaim(service, holder, claimId, 'answers', { text: 'x' });
    expect(statusAndCode(former)).toEqual([403, 'FORBIDDEN']);
    expect((await actOnClaim(service, successor, claimId, 'answers', { text: 'I answer now.' })).status).toBe(200);
  });
});

describe('lists of claims', () => {
  it('show those made and received, newest first, in pages', async () => {
    const [claimant, receiver] = [await createUser(service), await createUser(service)];
    const { markId } = await registerUnderNewMark(service, receiver);
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1) {
      const body = { markId, fingerprint: newFingerprint(), filename: 'a.jpg' };
      const artifact = await call(service, 'POST', '/api/v1/artifacts', { token: receiver.token, body });
      ids.unshift((await contest(service, claimant, artifact.body.fingerprint)).body.id);
    }
    for (const [user, role] of [
      [claimant, 'made'],
      [receiver, 'received'],
    ] as const) {
      const first = (await listOwn(user, `role=${role}&limit=2`)).body;
      const second = (await listOwn(user, `role=${role}&limit=2&cursor=${first.nextCursor}`)).body;
      const listed = [...first.claims, ...second.claims].map(({ id }: { id: string }) => id);
      expect([role, listed, second.nextCursor]).toEqual([role, ids, null]);
    }
    expect((await listOwn(receiver, 'role=made')).body).toEqual({ claims: [], nextCursor: null });
    const foreign = await listOwn(receiver, `role=made&cursor=${ids[0]}`);
    expect(statusAndCode(foreign)).toEqual([400, 'BAD_REQUEST']);
  });

  it('show withdrawn claims last, so that they hide no other', async () => {
    const { fingerprint, claimant, claimId } = await createContested();
    await actOnClaim(service, claimant, claimId, 'withdraw');
    const later = (await contest(service, author, fingerprint)).body.id;
    const listed = (await listClaims(service, fingerprint)).body.claims;
    expect(listed.map(({ id }: { id: string }) => id)).toEqual([later, claimId]);
  });
});

describe('privacy of claims', () => {
  it('names neither a private Mark nor its people, to the claimant or to anyone', async () => {
    const admin = await createUser(service, 'enterprise');
    const organizationId = await createOrganization(service, admin, 2, 'Veiled Studio');
    const fields = { name: 'Veiled Mark', visibility: 'private', organizationId };
    const { fingerprint, markId } = await registerUnderNewMark(service, admin, fields);
    const claimant = await createUser(service);
    const { body } = await contest(service, claimant, fingerprint);
    await actOnClaim(service, admin, body.id, 'answers', { text: 'We made it.' });
    await addNote(body.id, 'Noted.');
    const texts = [
      await listClaims(service, fingerprint),
      await listOwn(claimant, 'role=made'),
      await actOnClaim(service, claimant, body.id, 'withdraw'),
      { body: await exportOf(claimant) },
    ].map((response) => JSON.stringify(response.body));
    for (const text of texts) {
      expect(text).toContain(body.id);
      for (const secret of ['Veiled', admin.id, admin.name, markId, organizationId]) expect(text).not.toContain(secret);
    }
    // The organization's own history says what happened.
    const events = await call(service, 'GET', `/api/v1/organizations/${organizationId}/events`, admin);
    const ofClaims = events.body.events.filter(({ type }: { type: string }) => type.startsWith('claim.'));
    expect(ofClaims.map(({ type }: { type: string }) => type)).toEqual([
      'claim.withdrawn',
      'claim.noted',
      'claim.answered',
      'claim.created',
    ]);
    expect(ofClaims.at(-1)).toMatchObject({
      actor: { id: claimant.id },
      mark: { id: markId },
      data: { claimId: body.id, fingerprint },
    });
  });

  it('keeps claims and answers of closed accounts, without the name', async () => {
    const admin = await createUser(service, 'enterprise');
    const { fingerprint } = await registerUnderNewMark(service, admin);
    const claimant = await createUser(service);
    const claimId = (await contest(service, claimant, fingerprint)).body.id;
    await actOnClaim(service, admin, claimId, 'answers', { text: 'We made it.' });
    expect(await exportOf(claimant)).toMatchObject({
      claims: [{ id: claimId, fingerprint, statement, kind: 'statement', endedAs: null }],
      claimEntries: [],
    });
    expect(await exportOf(admin)).toMatchObject({
      claims: [],
      claimEntries: [{ claimId, type: 'answer', text: 'We made it.' }],
    });
    for (const { token } of [claimant, admin]) {
      const body = { password: 'correct horse battery' };
      expect((await call(service, 'DELETE', '/api/v1/me', { token, body })).status).toBe(204);
    }
    const [claim] = (await listClaims(service, fingerprint)).body.claims;
    expect(claim).toMatchObject({
      status: 'open',
      claimant: { id: claimant.id, name: 'Closed account' },
      entries: [{ text: 'We made it.', author: { id: admin.id, name: 'Closed account' } }],
    });
    expect(JSON.stringify(claim)).not.toContain(claimant.name);
  });
});

describe('members of the organization that owns the Mark', () => {
  it('cannot contest its files', async () => {
    const organizationId = await createOrganization(service, holder, 2);
    const member = await createUser(service);
    expect((await addMember(service, holder, organizationId, member)).status).toBe(200);
    const { fingerprint } = await register({ organizationId });
    expect(statusAndCode(await contest(service, member, fingerprint))).toEqual([403, 'FORBIDDEN']);
  });
});
