// The codes of images are the same from the service's worker and from the SDK in Node.

import { afterAll, expect, it } from 'vitest';
import { makeVariedImages } from '../../../test/support/variedImages.js';
import { createMedia } from '../../server/src/media/index.js';
import { computeCodes } from '../src/node/index.js';

const media = createMedia();
afterAll(() => media.close());

it('computes the same codes of more than 200 varied images in the service and in the SDK', async () => {
  const images = await makeVariedImages();
  expect(images.length).toBeGreaterThanOrEqual(200);
  const different = [];
  const without = [];
  for (const { name, bytes } of images) {
    const [{ codes, questions }, local] = await Promise.all([
      media.inspect(bytes, undefined, { isQuestion: true }),
      computeCodes(bytes, { questions: true }),
    ]);
    if (!codes) without.push(name);
    if (JSON.stringify([codes, questions]) !== JSON.stringify([local.codes, local.questions])) different.push(name);
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
