// Manifests inside files: of this service and of other signers, with a real service and c2pa-rs.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ArtifactStatus, Fingerprint } from '@provenance-registry/core';
import { signingPurposes } from '@provenance-registry/core';
import { expect, test } from 'vitest';
import { type TestFile, toTestFile } from '../../../test/support/files.js';
import { createRegistrant } from '../../../test/support/registrants.js';
import { newDataFolder, startService } from '../../../test/support/service.js';
import { createImageSigner, newImage, signImage } from '../../../test/support/signedImages.js';
import { makeExpiredSigner } from '../../../test/support/stampedManifests.js';
import { LISTS, listOnly, startTamperingProxy } from '../../../test/support/tamperingProxy.js';
import { asStamper, hashOf, makeAuthority, makeToken, STAMPED_AT } from '../../../test/support/timestampForge.js';
import {
  createClient,
  type EmbeddedReadOptions,
  InvalidArgumentError,
  makeBundle,
  readEmbeddedManifest,
  type VerifyOptions,
  verify,
  verifyBundle,
  waitForStatus,
} from '../src/index.js';
import { factsOf, withoutLog } from './support/verifiedService.js';

const dataDir = await newDataFolder();
const [service, studio, agency] = await Promise.all([
  startService({ DATA_DIR: dataDir }),
  createImageSigner({ purposes: [signingPurposes.claimSigning] }),
  createImageSigner({ purposes: [signingPurposes.documentSigning] }),
]);
const ada = await createRegistrant(service.url);
const stranger = createClient({ baseUrl: service.url });
const { address, rpcUrl } = await stranger.getContract();
/** As if the caller knew it from elsewhere. */
const chain = { rpcUrl, address };
const registryRootsPem = await readFile(join(dataDir, 'keys', 'authority.pem'), 'utf8');

/** An image that was registered, and the copy of it that the service signed. */
const original = toTestFile(await newImage('image/png'));
const { image } = await ada.client.signImage({
  markId: ada.markId,
  file: new File([original.bytes], 'sunrise.png', { type: 'image/png' }),
});
const signedCopy = toTestFile(Buffer.from(image ?? []));
await waitForStatus(ada.client, signedCopy.fingerprint);
const honestRecord = await stranger.getPublicArtifact({ fingerprint: original.fingerprint });

test.each(['image/jpeg', 'image/png'] as const)('the manifest of any signer in a %s is read', async (type) => {
  const signed = await studio.sign(type, await newImage(type), {
    title: 'Sunrise',
    actions: [
      {
        action: 'c2pa.color_adjustments',
        when: '2026-03-01T10:00:00Z',
        softwareAgent: { name: 'Darkroom', version: '3.1' },
        digitalSourceType: 'http://cv.iptc.org/newscodes/digitalsourcetype/compositeWithTrainedAlgorithmicMedia',
      },
    ],
    permissions: { ai_training: 'notAllowed', data_mining: 'constrained' },
  });
  const anchors = { trustAnchorsPem: studio.signersPem, timestampAnchorsPem: studio.timestampsPem };
  const embedded = await readEmbeddedManifest(signed, anchors);
  expect(embedded).toMatchObject({
    state: 'intact',
    failures: [],
    signer: { name: 'Test signer', issuer: 'Test' },
    trustedBy: 'caller',
    timestamp: { at: expect.stringContaining(String(new Date().getUTCFullYear())), trustedBy: 'caller' },
    generator: 'Darkroom 3.1',
    title: 'Sunrise',
    permissions: { ai_training: 'notAllowed', data_mining: 'constrained' },
  });
  expect(embedded?.history.at(-1)?.actions).toContainEqual({
    action: 'c2pa.color_adjustments',
    when: '2026-03-01T10:00:00Z',
    softwareAgent: 'Darkroom 3.1',
    digitalSourceType: 'http://cv.iptc.org/newscodes/digitalsourcetype/compositeWithTrainedAlgorithmicMedia',
  });
  // Roots of time-stamp authorities make no signer trusted, and the reverse.
  const { signersPem, timestampsPem } = studio;
  const swapped = await readEmbeddedManifest(signed, {
    trustAnchorsPem: timestampsPem,
    timestampAnchorsPem: signersPem,
  });
  expect(swapped?.state).toBe('intact');
  expect([swapped?.trustedBy, swapped?.timestamp]).toEqual([undefined, undefined]);
  expect(swapped?.history.at(-1)).not.toHaveProperty('signedAt');
});

test('a change after signing is detected', async () => {
  const signed = await studio.sign('image/png', await newImage('image/png'));
  const embedded = await readEmbeddedManifest(changeLastByte(signed), { trustAnchorsPem: studio.signersPem });
  expect(embedded).toMatchObject({ state: 'invalid', failures: ['assertion.dataHash.mismatch'] });
});

test('a history of five generations is read in order, with its signers', async () => {
  let file: Buffer<ArrayBuffer> = await newImage('image/jpeg');
  for (const generation of [1, 2, 3, 4, 5]) {
    file = await (generation === 3 ? agency : studio).sign('image/jpeg', file, { title: `Version ${generation}` });
  }
  const embedded = await readEmbeddedManifest(file, { trustAnchorsPem: studio.signersPem });
  expect(embedded).toMatchObject({ state: 'intact', trustedBy: 'caller', omittedSteps: 0 });
  // The signer of an earlier version does not make the last one trusted.
  expect((await readEmbeddedManifest(file, { trustAnchorsPem: agency.signersPem }))?.trustedBy).toBeUndefined();
  const [first, ...steps] = embedded?.history ?? [];
  expect(first).toEqual({ relationship: 'parentOf', actions: [], failures: [] });
  expect(steps.map(({ title }) => title)).toEqual([1, 2, 3, 4, 5].map((generation) => `Version ${generation}`));
  for (const { signer, actions, failures } of steps) {
    expect(signer).toEqual({ name: 'Test signer', issuer: 'Test' });
    expect([actions[0]?.action, failures]).toEqual(['c2pa.opened', []]);
  }
});

test('hostile texts are made safe and long lists are shortened', async () => {
  const actions = Array.from({ length: 60 }, (_, index) => ({
    action: `c2pa.edited`,
    description: `${index}\u202e\u0007`,
  }));
  const signed = await studio.sign('image/png', await newImage('image/png'), {
    title: `x\u202e${'y'.repeat(1000)}`,
    actions,
  });
  const embedded = await readEmbeddedManifest(signed);
  expect(embedded?.title).toMatch(/^x�y{298}…$/);
  expect(embedded?.history.at(-1)?.actions).toHaveLength(50);
  expect(embedded?.history.at(-1)?.omittedActions).toBeGreaterThanOrEqual(10);
  expect(JSON.stringify(embedded)).not.toMatch(/\p{Cc}|\p{Cf}/u);
});

test('a date is that of an authority that the caller named, for both versions of claims', async () => {
  const photo = await newImage('image/jpeg');
  const { signersPem, timestampsPem } = studio;
  for (const claimVersion of [1, 2]) {
    const signed = await studio.sign('image/jpeg', photo, { claimVersion });
    const readDates = async (options: EmbeddedReadOptions) => {
      const embedded = await readEmbeddedManifest(signed, options);
      expect(embedded?.state).toBe('intact');
      return [embedded?.timestamp?.trustedBy, embedded?.history.at(-1)?.signedAt];
    };
    expect(await readDates({})).toEqual([undefined, undefined]);
    expect(await readDates({ trustAnchorsPem: registryRootsPem })).toEqual([undefined, undefined]);
    const known = { trustAnchorsPem: signersPem, timestampAnchorsPem: timestampsPem };
    expect(await readDates(known)).toEqual(['caller', expect.any(String)]);
    expect(await readDates({ ...known, timestampAnchorsPem: agency.timestampsPem })).toEqual([undefined, undefined]);
  }
});

test('a time-stamp of version 1 gives a date, or makes the signature of an expired signer count, only of a named authority', async () => {
  const photo = await newImage('image/jpeg');
  const [expired, root, stranger] = await Promise.all([
    makeExpiredSigner(),
    makeAuthority({ key: 'p256' }),
    makeAuthority({ key: 'p256' }),
  ]);
  const generator = { name: 'Darkroom', version: '3.1' };
  const signing = { signer: expired.signer, generator, timestamper: { stamp: async () => new Uint8Array(0) } };
  for (const [claimVersion, issuer] of [1, 2].flatMap((version) =>
    [root, stranger].map((one) => [version, one] as const),
  )) {
    const stamper = await makeAuthority({ issuer, name: 'CN=Stamper', key: 'p256', extensions: asStamper() });
    const certificates = [stamper.raw, issuer.raw];
    const oldStamp = async (data: Uint8Array) =>
      makeToken({ imprint: hashOf('sha256', data), signer: stamper, certificates });
    const signed = await signImage(signing, 'image/jpeg', photo, { claimVersion, oldStamp });
    const known = { trustAnchorsPem: expired.rootPem, timestampAnchorsPem: root.pem };
    const embedded = await readEmbeddedManifest(signed, known);
    const refused = { state: 'invalid', failures: ['signingCredential.expired'] };
    const at = STAMPED_AT.toISOString();
    const accepted = { state: 'intact', failures: [], trustedBy: 'caller', timestamp: { at, trustedBy: 'caller' } };
    expect(embedded).toMatchObject(issuer === root ? accepted : refused);
    expect(embedded?.timestamp?.at).toBe(issuer === root ? at : undefined);
    // Nothing named: nobody vouches for the time, so that nothing shows that it signed in time.
    expect(await readEmbeddedManifest(signed)).toMatchObject(refused);
  }
});

test('files without a manifest, damaged files and roots that are none are told apart', async () => {
  const signed = await studio.sign('image/jpeg', await newImage('image/jpeg'));
  expect(await readEmbeddedManifest(await newImage('image/jpeg'))).toBeUndefined();
  expect(await readEmbeddedManifest(new Blob(['c2pa in a text']))).toBeUndefined();
  expect(await readEmbeddedManifest(new Uint8Array(0))).toBeUndefined();
  const damaged = await readEmbeddedManifest(signed.subarray(0, signed.length / 2));
  expect(damaged).toMatchObject({ state: 'unreadable', reason: expect.stringContaining('damaged') });
  const noRoots = readEmbeddedManifest(signed, { trustAnchorsPem: 'no certificate' });
  await expect(noRoots).rejects.toThrow(InvalidArgumentError);
});

test('the signed copy of the service names the registered file, and leads to its roots alone', async () => {
  const options = { client: stranger, trustAnchorsPem: registryRootsPem };
  expect(await readEmbeddedManifest(new Blob([signedCopy.bytes]), options)).toMatchObject({
    state: 'intact',
    trustedBy: 'caller',
    softBinding: { algorithm: 'com.service.sha256', fingerprint: original.fingerprint },
  });
  // Those that the service publishes are its own word.
  const byService = await readEmbeddedManifest(signedCopy.bytes, { ...options, trustAnchorsPem: studio.signersPem });
  expect([byService?.trustedBy, byService?.timestamp?.trustedBy]).toEqual(['service', 'service']);
  const byNoOne = await readEmbeddedManifest(signedCopy.bytes, { trustAnchorsPem: studio.signersPem });
  expect([byNoOne?.trustedBy, byNoOne?.timestamp?.trustedBy]).toEqual([undefined, undefined]);
});

const unknown = { verdict: 'unknown', facts: [] };
const copy = { signedCopyOf: original.fingerprint };

/** [file, what the caller named, the expected result] */
test.each<[string, () => Promise<Uint8Array>, Partial<VerifyOptions>, object]>([
  ['a signed copy, with nothing named', async () => signedCopy.bytes, {}, { ...copy, verdict: 'consistent' }],
  [
    'a signed copy, with the node named',
    async () => signedCopy.bytes,
    { chain },
    { ...copy, verdict: 'verified', independentSources: ['chain'] },
  ],
  [
    'a signed copy, with node and roots named',
    async () => signedCopy.bytes,
    { chain, trustAnchorsPem: registryRootsPem },
    { ...copy, verdict: 'verified', independentSources: ['chain', 'manifest', 'log'] },
  ],
  [
    'a signed copy, with the roots named',
    async () => signedCopy.bytes,
    { trustAnchorsPem: registryRootsPem },
    { ...copy, verdict: 'verified', independentSources: ['manifest', 'log'] },
  ],
  [
    'the card of the registered file',
    readCard,
    { trustAnchorsPem: registryRootsPem },
    { ...copy, verdict: 'consistent', reason: { code: 'NO_OWN_ENTRY' }, isAboutOriginal: true },
  ],
  [
    'the card of the registered file, with the node named',
    readCard,
    { chain, require: ['chain'] },
    { ...copy, verdict: 'incomplete', isAboutOriginal: true },
  ],
  [
    'a changed signed copy',
    async () => changeLastByte(signedCopy.bytes),
    { trustAnchorsPem: registryRootsPem },
    { ...unknown, embedded: { state: 'invalid' } },
  ],
  ['a soft binding of another signer', signWithLyingBinding, {}, { ...unknown, embedded: { state: 'intact' } }],
  [
    'a soft binding of another signer, with the roots named',
    signWithLyingBinding,
    { trustAnchorsPem: registryRootsPem },
    unknown,
  ],
  [
    'the registered file itself',
    async () => original.bytes,
    {},
    { verdict: 'consistent', fingerprint: original.fingerprint },
  ],
])('%s is verified as what it is', async (_, read, options, expected) => {
  const content = await read();
  const { fingerprint } = toTestFile(Buffer.from(content));
  const result = await verify({ fingerprint, content }, { client: stranger, ...options });
  expect(result).toMatchObject({ fingerprint, ...expected });
  if (!('signedCopyOf' in expected)) expect(result.signedCopyOf).toBeUndefined();
  else expect(result.checks.manifest.proves).toMatch(/^The manifest is for (exactly )?the registered file/);
});

test('a signed copy is verified by its fingerprint, each fact with the evidence that carries it', async () => {
  const { fingerprint } = signedCopy;
  const everything = await verify(fingerprint, { client: stranger, chain, trustAnchorsPem: registryRootsPem });
  expect([everything.verdict, everything.problems]).toEqual(['verified', []]);
  expect(factsOf(everything)).toMatchObject({
    signedCopyOf: [original.fingerprint, 'chain manifest'],
    author: [expect.any(String), 'chain manifest log'],
    since: [everything.checks.chain.details.blockTime, 'chain'],
  });
  // The time-stamp of the original's manifest says nothing about the copy.
  expect(everything.times.map(({ source }) => source).toSorted()).toEqual(['block', 'service']);
  // The roots vouch for the log, which has the manifest for the copy.
  const roots = await verify(fingerprint, { client: stranger, trustAnchorsPem: registryRootsPem });
  expect([roots.verdict, roots.independentSources]).toEqual(['verified', ['manifest', 'log']]);
  expect(factsOf(roots)['signedCopyOf']).toEqual([original.fingerprint, 'log manifest']);
  // Without a log, only the service's node connects the copy with the manifest.
  const client = withoutLog(stranger);
  const unlogged = await verify(fingerprint, { client, trustAnchorsPem: registryRootsPem });
  expect([unlogged.verdict, unlogged.independentSources]).toEqual(['consistent', []]);
  const required = { client, trustAnchorsPem: registryRootsPem, require: ['manifest'] } as const;
  expect((await verify(fingerprint, required)).verdict).toBe('incomplete');
  // Nor does a contract that the service names.
  const node = await verify(fingerprint, { client, chain: { rpcUrl }, trustAnchorsPem: registryRootsPem });
  expect([node.independentSources, factsOf(node)['signedCopyOf']]).toEqual([[], [original.fingerprint, 'service']]);
  // Without the service: the chain has the manifest for the copy, and the manifest is for the original.
  const manifest = await stranger.manifestBytes(honestRecord.id);
  const alone = await verify(fingerprint, { manifest, chain, trustAnchorsPem: registryRootsPem });
  expect([alone.verdict, factsOf(alone)['signedCopyOf']]).toEqual([
    'verified',
    [original.fingerprint, 'chain manifest'],
  ]);
  const ofOriginal = await verify(original.fingerprint, { client: stranger });
  expect(ofOriginal.checks.registry.details.signedCopies).toEqual([fingerprint]);
});

test('the bundle of a signed copy proves the registration of the copy', async () => {
  const bundle = await makeBundle(signedCopy.fingerprint, { client: stranger });
  expect(bundle).toMatchObject({ fingerprint: signedCopy.fingerprint, signedCopyOf: original.fingerprint });
  const found = await verifyBundle(bundle);
  expect([found.verdict, found.problems]).toEqual(['consistent', []]);
  const { blockHash } = found.checks.chain.details;
  const known = { blockHash, chain: { address }, trustAnchorsPem: registryRootsPem };
  const verified = await verifyBundle(bundle, known);
  expect([verified.verdict, verified.independentSources, factsOf(verified)['signedCopyOf']]).toEqual([
    'verified',
    ['chain', 'manifest'],
    [original.fingerprint, 'chain manifest'],
  ]);
  const { chain: _, ...unproven } = bundle;
  const withoutProof = await verifyBundle(unproven, { trustAnchorsPem: registryRootsPem });
  expect([withoutProof.verdict, withoutProof.checks.manifest.code]).toEqual(['incomplete', 'NOT_PROVEN']);
  const ofAnother = { ...bundle, signedCopyOf: `0x${'1'.repeat(64)}` } as const;
  const { signedCopyOf: __, ...asOriginal } = bundle;
  for (const lie of [ofAnother, asOriginal]) {
    expect((await verifyBundle(lie, known)).problems).toContainEqual(
      expect.objectContaining({ source: 'manifest', code: 'FINGERPRINT_MISMATCH' }),
    );
  }
});

/** A file that the service never signed. */
const stray = toTestFile(await newImage('image/png'));
const strangersFile = toTestFile(await newImage('image/png'));
const bea = await createRegistrant(service.url);
await bea.client.createArtifact({ markId: bea.markId, fingerprint: strangersFile.fingerprint, filename: 'theirs.png' });
await waitForStatus(bea.client, strangersFile.fingerprint);
const [honestCopy] = honestRecord.renditions;
const claimCopy = (fingerprint: Fingerprint, status: ArtifactStatus) => ({
  ...honestRecord,
  renditions: [{ ...honestCopy, fingerprint, status, ...(status === 'pending' && { transactionHash: null }) }],
});
const everythingNamed = { chain, trustAnchorsPem: registryRootsPem };

test.each<[string, TestFile, () => object, Partial<VerifyOptions>, object | undefined]>([
  [
    'a stray file as a copy that is pending',
    stray,
    () => claimCopy(stray.fingerprint, 'pending'),
    everythingNamed,
    undefined,
  ],
  [
    'a stray file as a copy on chain',
    stray,
    () => claimCopy(stray.fingerprint, 'submitted'),
    everythingNamed,
    { source: 'registry', code: 'NOT_ON_CHAIN' },
  ],
  [
    "another user's file as a copy",
    strangersFile,
    () => claimCopy(strangersFile.fingerprint, 'submitted'),
    everythingNamed,
    { source: 'registry', code: 'MANIFEST_ID_MISMATCH' },
  ],
  [
    'the record of the original without the copy',
    signedCopy,
    () => ({ ...honestRecord, renditions: [] }),
    {},
    { source: 'registry', code: 'FINGERPRINT_MISMATCH' },
  ],
  [
    'the copy as the original',
    signedCopy,
    () => ({ ...claimCopy(original.fingerprint, 'submitted'), fingerprint: signedCopy.fingerprint }),
    {},
    { source: 'manifest', code: 'FINGERPRINT_MISMATCH' },
  ],
  [
    'the original as the copy',
    original,
    () => ({ ...claimCopy(original.fingerprint, 'submitted'), fingerprint: signedCopy.fingerprint }),
    {},
    { source: 'registry', code: 'FINGERPRINT_MISMATCH' },
  ],
  [
    'the copy as one of another file',
    signedCopy,
    () => ({ ...honestRecord, fingerprint: strangersFile.fingerprint }),
    everythingNamed,
    { source: 'manifest', code: 'FINGERPRINT_MISMATCH' },
  ],
  [
    'another transaction for the copy',
    signedCopy,
    () => ({ ...honestRecord, renditions: [{ ...honestCopy, transactionHash: honestRecord.transactionHash }] }),
    { chain },
    { source: 'registry', code: 'TRANSACTION_MISMATCH' },
  ],
])('a service that presents %s proves nothing', async (_, { fingerprint, bytes }, record, options, problem) => {
  const json = {
    [LISTS]: listOnly({ fingerprint, manifestId: honestRecord.id }),
    '/api/v1/public/artifacts': record,
  };
  const client = createClient({ baseUrl: await startTamperingProxy(service.url, { json }) });
  const found = await verify(fingerprint, { client, ...options });
  expect(found.verdict).toBe(problem ? 'contradicted' : 'consistent');
  if (problem) expect(found.problems).toContainEqual(expect.objectContaining(problem));
  else {
    expect(found.checks.manifest).toMatchObject({ state: 'unavailable', code: 'NOT_PROVEN' });
    expect(found.facts.flatMap(({ evidence }) => evidence).filter((kind) => kind !== 'service')).toEqual([]);
    // The content decides: a copy has a manifest inside that names the original.
    const withContent = await verify({ fingerprint, content: bytes }, { client, ...options });
    expect(withContent.problems).toContainEqual(
      expect.objectContaining({ code: 'FINGERPRINT_MISMATCH', reason: expect.stringContaining('inside this file') }),
    );
  }
});

async function readCard(): Promise<Uint8Array> {
  const { c2paAssets } = await stranger.getPublicArtifact({ fingerprint: original.fingerprint });
  return stranger.download(c2paAssets.signedAssetUrl);
}

async function signWithLyingBinding(): Promise<Uint8Array> {
  return studio.sign('image/png', await newImage('image/png'), { softBinding: original.fingerprint });
}

/** Within the chunk that ends a PNG. */
function changeLastByte(png: Uint8Array): Uint8Array {
  const changed = Buffer.from(png);
  changed.writeUInt8(changed.readUInt8(changed.length - 3) ^ 1, changed.length - 3);
  return changed;
}
