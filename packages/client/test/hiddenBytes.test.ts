// Bytes that somebody hides in signed files: some of the places that `hiddenBytes.long.test.ts` has.

import { expect, test } from 'vitest';
import { fittingFileTypes, hidingPlacesOf } from '../../../test/support/hiddenBytes/hidingPlaces.js';
import { createReaders } from '../../../test/support/hiddenBytes/readers.js';
import { createSigners, fileNames } from '../../../test/support/hiddenBytes/signedFiles.js';
import { randomInt } from '../../../test/support/random.js';

const { sign, trustAnchorsPem } = await createSigners();
const { expectIntact, countRefused } = createReaders(trustAnchorsPem);

test('a picture whose Exif, colors or file type were changed is not intact', async () => {
  const jpeg = await sign('image/jpeg of the registry');
  const between = Object.entries(hidingPlacesOf(jpeg)).filter(([place]) => /(Exif|color).* between/.test(place));
  expect(await countRefused(jpeg, Object.fromEntries(between))).toBe(3);
  const other = await sign('image/avif of another signer');
  const fileTypes = Object.entries(hidingPlacesOf(other)).filter(([place]) => /brand|file type|version/.test(place));
  expect(await countRefused(other, Object.fromEntries(fileTypes))).toBeGreaterThan(5);
  const own = await sign('image/avif of the registry');
  await expectIntact(own);
  // Refused by the hash.
  expect(await countRefused(own, fittingFileTypes)).toBe(0);
});

test('nothing can be hidden in other signed files', async () => {
  for (const name of pickSome(fileNames, 4)) {
    const file = await sign(name);
    await expectIntact(file);
    await countRefused(file, Object.fromEntries(pickSome(Object.entries(hidingPlacesOf(file)), 6)));
  }
});

function pickSome<T>(items: readonly T[], count: number): T[] {
  const left = [...items];
  return Array.from({ length: count }, () => left.splice(randomInt(left.length), 1)).flat();
}
