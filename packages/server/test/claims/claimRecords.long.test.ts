// Claims are permanent: no statement changes or removes them, limits are exact, one of two concurrent ends wins, a killed
// process loses nothing that it answered, and both sides get mail.

import { beforeAll, describe, expect, it } from 'vitest';
import { createMark, createUser, statusAndCode, type TestUser } from '../../../../test/support/accounts.js';
import {
  type RegistryProcess,
  restartRegistryProcess,
  startRegistryProcess,
} from '../../../../test/support/artifacts.js';
import { type MailServer, startMailServer } from '../../../../test/support/mailServer.js';
import { query } from '../../../../test/support/postgres.js';
import { writePublicEntry } from '../../../../test/support/publicRegistry.js';
import { call } from '../../../../test/support/service.js';
import { actOnClaim, contest, listClaims, readSummary, registerUnderNewMark, statement } from '../support/claims.js';

const OPERATOR_TOKEN = 'operator-token-of-this-test';

let mail: MailServer;
let service: RegistryProcess;
let holder: TestUser;

beforeAll(async () => {
  mail = await startMailServer();
  service = await startRegistryProcess({ ...mail.settings, OPERATOR_TOKEN });
  holder = await createVerified('enterprise');
});

const rows = <Row extends Record<string, unknown>>(sql: string, values: unknown[] = []) =>
  query<Row>(service.databaseUrl, sql, values);
const register = () => registerUnderNewMark(service, holder);

async function createVerified(tier: 'free' | 'enterprise' = 'free'): Promise<TestUser> {
  const user = await createUser(service, tier);
  await rows('update users set email_verified = true where id = $1', [user.id]);
  return user;
}

/** Whose mails the test reads. */
async function createReader(tier: 'free' | 'enterprise' = 'free'): Promise<TestUser> {
  const user = await createUser(service, tier);
  const { token } = await mail.nextMail(user.email);
  expect((await call(service, 'POST', '/api/v1/auth/verify-email', { body: { token } })).status).toBe(204);
  return user;
}

async function createContested() {
  const [artifact, claimant] = [await register(), await createVerified()];
  const markId = String((await createMark(service, claimant)).body.id);
  const { body, status } = await contest(service, claimant, artifact.fingerprint, { markId });
  expect(status).toBe(201);
  return { ...artifact, claimant, claimId: String(body.id) };
}

/** Claims of the past, written to the database: `count` of them, made so many hours ago. */
async function insertClaims(claimant: TestUser, count: number, hoursAgo: number, endedAs: string | null) {
  const { artifactId, markId } = await register();
  await rows(
    `insert into claims (id, artifact_id, contested_mark_id, claimant_id, kind, statement, evidence_state, ended_as, created_at)
     select gen_random_uuid(), $1, $2, $3, 'statement', 'x', 'none', $4, now() - $5 * interval '1 hour'
     from generate_series(1, $6)`,
    [artifactId, markId, claimant.id, endedAs, hoursAgo, count],
  );
}

describe('the records of claims', () => {
  it('cannot be changed, removed or reopened by any statement', async () => {
    const { claimant, claimId, fingerprint } = await createContested();
    await actOnClaim(service, holder, claimId, 'answers', { text: 'We made it.' });
    await actOnClaim(service, claimant, claimId, 'withdraw');
    const before = (await listClaims(service, fingerprint)).body;
    const columns = [
      `statement = 'other'`,
      `kind = 'timestamp'`,
      'artifact_id = artifact_id',
      'contested_mark_id = contested_mark_id',
      `claimant_id = '${holder.id}'`,
      'mark_id = null',
      `evidence = '\\x00'`,
      'created_at = now()',
      'id = gen_random_uuid()',
      'ended_as = null',
      `ended_as = 'superseded'`,
    ];
    const statements = [
      ...columns.map((change) => `update claims set ${change} where id = '${claimId}'`),
      `delete from claims where id = '${claimId}'`,
      'truncate claims cascade',
      'truncate artifacts cascade',
      `update claim_entries set text = 'other' where claim_id = '${claimId}'`,
      `update claim_entries set author_id = null, at = now() where claim_id = '${claimId}'`,
      `delete from claim_entries where claim_id = '${claimId}'`,
      'truncate claim_entries',
    ];
    for (const sql of statements) {
      const error = await rows(sql).then(
        () => new Error(`succeeded: ${sql}`),
        (reason: Error) => reason,
      );
      expect([sql, error.message]).toEqual([sql, expect.stringMatching(/are never changed or removed$/)]);
    }
    expect((await listClaims(service, fingerprint)).body).toEqual(before);
  });

  it('are complete, with their events, when the process is killed between request and response', async () => {
    const artifacts = await Promise.all([1, 2, 3, 4, 5, 6].map(register));
    const claimant = await createVerified();
    const requests = artifacts.map(({ fingerprint }) =>
      contest(service, claimant, fingerprint).then(
        ({ status, body }) => ({ status, id: String(body.id) }),
        () => undefined,
      ),
    );
    // With the first response, others are under way.
    await Promise.any(requests.map(async (request) => (await request) ?? Promise.reject(new Error('no response'))));
    await service.end('SIGKILL');
    const answered = (await Promise.all(requests)).filter((response) => response !== undefined);
    expect(answered.map(({ status }) => status)).toEqual(answered.map(() => 201));
    service = await restartRegistryProcess(service.settings);

    const search = '/api/v1/claims?role=made';
    const listed: { id: string }[] = (await call(service, 'GET', search, { token: claimant.token })).body.claims;
    const ids = listed.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(answered.map(({ id }) => id)));
    const events = await rows<{ id: string }>(
      `select data ->> 'claimId' as id from events where type = 'claim.created' and actor_id = $1`,
      [claimant.id],
    );
    expect(events.map(({ id }) => id).sort()).toEqual(ids.toSorted());
    // A lost response is not a lost claim, and no claim was made twice.
    const again = await Promise.all(artifacts.map(({ fingerprint }) => contest(service, claimant, fingerprint)));
    expect(again.filter(({ status }) => status === 201)).toHaveLength(artifacts.length - ids.length);
  });
});

describe('an entry in the public registry on chain', () => {
  it('contests an Artifact that was registered later, with the account that wrote it', async () => {
    const { fingerprint, artifactId } = await register();
    const rpcUrl = `http://127.0.0.1:${service.settings['CHAIN_PORT']}`;
    const account = await writePublicEntry(
      service,
      rpcUrl,
      { fingerprint },
      {
        endpoints: ['https://registry.example/api/c2pa'],
        manifestId: 'a',
      },
    );
    const claimant = await createVerified();
    const claim = () => contest(service, claimant, fingerprint, { kind: 'chain-entry', account });
    const tooNew = await claim();
    expect([...statusAndCode(tooNew), tooNew.body.error]).toEqual([
      400,
      'BAD_REQUEST',
      expect.stringContaining('not older'),
    ]);
    // The block has just been mined.
    await rows(`update artifacts set created_at = now() + interval '10 minutes' where id = $1`, [artifactId]);
    const { status, body } = await claim();
    expect([status, body.evidence]).toEqual([
      201,
      {
        state: 'checked',
        time: expect.any(String),
        source: expect.stringMatching(new RegExp(account, 'i')),
        reason: null,
        url: null,
      },
    ]);
    expect(await readSummary(service, fingerprint)).toMatchObject({ contested: true, checked: 1 });
    const other = await contest(service, await createVerified(), fingerprint, {
      kind: 'chain-entry',
      account: `0x${'12'.repeat(20)}`,
    });
    expect(statusAndCode(other)).toEqual([400, 'BAD_REQUEST']);
  });
});

describe('claims at once', () => {
  it('of one user to one Artifact: one is made', async () => {
    const [{ fingerprint }, claimant] = [await register(), await createVerified()];
    const responses = await Promise.all([1, 2, 3, 4].map(() => contest(service, claimant, fingerprint)));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    expect((await listClaims(service, fingerprint)).body.claims).toHaveLength(1);
  });

  it('of several users to one Artifact: all are made', async () => {
    const { fingerprint } = await register();
    const claimants = await Promise.all([1, 2, 3].map(() => createVerified()));
    const responses = await Promise.all(claimants.map((claimant) => contest(service, claimant, fingerprint)));
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 201]);
  });

  it('that are withdrawn and conceded at the same time end once', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { claimant, claimId } = await createContested();
      const [withdrawn, conceded] = await Promise.all([
        actOnClaim(service, claimant, claimId, 'withdraw'),
        actOnClaim(service, holder, claimId, 'concede'),
      ]);
      expect([withdrawn.status, conceded.status].sort()).toEqual([200, 409]);
      const ends = await rows<{ type: string }>('select type from claim_entries where claim_id = $1', [claimId]);
      expect(ends).toEqual([{ type: withdrawn.status === 200 ? 'withdrawal' : 'superseded' }]);
    }
  });
});

describe('spam claims', () => {
  it('stop at ten open ones without checked evidence, exactly, until one is withdrawn', async () => {
    const spammer = await createVerified();
    const artifacts = await Promise.all(Array.from({ length: 14 }, register));
    const responses = await Promise.all(artifacts.map(({ fingerprint }) => contest(service, spammer, fingerprint)));
    const made = responses.filter(({ status }) => status === 201);
    expect(made).toHaveLength(10);
    const refused = responses.filter(({ status }) => status !== 201);
    expect(refused.map(statusAndCode)).toEqual(refused.map(() => [409, 'CONFLICT']));
    expect(refused[0]?.body.error).toContain('10 open claims without checked evidence');
    expect((await actOnClaim(service, spammer, made[0]?.body.id, 'withdraw')).status).toBe(200);
    const { fingerprint } = await register();
    expect((await contest(service, spammer, fingerprint)).status).toBe(201);
    // Other users are not affected.
    expect((await contest(service, await createVerified(), fingerprint)).status).toBe(201);
  });

  it('stop at a hundred within 24 hours, exactly', async () => {
    const spammer = await createVerified();
    await insertClaims(spammer, 50, 25, 'withdrawn');
    await insertClaims(spammer, 97, 23, 'withdrawn');
    const artifacts = await Promise.all(Array.from({ length: 5 }, register));
    const responses = await Promise.all(artifacts.map(({ fingerprint }) => contest(service, spammer, fingerprint)));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 201, 201, 409, 409]);
    expect(responses.find(({ status }) => status === 409)?.body.error).toContain('100 claims within 24 hours');
  });

  it('need a verified email address', async () => {
    const stranger = await createUser(service);
    const { fingerprint } = await register();
    const refused = await contest(service, stranger, fingerprint);
    expect([...statusAndCode(refused), refused.body.error]).toEqual([
      403,
      'FORBIDDEN',
      'Verify your email address before you contest an Artifact.',
    ]);
  });

  it('cause five mails in quick succession at most, of which none has words of the claimant', async () => {
    const victim = await createReader('enterprise');
    const artifacts = await Promise.all(Array.from({ length: 7 }, () => registerUnderNewMark(service, victim)));
    const spammer = await createVerified();
    for (const { fingerprint } of artifacts) await contest(service, spammer, fingerprint, { statement: 'Buy now' });
    const queued = await rows(`select 1 from mails where recipient = $1 and template = 'claim-notice'`, [victim.email]);
    expect(queued).toHaveLength(5);
    const { text, html, subject } = await mail.nextMail(victim.email);
    expect(subject).toBe('A file that is registered under your Mark is contested');
    for (const secret of ['Buy now', spammer.name]) expect(text + html).not.toContain(secret);
  });
});

describe('notices of claims', () => {
  it('go to the side that did not act, and of the operator to both, with a link to the file', async () => {
    const admin = await createReader('enterprise');
    const fields = { name: 'Veiled Mark', visibility: 'private' };
    const { fingerprint } = await registerUnderNewMark(service, admin, fields);
    const claimant = await createReader();
    const markId = String((await createMark(service, claimant)).body.id);
    const claimId = String((await contest(service, claimant, fingerprint, { markId })).body.id);
    const received = await mail.nextMail(admin.email);
    expect(received.text).toContain(`${service.url}/artifacts/${fingerprint}`);
    expect(received.text).not.toContain(statement);
    await actOnClaim(service, admin, claimId, 'answers', { text: 'We made it.' });
    const answered = await mail.nextMail(claimant.email);
    expect(answered.subject).toBe('Your claim was answered');
    for (const secret of ['Veiled', admin.name, 'We made it']) expect(answered.text).not.toContain(secret);
    const note = { token: OPERATOR_TOKEN, body: { text: 'Seen.' } };
    await call(service, 'POST', `/api/operator/claims/${claimId}/notes`, note);
    for (const { email } of [admin, claimant]) {
      expect((await mail.nextMail(email)).subject).toBe('The operator added a note to a claim');
    }
    await actOnClaim(service, admin, claimId, 'concede');
    expect((await mail.nextMail(claimant.email)).subject).toBe('Your claim was conceded');
    const second = String((await contest(service, claimant, fingerprint)).body.id);
    await mail.nextMail(admin.email);
    await actOnClaim(service, claimant, second, 'withdraw');
    expect((await mail.nextMail(admin.email)).subject).toBe('A claim to a file of your Mark was withdrawn');
  });
});
