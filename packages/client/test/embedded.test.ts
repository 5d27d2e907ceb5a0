// Manifests inside files: of this service and of other signers, with a real service and c2pa-rs.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toTestFile } from '../../../test/support/files.js';
import { createRegistrant } from '../../../test/support/registrants.js';
import { startService, temporaryFolder } from '../../../test/support/service.js';
import { createImageSigner, newImage } from '../../../test/support/signedImages.js';
import { InvalidArgumentError, readEmbeddedManifest } from '../src/index.js';

const dataDir = await temporaryFolder();
const [service, studio, agency] = await Promise.all([
  startService({ DATA_DIR: dataDir }),
  createImageSigner(),
  createImageSigner(),
]);
const ada = await createRegistrant(service.url);
const registryRootsPem = await readFile(join(dataDir, 'keys', 'authority.pem'), 'utf8');

/** An image that was registered, and the copy of it that the service signed. */
const original = toTestFile(await newImage('image/png'));
const { image } = await ada.client.signImage({
  markId: ada.markId,
  file: new File([original.bytes], 'sunrise.png', { type: 'image/png' }),
});
const signedCopy = toTestFile(Buffer.from(image ?? []));

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
  expect(swapped).toMatchObject({ state: 'intact', timestamp: { at: expect.any(String) } });
  expect([swapped?.trustedBy, swapped?.timestamp?.trustedBy]).toEqual([undefined, undefined]);
  const onlyTime = await readEmbeddedManifest(signed, { timestampAnchorsPem: timestampsPem });
  expect([onlyTime?.trustedBy, onlyTime?.timestamp?.trustedBy]).toEqual([undefined, 'caller']);
});

test('a change after signing is detected', async () => {
  const signed = await studio.sign('image/png', await newImage('image/png'));
  // Within the chunk that ends the image.
  signed.writeUInt8(signed.readUInt8(signed.length - 3) ^ 1, signed.length - 3);
  const embedded = await readEmbeddedManifest(signed, { trustAnchorsPem: studio.signersPem });
  expect(embedded).toMatchObject({ state: 'invalid', failures: ['assertion.dataHash.mismatch'] });
});

test('a history of five generations is read in order, with its signers', async () => {
  let file: Buffer<ArrayBuffer> = await newImage('image/jpeg');
  for (const generation of [1, 2, 3, 4, 5]) {
    file = await (generation === 3 ? agency : studio).sign('image/jpeg', file, { title: `Version ${generation}` });
  }
  const embedded = await readEmbeddedManifest(file, { trustAnchorsPem: studio.signersPem });
  expect(embedded).toMatchObject({ state: 'intact', trustedBy: 'caller', omittedSteps: 0 });
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
  expect(JSON.stringify(embedded)).not.toMatch(/\p{Cc}|\p{Cf}/u);
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
  const embedded = await readEmbeddedManifest(new Blob([signedCopy.bytes]), { trustAnchorsPem: registryRootsPem });
  expect(embedded).toMatchObject({
    state: 'intact',
    trustedBy: 'caller',
    softBinding: { algorithm: 'com.service.sha256', fingerprint: original.fingerprint },
  });
  const foreign = await readEmbeddedManifest(signedCopy.bytes, { trustAnchorsPem: studio.signersPem });
  expect(foreign?.trustedBy).toBeUndefined();
});
