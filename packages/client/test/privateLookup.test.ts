// Private lookups: what a service and its node get to see of a file that is checked, and services that answer wrongly.

import type { FingerprintBucket } from '@provenance-registry/core';
import { describe, expect, test } from 'vitest';
import { newFile, type TestFile } from '../../../test/support/files.js';
import { writePublicEntry } from '../../../test/support/publicRegistry.js';
import {
  createClient,
  describeQuestion,
  findPrivately,
  InvalidResponseError,
  verify,
  verifyFile,
} from '../src/index.js';
import { respondJson, startScriptedServer } from './support/scriptedServer.js';
import { startVerifiedService, states } from './support/verifiedService.js';

const { service, rpcUrl, chain, registerFile } = await startVerifiedService();
const photo = await registerFile();

/** A client, and everything that it sends, to any host. */
function recordingClient() {
  const sent: string[] = [];
  const recordingFetch: typeof fetch = async (input, init = {}) => {
    sent.push(`${init.method ?? 'GET'} ${String(input)} ${typeof init.body === 'string' ? init.body : ''}`);
    return fetch(input, init);
  };
  return { sent, client: createClient({ baseUrl: service.url, fetch: recordingFetch }) };
}

/** Whether a request tells more than the first digits, in hexadecimal or in base64. */
function namesFile(sent: readonly string[], { fingerprint, value }: Pick<TestFile, 'fingerprint' | 'value'>): boolean {
  const forms = [fingerprint.slice(2, 12), fingerprint.slice(6, 16), value.slice(0, 10), value.slice(-12, -2)];
  return sent.some((request) =>
    forms.some((form) => decodeURIComponent(request).toLowerCase().includes(form.toLowerCase())),
  );
}

describe('A file that the service does not have', () => {
  test('is looked up by its first digits alone, and no node of the service is asked', async () => {
    const file = newFile();
    const { sent, client } = recordingClient();
    const found = await verifyFile({ fingerprint: file.fingerprint, content: file.bytes }, { client });
    expect(states(found)).toEqual(['unknown', 'absent', 'unavailable', 'absent']);
    expect(found.checks.chain.reason).toContain('would learn which file this is');
    const prefix = file.fingerprint.slice(2, 6);
    expect(found.lookup).toEqual({ kind: 'prefix', isFileNamed: false, prefix });
    expect(sent.filter((request) => request.includes(prefix))).toEqual([
      `GET ${service.url}/api/v1/public/fingerprints/${prefix} `,
    ]);
    expect(namesFile(sent, file)).toBe(false);
    expect(describeQuestion(found.lookup ?? expect.unreachable())).toBe(
      `The registry does not learn which file you checked. It was asked for all fingerprints that start with ${prefix}.`,
    );
  });

  test('is looked up on a node that the caller names, which is not told to the service', async () => {
    const file = newFile();
    const { sent, client } = recordingClient();
    const found = await verify(file.fingerprint, { client, chain });
    expect(states(found)).toEqual(['unknown', 'absent', 'absent', 'absent']);
    expect(found.lookup?.isFileNamed).toBe(false);
    expect(
      namesFile(
        sent.filter((request) => !request.includes(rpcUrl)),
        file,
      ),
    ).toBe(false);
  });

  test('is sent to the service when the caller says so', async () => {
    const file = newFile();
    const { sent, client } = recordingClient();
    const found = await verify(file.fingerprint, { client, lookup: 'fingerprint' });
    expect(states(found)).toEqual(['unknown', 'absent', 'absent', 'absent']);
    expect(found.lookup).toEqual({ kind: 'fingerprint', isFileNamed: true });
    expect(namesFile(sent, file)).toBe(true);
  });
});

describe('A file that the service has', () => {
  test('is named to it, and the result says so', async () => {
    const { client } = recordingClient();
    const found = await verify(photo.fingerprint, { client });
    expect(states(found)).toEqual(['consistent', 'confirmed', 'confirmed', 'confirmed']);
    expect(found.lookup).toEqual({ kind: 'prefix', isFileNamed: true, prefix: photo.fingerprint.slice(2, 6) });
    expect(describeQuestion(found.lookup ?? expect.unreachable())).toContain('it knows which file was checked');
  });

  test('may be an entry on chain that the service relays', async () => {
    const file = newFile();
    const endpoints = ['https://other.example/api/c2pa'];
    const writer = await writePublicEntry(service, rpcUrl, file, { endpoints, manifestId: 'urn:c2pa:other' });
    const { client } = recordingClient();
    await expect.poll(async () => (await findPrivately(client, file.fingerprint)).entry?.source).toBe('public');
    const found = await verify(file.fingerprint, { client });
    expect(found.checks.registry.details).toMatchObject({ source: 'public', registeredBy: writer });
    expect(found.lookup?.isFileNamed).toBe(true);
  });
});

const file = newFile();
const prefix = file.fingerprint.slice(2, 6);
const entryAt = (digit: string) => ({ fingerprint: `0x${prefix}${digit.repeat(60)}` as const, manifestId: photo.id });
const bucket: FingerprintBucket = { prefix, digits: 4, isChainKnown: true, entries: [], nextCursor: null };

async function lookUpAt(...buckets: readonly FingerprintBucket[]) {
  const server = await startScriptedServer(...buckets.map((one) => respondJson(200, one)));
  const client = createClient({ baseUrl: server.url, maxAttempts: 1 });
  return { client, received: server.received, lookup: findPrivately(client, file.fingerprint) };
}

describe('A service that answers wrongly', () => {
  test.each([
    ['lists another prefix', { ...bucket, prefix: 'ffff', entries: [entryAt('1')] }],
    ['adds other fingerprints', { ...bucket, entries: [{ ...entryAt('1'), fingerprint: newFile().fingerprint }] }],
    ['repeats an entry', { ...bucket, entries: [entryAt('1'), entryAt('1')] }],
    ['lists entries out of order', { ...bucket, entries: [entryAt('2'), entryAt('1')] }],
    ['goes back to an earlier page', { ...bucket, entries: [entryAt('2')], nextCursor: entryAt('1').fingerprint }],
  ])('is refused when it %s', async (_, wrong) => {
    await expect((await lookUpAt(wrong)).lookup).rejects.toThrow(InvalidResponseError);
  });

  test('is not read forever', async () => {
    const pages = Array.from({ length: 40 }, (_, page) => {
      const fingerprint = `0x${prefix}${String(page).padStart(60, '0')}` as const;
      return { ...bucket, entries: [{ ...entryAt('1'), fingerprint }], nextCursor: fingerprint };
    });
    const { lookup, received } = await lookUpAt(...pages);
    await expect(lookup).rejects.toThrow(`too many fingerprints that start with ${prefix}`);
    expect(received.length).toBe(32);
  });

  test('gets no fingerprint instead, although it does not answer private questions', async () => {
    const server = await startScriptedServer(respondJson(404, { error: 'No such path.', code: 'NOT_FOUND' }));
    const client = createClient({ baseUrl: server.url, maxAttempts: 1 });
    const found = await verify(file.fingerprint, { client });
    expect(found.verdict).toBe('incomplete');
    expect(found.checks.registry.reason).toContain('does not answer private questions');
    expect(server.received.map(({ url }) => url)).toEqual([`/api/v1/public/fingerprints/${prefix}`]);
  });
});

test('A bucket of several pages is read to its end, and the announced digits are used from then on', async () => {
  const found = { fingerprint: file.fingerprint, manifestId: photo.id };
  const { client, lookup, received } = await lookUpAt(
    { ...bucket, entries: [found], nextCursor: file.fingerprint, isChainKnown: false },
    { ...bucket, digits: 5 },
    { ...bucket, prefix: file.fingerprint.slice(2, 7) },
  );
  expect(await lookup).toEqual({ prefix, entry: found, isChainKnown: false });
  expect(await findPrivately(client, file.fingerprint)).toMatchObject({ entry: undefined, isChainKnown: true });
  expect(received.map(({ url }) => url)).toEqual([
    `/api/v1/public/fingerprints/${prefix}`,
    `/api/v1/public/fingerprints/${prefix}?cursor=${file.fingerprint}`,
    `/api/v1/public/fingerprints/${file.fingerprint.slice(2, 7)}`,
  ]);
});
