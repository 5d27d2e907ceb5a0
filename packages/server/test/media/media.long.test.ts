// Media inspection: kinds, perceptual hashes, audio fingerprints, and broken or malicious files.

import { gzipSync } from 'node:zlib';
import { hashDistance, type ImageHashes } from '@provenance-registry/core';
import { computeImageHashes } from '@provenance-registry/media';
import { decodeImage, fingerprint, restrictLoaders } from '@provenance-registry/media/node';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMedia } from '../../src/media/index.js';
import { countDifferentBits, MAX_BIT_DIFFERENCE, shareOfDifferentBits } from '../support/fingerprints.js';
import { blackAndWhitePng, draw, encodedPicture, encodedPictures, pngHeader, references } from '../support/pictures.js';
import { chirp, encodedMelody, flac, melody, noise, randomNumbers, type WavFormat, wav } from '../support/sounds.js';

// On a busy machine, the limit is that of CPU time alone.
const media = createMedia({ jobTimeoutMs: 120_000 });
afterAll(() => media.close());

const small = { seed: 11, width: 96, height: 64, cell: 16 };

function svg(content: string): Uint8Array {
  return Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="90" height="60">${content}</svg>`);
}
const drawing = '<rect width="40" height="25" fill="red"/><circle cx="60" cy="40" r="15" fill="blue"/>';

// As the worker does.
beforeAll(restrictLoaders);
// Services in this process draw SVG with the same library.
afterAll(() => sharp.unblock({ operation: ['VipsForeignLoad'] }));

async function perceptualHash(bytes: Uint8Array): Promise<string | undefined> {
  return computeImageHashes(await decodeImage(bytes))?.pHash;
}

/** @param maxDifference of all bits but those of `pHash`, which equals the reference */
function expectCodes(found: ImageHashes | undefined, expected: Required<ImageHashes>, maxDifference: number): void {
  expect(found).toMatchObject({ pHash: expected.pHash });
  const differences = (['dHash', 'pHashCenter90', 'pHashCenter80'] as const).map((name) =>
    hashDistance(found?.[name] ?? '0x0', expected[name]),
  );
  expect(differences.reduce((sum, bits) => sum + bits, 0)).toBeLessThanOrEqual(maxDifference);
}

async function pHash(bytes: Uint8Array): Promise<string | undefined> {
  return (await media.inspect(bytes, undefined)).codes?.pHash;
}

describe('the kind of a file', () => {
  it.each(['png', 'jpeg', 'webp', 'gif', 'tiff', 'avif'] as const)(
    '%s is an image, whatever media type is stated',
    async (format) => {
      const facts = await media.inspect(await draw(small).toFormat(format).toBuffer(), 'audio/mpeg');
      expect(facts).toMatchObject({ kind: 'image', mediaType: `image/${format}` });
      expect(facts.codes?.pHash).toMatch(/^0x[0-9a-f]{16}$/);
    },
  );

  it('is detected of a TIFF whose directory is at its end', async () => {
    const tiff = await draw({ ...small, width: 300, height: 200 })
      .tiff({ compression: 'none' })
      .toBuffer();
    expect(tiff.readUInt32LE(4)).toBeGreaterThan(64 * 1024);
    expect(await media.inspect(tiff, undefined)).toEqual({
      kind: 'image',
      mediaType: 'image/tiff',
      codes: expect.objectContaining({ pHash: expect.any(String) }),
    });
  });

  it.each([
    ['an SVG', svg(drawing), 'image', 'image/svg+xml'],
    [
      'an SVG after all that XML allows before it',
      Buffer.from(`\ufeff<?xml version="1.0"?>\n<!-- > --><!DOCTYPE svg [<!ENTITY a "b>">]><s:svg xmlns:s="x"/>`),
      'image',
      'image/svg+xml',
    ],
    ['other XML', Buffer.from('<?xml version="1.0"?><html><svg/></html>'), 'document', 'application/xml'],
    ['WAV', wav(chirp(1), 's16'), 'audio', 'audio/wav'],
    ['FLAC', flac(chirp(1)), 'audio', 'audio/flac'],
    ['MP3', encodedMelody('mp3'), 'audio', 'audio/mpeg'],
    ['Ogg Vorbis', encodedMelody('vorbis'), 'audio', 'audio/ogg'],
    ['Ogg Opus', encodedMelody('opus'), 'audio', 'audio/ogg'],
    ['MP4', Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0mp42isom', 'latin1'), 'video', 'video/mp4'],
    ['PDF', Buffer.from('%PDF-1.7\n'), 'document', 'application/pdf'],
    ['an old Word file', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'document', 'application/x-cfb'],
    ['ZIP', Buffer.from('504b0506000000000000000000000000000000000000', 'hex'), 'other', 'application/zip'],
  ])('is detected by its bytes: %s', async (_, bytes, kind, mediaType) => {
    expect(await media.inspect(bytes, 'video/webm')).toMatchObject({ kind, mediaType });
  });

  const random = randomNumbers(5);
  const samples = {
    nothing: undefined,
    emptiness: new Uint8Array(),
    text: Buffer.from('Grüße, 日本\n'),
    'text of long ago': Buffer.from('Gr\xfc\xdfe\r\n', 'latin1'),
    'text in UTF-16': Buffer.from('\ufeff[Grüße]', 'utf16le'),
    JSON: Buffer.from('\ufeff {"a": 1}'),
    'XML without a declaration': Buffer.from('<a/>'),
    'text that starts like a bitmap': Buffer.from('BMW and others, a list of the makers of cars'),
    'random bytes': Uint8Array.from({ length: 1000 }, () => random() * 256),
    'text with a zero byte': Buffer.from('some text\0'),
  };
  const office = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

  it.each<[keyof typeof samples, string | undefined, string, string | undefined]>([
    ['nothing', 'Image/PNG; charset=x', 'image', 'image/png'],
    ['nothing', 'text/plain', 'document', 'text/plain'],
    ['nothing', office, 'document', office],
    ['nothing', 'application/octet-stream', 'other', 'application/octet-stream'],
    ['nothing', 'image', 'other', undefined],
    ['nothing', 'image/<script>', 'other', undefined],
    ['nothing', undefined, 'other', undefined],
    ['text', 'Text/Markdown; charset=utf-8', 'document', 'text/markdown'],
    ['text of long ago', 'text/csv', 'document', 'text/csv'],
    ['text in UTF-16', 'text/plain', 'document', 'text/plain'],
    ['text in UTF-16', 'application/json', 'document', 'application/json'],
    ['text that starts like a bitmap', 'text/plain', 'document', 'text/plain'],
    ['emptiness', 'text/plain', 'document', 'text/plain'],
    ['JSON', 'application/ld+json', 'other', 'application/ld+json'],
    ['JSON', 'application/json', 'document', 'application/json'],
    ['XML without a declaration', 'application/xml', 'document', 'application/xml'],
    ['random bytes', 'application/octet-stream', 'other', 'application/octet-stream'],
    ['random bytes', 'application/x-odd', 'other', 'application/x-odd'],
  ])('is as stated where nothing contradicts that: %s, stated as %s', async (name, stated, kind, mediaType) => {
    expect(await media.inspect(samples[name], stated)).toEqual({ kind, mediaType });
  });

  it.each<[keyof typeof samples, string | undefined]>([
    ['text', undefined],
    ['text', 'image/png'],
    ['XML without a declaration', 'image/svg+xml'],
    ['text', 'audio/x-unheard-of'],
    ['text', 'application/pdf'],
    ['text', 'application/msword'],
    ['text', 'application/zip'],
    ['text', 'application/json'],
    ['text', 'application/xml'],
    ['text', 'text/<script>'],
    ['emptiness', 'image/png'],
    ['emptiness', 'application/json'],
    ['random bytes', 'image/png'],
    ['random bytes', 'video/x-unheard-of'],
    ['random bytes', office],
    ['random bytes', 'text/plain'],
    ['random bytes', 'application/javascript'],
    ['text with a zero byte', 'text/csv'],
  ])('is unknown where the bytes contradict what is stated: %s, stated as %s', async (name, stated) => {
    expect(await media.inspect(samples[name], stated)).toEqual({ kind: 'other', mediaType: undefined });
  });
});

describe('the perceptual hash', () => {
  it.each(references)("equals Python's for $picture", async ({ picture, codes }) => {
    const found = (await media.inspect(await draw(picture).png().toBuffer(), undefined)).codes;
    // Pillow resizes the columns of high images first, which rounds some pixels otherwise.
    expectCodes(found, codes, picture.height > 1.5 * picture.width ? 1 : 0);
  });

  it.each(encodedPictures)("equals Python's for $name", async ({ name, bytes, codes }) => {
    // Versions of libheif differ in single pixels.
    expectCodes((await media.inspect(bytes, undefined)).codes, codes, name.startsWith('HEIC') ? 6 : 0);
  });

  it('is that of the turned and mirrored image for each orientation of a question', async () => {
    const picture = { seed: 15, width: 210, height: 133, cell: 30 };
    const { codes, queries } = await media.inspect(await draw(picture).png().toBuffer(), undefined, {
      isQuery: true,
    });
    const turned = [false, true].flatMap((isMirrored) =>
      [0, 90, 180, 270].map(async (angle) => {
        const mirrored = await draw(picture).flop(isMirrored).png().toBuffer();
        const found = await media.inspect(await sharp(mirrored).rotate(angle).png().toBuffer(), undefined);
        return { pHash: found.codes?.pHash, dHash: found.codes?.dHash };
      }),
    );
    expect(queries).toEqual(await Promise.all(turned));
    expect(queries?.[0]).toEqual({ pHash: codes?.pHash, dHash: codes?.dHash });
  });

  it('of 16-bit gray is that of the upper bytes', async () => {
    const gray = draw(small).toColourspace('grey16');
    const { data, info } = await gray.clone().raw({ depth: 'ushort' }).toBuffer({ resolveWithObject: true });
    expect([info.channels, data.length]).toEqual([1, small.width * small.height * 2]);
    const upper = Uint8Array.from({ length: data.length / 2 }, (_, index) => data[index * 2 + 1] ?? 0);
    const raw = { width: small.width, height: small.height, channels: 1 } as const;
    expect(await pHash(await gray.png().toBuffer())).toBe(await pHash(await sharp(upper, { raw }).png().toBuffer()));
  });

  it('ignores transparency also where the image is scaled first', async () => {
    const picture = { seed: 8, width: 2600, height: 1700, cell: 260 };
    const alpha = Buffer.alloc(picture.width * picture.height, 255).fill(0, 0, picture.width * 900);
    const raw = { width: picture.width, height: picture.height, channels: 1 } as const;
    const opaque = draw(picture).png({ compressionLevel: 1 });
    const transparent = opaque.clone().joinChannel(alpha, { raw });
    const expected = await pHash(await opaque.toBuffer());
    expect(expected).toBeDefined();
    expect(await pHash(await transparent.toBuffer())).toBe(expected);
  });

  it('changes little when an image is compressed and scaled, and differs for another image', async () => {
    const picture = { seed: 9, width: 480, height: 320, cell: 60 };
    const original = BigInt((await pHash(await draw(picture).png().toBuffer())) ?? 0);
    const jpeg = await draw(picture).resize(300).jpeg({ quality: 50 }).toBuffer();
    expect(countDifferentBits(original, BigInt((await pHash(jpeg)) ?? 0))).toBeLessThanOrEqual(8);
    const other = await draw({ ...picture, seed: 10 })
      .png()
      .toBuffer();
    expect(countDifferentBits(original, BigInt((await pHash(other)) ?? 0))).toBeGreaterThanOrEqual(18);
  });

  it('is missing for an image of one color or pixel, and not searched by if it is too even to be found again', async () => {
    const raw = (width: number, height: number, value: (x: number, y: number) => number) =>
      sharp(
        Uint8Array.from({ length: width * height }, (_, at) => value(at % width, Math.trunc(at / width))),
        { raw: { width, height, channels: 1 } },
      );
    const oneColor = [raw(200, 100, () => 90), raw(1, 1, () => 90)];
    for (const image of oneColor) {
      expect(await media.inspect(await image.png().toBuffer(), undefined, { isQuery: true })).toEqual({
        kind: 'image',
        mediaType: 'image/png',
      });
    }
    const even = [
      raw(256, 64, (x) => x),
      raw(64, 256, (_, y) => 255 - y),
      raw(200, 200, (x, y) => (Math.hypot(x - 99.5, y - 99.5) < 70 ? 40 : 220)),
      raw(200, 100, (x, y) => 250 + ((x * 7 + y * 13) % 2)),
    ];
    for (const image of even) {
      // The hash alone, which is not searched by.
      expect(await media.inspect(await image.png().toBuffer(), undefined, { isQuery: true })).toEqual({
        kind: 'image',
        mediaType: 'image/png',
        pHash: expect.stringMatching(/^0x[0-9a-f]{16}$/),
      });
    }
  });

  it('respects the orientation stored in the file', async () => {
    const upright = await draw(small).png().toBuffer();
    const turned = await sharp(upright).rotate(270).png().toBuffer();
    const marked = await sharp(turned).withMetadata({ orientation: 6 }).png().toBuffer();
    expect(await pHash(marked)).toBe(await pHash(upright));
    expect(await pHash(turned)).not.toBe(await pHash(upright));
  });

  it('does not detach the memory of the caller', async () => {
    const bytes = new Uint8Array(await draw(small).png().toBuffer());
    const before = bytes.slice();
    await media.inspect(bytes, undefined);
    expect(bytes).toEqual(before);
  });
});

describe('the audio fingerprint', () => {
  async function errorRate(a: Uint8Array, b: Uint8Array): Promise<number> {
    const [one, two] = [await fingerprint(a), await fingerprint(b)];
    if (!one || !two) throw new Error('no fingerprint');
    return shareOfDifferentBits(one.items, two.items);
  }

  it('equals that of the reference implementation', async () => {
    const bytes = wav(chirp(20), 's16');
    const { chromaprint } = await media.inspect(bytes, undefined);
    expect(chromaprint).toMatch(/^AQA[\w-]{50,}$/);
    expect(chromaprint).toBe((await fingerprint(bytes))?.text);
  });

  it.each<[WavFormat, object]>([
    ['u8', {}],
    ['s24', {}],
    ['s24', { extensible: true, channels: 6 }],
    ['s32', {}],
    ['f32', {}],
    ['f64', {}],
    ['s16', { channels: 2 }],
  ])('is nearly the same for other WAV sample formats: %s %o', async (format, options) => {
    expect(await errorRate(wav(melody(20), 's16'), wav(melody(20), format, options))).toBeLessThan(MAX_BIT_DIFFERENCE);
  });

  it('is the same for FLAC, which is lossless', async () => {
    expect(await errorRate(wav(melody(8), 's16'), flac(melody(8)))).toBe(0);
  });

  it.each(['mp3', 'vorbis', 'opus'] as const)('is nearly the same for %s', async (format) => {
    expect(await errorRate(wav(melody(8), 's16'), encodedMelody(format))).toBeLessThan(MAX_BIT_DIFFERENCE);
    expect((await media.inspect(encodedMelody(format), undefined)).chromaprint).toMatch(/^AQA[\w-]+$/);
  });

  it('differs for other audio', async () => {
    expect(await errorRate(wav(melody(20), 's16'), wav(chirp(20), 's16'))).toBeGreaterThan(0.3);
    // All noise is somewhat similar.
    expect(await errorRate(wav(noise(20, 1), 's16'), wav(noise(20, 2), 's16'))).toBeGreaterThan(2 * MAX_BIT_DIFFERENCE);
  });

  it('covers the first two minutes', async () => {
    const sound = melody(130);
    const cut = wav(sound.subarray(0, sound.length * (120 / 130)), 'u8');
    expect((await fingerprint(wav(sound, 'u8')))?.text).toBe((await fingerprint(cut))?.text);
  });

  it('is missing for audio that is too short', async () => {
    expect(await media.inspect(wav(chirp(1), 's16'), undefined)).toEqual({ kind: 'audio', mediaType: 'audio/wav' });
  });
});

describe('a broken or malicious file', () => {
  it('has no hash if it decodes to more than the limit', async () => {
    expect(await pHash(blackAndWhitePng(2_000))).toBeDefined();
    for (const bomb of [blackAndWhitePng(12_000), pngHeader(30_000)]) {
      expect(await media.inspect(bomb, undefined)).toEqual({ kind: 'image', mediaType: 'image/png' });
    }
    // A few bytes of run lengths may stand for any size.
    for (const [side, hasHash] of [
      [1_000, true],
      [12_000, false],
      [-1, false],
      [0, false],
    ] as const) {
      const bitmap = Buffer.concat([encodedPicture('BMP of 8 bits, run lengths'), Buffer.from([0, 1])]);
      bitmap.writeInt32LE(side, 18);
      bitmap.writeInt32LE(side, 22);
      expect((await media.inspect(bitmap, undefined)).codes !== undefined).toBe(hasHash);
    }
  });

  it('has no hash if it is an SVG, by whatever name it comes', async () => {
    const utf16 = Buffer.from(`\ufeff<?xml version="1.0" encoding="UTF-16"?>${Buffer.from(svg(drawing))}`, 'utf16le');
    const late = Buffer.concat([Buffer.from(`<!--${' '.repeat(20_000)}-->`), svg(drawing)]);
    for (const bytes of [svg(drawing), utf16, gzipSync(svg(drawing)), late]) {
      for (const mediaType of ['image/svg+xml', 'image/png', 'image/jpeg']) {
        expect(await media.inspect(bytes, mediaType)).not.toHaveProperty('pHash');
      }
    }
  });

  it.each([
    ['SVG', svg(drawing)],
    ['PDF', Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\n')],
    ['PPM', Buffer.from('P6 2 1 255\n\0\0\0\xff\xff\xff', 'latin1')],
  ])('is not opened by the decoder if it is %s', async (_, bytes) => {
    await expect(perceptualHash(bytes)).rejects.toThrow('unsupported image format');
  });

  it('never causes an exception or a hang, wherever it is truncated or changed', async () => {
    const picture = draw(small);
    const formats = ['png', 'jpeg', 'webp', 'gif', 'tiff', 'avif'] as const;
    const files = [
      ...(await Promise.all(formats.map((format) => picture.clone().toFormat(format).toBuffer()))),
      ...['HEIC', 'BMP of 16 bits, masks', 'BMP of 8 bits, run lengths', 'BMP of 1 bit'].map(encodedPicture),
      wav(melody(4), 's16'),
      flac(melody(4)),
      ...(['mp3', 'vorbis', 'opus'] as const).map(encodedMelody),
    ];
    const random = randomNumbers(7);
    const broken = files.flatMap((file) =>
      [0.1, 0.01, 0.001, 0.0001].flatMap((share) => {
        const changed = new Uint8Array(file);
        // The header contains the sizes, so it gets a share of the changes.
        for (let left = Math.ceil(file.length * share); left > 0; left -= 1) {
          const at = Math.floor(random() * (left % 2 ? file.length : Math.min(file.length, 100)));
          changed[at] = (changed[at] ?? 0) ^ (1 << (random() * 8));
        }
        return [changed, file.subarray(0, random() * file.length)];
      }),
    );
    for (const bytes of broken) {
      expect(['image', 'audio', 'video', 'document', 'other']).toContain((await media.inspect(bytes, undefined)).kind);
    }
    expect(await pHash(await picture.png().toBuffer())).toBeDefined();
  });

  it('has no hash if its header is impossible', async () => {
    for (const [at, value] of [
      [22, 0xffff],
      [22, 0],
      [24, 1],
      [34, 7],
    ] as const) {
      const bytes = wav(chirp(4), 's16');
      new DataView(bytes.buffer).setUint16(at, value, true);
      new DataView(bytes.buffer).setUint16(26, 0, true);
      expect(await media.inspect(bytes, undefined)).toEqual({ kind: 'audio', mediaType: 'audio/wav' });
    }
  });
});
