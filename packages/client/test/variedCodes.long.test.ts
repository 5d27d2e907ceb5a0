// The perceptual hashes that the SDK computes, in Node and in a browser, are those of the service.

import { hashDistance, type ImageHashes } from '@provenance-registry/core';
import { afterAll, expect, test } from 'vitest';
import { makeVariedImages } from '../../../test/support/variedImages.js';
import { createMedia } from '../../server/src/media/index.js';
import { draw } from '../../server/test/support/pictures.js';
import type { PerceptualHashes } from '../src/index.js';
import { computePerceptualHashes } from '../src/node/index.js';
import { runInPage, startSdkSite } from './support/sdkSite.js';

// On a busy machine, the limit is that of CPU time alone.
const media = createMedia({ jobTimeoutMs: 120_000 });
afterAll(() => media.close());

const images = await makeVariedImages();
const computeInNode = (bytes: Uint8Array) => computePerceptualHashes(bytes, { forSearch: true });
const inNode = new Map(
  await Promise.all(images.map(async ({ name, bytes }) => [name, await computeInNode(bytes)] as const)),
);

test('of more than 200 varied images, the service and the SDK in Node compute the same codes', async () => {
  expect(images.length).toBeGreaterThanOrEqual(200);
  const different = [];
  const without = [];
  for (const { name, bytes } of images) {
    const local = inNode.get(name);
    const { codes, queries } = await media.inspect(bytes, undefined, { isQuery: true });
    if (!codes) without.push(name);
    if (JSON.stringify([codes, queries]) !== JSON.stringify([local?.hashes, local?.queryHashes])) different.push(name);
  }
  expect(different).toEqual([]);
  // What is too small or even to be recognized.
  expect(without.sort()).toEqual([
    'JPEG of one pixel',
    'JPEG, high',
    'PNG of 2 × 3 pixels',
    'PNG of one color',
    'PNG of one pixel',
  ]);
});

/** Bits that differ between two sets of codes; of a code that only one of them has, all. */
function largestDistance(a: ImageHashes | undefined, b: ImageHashes | undefined): number {
  const names = ['pHash', 'dHash', 'pHashCenter90', 'pHashCenter80'] as const;
  const distances = names.map((name) => {
    const [one, other] = [a?.[name], b?.[name]];
    return one !== undefined && other !== undefined ? hashDistance(one, other) : one === other ? 0 : 64;
  });
  return Math.max(...distances);
}

test('of 99 % of more than 200 varied images, each code is at most 2 bits from that of the service', async () => {
  const page = await (await startSdkSite()).openPage('vite');
  // No Chromium reads TIFF, and none reads HEIC without a license.
  const readable = images.filter(({ name }) => !/TIFF|HEIC|HEIF/i.test(name));
  for (let seed = 0; readable.length < 220; seed += 1) {
    const image = draw({ seed: 500 + seed, width: 240 + seed * 5, height: 180 + (seed % 7) * 31, cell: 40 });
    const encoded = [image.jpeg(), image.ensureAlpha(0.3).png(), image.toColourspace('cmyk').jpeg(), image.webp()];
    readable.push({ name: `picture ${seed}`, bytes: await (encoded[seed % 4] ?? image).toBuffer() });
  }
  const expected = await Promise.all(readable.map(({ name, bytes }) => inNode.get(name) ?? computeInNode(bytes)));
  const inPage = await runInPage<PerceptualHashes[]>(
    page,
    `async (files) => {
      const results = [];
      for (const file of files) results.push(sdk.computePerceptualHashes(new Blob([Uint8Array.from(atob(file), (byte) => byte.charCodeAt(0))])));
      return Promise.all(results);
    }`,
    readable.map(({ bytes }) => bytes.toString('base64')),
  );
  const far = readable.flatMap(({ name }, index) => {
    const [node, browser] = [expected[index], inPage[index]];
    const distance = largestDistance(node?.hashes, browser?.hashes);
    return distance > 2 ? [`${name}: ${distance} ${node?.missing} ${browser?.missing}`] : [];
  });
  expect(far.length / readable.length, far.join('\n')).toBeLessThanOrEqual(0.01);
  expect(inPage.filter(({ queryHashes }) => queryHashes?.length === 8).length).toBeGreaterThanOrEqual(200);
});
