// Bytes that somebody hides in signed files: each place of each format in which the hash of the file does not see them. With
// real signatures, to the SDK and the service.

import { expect, test } from 'vitest';
import { fittingFileTypes, harmlessChangesOf, hidingPlacesOf } from '../../../test/support/hiddenBytes/hidingPlaces.js';
import { createReaders } from '../../../test/support/hiddenBytes/readers.js';
import { createSigners, fileNames } from '../../../test/support/hiddenBytes/signedFiles.js';

const { sign, trustAnchorsPem } = await createSigners();
const { expectIntact, countRefused, listAccepted } = createReaders(trustAnchorsPem);

test.each(fileNames)('nothing can be hidden in a signed %s', async (name) => {
  const file = await sign(name);
  await expectIntact(file);
  // c2pa-rs alone accepts some of them.
  expect(await countRefused(file, hidingPlacesOf(file))).toBeGreaterThan(0);
});

test.each(fileNames)('a change that no program shows leaves a signed %s intact', async (name) => {
  const file = await sign(name);
  for (const change of Object.values(harmlessChangesOf(file))) {
    const bytes = change(file);
    expect(bytes.equals(file.bytes)).toBe(false);
    await expectIntact({ ...file, bytes });
  }
});

// C2PA wants the file type left out of the hash. What remains open then is in docs/trust.md.
test.each(['image/avif', 'image/heic', 'video/mp4'])(
  'a file type that another signer of %s left out of the hash can be exchanged only for one that fits',
  async (type) => {
    const file = await sign(`${type} of another signer`);
    const open = await listAccepted(file, fittingFileTypes);
    expect(open).toEqual(
      Object.keys(fittingFileTypes).filter((place) => type === 'video/mp4' || !/version/.test(place)),
    );
  },
);
