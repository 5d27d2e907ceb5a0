// Perceptual hashes that the SDK computes in a browser are those of the service.

import { codeDistance, type ImageCodes } from '@provenance-registry/core';
import { expect, test } from 'vitest';
import { makeVariedImages } from '../../../test/support/variedImages.js';
import { draw } from '../../server/test/support/pictures.js';
import type { FileCodes } from '../src/index.js';
import { computeCodes } from '../src/node/index.js';
import { runInPage, startSdkSite } from './support/sdkSite.js';

const page = await (await startSdkSite()).openPage('vite');

/** Bits that differ between two sets of codes; of a code that only one of them has, all. */
function largestDistance(a: ImageCodes | undefined, b: ImageCodes | undefined): number {
  const names = ['pHash', 'dHash', 'pHashCenter90', 'pHashCenter80'] as const;
  const distances = names.map((name) => {
    const [one, other] = [a?.[name], b?.[name]];
    return one !== undefined && other !== undefined ? codeDistance(one, other) : one === other ? 0 : 64;
  });
  return Math.max(...distances);
}

test('of 99 % of more than 200 varied images, each code is at most 2 bits from that of the service', async () => {
  // No Chromium reads TIFF, and none reads HEIC without a license.
  const images = (await makeVariedImages()).filter(({ name }) => !/TIFF|HEIC|HEIF/i.test(name));
  for (let seed = 0; images.length < 220; seed += 1) {
    const image = draw({ seed: 500 + seed, width: 240 + seed * 5, height: 180 + (seed % 7) * 31, cell: 40 });
    const encoded = [image.jpeg(), image.ensureAlpha(0.3).png(), image.toColourspace('cmyk').jpeg(), image.webp()];
    images.push({ name: `picture ${seed}`, bytes: await (encoded[seed % 4] ?? image).toBuffer() });
  }
  const inNode = await Promise.all(images.map(({ bytes }) => computeCodes(bytes, { questions: true })));
  const inPage = await runInPage<FileCodes[]>(
    page,
    `async (files) => {
      const results = [];
      for (const file of files) results.push(sdk.computeCodes(new Blob([Uint8Array.from(atob(file), (byte) => byte.charCodeAt(0))])));
      return Promise.all(results);
    }`,
    images.map(({ bytes }) => bytes.toString('base64')),
  );
  const far = images.flatMap(({ name }, index) => {
    const [node, browser] = [inNode[index], inPage[index]];
    const distance = largestDistance(node?.codes, browser?.codes);
    return distance > 2 ? [`${name}: ${distance} ${node?.missing} ${browser?.missing}`] : [];
  });
  expect(far.length / images.length, far.join('\n')).toBeLessThanOrEqual(0.01);
  expect(inPage.filter(({ questions }) => questions?.length === 8).length).toBeGreaterThanOrEqual(200);
});
