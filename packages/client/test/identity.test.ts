// The identity in manifests: stated for verified domains, confirmed by a service's credential, and never by anything else.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { extractManifestStore } from '../../../packages/server/src/c2pa/containers/index.js';
import { rawAssertion } from '../../../packages/server/test/support/manifestStores.js';
import { newIssuer, startEngine } from '../../../packages/server/test/support/manifests.js';
import { startRegistry } from '../../../test/support/artifacts.js';
import { addVerifiedDomain } from '../../../test/support/domains.js';
import { toTestFile } from '../../../test/support/files.js';
import { createTestEmbedder } from '../../../test/support/manifestReader.js';
import { query } from '../../../test/support/postgres.js';
import { randomBytes, randomUUID } from '../../../test/support/random.js';
import { createRegistrant } from '../../../test/support/registrants.js';
import { newImage } from '../../../test/support/signedImages.js';
import { createdAssertion, describeStatements } from '../../server/src/c2pa/manifest/assertions.js';
import { dataHashAssertion } from '../../server/src/c2pa/manifest/hardBinding.js';
import { buildManifestStore } from '../../server/src/c2pa/manifest/manifestStore.js';
import { parseReport } from '../../server/src/c2pa/manifest/report.js';
import { createClient, readEmbeddedManifest, verify, waitForStatus } from '../src/index.js';
import { acceptIssuer } from '../src/verification/identity.js';
import { readManifest } from '../src/verification/manifest.js';

const SINCE = '2026-01-02T03:04:05Z';

describe('a service', async () => {
  const registry = await startRegistry();
  const ada = await createRegistrant(registry.url);
  const stranger = createClient({ baseUrl: registry.url });
  const trustAnchorsPem = await readFile(join(registry.dataDir, 'keys', 'authority.pem'), 'utf8');

  const confirm = (markId: string, domain: string) =>
    addVerifiedDomain(registry, markId, domain, { since: new Date(SINCE) });
  const fail = (markId: string) =>
    query(registry.databaseUrl, 'update mark_domains set failing_since = now() where mark_id = $1', [markId]);
  const end = (markId: string) =>
    query(
      registry.databaseUrl,
      `update mark_domains set ended_at = now(), end_reason = 'lapsed' where mark_id = $1 and ended_at is null`,
      [markId],
    );

  async function register(markId: string) {
    const { bytes, fingerprint } = toTestFile(await newImage('image/png'));
    const file = new File([bytes], 'sunrise.png', { type: 'image/png' });
    const { image } = await ada.client.signImage({ markId, file });
    return { fingerprint, file, image: image ?? new Uint8Array() };
  }
  const createMark = async (visibility: 'public' | 'private') =>
    (await ada.client.createMark({ name: `Studio ${randomUUID()}`, visibility })).id;
  const statedIn = async (image: Uint8Array) =>
    (await readEmbeddedManifest(image, { client: stranger }))?.identity?.domains.map(({ domain }) => domain);

  test('states a confirmed domain, in the sidecar and in the signed image, under its own DID', async () => {
    const markId = await createMark('public');
    await confirm(markId, 'ada.example');
    const { fingerprint, image } = await register(markId);
    await waitForStatus(ada.client, fingerprint);
    const { id: issuer } = await stranger.getDidDocument();
    const identity = { issuer, domains: [{ domain: 'ada.example', verifiedAt: SINCE }] };
    for (const options of [{}, { trustAnchorsPem }]) {
      const { checks, notices } = await verify(fingerprint, { client: stranger, ...options });
      expect([checks.manifest.details.identity, notices]).toEqual([identity, []]);
    }
    expect(await readEmbeddedManifest(image, { client: stranger })).toMatchObject({ trustedBy: 'service', identity });
    // Without the service there is no issuer to trust.
    const alone = await readEmbeddedManifest(image, { trustAnchorsPem });
    expect([alone?.state, alone?.trustedBy, alone?.identity]).toEqual(['intact', 'caller', undefined]);
  });

  test.each<[string, 'public' | 'private']>([
    ['of a private Mark', 'private'],
    ['whose last check failed', 'public'],
  ])('states no domain %s', async (_, visibility) => {
    const markId = await createMark(visibility);
    await confirm(markId, 'ada.example');
    if (visibility === 'public') await fail(markId);
    const { image } = await register(markId);
    expect(Buffer.from(image).includes('cawg.identity')).toBe(false);
    expect(Buffer.from(image).includes('ada.example')).toBe(false);
  });

  test('states in a later copy only what is still confirmed and was published', async () => {
    const markId = await createMark('public');
    await confirm(markId, 'ada.example');
    const { fingerprint, file } = await register(markId);
    await confirm(markId, 'later.example');
    const copy = async () => (await ada.client.createSignedCopy({ fingerprint, file })).image;
    expect(await statedIn(await copy())).toEqual(['ada.example']);
    await end(markId);
    await confirm(markId, 'later.example');
    expect(await statedIn(await copy())).toBeUndefined();
    await waitForStatus(ada.client, fingerprint);
    expect((await verify(fingerprint, { client: stranger })).checks.manifest.details.identity?.domains).toHaveLength(1);
  });
});

describe('the credential of a did:web', async () => {
  const fixture = await startEngine();
  const { issuer, trustAnchorsPem } = fixture;
  const DOCUMENT_URL = 'https://registry.example/.well-known/did.json';
  const identity = { domains: [{ domain: 'ada.example', method: 'dns' as const, since: new Date(SINCE) }] };
  const claims = { allowAiTraining: null, mark: { id: randomUUID(), name: 'Ada' } };
  const roots = { service: { signer: trustAnchorsPem, timestamp: '' } };
  const create = async (statements = {}) => {
    const request = { client: 'ada', artifactId: randomUUID(), fingerprint: randomBytes(32), claims, identity };
    return (await fixture.engine.create({ ...request, ...statements })).sidecar;
  };

  const realFetch = globalThis.fetch;

  /** Stands in for the names and the hosts of the network that c2pa-rs asks; the service in this process asks its chain. */
  function serve(documents: Record<string, unknown>): string[] {
    const asked: string[] = [];
    vi.stubGlobal('fetch', async (request: Request | string | URL, init?: RequestInit) => {
      if (!(request instanceof Request)) return realFetch(request, init);
      asked.push(request.url);
      if (!(request.url in documents)) throw new TypeError('fetch failed');
      const response = new Response(JSON.stringify(documents[request.url]));
      return Object.defineProperty(response, 'url', { value: request.url });
    });
    return asked;
  }
  afterEach(() => void vi.unstubAllGlobals());

  test('is confirmed by the document of the service', async () => {
    const asked = serve({ [DOCUMENT_URL]: issuer.document });
    const read = await readManifest(await create(), 'a test', { ...roots, issuer: issuer.did });
    expect(read).toMatchObject({ failures: [], trustedBy: 'service' });
    expect(read.identity).toEqual({ issuer: issuer.did, domains: [{ domain: 'ada.example', verifiedAt: SINCE }] });
    expect(asked).toEqual([DOCUMENT_URL]);
  });

  test.each<[string, Record<string, unknown>]>([
    ['a document of another key', { [DOCUMENT_URL]: newIssuer().document }],
    ['a document of another DID', { [DOCUMENT_URL]: newIssuer('https://other.example').document }],
    ['no document', {}],
  ])('is not confirmed by %s, and the manifest stays intact', async (_, documents) => {
    serve(documents);
    const read = await readManifest(await create(), 'a test', { ...roots, issuer: issuer.did });
    expect(read).toMatchObject({ failures: [], trustedBy: 'service', isIdentityUnconfirmed: true });
    expect(read.identity).toBeUndefined();
  });

  test('that was copied from another manifest is not confirmed', async () => {
    serve({ [DOCUMENT_URL]: issuer.document });
    const copied = rawAssertion(await create(), 'cawg.identity');
    const fingerprint = randomBytes(32);
    const { assertions, ingredientManifests } = describeStatements({ claims }, fingerprint);
    const identityOfOthers = createdAssertion('cawg.identity', copied);
    const all = [...assertions, dataHashAssertion(fingerprint), identityOfOthers];
    const content = { label: `urn:c2pa:${randomUUID()}`, title: undefined, assertions: all, ingredientManifests };
    const sidecar = await buildManifestStore(content, fixture.signing);
    const read = await readManifest(sidecar, 'a test', { ...roots, issuer: issuer.did });
    expect([read.identity, read.isIdentityUnconfirmed]).toEqual([undefined, true]);
  });

  test.each([
    undefined,
    'did:web:other.example',
    'did:web:registry.exampl',
    'did:web:registry.example.',
    'did:web:registry.examplf',
    'did:web:Registry.example',
    'did:web:registry.example:below',
    'did:web:www.registry.example',
  ])('of a stranger to the service %s is not resolved', async (trusted) => {
    const asked = serve({ [DOCUMENT_URL]: issuer.document });
    const read = await readManifest(await create(), 'a test', { ...roots, issuer: trusted });
    expect(read).toMatchObject({ failures: [], trustedBy: 'service' });
    expect([read.identity, read.isIdentityUnconfirmed ?? false, asked]).toEqual([undefined, false, []]);
  });

  test('is not resolved when that would tell a stranger who reads the file', async () => {
    const asked = serve({ [DOCUMENT_URL]: issuer.document });
    const other = await startEngine(newIssuer('https://stranger.example'));
    const { bytes, fingerprint } = toTestFile(await newImage('image/png'));
    const digest = Buffer.from(fingerprint.slice(2), 'hex');
    const request = { client: 'eve', mediaType: 'image/png', bytes, fingerprint: digest, claims, identity } as const;
    const image = await createTestEmbedder(other).embed(request);
    const store = extractManifestStore(image, 'image/png');
    const { validation_results: validationResults } = parseReport(await fixture.reader.read('image/png', image));
    const read = await readManifest(await create({ parent: { store, validationResults } }), 'a test', {
      ...roots,
      issuer: issuer.did,
    });
    expect([read.identity, read.isIdentityUnconfirmed, asked]).toEqual([undefined, true, []]);
    expect((await readEmbeddedManifest(image))?.state).toBe('intact');
    expect(asked).toEqual([]);
  });
});

test.each([
  ['did:web:registry.example', 'https://registry.example', true],
  ['did:web:registry.example%3A8443', 'https://registry.example:8443', true],
  ['did:jwk:eyJrdHkiOiJPS1AifQ', 'http://127.0.0.1:8080', true],
  ['did:web:other.example', 'https://registry.example', false],
  ['did:web:registry.exampl', 'https://registry.example', false],
  ['did:web:registry.examplf', 'https://registry.example', false],
  ['did:web:registry.example.', 'https://registry.example', false],
  ['did:web:www.registry.example', 'https://registry.example', false],
  ['did:web:REGISTRY.example', 'https://registry.example', false],
  ['did:web:registry.example#key', 'https://registry.example', false],
  ['did:web:registry.example%3A844', 'https://registry.example:8443', false],
  ['did:web:registry.example%3a8443', 'https://registry.example:8443', false],
  ['did:web:registry.example:8443', 'https://registry.example:8443', false],
  ['DID:web:registry.example', 'https://registry.example', false],
  ['did:jwk', 'https://registry.example', false],
  [' did:jwk:eyJrdHkiOiJPS1AifQ', 'https://registry.example', false],
  ['did:jwkx:eyJrdHkiOiJPS1AifQ', 'https://registry.example', false],
  ['did:web:registry.example:below', 'https://registry.example', false],
  ['did:key:z6Mk', 'https://registry.example', false],
])('the DID %s of a service at %s: %s', (did, baseUrl, isAccepted) => {
  expect(acceptIssuer(did, baseUrl)).toBe(isAccepted ? did : undefined);
});
