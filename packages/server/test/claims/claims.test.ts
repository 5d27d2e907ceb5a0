// Claims over HTTP: who may contest, answer, withdraw and concede, what everyone sees, and what stays private.

import { beforeAll, describe, expect, it } from 'vitest';
import {
  addMarkMember,
  changeTier,
  createApiKey,
  createMark,
  createOrganization,
  createUser,
  statusAndCode,
  type TestUser,
} from '../../../../test/support/accounts.js';
import {
  createArtifact,
  newArtifact,
  newFingerprint,
  type Registry,
  restartRegistry,
  startRegistry,
  unreachableChain,
} from '../../../../test/support/artifacts.js';
import { query } from '../../../../test/support/postgres.js';
import { call, type TestResponse } from '../../../../test/support/service.js';

const OPERATOR_TOKEN = 'operator-token-of-this-test';
const statement = 'I took this photo in May.\nI can show the raw file.';

let service: Registry;
/** Another process on the same database. */
let other: Registry;
let squatter: TestUser;
let author: TestUser;

beforeAll(async () => {
  service = await startRegistry({ ...(await unreachableChain()), OPERATOR_TOKEN });
  other = await restartRegistry(service.settings);
  squatter = await createUser(service, 'enterprise');
  author = await createUser(service, 'creator');
});

const rows = <Row extends Record<string, unknown>>(sql: string, values: unknown[] = []) =>
  query<Row>(service.databaseUrl, sql, values);

/** Under a new Mark of the squatter. */
async function register(fields: Record<string, unknown> = {}) {
  const markId = String((await createMark(service, squatter, { name: 'Squat & Co', ...fields })).body.id);
  const { body, status } = await createArtifact(service, squatter, newArtifact({ markId }));
  expect(status).toBe(201);
  return { markId, fingerprint: String(body.fingerprint), artifactId: String(body.id) };
}

const contest = ({ token }: { token: string }, fingerprint: string, fields: Record<string, unknown> = {}) =>
  call(service, 'POST', `/api/v1/artifacts/${fingerprint}/claims`, {
    token,
    body: { kind: 'statement', statement, ...fields },
  });
const act = ({ token }: { token: string }, claimId: string, action: string, body: Record<string, unknown> = {}) =>
  call(service, 'POST', `/api/v1/claims/${claimId}/${action}`, { token, body });
const addNote = (claimId: string, text: string, token = OPERATOR_TOKEN) =>
  call(service, 'POST', `/api/operator/claims/${claimId}/notes`, { token, body: { text } });
const listClaims = (fingerprint: string, at: Registry = service) =>
  call(at, 'GET', `/api/v1/public/artifacts/${fingerprint}/claims`);
const listOwn = ({ token }: { token: string }, search: string) =>
  call(service, 'GET', `/api/v1/claims?${search}`, { token });
const readClaims = async (fingerprint: string, at: Registry = service) =>
  (await call(at, 'GET', `/api/v1/public/artifacts/${fingerprint}`)).body.claims;

async function contested() {
  const artifact = await register();
  const { body, status } = await contest(author, artifact.fingerprint);
  expect(status).toBe(201);
  return { ...artifact, claimId: String(body.id) };
}

describe('a claim', () => {
  it('is public with its statement, and shown with the Artifact on every process', async () => {
    const { fingerprint } = await register();
    const before = { contested: false, open: 0, checked: 0, supersededBy: null };
    expect(await readClaims(fingerprint)).toEqual(before);
    const { status, body, headers } = await contest(author, fingerprint);
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
      expect((await listClaims(fingerprint, at)).body).toEqual({ claims: [body] });
      // Words alone do not make an Artifact contested.
      expect(await readClaims(fingerprint, at)).toEqual({ ...before, open: 1 });
    }
    expect(statusAndCode(await call(service, 'GET', `/api/v1/public/claims/${body.id}/evidence`))).toEqual([
      404,
      'NOT_FOUND',
    ]);
  });
});
