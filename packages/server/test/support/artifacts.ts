// Artifacts for tests: files, forms as they go over the line, and what must be true of folder and database.

import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject } from 'vitest';
import { addMember, createKey, createMark, organization, person } from './people.js';
import { freePort } from './ports.js';
import { createDatabase, query } from './postgres.js';
import { type Answer, call, type Service, startService, temporaryFolder } from './service.js';

export type Fingerprint = `0x${string}`;
export const creatingPaths = ['/api/v1/artifacts', '/api/c2pa/manifests'] as const;
export type CreatingPath = (typeof creatingPaths)[number];

/** A service with the places where it leaves traces. */
export interface Registry extends Service {
  readonly databaseUrl: string;
  readonly dataDir: string;
  /** With these, another process works on the same. */
  readonly settings: Record<string, string>;
}

export async function startRegistry(environment: Record<string, string> = {}): Promise<Registry> {
  const settings: Record<string, string> = {
    DATABASE_URL: await createDatabase(inject('postgresUrl')),
    DATA_DIR: await temporaryFolder(),
    JWT_SECRET: 'a secret that all processes of one test share',
    ...('RPC_URL' in environment ? {} : { CHAIN_PORT: String(await freePort()) }),
    ...environment,
  };
  return startAgain(settings);
}

/** What is sent to create an Artifact of a fingerprint that nobody has; what is given replaces the rest. */
export function newCreation(fields: Record<string, unknown>) {
  return { fingerprint: newFingerprint(), filename: 'sunrise.jpg', ...fields };
}

/** A registry with an owner, who has a Mark alone and one in a studio with a member and a key; and with a stranger. */
export async function startStudio() {
  const service = await startRegistry();
  const owner = await person(service, 'enterprise');
  const stranger = await person(service, 'enterprise');
  const member = await person(service);
  const studio = await organization(service, owner, 10);
  await addMember(service, owner, studio, member);
  const key = { token: String((await createKey(service, owner, studio)).body.token) };
  const mark = await createMark(service, owner, { license: 'CC-BY-4.0', allowAiTraining: false });
  const studioMark = await createMark(service, owner, { organizationId: studio });
  const [markId, studioMarkId] = [String(mark.body.id), String(studioMark.body.id)];
  return { service, owner, stranger, member, studio, key, markId, studioMarkId };
}

/** Another process on the same database and folder. */
export async function startAgain(settings: Record<string, string>): Promise<Registry> {
  const { DATABASE_URL: databaseUrl = '', DATA_DIR: dataDir = '' } = settings;
  return { ...(await startService(settings)), databaseUrl, dataDir, settings };
}

/** Settings of a service whose chain is away: what is pending stays pending. */
export async function withoutChain(): Promise<Record<string, string>> {
  return {
    ROLE: 'api',
    RPC_URL: `http://127.0.0.1:${await freePort()}`,
    REGISTRY_ADDRESS: `0x${'11'.repeat(20)}`,
  };
}

export function newFingerprint(): Fingerprint {
  return `0x${randomBytes(32).toString('hex')}`;
}

export function fingerprintOf(bytes: Uint8Array): Fingerprint {
  return `0x${createHash('sha256').update(bytes).digest('hex')}`;
}

export function create(
  service: Pick<Service, 'url'>,
  { token }: { token: string },
  body: unknown,
  { path = creatingPaths[0], key }: { path?: CreatingPath; key?: string } = {},
): Promise<Answer> {
  const headers = key === undefined ? {} : { 'idempotency-key': key };
  return call(service, 'POST', path, { token, body, headers });
}

export function read(
  service: Pick<Service, 'url'>,
  { token }: { token: string },
  fingerprint: string,
  query = '',
): Promise<Answer> {
  return call(service, 'GET', `/api/v1/artifacts/${fingerprint}${query}`, { token });
}

export interface Part {
  readonly name: string;
  readonly content: string | Uint8Array;
  /** The whole parameter, such as `filename="a.txt"`; a part with one is a file. */
  readonly filename?: string;
  readonly type?: string;
}

export const BOUNDARY = 'a-line-that-no-file-has';

export function formBody(parts: readonly Part[]): Buffer {
  const pieces = parts.flatMap(({ name, content, filename, type }) => [
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${filename === undefined ? '' : `; ${filename}`}\r\n`,
    type === undefined ? '\r\n' : `content-type: ${type}\r\n\r\n`,
    content,
    '\r\n',
  ]);
  return Buffer.concat([...pieces, `--${BOUNDARY}--\r\n`].map((piece) => Buffer.from(piece)));
}

export function filePart(content: string | Uint8Array, name = 'a.bin', type = 'application/octet-stream'): Part {
  return { name: 'file', content, filename: `filename="${name}"`, type };
}

export function fieldParts(fields: Record<string, string | number>): Part[] {
  return Object.entries(fields).map(([name, value]) => ({ name, content: String(value) }));
}

export async function sendForm(
  service: Pick<Service, 'url'>,
  { token }: { token: string },
  form: readonly Part[] | Uint8Array,
  { path = creatingPaths[0], headers = {} }: { path?: CreatingPath; headers?: Record<string, string> } = {},
): Promise<Answer & { readonly bytes: Buffer }> {
  const body = form instanceof Uint8Array ? form : formBody(form);
  const response = await fetch(`${service.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      ...headers,
    },
    body: new Uint8Array(body),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(String(bytes)) : '', bytes };
}

/** The published files as people get them. */
export async function publishedFiles({ url }: Pick<Service, 'url'>, id: string) {
  const get = async (extension: string) => {
    const response = await fetch(`${url}/cdn/${id}.${extension}`);
    expect(response.status).toBe(200);
    return Buffer.from(await response.arrayBuffer());
  };
  return { json: await get('json'), c2pa: await get('c2pa'), png: await get('png') };
}

export async function publicFolder({ dataDir }: Pick<Registry, 'dataDir'>): Promise<string[]> {
  return (await readdir(join(dataDir, 'public'))).sort();
}

/** Folder, tables and counters tell the same story; nothing is half there. */
export async function expectNothingHalfDone(registry: Pick<Registry, 'databaseUrl' | 'dataDir'>): Promise<void> {
  const artifacts = await query<{ id: string }>(registry.databaseUrl, 'select id from artifacts');
  const names = artifacts.flatMap(({ id }) => ['c2pa', 'json', 'png'].map((extension) => `${id}.${extension}`));
  expect(await publicFolder(registry)).toEqual(names.sort());
  expect(await query(registry.databaseUrl, 'select * from drafts')).toEqual([]);
  const wrong = await query(
    registry.databaseUrl,
    `select owner_id, lifetime_artifacts, daily_artifacts, made, made_that_day from (
       select owner_id, lifetime_artifacts, daily_artifacts, counted.*
       from counters, lateral (
         select count(*) as made,
           count(*) filter (where (artifacts.created_at at time zone 'utc')::date = day) as made_that_day
         from artifacts join marks on marks.id = mark_id
         where coalesce(organization_id, marks.owner_id) = counters.owner_id) counted) told
     where made <> lifetime_artifacts or made_that_day <> daily_artifacts`,
  );
  expect(wrong).toEqual([]);
  const unqueued = await query(
    registry.databaseUrl,
    'select id from artifacts where status = 0 and not exists (select 1 from outbox where artifact_id = artifacts.id)',
  );
  expect(unqueued).toEqual([]);
}
