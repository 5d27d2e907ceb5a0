// Whose is this file? Asked of a service, of the chain and of the signed manifest, with and without a service that lies.

import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newFile } from '../../../test/support/files.js';
import { writePublicEntry } from '../../../test/support/publicRegistry.js';
import { createRegistrant } from '../../../test/support/registrants.js';
import { startService, temporaryFolder } from '../../../test/support/service.js';
import { startTamperingProxy, type Tampering, type Tamperings } from '../../../test/support/tamperingProxy.js';
import { createClient, verify, waitForStatus } from '../src/index.js';
import { hang, json, serve } from './support/troubledServer.js';

const dataDir = await temporaryFolder();
const service = await startService({ DATA_DIR: dataDir });
const stranger = createClient({ baseUrl: service.url });
const { address, rpcUrl = '' } = await stranger.getContract();
const chain = { rpcUrl, address };
const ada = await createRegistrant(service.url);
const trustAnchorsPem = await readFile(join(dataDir, 'keys', 'authority.pem'), 'utf8');

async function registered(fields: { previousFingerprint?: `0x${string}` } = {}) {
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
const photo = await registered();
const other = await registered();

function states({ verdict, checks }: Awaited<ReturnType<typeof verify>>) {
  return [verdict, checks.registry.state, checks.chain.state, checks.manifest.state];
}

describe('An honest registration', () => {
  test('is confirmed by the service, by the chain and by the manifest, each with what it says', async () => {
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
    expect(registry.proves).toContain('The record that it shows is the one whose hash is on chain.');
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
    expect(manifest.proves).toContain('leads to an authority that you trust');
    expect(onChain.proves).not.toContain('the word of the service');
  });

  test('is confirmed to strangers, who are told what was taken on faith', async () => {
    const found = await verify(photo.fingerprint, { client: stranger, chain: { rpcUrl } });
    expect(states(found)).toEqual(['verified', 'confirmed', 'confirmed', 'confirmed']);
    expect(found.checks.chain.proves).toContain('The address of the contract is the word of the service');
    expect(found.checks.manifest.proves).toContain('anyone can make such a certificate');
    expect(found.checks.registry.details).toMatchObject({ author: 'Ada', markName: 'Ada Lovelace Photography' });
  });

  test('is confirmed without any service that one knows: the chain says where the manifest is', async () => {
    const found = await verify(photo.fingerprint, { chain });
    expect(states(found)).toEqual(['verified', 'unavailable', 'confirmed', 'confirmed']);
    expect(found.checks.manifest.details['from']).toBe(`${service.url}/api/c2pa`);
  });

  test('with a version before it is confirmed with it', async () => {
    const next = await registered({ previousFingerprint: photo.fingerprint });
    const found = await verify(next.fingerprint, { client: ada.client, chain, trustAnchorsPem });
    expect(states(found)).toEqual(['verified', 'confirmed', 'confirmed', 'confirmed']);
  });

  test('under a private Mark is confirmed to those from whom the service hides its record', async () => {
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

test('a file that nobody has registered is unknown', async () => {
  const found = await verify(newFile().fingerprint, { client: stranger, chain });
  expect(states(found)).toEqual(['unknown', 'absent', 'absent', 'absent']);
  expect(found.checks.chain.proves).toContain('does not prove that nobody registered it');
});

describe('A service that lies', () => {
  const about = (manifestId: string) => ({ matches: [{ manifestId, endpoint: 'http://x', similarityScore: 100 }] });
  const record =
    (change: Tampering): Tampering =>
    (honest) => ({ ...honest, ...Object(change(honest)) });
  const replacing = (one: string, other: string) => (honest: Uint8Array) =>
    Uint8Array.from(Buffer.from(Buffer.from(honest).toString('latin1').replace(one, other), 'latin1'));
  const mark = { id: '11111111-1111-4111-8111-111111111111', name: 'Another' };

  test.each<[string, Tamperings, string, string]>([
    [
      'by naming another manifest is caught by the chain',
      { json: { '/api/c2pa/matches': () => about(other.id) } },
      'registry',
      `The service names the manifest ${other.id}, and the chain has ${photo.id}.`,
    ],
    [
      'by knowing nothing is caught by the chain',
      { json: { '/api/c2pa/matches': () => ({ matches: [] }) } },
      'registry',
      'The service says that it knows nothing about this file, and the chain has the manifest',
    ],
    [
      'by passing an entry off as one that a stranger wrote is caught by the chain',
      { json: { '/api/c2pa/matches': () => ({ matches: [{ ...about(photo.id).matches[0], source: 'public' }] }) } },
      'registry',
      'The service says that the entry on chain is public, and it is curated',
    ],
    [
      'by showing another Mark is caught by its own record',
      { json: { '/api/v1/artifacts': record((honest) => ({ mark: { ...honest.mark, ...mark } })) } },
      'registry',
      'The service shows the Mark 11111111',
    ],
    [
      'by showing another Mark in its record as well is caught by the hash on chain',
      {
        json: {
          '/api/v1/artifacts': record((honest) => ({
            mark: { ...honest.mark, ...mark },
            metadata: { ...honest.metadata, mark },
          })),
        },
      },
      'registry',
      'is not the one whose hash is on chain',
    ],
    [
      'by showing another transaction is caught by the log of the chain',
      { json: { '/api/v1/artifacts': record(() => ({ transactionHash: `0x${'1'.repeat(64)}` })) } },
      'registry',
      'and it was 0x',
    ],
    [
      'by showing the record of another Artifact is caught',
      { json: { '/api/v1/artifacts': record(() => ({ id: other.id })) } },
      'registry',
      `and ${other.id} in its record`,
    ],
    [
      'by changing the name of the file in the manifest is caught by the signature',
      { sidecar: replacing('sunrise.jpg', 'sunriso.jpg') },
      'manifest',
      'The manifest does not verify: claimSignature.mismatch',
    ],
    [
      'by changing what the manifest states is caught by the hashes that were signed',
      { sidecar: replacing('Ada Lovelace Photography', 'Mallory and his Pictures') },
      'manifest',
      'The manifest does not verify: assertion.hashedURI.mismatch',
    ],
    [
      'by handing out something that is no manifest is caught',
      { sidecar: () => new TextEncoder().encode('nothing of the kind') },
      'manifest',
      'cannot be read as one',
    ],
  ])('%s', async (_, lies, check, reason) => {
    const baseUrl = await startTamperingProxy(service.url, lies);
    const client = createClient({ baseUrl, credential: ada.token });
    const { verdict, checks } = await verify(photo.fingerprint, { client, chain });
    expect([verdict, Object.entries(checks).find(([, { state }]) => state === 'contradicted')?.[0]]).toEqual([
      'contradicted',
      check,
    ]);
    expect(Object.values(checks).find(({ state }) => state === 'contradicted')?.reason).toContain(reason);
    expect(checks.chain.state).toBe('confirmed');
  });

  test('by handing out the manifest of another file is caught by the hash in it, also without the chain', async () => {
    const wrong = await stranger.manifestBytes(other.id);
    const client = createClient({ baseUrl: await startTamperingProxy(service.url, { sidecar: () => wrong }) });
    for (const sources of [{ client }, { client, chain }]) {
      const { verdict, checks } = await verify(photo.fingerprint, sources);
      expect([verdict, checks.manifest.reason]).toEqual([
        'contradicted',
        `The manifest is about another file: ${other.fingerprint}.`,
      ]);
    }
  });

  test('by showing another author is caught by the manifest, also without the chain', async () => {
    const author = { id: mark.id, name: 'Mallory' };
    const lie = record((honest) => ({ metadata: { ...honest.metadata, author } }));
    const json = { '/api/v1/artifacts': lie, '/api/v1/public/artifacts': lie };
    const baseUrl = await startTamperingProxy(service.url, { json });
    for (const credential of [ada.token, undefined]) {
      const { verdict, checks } = await verify(photo.fingerprint, { client: createClient({ baseUrl, credential }) });
      expect([verdict, checks.registry.reason]).toEqual([
        'contradicted',
        'The service says that the author is "Mallory", and the signed manifest says "Ada".',
      ]);
    }
  });

  test('by saying that a file is on chain which is not is caught', async () => {
    const { fingerprint } = newFile();
    const honest = await ada.client.getArtifact({ fingerprint: photo.fingerprint });
    const json = {
      '/api/c2pa/matches': () => about(photo.id),
      '/api/v1/artifacts': () => ({ ...honest, fingerprint }),
    };
    const client = createClient({ baseUrl: await startTamperingProxy(service.url, { json }) });
    const withRecord = createClient({ baseUrl: client.baseUrl, credential: ada.token });
    expect((await verify(fingerprint, { client, chain })).verdict).toBe('contradicted');
    expect((await verify(fingerprint, { client: withRecord, chain })).verdict).toBe('contradicted');
  });

  test('about the contract is found out by those who know its address', async () => {
    const elsewhere = `0x${'11'.repeat(20)}`;
    const json = { '/c2pa/contract': (honest: object) => ({ ...honest, address: elsewhere }) };
    const client = createClient({ baseUrl: await startTamperingProxy(service.url, { json }) });
    const fooled = await verify(photo.fingerprint, { client, chain: { rpcUrl } });
    expect(fooled.checks.chain).toMatchObject({ state: 'unavailable', reason: `there is no contract at ${elsewhere}` });
    expect((await verify(photo.fingerprint, { client, chain })).checks.chain.state).toBe('confirmed');
  });
});

test('a service that was asked a moment before the file was registered is not called a liar', async () => {
  let asked = 0;
  const json = {
    '/api/c2pa/matches': (honest: object) => {
      asked += 1;
      return asked === 1 ? { matches: [] } : honest;
    },
  };
  const client = createClient({ baseUrl: await startTamperingProxy(service.url, { json }) });
  const found = await verify(photo.fingerprint, { client, chain });
  expect(states(found)).toEqual(['verified', 'confirmed', 'confirmed', 'confirmed']);
});

test('a service that cannot read the chain itself, and says so, is not called a liar', async () => {
  const json = {
    '/api/c2pa/matches': () => ({ matches: [] }),
    '/api/c2pa/services/status': (honest: object) => ({ ...honest, status: 'degraded' }),
  };
  const client = createClient({ baseUrl: await startTamperingProxy(service.url, { json }) });
  const found = await verify(photo.fingerprint, { client, chain });
  expect(states(found)).toEqual(['verified', 'unavailable', 'confirmed', 'confirmed']);
});

test('a manifest of a signer who is not trusted is no proof to those who say whom they trust', async () => {
  const made = ['req', '-x509', '-newkey', 'ed25519', '-nodes', '-keyout', '/dev/null', '-subj', '/CN=Another'];
  const others = execFileSync('openssl', made, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const { verdict, checks } = await verify(photo.fingerprint, { client: stranger, trustAnchorsPem: others });
  expect([verdict, checks.manifest.reason]).toEqual([
    'contradicted',
    '"Development signer, Provenance registry" signed it, who is not among those that you trust.',
  ]);
});

describe('What anyone may write into the public registry', () => {
  test('is told as what it is, and verifies nothing', async () => {
    const file = newFile();
    const endpoint = await serve(json(500, {}));
    const registeredBy = await writePublicEntry(service, rpcUrl, file, {
      endpoints: [`${endpoint.url}/api/c2pa`],
      manifestId: `urn:c2pa:${photo.id}`,
    });
    for (const sources of [{ client: stranger, chain }, { chain }, { client: stranger }]) {
      const { verdict, checks } = await verify(file.fingerprint, sources);
      expect(verdict).toBe('unknown');
      const told = Object.values(checks).filter(({ proves }) => proves.includes('Anyone may write anything'));
      expect(told.every(({ state, details }) => state === 'absent' && details['registeredBy'] === registeredBy)).toBe(
        true,
      );
      expect(told.length).toBeGreaterThan(0);
    }
    expect(endpoint.seen).toEqual([]);
  });

  test('does not come before what the service registered', async () => {
    const { fingerprint } = photo;
    await writePublicEntry(service, rpcUrl, { fingerprint }, { endpoints: ['http://x'], manifestId: 'mine' });
    const found = await verify(fingerprint, { client: stranger, chain });
    expect(states(found)).toEqual(['verified', 'confirmed', 'confirmed', 'confirmed']);
  });
});

describe('What cannot be asked', () => {
  test('is told, and the rest still counts', async () => {
    const away = { rpcUrl: 'http://127.0.0.1:1', address };
    const found = await verify(photo.fingerprint, { client: stranger, chain: away });
    expect(states(found)).toEqual(['verified', 'confirmed', 'unavailable', 'confirmed']);
    expect(states(await verify(newFile().fingerprint, { client: stranger, chain: away }))).toEqual([
      'incomplete',
      'absent',
      'unavailable',
      'absent',
    ]);
  });

  test.each([
    ['is on another chain', json(200, { jsonrpc: '2.0', id: 1, result: '0x1' }), 'and the node is on chain 1'],
    ['refuses', json(200, { jsonrpc: '2.0', id: 1, error: { code: -32_005, message: 'slow down' } }), 'slow down'],
    ['talks nonsense', json(200, []), 'not JSON-RPC'],
    ['answers in another form', json(200, { jsonrpc: '2.0', id: 1, result: 'many' }), 'of the wrong form'],
  ])('is the chain, when the node %s', async (_, turn, reason) => {
    const node = await serve(turn);
    const { checks } = await verify(photo.fingerprint, { client: stranger, chain: { rpcUrl: node.url } });
    expect([checks.chain.state, checks.chain.reason]).toEqual(['unavailable', expect.stringContaining(reason)]);
  });

  test('is the record, when the credential is refused; the public answer counts', async () => {
    const client = createClient({ baseUrl: service.url, credential: 'expired' });
    const found = await verify(photo.fingerprint, { client });
    expect(states(found)).toEqual(['verified', 'confirmed', 'unavailable', 'confirmed']);
    expect(found.checks.registry.details).toMatchObject({ manifestId: photo.id, refusal: expect.any(String) });
  });

  test('is the manifest, when there is no certificate among those to trust', async () => {
    const { checks } = await verify(photo.fingerprint, { client: stranger, trustAnchorsPem: 'everybody' });
    expect(checks.manifest).toMatchObject({
      state: 'unavailable',
      reason: 'There is no certificate among the trust anchors.',
    });
  });

  test('is everything, when nothing is given', async () => {
    expect(states(await verify(photo.fingerprint, {}))).toEqual([
      'incomplete',
      'unavailable',
      'unavailable',
      'unavailable',
    ]);
    await expect(verify('0x12', { client: stranger })).rejects.toThrow(TypeError);
  });

  test('can be given up by an abort', async () => {
    const stop = new AbortController();
    const node = await serve((...turn) => {
      hang(...turn);
      stop.abort(new Error('enough'));
    });
    const verifying = verify(photo.fingerprint, { chain: { rpcUrl: node.url, address }, signal: stop.signal });
    await expect(verifying).rejects.toThrow('enough');
  });
});
