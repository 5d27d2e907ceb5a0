// Private lookups: what a service and its node get to see of a file that is checked, and services that answer wrongly.

import type { FingerprintBucket } from '@provenance-registry/core';
import { describe, expect, test } from 'vitest';
import { newFile, type TestFile } from '../../../test/support/files.js';
import { writePublicEntry } from '../../../test/support/publicRegistry.js';
import { createClient, explanations, InvalidResponseError, lookUp, lookUpMany, verify } from '../src/index.js';
import { findByPrefix } from '../src/lookups/prefixLookup.js';
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
    const found = await verify(file.bytes, { client });
    expect(states(found)).toEqual(['unknown', 'absent', 'unavailable', 'absent']);
    expect(found.checks.chain.reason).toContain('would learn which file this is');
    const prefix = file.fingerprint.slice(2, 6);
    expect(found.fingerprint).toBe(file.fingerprint);
    expect(found.disclosure).toEqual({ lookupBy: 'prefix', fingerprintDisclosed: false, prefix });
    expect(sent.filter((request) => request.includes(prefix))).toEqual([
      `GET ${service.url}/api/v1/public/fingerprints/${prefix} `,
    ]);
    expect(namesFile(sent, file)).toBe(false);
    expect(explanations.disclosed(found.disclosure ?? expect.unreachable())).toBe(
      `The registry does not learn which file you checked. It was asked for all fingerprints that start with ${prefix}.`,
    );
  });

  test('is looked up on a node that the caller names, which is not told to the service', async () => {
    const file = newFile();
    const { sent, client } = recordingClient();
    const found = await verify(file.fingerprint, { client, chain });
    expect(states(found)).toEqual(['unknown', 'absent', 'absent', 'absent']);
    expect(found.disclosure?.fingerprintDisclosed).toBe(false);
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
    const found = await verify(file.fingerprint, { client, lookupBy: 'fingerprint' });
    expect(states(found)).toEqual(['unknown', 'absent', 'absent', 'absent']);
    expect(found.disclosure).toEqual({ lookupBy: 'fingerprint', fingerprintDisclosed: true });
    expect(namesFile(sent, file)).toBe(true);
  });
});

describe('A file that the service has', () => {
  test('is named to it, and the result says so', async () => {
    const { client } = recordingClient();
    const found = await verify(photo.fingerprint, { client });
    expect(states(found)).toEqual(['consistent', 'agrees', 'agrees', 'agrees']);
    const prefix = photo.fingerprint.slice(2, 6);
    expect(found.disclosure).toEqual({ lookupBy: 'prefix', fingerprintDisclosed: true, prefix });
    expect(explanations.disclosed(found.disclosure ?? expect.unreachable())).toContain(
      'it knows which file was checked',
    );
  });

  test('may be an entry on chain that the service relays', async () => {
    const file = newFile();
    const endpoints = ['https://other.example/api/c2pa'];
    const writer = await writePublicEntry(service, rpcUrl, file, { endpoints, manifestId: 'urn:c2pa:other' });
    const { client } = recordingClient();
    await expect.poll(async () => (await lookUp(client, file.fingerprint, { detailsOf: [] })).source).toBe('public');
    const found = await verify(file.fingerprint, { client });
    expect(found.checks.registry.details).toMatchObject({ source: 'public', registeredBy: writer });
    expect(found.disclosure?.fingerprintDisclosed).toBe(true);
  });
});

describe('lookUp', () => {
  const summary = { match: 'artifact', manifestId: photo.id, mark: { name: expect.any(String) }, contested: false };

  test('finds the record of a file by its content, and the same fields as a lookup of many', async () => {
    const { client } = recordingClient();
    const found = await lookUp(client, photo.bytes);
    expect(found).toMatchObject({ ...summary, fingerprint: photo.fingerprint, artifact: { id: photo.id } });
    expect(found.registration?.status).toBe('submitted');
    const { artifact: _, registration: _status, disclosure: _by, ...fields } = found;
    const { value } = await lookUpMany(client, [photo.fingerprint]).next();
    expect(value).toEqual({ ...fields, disclosure: { lookupBy: 'fingerprint', fingerprintDisclosed: true } });
  });

  test('reads no details that it is not asked for, and then discloses nothing', async () => {
    const { sent, client } = recordingClient();
    const { artifact, disclosure, ...found } = await lookUp(client, photo.fingerprint, { detailsOf: ['chain'] });
    expect(found).toEqual({ fingerprint: photo.fingerprint, match: 'artifact', manifestId: photo.id });
    expect([artifact, disclosure.fingerprintDisclosed, namesFile(sent, photo)]).toEqual([undefined, false, false]);
  });

  test('sends perceptual hashes only of a file without a match, and tells why there were none', async () => {
    const { sent, client } = recordingClient();
    const hashes = { queryHashes: [{ pHash: '0x0f1e2d3c4b5a6978' }] };
    const registered = await lookUp(client, photo.fingerprint, { perceptualHashes: hashes });
    expect([registered.similar, sent.filter((request) => request.includes('lookalikes'))]).toEqual([undefined, []]);
    const unknown = await lookUp(client, newFile().fingerprint, { perceptualHashes: hashes });
    expect(unknown.similar).toEqual({ sent: 'perceptualHashes', lookalikes: [] });
    const incomparable = await lookUp(client, newFile().fingerprint, { perceptualHashes: { missing: 'featureless' } });
    expect(incomparable.similar).toEqual({ sent: 'nothing', lookalikes: [], missing: 'featureless' });
    await expect(lookUp(client, `${photo.fingerprint}0`)).rejects.toThrow('is not a fingerprint');
  });

  test('refuses a service that lists a file without having its record', async () => {
    const { client } = recordingClient();
    const other = newFile().fingerprint;
    const entries = [{ fingerprint: other, manifestId: photo.id }];
    const listFingerprints = async () => ({ ...bucket, prefix: other.slice(2, 6), entries });
    await expect(lookUp({ ...client, listFingerprints }, other)).rejects.toThrow('has no record of it');
  });
});

const file = newFile();
const prefix = file.fingerprint.slice(2, 6);
const entryAt = (digit: string) => ({ fingerprint: `0x${prefix}${digit.repeat(60)}` as const, manifestId: photo.id });
const bucket: FingerprintBucket = { prefix, digits: 4, isChainKnown: true, entries: [], nextCursor: null };

async function lookUpAt(...buckets: readonly FingerprintBucket[]) {
  const server = await startScriptedServer(...buckets.map((one) => respondJson(200, one)));
  const client = createClient({ baseUrl: server.url, maxAttempts: 1 });
  return { client, received: server.received, lookup: findByPrefix(client, file.fingerprint) };
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

  test('gets no fingerprint instead, although it does not support lookups by prefix', async () => {
    const server = await startScriptedServer(respondJson(404, { error: 'No such path.', code: 'NOT_FOUND' }));
    const client = createClient({ baseUrl: server.url, maxAttempts: 1 });
    const found = await verify(file.fingerprint, { client });
    expect(found.verdict).toBe('incomplete');
    expect(found.checks.registry.reason).toContain('does not support lookups by prefix');
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
  expect(await findByPrefix(client, file.fingerprint)).toMatchObject({ entry: undefined, isChainKnown: true });
  expect(received.map(({ url }) => url)).toEqual([
    `/api/v1/public/fingerprints/${prefix}`,
    `/api/v1/public/fingerprints/${prefix}?cursor=${file.fingerprint}`,
    `/api/v1/public/fingerprints/${file.fingerprint.slice(2, 7)}`,
  ]);
});
