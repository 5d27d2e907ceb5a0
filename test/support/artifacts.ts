// Creates Artifacts through the API and checks what the service has stored.

import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { addMember, createApiKey, createMark, createOrganization, createUser } from './accounts.js';
import { freePort } from './ports.js';
import { createMigratedDatabase, query } from './postgres.js';
import { randomBytes } from './random.js';
import {
  addWorkerChain,
  call,
  newDataFolder,
  type Service,
  type ServiceProcess,
  startService,
  startServiceProcess,
  type TestResponse,
} from './service.js';
import { REGISTRAR_KEY } from './wallets.js';

export type Fingerprint = `0x${string}`;
export const creationPaths = ['/api/v1/artifacts', '/api/c2pa/manifests'] as const;
export type CreationPath = (typeof creationPaths)[number];

/** A service with its database and data folder. */
export interface Registry extends Service {
  readonly databaseUrl: string;
  readonly dataDir: string;
  /** The environment with which another service works on the same database and folder. */
  readonly settings: Record<string, string>;
}

export type RegistryProcess = Registry & ServiceProcess;

/** Starts in the process of the test, on the chain of this worker unless the environment names another. */
export async function startRegistry(environment: Record<string, string> = {}): Promise<Registry> {
  const { PORT, ...settings } = await addWorkerChain(await createSettings(environment));
  return { ...(await restartRegistry({ ...settings, PORT })), settings };
}

/** Starts a process, which can be killed, with a development chain of its own unless the environment names another. */
export async function startRegistryProcess(environment: Record<string, string> = {}): Promise<RegistryProcess> {
  const CHAIN_PORT = String(await freePort());
  return restartRegistryProcess({
    ...(await createSettings(environment)),
    ...(!('RPC_URL' in environment) && { CHAIN_PORT }),
  });
}

async function createSettings(environment: Record<string, string>): Promise<Record<string, string>> {
  return {
    DATABASE_URL: await createMigratedDatabase(),
    DATA_DIR: await newDataFolder(),
    JWT_SECRET: 'a secret that all processes of one test share',
    ...environment,
  };
}

/** The request body for an Artifact with a new fingerprint; `fields` override the defaults. */
export function newArtifact(fields: Record<string, unknown>) {
  return { fingerprint: newFingerprint(), filename: 'sunrise.jpg', ...fields };
}

/** A stranger, and an owner with a personal Mark and an organization that has a Mark, a member and an API key. */
export async function startRegistryWithStudio() {
  const service = await startRegistry();
  const owner = await createUser(service, 'enterprise');
  const stranger = await createUser(service, 'enterprise');
  const member = await createUser(service);
  const studio = await createOrganization(service, owner, 10);
  await addMember(service, owner, studio, member);
  const key = { token: String((await createApiKey(service, owner, studio)).body.token) };
  const mark = await createMark(service, owner, { license: 'CC-BY-4.0', allowAiTraining: false });
  const studioMark = await createMark(service, owner, { organizationId: studio });
  const [markId, studioMarkId] = [String(mark.body.id), String(studioMark.body.id)];
  return { service, owner, stranger, member, studio, key, markId, studioMarkId };
}

/** Starts another service on the same database and folder. */
export async function restartRegistry(settings: Record<string, string>): Promise<Registry> {
  return { ...(await startService(settings)), ...describeRegistry(settings) };
}

export async function restartRegistryProcess(settings: Record<string, string>): Promise<RegistryProcess> {
  return { ...(await startServiceProcess(settings)), ...describeRegistry(settings) };
}

function describeRegistry(settings: Record<string, string>) {
  return { databaseUrl: settings['DATABASE_URL'] ?? '', dataDir: settings['DATA_DIR'] ?? '', settings };
}

/** Settings of a service whose chain is unavailable, so that Artifacts stay pending. */
export async function unreachableChain(): Promise<Record<string, string>> {
  return {
    ROLE: 'api',
    RPC_URL: `http://127.0.0.1:${await freePort()}`,
    REGISTRY_ADDRESS: `0x${'11'.repeat(20)}`,
  };
}

/** Settings as `unreachableChain`, for every role: starting a development chain takes half a second of CPU time. */
export async function withoutChain(): Promise<Record<string, string>> {
  return { ...(await unreachableChain()), ROLE: 'all', CHAIN_PRIVATE_KEY: REGISTRAR_KEY };
}

export function newFingerprint(): Fingerprint {
  return `0x${randomBytes(32).toString('hex')}`;
}

export function fingerprintOf(bytes: Uint8Array): Fingerprint {
  return `0x${createHash('sha256').update(bytes).digest('hex')}`;
}

export function createArtifact(
  service: Pick<Service, 'url'>,
  { token }: { token: string },
  body: unknown,
  { path = creationPaths[0], key }: { path?: CreationPath; key?: string } = {},
): Promise<TestResponse> {
  const headers = key === undefined ? {} : { 'idempotency-key': key };
  return call(service, 'POST', path, { token, body, headers });
}

export function getArtifact(
  service: Pick<Service, 'url'>,
  { token }: { token: string },
  fingerprint: string,
  query = '',
): Promise<TestResponse> {
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
  {
    path = creationPaths[0],
    headers = {},
  }: { path?: CreationPath | `${CreationPath}/${string}/signed-copy`; headers?: Record<string, string> } = {},
): Promise<TestResponse & { readonly bytes: Buffer }> {
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

/** Downloads the published files. */
export async function fetchPublishedFiles({ url }: Pick<Service, 'url'>, id: string) {
  const get = async (extension: string) => {
    const response = await fetch(`${url}/cdn/${id}.${extension}`);
    expect(response.status).toBe(200);
    return Buffer.from(await response.arrayBuffer());
  };
  return { json: await get('json'), c2pa: await get('c2pa'), png: await get('png') };
}

export async function listPublishedFiles({ dataDir }: Pick<Registry, 'dataDir'>): Promise<string[]> {
  return (await readdir(join(dataDir, 'public'))).sort();
}

/** Published files, tables and counters agree; nothing is half created. */
export async function expectConsistentStorage(registry: Pick<Registry, 'databaseUrl' | 'dataDir'>): Promise<void> {
  const artifacts = await query<{ id: string }>(
    registry.databaseUrl,
    'select id from artifacts where rendition_of is null',
  );
  const names = artifacts.flatMap(({ id }) => ['c2pa', 'json', 'png'].map((extension) => `${id}.${extension}`));
  expect(await listPublishedFiles(registry)).toEqual(names.sort());
  expect(await query(registry.databaseUrl, 'select * from drafts')).toEqual([]);
  const wrong = await query(
    registry.databaseUrl,
    `select owner_id, lifetime_artifacts, daily_artifacts, made, made_that_day from counters, lateral (
       select count(*) as made, count(*) filter (where (artifacts.created_at at time zone 'utc')::date = day) as made_that_day
       from artifacts join marks on marks.id = mark_id
       where coalesce(organization_id, marks.owner_id) = counters.owner_id and rendition_of is null) as artifacts_made
     where made <> lifetime_artifacts or made_that_day <> daily_artifacts`,
  );
  expect(wrong).toEqual([]);
  const unqueued = await query(
    registry.databaseUrl,
    'select id from artifacts where status = 0 and not exists (select 1 from outbox where artifact_id = artifacts.id)',
  );
  expect(unqueued).toEqual([]);
}
