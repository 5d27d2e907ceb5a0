// Registers files and looks them up through the API.

import { readdir, readFile } from 'node:fs/promises';
import { type IncomingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createMark, createUser } from '../../../../test/support/accounts.js';
import { newFile, type TestFile } from '../../../../test/support/files.js';
import { query } from '../../../../test/support/postgres.js';
import {
  call,
  newDataFolder,
  type Service,
  startService,
  type TestResponse,
} from '../../../../test/support/service.js';

export const ALGORITHM = 'com.service.sha256';

type ServiceUrl = Pick<Service, 'url'>;

/** Registers a file by its fingerprint; returns the Artifact's id. */
export async function registerFile(
  service: ServiceUrl,
  { token, markId }: { token: string; markId: string },
  { fingerprint }: Pick<TestFile, 'fingerprint'>,
  fields: Record<string, unknown> = {},
): Promise<string> {
  const body = { markId, fingerprint, filename: 'file.bin', ...fields };
  const { status, body: artifact } = await call(service, 'POST', '/api/v1/artifacts', { token, body });
  expect([status, artifact.code]).toEqual([201, undefined]);
  return artifact.id;
}

export async function waitUntilSubmitted(
  service: ServiceUrl,
  token: string,
  { fingerprint }: Pick<TestFile, 'fingerprint'>,
): Promise<TestResponse> {
  for (;;) {
    const response = await call(service, 'GET', `/api/v1/artifacts/${fingerprint}?wait=50`, { token });
    expect(['pending', 'submitting', 'submitted']).toContain(response.body.status);
    if (response.body.status === 'submitted') return response;
  }
}

export function lookUp(service: ServiceUrl, value: string, more: Record<string, string> = {}): Promise<TestResponse> {
  return call(service, 'GET', `/api/c2pa/matches/byBinding?${new URLSearchParams({ alg: ALGORITHM, value, ...more })}`);
}

export const MAX_UPLOAD_BYTES = 3 * 1024 * 1024;

/** Starts a service with one photo registered, also on chain; uploads are limited to `MAX_UPLOAD_BYTES`. */
export async function startServiceWithPhoto() {
  const dataDir = await newDataFolder();
  const service = await startService({ DATA_DIR: dataDir, MAX_UPLOAD_BYTES: String(MAX_UPLOAD_BYTES) });
  const owner = await createUser(service, 'creator');
  const mark = { token: owner.token, markId: String((await createMark(service, owner)).body.id) };
  const photo = newFile();
  const photoId = await registerFile(service, mark, photo);
  await waitUntilSubmitted(service, owner.token, photo);
  return { dataDir, service, owner, mark, api: `${service.url}/api/c2pa`, photo, photoId };
}

/** Deletes the service's records; published files and the registration on chain stay. */
export async function deleteRecords(databaseUrl: string, artifactId: string): Promise<void> {
  await query(databaseUrl, 'delete from outbox where artifact_id = $1', [artifactId]);
  await query(databaseUrl, 'delete from artifacts where id = $1', [artifactId]);
}

export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Sends path, headers and body unchanged; `fetch` would normalize them. */
export function sendRaw(
  service: ServiceUrl,
  path: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: Uint8Array } = {},
): Promise<RawResponse> {
  const { hostname, port } = new URL(service.url);
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, path, method, headers, agent: false }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** The files below the folder that contain these bytes; temporary ones may be gone before they are read. */
export async function findFilesContaining(folder: string, bytes: Buffer): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents = await Promise.all(
    names.map(async (name) => ({ name, content: await readFile(name).catch(emptyIfMissing) })),
  );
  return contents.filter(({ content }) => content.includes(bytes)).map(({ name }) => name);
}

function emptyIfMissing(error: NodeJS.ErrnoException): Buffer {
  if (error.code !== 'ENOENT') throw error;
  return Buffer.alloc(0);
}
