// The identity in a manifest (CAWG): judged by the reference implementation, checked again by hand, copied into another
// manifest, and issued by strangers.

import { createHash, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { childOf, childrenOf } from '@provenance-registry/c2pa';
import { beforeAll, describe, expect, it } from 'vitest';
import { createTestEmbedder } from '../../../../test/support/manifestReader.js';
import { randomBytes, randomUUID } from '../../../../test/support/random.js';
import { newImage } from '../../../../test/support/signedImages.js';
import { extractManifestStore } from '../../src/c2pa/containers/index.js';
import { describeStatements } from '../../src/c2pa/manifest/assertions.js';
import { decodeCbor } from '../../src/c2pa/manifest/cbor.js';
import { dataHashAssertion } from '../../src/c2pa/manifest/hardBinding.js';
import { identityAssertions } from '../../src/c2pa/manifest/identityAssertion.js';
import { type Assertion, buildManifestStore } from '../../src/c2pa/manifest/manifestStore.js';
import { createManifestInspector } from '../../src/c2pa/reading/manifestInspector.js';
import { createIdentityIssuer, generateIssuerKey, type IdentityIssuer } from '../../src/c2pa/signing/identityIssuer.js';
import type { ManifestIdentity, ManifestStatements } from '../../src/domain/ports/index.js';
import { rawAssertion, requireDeterministic } from '../support/manifestStores.js';
import { newIssuer, startEngine } from '../support/manifests.js';

const DID = 'did:web:registry.example';
const LABEL = 'cawg.identity';
const VALID = 'cawg.ica.credential_valid';
const identity: ManifestIdentity = {
  domains: [
    { domain: 'ada.example', method: 'dns', since: new Date('2026-01-02T03:04:05.678Z') },
    { domain: 'xn--bcher-kva.example', method: 'file', since: new Date('2026-02-03T00:00:00Z') },
  ],
};
const claims = { allowAiTraining: false, author: { name: 'Ada' }, mark: { id: randomUUID(), name: 'Ada Photography' } };

let fixture: Awaited<ReturnType<typeof startEngine>>;
let embedder: ReturnType<typeof createTestEmbedder>;
beforeAll(async () => {
  fixture = await startEngine();
  embedder = createTestEmbedder(fixture);
});

interface Report {
  readonly active_manifest: string;
  readonly validation_state?: string;
  readonly validation_results: {
    readonly activeManifest: Statuses;
    readonly ingredientDeltas?: readonly { readonly validationDeltas: Statuses }[];
  };
  readonly manifests: Record<string, { readonly assertions: readonly { label: string; data: unknown }[] }>;
}
type Statuses = Record<'success' | 'informational' | 'failure', readonly { code: string; url?: string }[]>;

/** What is said about identities, as `<kind> <code>`. */
const identityCodes = (statuses: Statuses) =>
  (['success', 'informational', 'failure'] as const).flatMap((kind) =>
    statuses[kind].filter(({ code }) => code.startsWith('cawg.')).map(({ code }) => `${kind} ${code}`),
  );

async function create(statements: Partial<ManifestStatements> = {}) {
  const request = { client: 'ada', artifactId: randomUUID(), fingerprint: randomBytes(32), title: 'a.jpg', claims };
  const { sidecar, report } = await fixture.engine.create({ ...request, identity, ...statements });
  return { sidecar, reportBytes: report, report: JSON.parse(report.toString()) as Report };
}

const readPng = async (bytes: Uint8Array) => (await fixture.reader.read('image/png', bytes)) as Report;

async function signImage(by = embedder) {
  const bytes = await newImage('image/png');
  const fingerprint = createHash('sha256').update(bytes).digest();
  const request = { mediaType: 'image/png', bytes, fingerprint, claims, identity } as const;
  return Buffer.from(await by.embed(request));
}

interface IdentityContent {
  readonly signer_payload: { readonly referenced_assertions: readonly { url: string; hash: Uint8Array }[] };
  readonly signature: Uint8Array;
}
const readIdentity = (store: Uint8Array) => decodeCbor(rawAssertion(store, LABEL)) as IdentityContent;

describe('a manifest with a verified identity', () => {
  it('is valid for c2pa-rs, in a sidecar and, without any failure and trusted, in an image', async () => {
    const { report, sidecar } = await create();
    expect(identityCodes(report.validation_results.activeManifest)).toEqual([`success ${VALID}`]);
    requireDeterministic(sidecar);

    const read = await readPng(await signImage());
    expect(read.validation_state).toBe('Trusted');
    expect(identityCodes(read.validation_results.activeManifest)).toEqual([`success ${VALID}`]);
    const stated = read.manifests[read.active_manifest]?.assertions.find(({ label }) => label === LABEL)?.data;
    const provider = { id: DID, name: 'Example registry' };
    expect(stated).toMatchObject({
      type: ['VerifiableCredential', 'IdentityClaimsAggregationCredential'],
      issuer: DID,
      validFrom: '2026-02-03T00:00:00Z',
      verifiedIdentities: [
        { type: 'cawg.web_site', uri: 'https://ada.example', verifiedAt: '2026-01-02T03:04:05.678Z', provider },
        { type: 'cawg.web_site', uri: 'https://xn--bcher-kva.example', verifiedAt: '2026-02-03T00:00:00Z', provider },
      ],
    });
  });

  it('is signed over the assertions of that very manifest, by the key in the DID document', async () => {
    const { sidecar } = await create();
    const { signer_payload, signature } = readIdentity(sidecar);
    const { tag, value } = decodeCbor(signature) as { tag: number; value: Uint8Array[] };
    const [header = Buffer.alloc(0), , payload = Buffer.alloc(0), signed = Buffer.alloc(0)] = value;
    const [method] = fixture.issuer.document.assertionMethod;
    // COSE_Sign1; EdDSA, the type of the content, the key.
    expect([tag, decodeCbor(header)]).toEqual([18, { 1: -8, 3: 'application/vc', 4: Buffer.from(method?.id ?? '') }]);
    const text = (content: string) => Buffer.concat([Buffer.from([0x60 + content.length]), Buffer.from(content)]);
    const bytes = (content: Uint8Array) => {
      const length = Buffer.alloc(3, 0x59);
      length.writeUInt16BE(content.length, 1);
      return Buffer.concat([content.length < 256 ? Buffer.from([0x58, content.length]) : length, content]);
    };
    const content = Buffer.concat([
      Buffer.from([0x84]),
      text('Signature1'),
      bytes(header),
      Buffer.from([0x40]),
      bytes(payload),
    ]);
    const key = createPublicKey({ key: { ...method?.publicKeyJwk }, format: 'jwk' });
    expect(verify(null, content, key, signed)).toBe(true);

    const credential = JSON.parse(Buffer.from(payload).toString());
    const manifest = childrenOf(sidecar).at(-1) ?? Buffer.alloc(0);
    const names = ['c2pa.soft-binding', 'cawg.metadata', 'c2pa.hash.data'];
    const hashOf = (name: string) =>
      createHash('sha256')
        .update(childOf(childOf(manifest, 'c2pa.assertions'), name).subarray(8))
        .digest();
    expect(credential.credentialSubject.c2paAsset).toEqual({
      referenced_assertions: names.map((name) => ({
        url: `self#jumbf=c2pa.assertions/${name}`,
        hash: hashOf(name).toString('base64'),
      })),
      sig_type: 'cawg.identity_claims_aggregation',
    });
    expect(signer_payload.referenced_assertions.map(({ hash }) => Buffer.from(hash))).toEqual(names.map(hashOf));
    const methods = credential.credentialSubject.verifiedIdentities.map(({ method }: { method: string }) => method);
    expect(methods).toEqual(['cawg.dns_record', 'cawg.uri_file_verification']);
  });

  it('says so in the published report, which later copies are limited to', async () => {
    const { reportBytes } = await create();
    expect([...fixture.engine.readStatements(reportBytes).domains]).toEqual(['ada.example', 'xn--bcher-kva.example']);
    const { sidecar, report } = await fixture.engine.create({
      client: 'ada',
      artifactId: randomUUID(),
      fingerprint: randomBytes(32),
      claims,
    });
    expect(sidecar.includes(LABEL)).toBe(false);
    expect(fixture.engine.readStatements(report).domains.size).toBe(0);
  });
});

/** A sidecar for another file, by the service itself, with this identity, as the worker reads it. */
async function readBack(assertion: (own: readonly Assertion[]) => Assertion[], hasIdentity = true) {
  const fingerprint = randomBytes(32);
  const { assertions } = describeStatements({ claims }, fingerprint);
  const all = [...assertions, dataHashAssertion(fingerprint)];
  const content = { label: `urn:c2pa:${randomUUID()}`, title: 'b.jpg', ingredientManifests: [] };
  const sidecar = await buildManifestStore({ ...content, assertions: [...all, ...assertion(all)] }, fixture.signing);
  const { report } = await fixture.reader.create(
    'eve',
    { sidecar, digest: undefined, fingerprint, hasIdentity },
    false,
  );
  return JSON.parse(Buffer.from(report).toString()) as Report;
}

const issuedBy = (issuer: IdentityIssuer) => () => identityAssertions({ identity }, { issuer });
const issuerOf = (baseUrl: string, keysPem = generateIssuerKey()) =>
  createIdentityIssuer({ baseUrl, keysPem, name: 'Example registry' });

describe('an identity that is not the service’s word about this file', () => {
  it.each<[string, (captured: IdentityContent) => (own: readonly Assertion[]) => Assertion[], string[]]>([
    [
      'the credential of another manifest, copied',
      (captured) => () => [{ label: LABEL, format: 'cbor', origin: 'created', content: captured }],
      // c2pa-rs reports both.
      [`success ${VALID}`, ...Array(2).fill('failure cawg.identity.assertion.mismatch')],
    ],
    [
      'the credential of another manifest, under a list of this one’s assertions',
      (captured) => () => {
        const [own] = issuedBy(fixture.issuer)();
        const describe = own?.content as (before: unknown) => object;
        const content = (before: unknown) => ({ ...describe(before), signature: captured.signature });
        return [{ label: LABEL, format: 'cbor', origin: 'created', content }];
      },
      ['failure cawg.ica.signer_payload.mismatch'],
    ],
    [
      'a credential in the service’s name, by another key',
      () => issuedBy(issuerOf('https://registry.example')),
      ['failure cawg.ica.signature_mismatch'],
    ],
    [
      'a credential of an issuer elsewhere',
      () => issuedBy(issuerOf('https://other.example')),
      ['failure cawg.ica.did_unavailable'],
    ],
    [
      'a credential of an issuer that is its own document',
      () => issuedBy(issuerOf('http://127.0.0.1:8080')),
      ['informational cawg.ica.untrusted_issuer'],
    ],
  ])('%s is refused', async (_, forge, codes) => {
    const captured = readIdentity((await create()).sidecar);
    await expect(readBack(forge(captured))).rejects.toThrow(
      codes.some((code) => code.startsWith('failure')) ? codes.at(-1)?.replace('failure ', '') : `no ${VALID}`,
    );
    const read = await readBack(forge(captured), false);
    expect(identityCodes(read.validation_results.activeManifest)).toEqual(codes);
  });

  it('is neither resolved nor trusted in a parent, and does not prevent the registration', async () => {
    const image = await signImage(createTestEmbedder(await startEngine(newIssuer('https://stranger.example'))));
    const { trustAnchorsPem, issuer } = fixture;
    const inspector = createManifestInspector({ trustAnchorsPem, issuer, isOwnCertificate: async () => false });
    const parent = await inspector.inspect({ client: 'ada', mediaType: 'image/png', bytes: image });
    await inspector.close();
    expect(JSON.stringify(parent?.validationResults)).toContain('cawg.ica.did_unavailable');
    const { report } = await create(parent && { parent });
    const { activeManifest, ingredientDeltas = [] } = report.validation_results;
    const valid = [activeManifest, ...ingredientDeltas.map(({ validationDeltas }) => validationDeltas)].flatMap(
      ({ success }) => success.filter(({ code }) => code === VALID),
    );
    expect(valid.map(({ url }) => url)).toEqual([
      `self#jumbf=/c2pa/${report.active_manifest}/c2pa.assertions/${LABEL}`,
    ]);
  });
});

describe('the issuer', () => {
  it.each([
    ['https://registry.example', DID],
    ['https://registry.example:8443', `${DID}%3A8443`],
    ['http://registry.example', /^did:jwk:/],
    ['https://registry.example/below', /^did:jwk:/],
    ['https://192.0.2.1', /^did:jwk:/],
    ['https://[2001:db8::1]', /^did:jwk:/],
    ['https://localhost:8443', /^did:jwk:/],
    ['https://registry.localhost', /^did:jwk:/],
    ['https://192-0-2-1.sslip.io', /^did:jwk:/],
  ])('of a service at %s is %s', (baseUrl, did) => {
    const { document, keyId } = newIssuer(baseUrl);
    expect(document.id).toEqual(typeof did === 'string' ? did : expect.stringMatching(did));
    expect(document.assertionMethod.map(({ id, controller }) => [id, controller])).toEqual([[keyId, document.id]]);
  });

  it('that is its own document is valid for c2pa-rs', async () => {
    const issuer = newIssuer('http://127.0.0.1:8080');
    const own = await startEngine(issuer);
    const request = { client: 'ada', artifactId: randomUUID(), fingerprint: randomBytes(32), claims, identity };
    const report = JSON.parse((await own.engine.create(request)).report.toString()) as Report;
    expect(identityCodes(report.validation_results.activeManifest)).toEqual([`success ${VALID}`]);
  });

  it('has another key: the earlier one stays in the document, and its signed copies are recognized', async () => {
    const [earlier, later] = [generateIssuerKey(), generateIssuerKey()];
    const before = issuerOf('https://registry.example', earlier);
    const after = issuerOf('https://registry.example', `${later}${earlier}`);
    const [newMethod] = issuerOf('https://registry.example', later).document.assertionMethod;
    expect(after.document.assertionMethod).toEqual([newMethod, ...before.document.assertionMethod]);

    const image = await signImage();
    const { trustAnchorsPem } = fixture;
    const options = { trustAnchorsPem, issuer: after, isOwnCertificate: async () => true };
    const inspector = createManifestInspector(options);
    const found = await inspector.inspect({ client: 'eve', mediaType: 'image/png', bytes: image });
    await inspector.close();
    expect(JSON.stringify(found?.validationResults)).toContain('cawg.ica.signature_mismatch');
    expect(found?.ownFingerprint).toMatch(/^0x/);
    expect(found?.store).toEqual(Uint8Array.from(extractManifestStore(image, 'image/png') ?? []));
  });

  it.each([
    ['a public key alone', () => String(createPublicKey(generateIssuerKey()).export({ type: 'spki', format: 'pem' }))],
    [
      'another kind of key',
      () => {
        const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
        return String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
      },
    ],
    ['no key', () => 'none'],
  ])('is refused with %s', (_, keysPem) => {
    expect(() => issuerOf('https://registry.example', keysPem())).toThrow(/key/);
  });
});
