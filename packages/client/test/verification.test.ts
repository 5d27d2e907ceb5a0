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
import { hang, respondJson, respondText, startScriptedServer } from './support/scriptedServer.js';

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

function factsOf({ facts }: Awaited<ReturnType<typeof verify>>) {
  return Object.fromEntries(facts.map(({ name, value, evidence }) => [name, [value, evidence.join(' ')]]));
}

const ISO_TIME = expect.stringMatching(/^20\d\d-.*Z$/);

describe('An honest registration', () => {
  test('is verified when the caller names a node and trust anchors, each fact with its evidence', async () => {
    const found = await verify(photo.fingerprint, { client: stranger, chain, trustAnchorsPem });
    expect(states(found)).toEqual(['verified', 'confirmed', 'confirmed', 'confirmed']);
    expect(found).toMatchObject({ independentSources: ['chain', 'manifest'], problems: [], notices: [] });
    expect(factsOf(found)).toEqual({
      mark: ['Ada Lovelace Photography', 'chain manifest'],
      markId: [ada.markId, 'chain manifest'],
      author: ['Ada', 'chain manifest'],
      authorId: [expect.any(String), 'chain'],
      license: [expect.any(String), 'chain manifest'],
      allowAiTraining: [true, 'chain manifest'],
      filename: ['sunrise.jpg', 'chain manifest'],
      registrar: [expect.stringMatching(/^0x/), 'chain'],
      since: [ISO_TIME, 'chain'],
    });
    expect(found.times.map(({ source, isIndependent }) => [source, isIndependent])).toEqual(
      expect.arrayContaining([
        ['block', true],
        // The built-in authority is the same party as the signer.
        ['timestamp', false],
        ['service', false],
      ]),
    );
    const { registry, chain: onChain, manifest } = found.checks;
    expect(registry.details).toMatchObject({ manifestId: photo.id, transactionHash: photo.transactionHash });
    expect(onChain.details).toMatchObject({
      from: 'caller',
      addressFrom: 'caller',
      source: 'curated',
      manifestId: photo.id,
      address,
      chainId: 31_337,
      transactionHash: photo.transactionHash,
      blockNumber: expect.any(Number),
      blockTime: ISO_TIME,
    });
    expect(manifest.details).toMatchObject({
      manifestId: photo.id,
      signedBy: 'Development signer, Provenance registry',
      signedAt: ISO_TIME,
      trustedBy: 'caller',
      isTimestamped: true,
    });
  });

  test('is only consistent when everything comes from the service', async () => {
    const found = await verify(photo.fingerprint, { client: stranger });
    expect(states(found)).toEqual(['consistent', 'confirmed', 'confirmed', 'confirmed']);
    expect(found).toMatchObject({ independentSources: [], notices: [] });
    expect(found.checks.chain.details).toMatchObject({ from: 'service', addressFrom: 'service' });
    expect(found.checks.chain.proves).toContain("The node is the service's own");
    expect(found.checks.manifest.details.trustedBy).toBe('service');
    const required = await verify(photo.fingerprint, { client: stranger, require: ['manifest'] });
    expect([required.verdict, required.notices[0]?.code]).toEqual(['incomplete', 'REQUIRED']);
  });

  test.each([
    ['a node', { chain: { rpcUrl } }, ['chain']],
    ['trust anchors', { trustAnchorsPem }, ['manifest']],
  ])('is verified when the caller names %s', async (_, sources, independentSources) => {
    const found = await verify(photo.fingerprint, { client: stranger, ...sources });
    expect(found).toMatchObject({ verdict: 'verified', independentSources });
    // A contract that only the service names could hold anything.
    expect(factsOf(found)['authorId']).toEqual([expect.any(String), 'service']);
    const required = { client: stranger, ...sources, require: ['chain', 'manifest'] as const };
    expect((await verify(photo.fingerprint, required)).verdict).toBe('incomplete');
  });

  test('is verified without a service: the chain names the endpoint of the manifest', async () => {
    const found = await verify(photo.fingerprint, { chain });
    expect(states(found)).toEqual(['verified', 'unavailable', 'confirmed', 'confirmed']);
    expect(found.checks.manifest.details.from).toBe(`${service.url}/api/c2pa`);
    expect(factsOf(found)).toMatchObject({
      mark: ['Ada Lovelace Photography', 'service'],
      since: [ISO_TIME, 'chain'],
    });
  });

  test('is verified from the file, its sidecar and a node, although the service is gone', async () => {
    const manifest = await stranger.manifestBytes(photo.id);
    const client = createClient({ baseUrl: 'http://127.0.0.1:1' });
    for (const sources of [{ manifest }, { manifest, client }]) {
      const found = await verify(photo.fingerprint, { ...sources, chain, trustAnchorsPem });
      expect(states(found)).toEqual(['verified', 'unavailable', 'confirmed', 'confirmed']);
    }
  });

  test('with a previous version shows which', async () => {
    const next = await registerFile({ previousFingerprint: photo.fingerprint });
    const found = await verify(next.fingerprint, { client: stranger, chain, trustAnchorsPem });
    expect(states(found)).toEqual(['verified', 'confirmed', 'confirmed', 'confirmed']);
    expect(factsOf(found)['previousFingerprint']).toEqual([photo.fingerprint, 'chain manifest']);
  });

  test('under a private Mark shows only what is left of the record', async () => {
    const { id: markId } = await ada.client.createMark({ name: 'Secret', visibility: 'private' });
    const { fingerprint } = newFile();
    await ada.client.createArtifact({ markId, fingerprint, filename: 'plan.txt' });
    await waitForStatus(ada.client, fingerprint);
    const bea = await createRegistrant(service.url);
    for (const client of [stranger, bea.client]) {
      const found = await verify(fingerprint, { client, chain });
      expect(states(found)).toEqual(['verified', 'confirmed', 'confirmed', 'confirmed']);
      expect(found.facts.map(({ name }) => name)).toEqual(['registrar', 'since']);
    }
    const own = await verify(fingerprint, { client: ada.client, chain });
    expect(factsOf(own)).toMatchObject({ mark: ['Secret', 'chain'], filename: ['plan.txt', 'chain'] });
  });

  test('whose content was made private later shows what the manifest says and the word of the service', async () => {
    const { fingerprint } = await registerFile();
    await ada.client.setContentVisibility({ fingerprint, contentVisibility: 'private' });
    const found = await verify(fingerprint, { client: stranger, chain, trustAnchorsPem });
    expect(states(found)).toEqual(['verified', 'confirmed', 'confirmed', 'confirmed']);
    expect(factsOf(found)).toMatchObject({
      mark: ['Ada Lovelace Photography', 'manifest'],
      authorId: [expect.any(String), 'service'],
    });
  });

  test('under a Mark that was renamed shows the name that was registered, and the present one as a word', async () => {
    const { id: markId } = await ada.client.createMark({ name: 'Before' });
    const { fingerprint } = newFile();
    await ada.client.createArtifact({ markId, fingerprint, filename: 'a.txt' });
    await waitForStatus(ada.client, fingerprint);
    await ada.client.updateMark({ markId, name: 'After' });
    const found = await verify(fingerprint, { client: stranger, chain, trustAnchorsPem });
    expect(found.verdict).toBe('verified');
    expect(factsOf(found)).toMatchObject({ mark: ['Before', 'chain manifest'], currentMarkName: ['After', 'service'] });
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
      'MANIFEST_ID_MISMATCH',
      `The service names the manifest ${other.id}, but the chain has ${photo.id}.`,
    ],
    [
      'that denies having a record is contradicted by the chain',
      { json: { '/api/c2pa/matches': () => ({ matches: [] }) } },
      'UNKNOWN_TO_SERVICE',
      'The service has no record of this file, but the chain has the manifest',
    ],
    [
      'that presents a curated entry as a public one is contradicted by the chain',
      { json: { '/api/c2pa/matches': () => ({ matches: [{ ...matchFor(photo.id).matches[0], source: 'public' }] }) } },
      'SOURCE_MISMATCH',
      'The service says that the entry on chain is public, but it is curated',
    ],
    [
      'that shows another license than it recorded is contradicted',
      { json: { '/api/v1/public/artifacts': changeRecord(() => ({ license: { name: 'Mine', url: null } })) } },
      'RECORD_MISMATCH',
      'another license',
    ],
    [
      'that shows another Mark in its record is contradicted by the hash on chain',
      {
        json: {
          '/api/v1/public/artifacts': changeRecord((honest) => ({
            mark: { ...honest.mark, ...mark },
            metadata: { ...honest.metadata, mark },
          })),
        },
      },
      'METADATA_MISMATCH',
      'does not match the hash on chain',
    ],
    [
      'that says that the registration failed is contradicted by the chain',
      { json: { '/api/v1/public/artifacts': changeRecord(() => ({ status: 'failed' })) } },
      'STATUS_MISMATCH',
      'The service says that the registration is failed, but it is on chain.',
    ],
    [
      'that says that it recorded the file earlier is contradicted by the time-stamp',
      { json: { '/api/v1/public/artifacts': changeRecord(() => ({ createdAt: '2001-01-01T00:00:00.000Z' })) } },
      'TIME_MISMATCH',
      'The service says that it recorded the file at 2001-01-01T00:00:00.000Z, but the manifest was signed at',
    ],
    [
      'that shows another transaction is contradicted by the log of the chain',
      { json: { '/api/v1/public/artifacts': changeRecord(() => ({ transactionHash: `0x${'1'.repeat(64)}` })) } },
      'TRANSACTION_MISMATCH',
      'but it was 0x',
    ],
    [
      'that names another contract is contradicted by a caller who knows the address',
      { json: { '/c2pa/contract': changeRecord(() => ({ address: `0x${'11'.repeat(20)}` })) } },
      'CONTRACT_MISMATCH',
      'The service names the contract 0x1111',
    ],
    [
      'that changes the filename in the manifest is contradicted by the signature',
      { sidecar: replaceText('sunrise.jpg', 'sunriso.jpg') },
      'MANIFEST_INVALID',
      'The manifest is not valid: claimSignature.mismatch',
    ],
    [
      'that serves something other than a manifest is contradicted',
      { sidecar: () => new TextEncoder().encode('not a manifest') },
      'MANIFEST_UNREADABLE',
      'The manifest cannot be read',
    ],
  ])('%s', async (_, tamperings, code, reason) => {
    const client = createClient({ baseUrl: await startTamperingProxy(service.url, tamperings) });
    const { verdict, problems, facts } = await verify(photo.fingerprint, { client, chain, trustAnchorsPem });
    expect(verdict).toBe('contradicted');
    expect(problems).toContainEqual(expect.objectContaining({ code, reason: expect.stringContaining(reason) }));
    expect(facts.filter(({ evidence }) => evidence.includes('service'))).toEqual([]);
  });

  test('that serves the manifest of another file is contradicted by the hash in it, even without the chain', async () => {
    const otherManifest = await stranger.manifestBytes(other.id);
    const client = createClient({ baseUrl: await startTamperingProxy(service.url, { sidecar: () => otherManifest }) });
    const { verdict, problems } = await verify(photo.fingerprint, { client });
    expect([verdict, problems[0]?.reason]).toEqual([
      'contradicted',
      `The manifest is for another file: ${other.fingerprint}.`,
    ]);
  });

  test('that claims redaction shows its own word as such, and is contradicted where the manifest knows better', async () => {
    const author = { id: mark.id, name: 'Mallory' };
    const redact = (metadata: object) =>
      changeRecord((honest) => {
        const { filename: _, ...rest } = Object(honest.metadata);
        return { contentVisibility: 'private', createdBy: null, metadata: { ...rest, ...metadata } };
      });
    const verifyWith = async (change: Tampering) => {
      const baseUrl = await startTamperingProxy(service.url, { json: { '/api/v1/public/artifacts': change } });
      return verify(photo.fingerprint, { client: createClient({ baseUrl }), chain, trustAnchorsPem });
    };
    const redacted = await verifyWith(redact({ size: 7 }));
    expect(factsOf(redacted)).toMatchObject({ author: ['Ada', 'manifest'], authorId: [expect.any(String), 'service'] });
    const forged = await verifyWith(redact({ author }));
    expect(forged.problems).toContainEqual({
      source: 'registry',
      code: 'CLAIMS_MISMATCH',
      reason: 'The service says that the author is "Mallory", but the signed manifest says "Ada".',
    });
  });

  test('that claims a registration on chain is contradicted when there is none', async () => {
    const { fingerprint } = newFile();
    const honest = await ada.client.getArtifact({ fingerprint: photo.fingerprint });
    const json = {
      '/api/c2pa/matches': () => matchFor(photo.id),
      '/api/v1/public/artifacts': () => ({ ...honest, fingerprint }),
    };
    const client = createClient({ baseUrl: await startTamperingProxy(service.url, { json }) });
    const { problems } = await verify(fingerprint, { client, chain });
    expect(problems).toContainEqual(expect.objectContaining({ code: 'NOT_ON_CHAIN' }));
  });

  test('that names a contract that does not exist is contradicted by a node that the caller named', async () => {
    const json = { '/c2pa/contract': changeRecord(() => ({ address: `0x${'11'.repeat(20)}` })) };
    const client = createClient({ baseUrl: await startTamperingProxy(service.url, { json }) });
    const { problems } = await verify(photo.fingerprint, { client, chain: { rpcUrl } });
    expect(problems).toContainEqual(expect.objectContaining({ source: 'chain', code: 'CONTRACT_MISMATCH' }));
  });

  test('is not one behind a captive portal: it could not be checked', async () => {
    const portal = await startScriptedServer(respondText(200, '<h1>Log in to the network</h1>'));
    const client = createClient({ baseUrl: portal.url });
    expect(states(await verify(photo.fingerprint, { client }))).toEqual([
      'incomplete',
      'unavailable',
      'unavailable',
      'unavailable',
    ]);
    expect((await verify(photo.fingerprint, { client, chain, trustAnchorsPem })).verdict).toBe('verified');
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
    const found = await verify(photo.fingerprint, { client: stranger, chain: unreachable, trustAnchorsPem });
    expect(states(found)).toEqual(['verified', 'confirmed', 'unavailable', 'confirmed']);
    expect(states(await verify(newFile().fingerprint, { client: stranger, chain: unreachable }))).toEqual([
      'incomplete',
      'absent',
      'unavailable',
      'absent',
    ]);
  });

  const callResult = (fields: object) => respondJson(200, { jsonrpc: '2.0', id: 1, ...fields });
  test.each([
    ['is on another chain', callResult({ result: '0x1' }), 'contradicted', 'You named chain 31337, but the node is on'],
    ['returns an error', callResult({ error: { code: -32_005, message: 'slow down' } }), 'verified', 'slow down'],
    ['does not speak JSON-RPC', respondJson(200, []), 'incomplete', 'not JSON-RPC'],
    ['returns an invalid result', callResult({ result: 'many' }), 'incomplete', 'of the wrong form'],
  ])('is the chain when the node %s', async (_, respond, expectedVerdict, reason) => {
    const node = await startScriptedServer(respond);
    const named = { rpcUrl: node.url, address, chainId: 31_337 };
    const { verdict, checks } = await verify(photo.fingerprint, { client: stranger, chain: named, trustAnchorsPem });
    expect([verdict, checks.chain.reason]).toEqual([expectedVerdict, expect.stringContaining(reason)]);
    const both = { ...named, rpcUrl: [rpcUrl, node.url] };
    const withAnother = await verify(photo.fingerprint, { client: stranger, chain: both, trustAnchorsPem });
    expect(withAnother.verdict).toBe(expectedVerdict);
  });

  test('is the full record when the credential is refused; the public record counts', async () => {
    const client = createClient({ baseUrl: service.url, credential: 'expired' });
    const found = await verify(photo.fingerprint, { client });
    expect(states(found)).toEqual(['consistent', 'confirmed', 'confirmed', 'confirmed']);
    expect(found.checks.registry.details).toMatchObject({ manifestId: photo.id, refusal: expect.any(String) });
  });

  test('is each of them when none is given', async () => {
    expect(states(await verify(photo.fingerprint, {}))).toEqual([
      'incomplete',
      'unavailable',
      'unavailable',
      'unavailable',
    ]);
    await expect(verify('0x12', { client: stranger })).rejects.toThrow(InvalidArgumentError);
    await expect(verify(photo.fingerprint, { trustAnchorsPem: 'none' })).rejects.toThrow(InvalidArgumentError);
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
