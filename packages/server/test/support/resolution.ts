// Files that are registered, and lookups of them, through HTTP; and entries on chain that strangers write.

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { type IncomingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { contentRegistryAbi } from '@provenance-registry/contract';
import { createPublicClient, createWalletClient, type Hex, http } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { hardhat } from 'viem/chains';
import { expect } from 'vitest';
import { readerWith } from './manifests.js';
import { createMark, person } from './people.js';
import { query } from './postgres.js';
import { type Answer, call, type Service, startService, temporaryFolder } from './service.js';

export const ALGORITHM = 'com.service.sha256';

type At = Pick<Service, 'url'>;

export interface TestFile {
  readonly bytes: Buffer<ArrayBuffer>;
  readonly fingerprint: Hex;
  /** As a lookup takes it. */
  readonly value: string;
}

let files = 0;

/** Another one at each call. */
export function newFile(): TestFile {
  files += 1;
  return fileOf(Buffer.from(`file ${files} of ${process.pid}`));
}

export function fileOf(bytes: Buffer<ArrayBuffer>): TestFile {
  const digest = createHash('sha256').update(bytes).digest();
  return { bytes, fingerprint: `0x${digest.toString('hex')}`, value: digest.toString('base64') };
}

/** Registered by its fingerprint; answers with the Artifact's id. */
export async function register(
  service: At,
  { token, markId }: { token: string; markId: string },
  { fingerprint }: Pick<TestFile, 'fingerprint'>,
  fields: Record<string, unknown> = {},
): Promise<string> {
  const body = { markId, fingerprint, filename: 'file.bin', ...fields };
  const { status, body: artifact } = await call(service, 'POST', '/api/v1/artifacts', { token, body });
  expect([status, artifact.code]).toEqual([201, undefined]);
  return artifact.id;
}

export async function untilSubmitted(
  service: At,
  token: string,
  { fingerprint }: Pick<TestFile, 'fingerprint'>,
): Promise<Answer> {
  for (;;) {
    const answer = await call(service, 'GET', `/api/v1/artifacts/${fingerprint}?wait=50`, { token });
    expect(['pending', 'submitting', 'submitted']).toContain(answer.body.status);
    if (answer.body.status === 'submitted') return answer;
  }
}

export function lookUp(service: At, value: string, more: Record<string, string> = {}): Promise<Answer> {
  return call(service, 'GET', `/api/c2pa/matches/byBinding?${new URLSearchParams({ alg: ALGORITHM, value, ...more })}`);
}

export const MAX_UPLOAD_BYTES = 3 * 1024 * 1024;

/** A service in which one photo is registered, on chain as well; no file may be larger than `MAX_UPLOAD_BYTES`. */
export async function startWithPhoto() {
  const dataDir = await temporaryFolder();
  const service = await startService({ DATA_DIR: dataDir, MAX_UPLOAD_BYTES: String(MAX_UPLOAD_BYTES) });
  const owner = await person(service, 'creator');
  const mark = { token: owner.token, markId: String((await createMark(service, owner)).body.id) };
  const photo = newFile();
  const photoId = await register(service, mark, photo);
  await untilSubmitted(service, owner.token, photo);
  return { dataDir, service, owner, mark, api: `${service.url}/api/c2pa`, photo, photoId };
}

/** As if the service had lost its records; what was published and registered stays. */
export async function forget(databaseUrl: string, artifactId: string): Promise<void> {
  await query(databaseUrl, 'delete from outbox where artifact_id = $1', [artifactId]);
  await query(databaseUrl, 'delete from artifacts where id = $1', [artifactId]);
}

const MNEMONIC = 'test test test test test test test test test test test junk';

/** One of the accounts whose keys everybody has writes an entry of the public registry; answers with its address. */
export async function writePublicEntry(
  service: At,
  rpcUrl: string,
  { fingerprint }: Pick<TestFile, 'fingerprint'>,
  { endpoints, manifestId, account = 1 }: { endpoints: string[]; manifestId: string; account?: number },
): Promise<Hex> {
  const { body } = await call(service, 'GET', '/c2pa/contract');
  const writer = mnemonicToAccount(MNEMONIC, { addressIndex: account });
  const transport = http(rpcUrl);
  const hash = await createWalletClient({ account: writer, chain: hardhat, transport }).writeContract({
    address: body.address,
    abi: contentRegistryAbi,
    functionName: 'registerPublicManifest',
    args: [fingerprint, endpoints, manifestId, `0x${'11'.repeat(32)}`],
  });
  const receipt = await createPublicClient({ chain: hardhat, transport }).waitForTransactionReceipt({ hash });
  expect(receipt.status).toBe('success');
  return writer.address;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Sends path, headers and body as they are; `fetch` would tidy them up. */
export function sendRaw(
  service: At,
  path: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: Uint8Array } = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(service.url);
  return new Promise((resolve, reject) => {
    const sending = request({ hostname, port, path, method, headers, agent: false }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) });
    });
    sending.on('error', reject);
    sending.end(body);
  });
}

/** The reference implementation, trusting what a service with this data folder trusts. */
export async function readerOf(dataDir: string) {
  return readerWith(await readFile(join(dataDir, 'keys', 'authority.pem'), 'utf8'));
}

/** Every file below the folder in which these bytes stand. */
export async function filesWith(folder: string, bytes: Buffer): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents = await Promise.all(names.map(async (name) => ({ name, content: await readFile(name) })));
  return contents.filter(({ content }) => content.includes(bytes)).map(({ name }) => name);
}
