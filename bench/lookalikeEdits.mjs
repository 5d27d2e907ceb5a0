// Look-alikes of images: which edits are found, and how many unrelated images match, at three distances. On drawn images, or on those
// in the folder that LOOKALIKE_IMAGES names.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFAULT_MAX_DISTANCE, hashDistance, imageParts, isLookalike } from '@provenance-registry/core';
import { computeImageHashes, computeQueryHashes, luma } from '@provenance-registry/media';
import sharp from 'sharp';
import { createRandom, drawImages } from './lookalikeImages.mjs';
import { report } from './report.mjs';

/** @typedef {import('sharp').Sharp} Sharp */
/** @typedef {{ width: number, height: number, pixels: Uint8Array }} GrayImage */
/** @typedef {'photo' | 'graphic'} Kind */
/** @typedef {{ kind: Kind, data: Buffer, width: number, height: number }} Colored pixels of three bytes */

const IMAGES = 90;
/** Larger images are scaled to it first: codes do not see more. */
const SIDE = 480;
const DISTANCES = [6, DEFAULT_MAX_DISTANCE, 12];
/** Random parts of each photo, which are compared with those of all others. */
const PARTS = 20;
/** Codes of `pHash` further apart match in no setting. */
const FARTHEST = 14;
/** Whole images this close are variants of one picture, as wallpapers for day and night. Unrelated images are about 32 bits apart. */
const RELATED = 20;

/** The share that `pHash` alone reaches at distance 8 by an earlier measurement on 81 images; for crops of 10 %, what we aim for. */
const edits = [
  edit('JPEG of quality 60', 1, (image) => image.jpeg({ quality: 60 })),
  edit('JPEG of quality 20', 1, (image) => image.jpeg({ quality: 20 })),
  edit('grayscale', 1, (image) => image.greyscale()),
  edit('half the size', 0.98, (image, { width }) => image.resize(Math.round(width / 2))),
  edit('brighter, more color', 0.93, (image) => image.modulate({ brightness: 1.2, saturation: 1.3 })),
  edit('more contrast', 0.93, (image) => image.linear(1.4, -40)),
  edit('watermark across it', 0.69, (image, size) => image.composite([{ input: watermark(size) }])),
  edit('turned by 1 degree', undefined, (image) => image.rotate(1, { background: '#fff' })),
  edit('turned by 3 degrees', 0.33, (image) => image.rotate(3, { background: '#fff' })),
  edit('cropped by 5 % a side', 0.2, (image, size) => crop(image, size, 0.05)),
  edit('cropped by 7.5 % a side', undefined, (image, size) => crop(image, size, 0.075)),
  edit('cropped by 10 % a side', 0.6, (image, size) => crop(image, size, 0.1)),
  edit('cropped by 15 % a side', undefined, (image, size) => crop(image, size, 0.15)),
  edit('cropped by 10 % at the bottom', undefined, (image, { width, height }) =>
    image.extract({ left: 0, top: 0, width, height: height - Math.round(height * 0.1) }),
  ),
  edit('mirrored', 1, (image) => image.flop()),
  edit('turned by 90 degrees', 1, (image) => image.rotate(90)),
  edit('screenshot with a window around it', undefined, (image, { width, height }) =>
    image.extend({
      top: Math.round(height * 0.12),
      bottom: Math.round(height * 0.04),
      left: Math.round(width * 0.03),
      right: Math.round(width * 0.03),
      background: '#ddd',
    }),
  ),
];

const folder = process.env['LOOKALIKE_IMAGES'];
const images = folder ? await readFolder(folder) : await drawAll();
const corpus = folder ? `${images.length} images of a folder` : `${images.length} drawn images`;
await measureEdits();
measureUnrelated('photo');
measureUnrelated('graphic');

/**
 * @param {string} name
 * @param {number | undefined} target
 * @param {(image: Sharp, size: Colored) => Sharp} apply
 */
function edit(name, target, apply) {
  return { name, target, apply };
}

/** @returns {Promise<Colored[]>} */
async function drawAll() {
  return Promise.all(drawImages(IMAGES).map(({ kind, image }) => toColored(image, kind)));
}

/** @param {string} path @returns {Promise<Colored[]>} */
async function readFolder(path) {
  const names = (await readdir(path, { recursive: true })).filter((name) =>
    /\.(?:jpe?g|png|webp|avif|tiff?)$/i.test(name),
  );
  const chosen = names.sort().filter((_, index) => index % Math.ceil(names.length / (2 * IMAGES)) === 0);
  const read = [];
  for (const name of chosen) {
    const image = sharp(join(path, name)).autoOrient().resize(SIDE, SIDE, { fit: 'inside', withoutEnlargement: true });
    read.push(await toColored(image.flatten({ background: '#fff' })));
  }
  return read;
}

/** @param {Sharp} image @param {Kind} [kind] @returns {Promise<Colored>} */
async function toColored(image, kind = 'photo') {
  const { data, info } = await image.removeAlpha().toColourspace('srgb').raw().toBuffer({ resolveWithObject: true });
  return { kind, data, width: info.width, height: info.height };
}

/** @param {Colored} image @returns {GrayImage} */
function toGray({ data, width, height }) {
  const pixels = new Uint8Array(width * height);
  for (let at = 0; at < pixels.length; at += 1) {
    pixels[at] = luma(data[at * 3] ?? 0, data[at * 3 + 1] ?? 0, data[at * 3 + 2] ?? 0);
  }
  return { width, height, pixels };
}

/** @param {Sharp} image @param {Colored} size @param {number} share of each side */
function crop(image, { width, height }, share) {
  const [left, top] = [Math.round(width * share), Math.round(height * share)];
  return image.extract({ left, top, width: width - 2 * left, height: height - 2 * top });
}

/** Block letters, half transparent, over two thirds of the width. No font is needed. @param {Colored} size */
function watermark({ width, height }) {
  const letters = 'M0 9V0H5V4H0M7 9V0H12V9M7 5H12M14 9V0L17 5L20 0V9M22 9V0H27V4H22M29 0V9H34M41 0H36V9H41M36 4H40';
  const scale = width / 62;
  const place = `translate(${width / 6} ${height / 2 - 4 * scale}) scale(${scale})`;
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><path transform="${place}" d="${letters}" ` +
      'fill="none" stroke="white" stroke-opacity="0.6" stroke-width="1.2"/></svg>',
  );
}

async function measureEdits() {
  const registered = images.flatMap((image) => {
    const codes = computeImageHashes(toGray(image));
    return codes ? [{ image, codes }] : [];
  });
  console.log(`${corpus}, of which ${registered.length} have codes`);
  for (const { name, target, apply } of edits) {
    const found = DISTANCES.map(() => 0);
    for (const { image, codes } of registered) {
      const questions = await computeQuestions(name, apply, image);
      for (const [index, distance] of DISTANCES.entries()) {
        found[index] = (found[index] ?? 0) + Number(questions.some((question) => matches(question, codes, distance)));
      }
    }
    const shares = found.map((count) => count / registered.length);
    report({
      what: `look-alikes of images found, ${corpus}: ${name}`,
      measured: DISTANCES.map((distance, index) => `distance ${distance}: ${percent(shares[index] ?? 0)}`).join(', '),
      value: shares[DISTANCES.indexOf(DEFAULT_MAX_DISTANCE)] ?? 0,
      ...(target !== undefined && { target: /** @type {const} */ (['at least', target]) }),
    });
  }
}

/** @param {string} name @param {(image: Sharp, size: Colored) => Sharp} apply @param {Colored} image */
async function computeQuestions(name, apply, image) {
  const { data, width, height } = image;
  const changed = apply(sharp(data, { raw: { width, height, channels: 3 } }), image);
  // What is saved again is a JPEG nearly always.
  const file = await (name.startsWith('JPEG') ? changed : changed.jpeg({ quality: 85 })).toBuffer();
  return computeQueryHashes(toGray(await toColored(sharp(file)))) ?? [];
}

/** @param {number} share */
function percent(share) {
  return `${(share * 100).toFixed(0)} %`;
}

/**
 * @param {{ pHash: string, dHash?: string }} question
 * @param {import('@provenance-registry/core').ImageHashes} registered
 * @param {number} maxDistance
 */
function matches(question, registered, maxDistance) {
  const dDistance = question.dHash === undefined ? undefined : hashDistance(question.dHash, registered.dHash);
  const { pHash, pHashCenter90, pHashCenter80 } = registered;
  return /** @type {const} */ ([
    ['whole', pHash],
    ['center-90', pHashCenter90],
    ['center-80', pHashCenter80],
  ]).some(
    ([part, code]) =>
      code !== undefined && isLookalike(part, hashDistance(question.pHash, code), dDistance, maxDistance),
  );
}

/**
 * Each part of an image against each part of all others: parts are as skewed as photos, and more so. Drawn graphics really
 * look alike, so they have no target.
 * @param {Kind} kind
 */
function measureUnrelated(kind) {
  const parts = cutParts(kind);
  if (parts.length === 0) return;
  const { counts, pairs } = countMatches(parts);
  for (const [index, distance] of DISTANCES.entries()) {
    const count = counts[index] ?? 0;
    report({
      what: `unrelated images that match at distance ${distance}, in 10 million pairs of parts of ${kind}s, ${corpus}`,
      measured: `${count} of ${pairs.toLocaleString('en')} pairs`,
      value: (count / pairs) * 1e7,
      ...(distance === DEFAULT_MAX_DISTANCE && kind === 'photo' && { target: /** @type {const} */ (['at most', 1]) }),
    });
  }
}

/** Matches in each setting. @param {Part[]} parts */
function countMatches(parts) {
  const counts = DISTANCES.map(() => 0);
  let pairs = 0;
  for (const one of parts) {
    for (const other of parts) {
      if (areRelated(one, other)) continue;
      pairs += 1;
      const distances = other.codes.map((code) => bitDistance(one.codes[0], code));
      if (Math.min(...distances) > FARTHEST) continue;
      for (const index of findMatchingSettings(distances, bitDistance(one.gradient, other.gradient))) {
        counts[index] = (counts[index] ?? 0) + 1;
      }
    }
  }
  return { counts, pairs };
}

/** Parts of one image, or of two whose wholes look alike: the same picture in two sizes. @param {Part} one @param {Part} other */
function areRelated(one, other) {
  return one.source === other.source || bitDistance(one.wholeImage, other.wholeImage) <= RELATED;
}

/** Which of DISTANCES match. @param {number[]} distances of the parts @param {number} dDistance */
function findMatchingSettings(distances, dDistance) {
  return [...DISTANCES.keys()].filter((index) =>
    imageParts.some((part, at) => isLookalike(part, distances[at] ?? 64, dDistance, DISTANCES[index] ?? 0)),
  );
}

/** @typedef {readonly [high: number, low: number]} Bits */
/** @typedef {{ source: number, wholeImage: Bits, codes: [Bits, Bits, Bits], gradient: Bits }} Part codes of `imageParts` */

/** @param {Kind} kind @returns {Part[]} */
function cutParts(kind) {
  const random = createRandom(1);
  return images.flatMap((image, source) => {
    if (image.kind !== kind) return [];
    const gray = toGray(image);
    let wholeImage = /** @type {Bits} */ ([0, 0]);
    return Array.from({ length: PARTS }, (_, index) => {
      const share = index === 0 ? 1 : 0.35 + 0.5 * random();
      const [width, height] = [Math.round(gray.width * share), Math.round(gray.height * share)];
      const left = Math.floor(random() * (gray.width - width + 1));
      const top = Math.floor(random() * (gray.height - height + 1));
      const pixels = new Uint8Array(width * height);
      for (let y = 0; y < height; y += 1) {
        const start = (top + y) * gray.width + left;
        pixels.set(gray.pixels.subarray(start, start + width), y * width);
      }
      const codes = computeImageHashes({ width, height, pixels });
      if (!codes) return [];
      const { pHash, dHash, pHashCenter90 = pHash, pHashCenter80 = pHash } = codes;
      if (index === 0) wholeImage = toBits(pHash);
      const codesOfParts = /** @type {[Bits, Bits, Bits]} */ ([pHash, pHashCenter90, pHashCenter80].map(toBits));
      return [{ source, wholeImage, codes: codesOfParts, gradient: toBits(dHash) }];
    }).flat();
  });
}

/** @param {string} code @returns {Bits} */
function toBits(code) {
  return [Number.parseInt(code.slice(2, 10), 16) | 0, Number.parseInt(code.slice(10), 16) | 0];
}

/** @param {Bits} a @param {Bits} b */
function bitDistance(a, b) {
  return countBits(a[0] ^ b[0]) + countBits(a[1] ^ b[1]);
}

/** @param {number} value 32 bits */
function countBits(value) {
  const pairs = value - ((value >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
