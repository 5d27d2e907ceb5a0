// Verification against the service, the chain and the signed manifest, with honest and with tampering services.

import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newFile } from '../../../test/support/files.js';
import { writePublicEntry } from '../../../test/support/publicRegistry.js';
import { createRegistrant } from '../../../test/support/registrants.js';
import { startService, temporaryFolder } from '../../../test/support/service.js';
import { startTamperingProxy, type Tampering, type Tamperings } from '../../../test/support/tamperingProxy.js';
import { createClient, InvalidArgumentError, verify, waitForStatus } from '../src/index.js';
import { hang, respondJson, startScriptedServer } from './support/scriptedServer.js';

const dataDir = await temporaryFolder();
const service = await startService({ DATA_DIR: dataDir });
const stranger = createClient({ baseUrl: service.url });
const { address, rpcUrl = '' } = await stranger.getContract();
const chain = { rpcUrl, address };
const ada = await createRegistrant(service.url);
const trustAnchorsPem = await readFile(join(dataDir, 'keys', 'authority.pem'), 'utf8');

async function registerFile(fields: { previousFingerprint?: `0x${string}` } = {}) {
  const { fingerprint } = newFile();
  const { id } = await ada.client.createArtifact({
    markId: ada.markId,
    fingerprint,
    filename: 'sunrise.jpg',
    ...fields,
  });
  const { transactionHash } = await waitForStatus(ada.client, fingerprint);
  return { fingerprint, id, transactionHash };
}
const photo = await registerFile();
const other = await registerFile();

function states({ verdict, checks }: Awaited<ReturnType<typeof verify>>) {
  return [verdict, checks.registry.state, checks.chain.state, checks.manifest.state];
}

describe('An honest registration', () => {
  test('is confirmed by the service, the chain and the manifest, each with its details', async () => {
    const found = await verify(photo.fingerprint, { client: ada.client, chain, trustAnchorsPem });
    expect(states(found)).toEqual(['verified', 'confirmed', 'confirmed', 'confirmed']);
    const { registry, chain: onChain, manifest } = found.checks;
    expect(registry.details).toMatchObject({
      manifestId: photo.id,
      status: 'submitted',
      markName: 'Ada Lovelace Photography',
      owner: 'Ada',
      author: 'Ada',
      transactionHash: photo.transactionHash,
    });
    expect(registry.proves).toContain('The record that it shows matches the hash on chain.');
    expect(onChain.details).toMatchObject({
      source: 'curated',
      manifestId: photo.id,
      address,
      chainId: 31_337,
      addressFrom: 'caller',
      transactionHash: photo.transactionHash,
      blockNumber: expect.any(Number),
      since: expect.stringMatching(/^20\d\d-/),
    });
    expect(manifest.details).toMatchObject({
      manifestId: photo.id,
      signedBy: 'Development signer, Provenance registry',
      signedAt: expect.stringMatching(/^20\d\d-/),
      isTrusted: true,
      isTimestamped: true,
      markId: ada.markId,
      title: 'sunrise.jpg',
    });
    expect(manifest.proves).toContain('issued by an authority that you trust');
    expect(onChain.proves).not.toContain('comes from the service');
  });

  test('is confirmed without an account, with a note on what was not checked', async () => {
    const found = await verify(photo.fingerprint, { client: stranger, chain: { rpcUrl } });
    expect(states(found)).toEqual(['verified', 'confirmed', 'confirmed', 'confirmed']);
    expect(found.checks.chain.proves).toContain('The address of the contract comes from the service');
    expect(found.checks.manifest.proves).toContain('anyone can create a certificate with this name');
    expect(found.checks.registry.details).toMatchObject({ author: 'Ada', markName: 'Ada Lovelace Photography' });
  });

  test('is confirmed without a service: the chain names the endpoint of the manifest', async () => {
    const found = await verify(photo.fingerprint, { chain });
    expect(states(found)).toEqual(['verified', 'unavailable', 'confirmed', 'confirmed']);
    expect(found.checks.manifest.details.from).toBe(`${service.url}/api/c2pa`);
  });

  test('with a previous version is confirmed', async () => {
    const next = await registerFile({ previousFingerprint: photo.fingerprint });
    const found = await verify(next.fingerprint, { client: ada.client, chain, trustAnchorsPem });
    expect(states(found)).toEqual(['verified', 'confirmed', 'confirmed', 'confirmed']);
  });

  test('under a private Mark is confirmed to callers who cannot see its record', async () => {
    const { id: markId } = await ada.client.createMark({ name: 'Secret', visibility: 'private' });
    const { fingerprint } = newFile();
    await ada.client.createArtifact({ markId, fingerprint, filename: 'plan.txt' });
    await waitForStatus(ada.client, fingerprint);
    const bea = await createRegistrant(service.url);
    for (const client of [stranger, bea.client, ada.client]) {
      const found = await verify(fingerprint, { client, chain });
      expect(states(found)).toEqual(['verified', 'confirmed', 'confirmed', 'confirmed']);
    }
  });
});

test('an unregistered file is unknown', async () => {
  const found = await verify(newFile().fingerprint, { client: stranger, chain });
  expect(states(found)).toEqual(['unknown', 'absent', 'absent', 'absent']);
  expect(found.checks.chain.proves).toContain('does not prove that the file was never registered');
});

describe('A dishonest service', () => {
  const matchFor = (manifestId: string) => ({ matches: [{ manifestId, endpoint: 'http://x', similarityScore: 100 }] });
  const changeRecord =
    (change: Tampering): Tampering =>
    (honest) => ({ ...honest, ...Object(change(honest)) });
  const replaceText = (one: string, other: string) => (honest: Uint8Array) =>
    Uint8Array.from(Buffer.from(Buffer.from(honest).toString('latin1').replace(one, other), 'latin1'));
  const mark = { id: '11111111-1111-4111-8111-111111111111', name: 'Another' };

  test.each<[string, Tamperings, string, string]>([
    [
      'that names another manifest is contradicted by the chain',
      { json: { '/api/c2pa/matches': () => matchFor(other.id) } },
      'registry',
      `The service names the manifest ${other.id}, but the chain has ${photo.id}.`,
    ],
    [
      'that denies having a record is contradicted by the chain',
      { json: { '/api/c2pa/matches': () => ({ matches: [] }) } },
      'registry',
      'The service has no record of this file, but the chain has the manifest',
    ],
    [
      'that presents a curated entry as a public one is contradicted by the chain',
      { json: { '/api/c2pa/matches': () => ({ matches: [{ ...matchFor(photo.id).matches[0], source: 'public' }] }) } },
      'registry',
      'The service says that the entry on chain is public, but it is curated',
    ],
    [
      'that shows another Mark is contradicted by its own record',
      { json: { '/api/v1/artifacts': changeRecord((honest) => ({ mark: { ...honest.mark, ...mark } })) } },
      'registry',
      'The service shows the Mark 11111111',
    ],
    [
      'that shows another Mark in its record too is contradicted by the hash on chain',
      {
        json: {
          '/api/v1/artifacts': changeRecord((honest) => ({
            mark: { ...honest.mark, ...mark },
            metadata: { ...honest.metadata, mark },
          })),
        },
      },
      'registry',
      'does not match the hash on chain',
    ],
    [
      'that shows another transaction is contradicted by the log of the chain',
      { json: { '/api/v1/artifacts': changeRecord(() => ({ transactionHash: `0x${'1'.repeat(64)}` })) } },
      'registry',
      'but it was 0x',
    ],
    [
      'that shows the record of another Artifact is contradicted',
      { json: { '/api/v1/artifacts': changeRecord(() => ({ id: other.id })) } },
      'registry',
      `but ${other.id} in its record`,
    ],
    [
      'that changes the filename in the manifest is contradicted by the signature',
      { sidecar: replaceText('sunrise.jpg', 'sunriso.jpg') },
      'manifest',
      'The manifest is not valid: claimSignature.mismatch',
    ],
    [
      'that changes the claims in the manifest is contradicted by the signed hashes',
      { sidecar: replaceText('Ada Lovelace Photography', 'Mallory and his Pictures') },
      'manifest',
      'The manifest is not valid: assertion.hashedURI.mismatch',
    ],
    [
      'that serves something other than a manifest is contradicted',
      { sidecar: () => new TextEncoder().encode('not a manifest') },
      'manifest',
      'The manifest cannot be read',
    ],
  ])('%s', async (_, tamperings, check, reason) => {
    const baseUrl = await startTamperingProxy(service.url, tamperings);
    const client = createClient({ baseUrl, credential: ada.token });
    const { verdict, checks } = await verify(photo.fingerprint, { client, chain });
    expect([verdict, Object.entries(checks).find(([, { state }]) => state === 'contradicted')?.[0]]).toEqual([
      'contradicted',
      check,
    ]);
    expect(Object.values(checks).find(({ state }) => state === 'contradicted')?.reason).toContain(reason);
    expect(checks.chain.state).toBe('confirmed');
  });

  test('that serves the manifest of another file is contradicted by the hash in it, even without the chain', async () => {
    const otherManifest = await stranger.manifestBytes(other.id);
    const client = createClient({ baseUrl: await startTamperingProxy(service.url, { sidecar: () => otherManifest }) });
    for (const sources of [{ client }, { client, chain }]) {
      const { verdict, checks } = await verify(photo.fingerprint, sources);
      expect([verdict, checks.manifest.reason]).toEqual([
        'contradicted',
        `The manifest is for another file: ${other.fingerprint}.`,
      ]);
    }
  });

  test('that shows another author is contradicted by the manifest, even without the chain', async () => {
    const author = { id: mark.id, name: 'Mallory' };
    const tampering = changeRecord((honest) => ({ metadata: { ...honest.metadata, author } }));
    const json = { '/api/v1/artifacts': tampering, '/api/v1/public/artifacts': tampering };
    const baseUrl = await startTamperingProxy(service.url, { json });
    for (const credential of [ada.token, undefined]) {
      const { verdict, checks } = await verify(photo.fingerprint, { client: createClient({ baseUrl, credential }) });
      expect([verdict, checks.registry.reason]).toEqual([
        'contradicted',
        'The service says that the author is "Mallory", but the signed manifest says "Ada".',
      ]);
    }
  });

  test('that claims a registration on chain is contradicted when there is none', async () => {
    const { fingerprint } = newFile();
    const honest = await ada.client.getArtifact({ fingerprint: photo.fingerprint });
    const json = {
      '/api/c2pa/matches': () => matchFor(photo.id),
      '/api/v1/artifacts': () => ({ ...honest, fingerprint }),
    };
    const client = createClient({ baseUrl: await startTamperingProxy(service.url, { json }) });
    const withRecord = createClient({ baseUrl: client.baseUrl, credential: ada.token });
    expect((await verify(fingerprint, { client, chain })).verdict).toBe('contradicted');
    expect((await verify(fingerprint, { client: withRecord, chain })).verdict).toBe('contradicted');
  });

  test('that names another contract does not deceive callers who know the address', async () => {
    const elsewhere = `0x${'11'.repeat(20)}`;
    const json = { '/c2pa/contract': (honest: object) => ({ ...honest, address: elsewhere }) };
    const client = createClient({ baseUrl: await startTamperingProxy(service.url, { json }) });
    const misled = await verify(photo.fingerprint, { client, chain: { rpcUrl } });
    expect(misled.checks.chain).toMatchObject({ state: 'unavailable', reason: `there is no contract at ${elsewhere}` });
    expect((await verify(photo.fingerprint, { client, chain })).checks.chain.state).toBe('confirmed');
  });
});

test('a service that was read just before the registration is not contradicted', async () => {
  let lookups = 0;
  const json = {
    '/api/c2pa/matches': (honest: object) => {
      lookups += 1;
      return lookups === 1 ? { matches: [] } : honest;
    },
  };
  const client = createClient({ baseUrl: await startTamperingProxy(service.url, { json }) });
  const found = await verify(photo.fingerprint, { client, chain });
  expect(states(found)).toEqual(['verified', 'confirmed', 'confirmed', 'confirmed']);
});

test('a service that reports that it cannot read the chain is not contradicted', async () => {
  const json = {
    '/api/c2pa/matches': () => ({ matches: [] }),
    '/api/c2pa/services/status': (honest: object) => ({ ...honest, status: 'degraded' }),
  };
  const client = createClient({ baseUrl: await startTamperingProxy(service.url, { json }) });
  const found = await verify(photo.fingerprint, { client, chain });
  expect(states(found)).toEqual(['verified', 'unavailable', 'confirmed', 'confirmed']);
});

test('with trust anchors, a manifest of another signer is contradicted', async () => {
  const command = ['req', '-x509', '-newkey', 'ed25519', '-nodes', '-keyout', '/dev/null', '-subj', '/CN=Another'];
  const others = execFileSync('openssl', command, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const { verdict, checks } = await verify(photo.fingerprint, { client: stranger, trustAnchorsPem: others });
  expect([verdict, checks.manifest.reason]).toEqual([
    'contradicted',
    'It was signed by "Development signer, Provenance registry", which is not a signer that you trust.',
  ]);
});

describe('An entry in the public registry', () => {
  test('is reported as such and verifies nothing', async () => {
    const file = newFile();
    const endpoint = await startScriptedServer(respondJson(500, {}));
    const registeredBy = await writePublicEntry(service, rpcUrl, file, {
      endpoints: [`${endpoint.url}/api/c2pa`],
      manifestId: `urn:c2pa:${photo.id}`,
    });
    for (const sources of [{ client: stranger, chain }, { chain }, { client: stranger }]) {
      const { verdict, checks } = await verify(file.fingerprint, sources);
      expect(verdict).toBe('unknown');
      const reporting = [checks.registry, checks.chain].filter(({ proves }) =>
        proves.includes('Anyone can write to the public registry'),
      );
      expect(reporting.every(({ state, details }) => state === 'absent' && details.registeredBy === registeredBy)).toBe(
        true,
      );
      expect(reporting.length).toBeGreaterThan(0);
    }
    expect(endpoint.received).toEqual([]);
  });

  test('does not override the registration of the service', async () => {
    const { fingerprint } = photo;
    await writePublicEntry(service, rpcUrl, { fingerprint }, { endpoints: ['http://x'], manifestId: 'mine' });
    const found = await verify(fingerprint, { client: stranger, chain });
    expect(states(found)).toEqual(['verified', 'confirmed', 'confirmed', 'confirmed']);
  });
});

describe('An unavailable source', () => {
  test('is reported, and the others still count', async () => {
    const unreachable = { rpcUrl: 'http://127.0.0.1:1', address };
    const found = await verify(photo.fingerprint, { client: stranger, chain: unreachable });
    expect(states(found)).toEqual(['verified', 'confirmed', 'unavailable', 'confirmed']);
    expect(states(await verify(newFile().fingerprint, { client: stranger, chain: unreachable }))).toEqual([
      'incomplete',
      'absent',
      'unavailable',
      'absent',
    ]);
  });

  test.each([
    ['is on another chain', respondJson(200, { jsonrpc: '2.0', id: 1, result: '0x1' }), 'but the node is on chain 1'],
    [
      'returns an error',
      respondJson(200, { jsonrpc: '2.0', id: 1, error: { code: -32_005, message: 'slow down' } }),
      'slow down',
    ],
    ['does not speak JSON-RPC', respondJson(200, []), 'not JSON-RPC'],
    ['returns an invalid result', respondJson(200, { jsonrpc: '2.0', id: 1, result: 'many' }), 'of the wrong form'],
  ])('is the chain when the node %s', async (_, respond, reason) => {
    const node = await startScriptedServer(respond);
    const { checks } = await verify(photo.fingerprint, { client: stranger, chain: { rpcUrl: node.url } });
    expect([checks.chain.state, checks.chain.reason]).toEqual(['unavailable', expect.stringContaining(reason)]);
  });

  test('is the full record when the credential is refused; the public record counts', async () => {
    const client = createClient({ baseUrl: service.url, credential: 'expired' });
    const found = await verify(photo.fingerprint, { client });
    expect(states(found)).toEqual(['verified', 'confirmed', 'unavailable', 'confirmed']);
    expect(found.checks.registry.details).toMatchObject({ manifestId: photo.id, refusal: expect.any(String) });
  });

  test('is the manifest when the trust anchors contain no certificate', async () => {
    const { checks } = await verify(photo.fingerprint, { client: stranger, trustAnchorsPem: 'no certificate' });
    expect(checks.manifest).toMatchObject({
      state: 'unavailable',
      reason: 'The trust anchors contain no certificate.',
    });
  });

  test('is each of them when none is given', async () => {
    expect(states(await verify(photo.fingerprint, {}))).toEqual([
      'incomplete',
      'unavailable',
      'unavailable',
      'unavailable',
    ]);
    await expect(verify('0x12', { client: stranger })).rejects.toThrow(InvalidArgumentError);
  });

  test('can be aborted', async () => {
    const controller = new AbortController();
    const node = await startScriptedServer((...exchange) => {
      hang(...exchange);
      controller.abort(new Error('enough'));
    });
    const verifying = verify(photo.fingerprint, { chain: { rpcUrl: node.url, address }, signal: controller.signal });
    await expect(verifying).rejects.toThrow('enough');
  });
});
