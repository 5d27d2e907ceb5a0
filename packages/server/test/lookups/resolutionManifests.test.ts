// Manifests by ID, and the resolution API's description of itself, checked against C2PA's own OpenAPI document.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { childrenOf, labelOf } from '@provenance-registry/c2pa';
import { contentRegistryAbi } from '@provenance-registry/contract';
import { Compile } from 'typebox/schema';
import { beforeAll, describe, expect, it } from 'vitest';
import { newFile, type TestFile } from '../../../../test/support/files.js';
import { createTrustingReader } from '../../../../test/support/manifestReader.js';
import { randomUUID } from '../../../../test/support/random.js';
import { call, type Service } from '../../../../test/support/service.js';
import official from '../c2pa-2.2/softbinding-resolution-api.json' with { type: 'json' };
import {
  ALGORITHM,
  lookUp,
  registerFile,
  sendRaw,
  startServiceWithPhoto,
  waitUntilSubmitted,
} from '../support/resolution.js';

let dataDir: string;
let service: Service;
let mark: { token: string; markId: string };
let api: string;
let photo: TestFile;
let photoId: string;

beforeAll(async () => {
  ({ dataDir, service, mark, api, photo, photoId } = await startServiceWithPhoto());
});

describe('a manifest', () => {
  const get = (id: string, headers: Record<string, string> = {}, query = '') =>
    sendRaw(service, `/api/c2pa/manifests/${id}${query}`, { headers });
  const json = (body: Buffer) => JSON.parse(String(body));

  it('is available at its links', async () => {
    const answer = await get(photoId);
    expect([answer.status, json(answer.body)]).toEqual([
      200,
      { manifestUrl: `${service.url}/cdn/${photoId}.json`, manifestBinaryUrl: `${service.url}/cdn/${photoId}.c2pa` },
    ]);
    const { manifestUrl, manifestBinaryUrl } = json(answer.body);
    expect(await (await fetch(manifestUrl)).json()).toMatchObject({ active_manifest: `urn:c2pa:${photoId}` });
    expect((await fetch(manifestBinaryUrl)).headers.get('content-type')).toBe('application/c2pa');
  });

  it.each(['application/c2pa', 'Application/C2PA', 'application/c2pa, */*;q=0.1', 'application/c2pa;q=0.9'])(
    'is sent as the sidecar for Accept: %s',
    async (accept) => {
      const answer = await get(photoId, { accept });
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/c2pa']);
      expect(answer.body.equals(await readFile(join(dataDir, 'public', `${photoId}.c2pa`)))).toBe(true);
    },
  );

  it.each([
    '*/*',
    'application/json',
    'text/html',
    'application/*',
    'application/c2pa;q=0',
    'application/c2pa;q=0.000, */*',
    'application/json, application/c2pa;q=0.5',
    'garbage',
    '',
  ])('is sent as links for Accept: %s', async (accept) => {
    const answer = await get(photoId, { accept });
    expect([answer.status, json(answer.body).manifestUrl]).toEqual([200, `${service.url}/cdn/${photoId}.json`]);
  });

  it.each([
    ['bare', (id: string) => id],
    ['in upper case', (id: string) => id.toUpperCase()],
    ['as a URN', (id: string) => `urn:c2pa:${id}`],
    ['as a URN with its colons escaped', (id: string) => `urn%3Ac2pa%3a${id}`],
    ['as a URN in upper case', (id: string) => `URN:C2PA:${id.toUpperCase()}`],
  ])('is found by its ID %s', async (_, write) => {
    expect((await get(write(photoId))).status).toBe(200);
    expect((await get(write(photoId), { accept: 'application/c2pa' })).headers['content-type']).toBe(
      'application/c2pa',
    );
  });

  it.each([
    ['unknown', randomUUID()],
    ['an unknown URN', `urn:c2pa:${randomUUID()}`],
    ['another URN', `urn:uuid:${randomUUID()}`],
    ['a URN in a URN', `urn:c2pa:urn:c2pa:${randomUUID()}`],
    ['a URN of nothing', 'urn:c2pa:'],
    ['nothing', ''],
    ['a word', 'manifest'],
    ['a number', '0'],
    ['a name with an end', `${randomUUID()}.json`],
    ['braces round it', `{${randomUUID()}}`],
    ['of a thousand letters', 'a'.repeat(1_000)],
    ['a path upwards', '../../etc/passwd'],
    ['a path upwards, escaped', '..%2f..%2fetc%2fpasswd'],
    ['a path upwards, escaped twice', '..%252f..%252fetc%252fpasswd'],
    ['a NUL', '%00'],
    ['a quote', "'%20or%201=1--"],
    ['a word of JavaScript', '__proto__'],
    ['letters of another script', '%E2%98%83'],
    ['half a letter', '%E2%98'],
    ['a percent sign alone', '%'],
    ['a percent sign and rubbish', '%zz'],
  ])('whose ID is %s is not found', async (_, id) => {
    for (const accept of ['*/*', 'application/c2pa']) {
      const answer = await get(id, { accept });
      expect([answer.status, json(answer.body).code]).toEqual([404, 'NOT_FOUND']);
      expect(answer.headers['access-control-allow-origin']).toBe('*');
    }
  });

  it('rejects a returnActiveManifest that is neither true nor false', async () => {
    expect((await get(photoId, {}, '?returnActiveManifest=maybe')).status).toBe(400);
    expect((await get(photoId, {}, '?returnActiveManifest=false')).status).toBe(200);
  });

  it('with earlier versions includes them, or only the active one, readable by the reference implementation', async () => {
    const [first, second] = [newFile(), newFile()];
    const firstId = await registerFile(service, mark, first, { filename: 'one' });
    const fields = { filename: 'two', previousFingerprint: first.fingerprint };
    const secondId = await registerFile(service, mark, second, fields);
    await waitUntilSubmitted(service, mark.token, second);
    const sidecar = { accept: 'application/c2pa' };
    const whole = (await get(secondId, sidecar)).body;
    const active = (await get(secondId, sidecar, '?returnActiveManifest=true')).body;
    expect(childrenOf(whole).map(labelOf)).toEqual([`urn:c2pa:${firstId}`, `urn:c2pa:${secondId}`]);
    expect(childrenOf(active).map(labelOf)).toEqual([`urn:c2pa:${secondId}`]);
    // Byte for byte as signed.
    expect(
      childrenOf(active)
        .at(-1)
        ?.equals(childrenOf(whole).at(-1) ?? Buffer.alloc(0)),
    ).toBe(true);

    const reader = await createTrustingReader(dataDir);
    const report = await reader.read('application/c2pa', active);
    const checks = (codes: string[]) => expect.arrayContaining(codes.map((code) => expect.objectContaining({ code })));
    expect(report).toMatchObject({
      active_manifest: `urn:c2pa:${secondId}`,
      validation_results: {
        activeManifest: {
          success: checks(['claimSignature.validated', 'signingCredential.trusted', 'timeStamp.validated']),
          // The second, because the file's bytes are missing.
          failure: [{ code: 'ingredient.manifest.missing' }, { code: 'assertion.dataHash.mismatch' }],
        },
      },
    });
  });
});

describe('the description of the service', () => {
  it('lists its one algorithm by its canonical name', async () => {
    const { status, body } = await call(service, 'GET', '/api/c2pa/services/supportedAlgorithms');
    expect([status, body]).toEqual([200, { watermarks: [], fingerprints: [{ alg: ALGORITHM }] }]);
  });

  it('lists its capabilities and the specification version', async () => {
    const { status, body } = await call(service, 'GET', '/api/c2pa/services/capabilities');
    expect(status).toBe(200);
    expect(body).toEqual({
      c2paSpecificationVersion: '2.2.0',
      supportedCapabilities: ['queryByContent', 'byBinding', 'byContent', 'manifests'],
    });
  });

  it('reports its status and the time', async () => {
    const ask = () => call(service, 'GET', '/api/c2pa/services/status');
    // The chain read has a deadline of a second: on a busy machine it may need another attempt.
    await expect.poll(async () => (await ask()).body.status).toBe('ok');
    const before = Date.now();
    const { status, body } = await ask();
    expect(status).toBe(200);
    expect(Date.parse(body.timestamp)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(body.timestamp)).toBeLessThanOrEqual(Date.now());
  });

  it('is at the well-known URL, and every URL in it responds', async () => {
    const { body } = await call(service, 'GET', '/.well-known/c2pa-soft-binding-resolution');
    expect(body).toEqual({
      apiEndpoint: api,
      c2paSpecificationVersion: '2.2.0',
      capabilitiesEndpoint: `${api}/services/capabilities`,
      statusEndpoint: `${api}/services/status`,
    });
    for (const url of [
      body.capabilitiesEndpoint,
      body.statusEndpoint,
      `${body.apiEndpoint}/services/supportedAlgorithms`,
    ])
      expect((await fetch(url)).status).toBe(200);
  });

  it('includes the address and ABI of its contract', async () => {
    const { status, headers, body } = await call(service, 'GET', '/c2pa/contract');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body).toEqual({
      address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
      abi: JSON.parse(JSON.stringify(contentRegistryAbi)),
      chainId: 31_337,
      rpcUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    });
    const node = await call({ url: body.rpcUrl }, 'POST', '', {
      body: { jsonrpc: '2.0', id: 1, method: 'eth_getCode', params: [body.address, 'latest'] },
    });
    expect(node.body.result.length).toBeGreaterThan(1000);
  });
});

describe("C2PA's own document of the API", () => {
  const schemas = official.components.schemas;
  type Described = { parameters?: { name: string; in: string }[]; responses: Record<string, unknown> };
  const operations = Object.entries(official.paths).flatMap(([path, methods]) =>
    Object.entries<Described>(methods).map(([method, described]) => ({ path, method, described })),
  );

  it.each(operations)(
    'has $method $path, and so has ours, with every parameter',
    async ({ path, method, described }) => {
      const document = JSON.parse(await (await fetch(`${service.url}/api/openapi.json`)).text());
      const ours = document.paths[`/api/c2pa${path}`]?.[method];
      const names = (list: { name: string; in: string }[] = []) => list.map((one) => `${one.in} ${one.name}`).sort();
      expect(names(ours.parameters)).toEqual(expect.arrayContaining(names(described.parameters)));
      expect(ours.security ?? []).toEqual([]);
    },
  );

  it('matches our responses', async () => {
    const Found = Compile(schemas['c2pa.softBindingQueryResult']);
    const Algorithms = Compile(schemas['c2pa.softBindingAlgList']);
    for (const value of [photo.value, newFile().value]) {
      expect(Found.Errors((await lookUp(service, value)).body)).toEqual([true, []]);
    }
    const { body } = await call(service, 'GET', '/api/c2pa/services/supportedAlgorithms');
    expect(Algorithms.Errors(body)).toEqual([true, []]);
  });

  it('has examples of lookups with the same responses here', async () => {
    const Query = Compile(schemas['c2pa.softBindingQuery']);
    expect(Query.Check({ alg: ALGORITHM, value: photo.value })).toBe(true);
    for (const returnActiveManifest of ['true', 'false']) {
      const path = `/api/c2pa/manifests/${photoId}?returnActiveManifest=${returnActiveManifest}`;
      const answer = await sendRaw(service, path, { headers: { accept: 'application/c2pa' } });
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/c2pa']);
    }
  });
});
