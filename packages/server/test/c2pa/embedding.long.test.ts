// Images with an embedded manifest, in every format, verified by the reference implementation.

import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { createTestEmbedder } from '../../../../test/support/manifestReader.js';
import { extractManifestStore, writableTypes } from '../../src/c2pa/containers/index.js';
import { assetReport } from '../../src/c2pa/manifest/report.js';
import type { EmbedRequest } from '../../src/domain/ports/index.js';
import { checkSoftBinding } from '../support/cddl.js';
import { type EmbeddableType, embeddableImages, pngOf } from '../support/embeddableImages.js';
import { rawAssertion, requireDeterministic } from '../support/manifestStores.js';
import { startEngine } from '../support/manifests.js';

let fixture: Awaited<ReturnType<typeof startEngine>>;

let embedder: ReturnType<typeof createTestEmbedder>;
let images: Record<EmbeddableType, Buffer>;

beforeAll(async () => {
  fixture = await startEngine();
  embedder = createTestEmbedder(fixture);
  images = await embeddableImages();
});

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();

async function embed(mediaType: EmbeddableType, bytes: Uint8Array, changes: Partial<EmbedRequest> = {}) {
  const signed = await embedder.embed({
    mediaType,
    bytes,
    fingerprint: digest(bytes),
    title: 'picture',
    claims: { allowAiTraining: false, author: { name: 'Ada' }, licenseKey: 'CC0-1.0' },
    ...changes,
  });
  return Buffer.from(signed);
}

async function read(mediaType: EmbeddableType, bytes: Uint8Array) {
  const report = assetReport(await fixture.reader.read(mediaType, bytes)) as unknown as {
    validation_state: string;
    active_manifest: string;
    manifests: Record<string, { assertions: { label: string; data: unknown }[] }>;
  };
  return { state: report.validation_state, manifest: report.manifests[report.active_manifest] };
}

/** Of all pages; of an SVG, everything but the manifest. sharp reads no HEIC, so that is converted first. */
async function pixels(bytes: Buffer): Promise<Buffer> {
  const text = bytes.toString();
  if (text.startsWith('<')) {
    return Buffer.from(text.replace(/<c2pa:manifest .*<\/c2pa:manifest>/s, '').replace('<metadata></metadata>', ''));
  }
  const isHeic = /heic|mif1/.test(bytes.toString('latin1', 8, 12));
  return sharp(isHeic ? pngOf(bytes) : bytes, { pages: -1 })
    .raw()
    .toBuffer();
}

describe.each(writableTypes)('%s', (mediaType) => {
  it('is valid with its manifest embedded, soft-bound to the original image', async () => {
    const original = images[mediaType];
    const signed = await embed(mediaType, original);
    const { state, manifest } = await read(mediaType, signed);
    expect(state).toBe('Trusted');
    const labels = manifest?.assertions.map(({ label }) => label);
    const expected = ['c2pa.actions.v2', 'c2pa.soft-binding', 'cawg.training-mining', 'cawg.metadata'];
    expect(labels?.filter((label) => label !== 'c2pa.hash.bmff.v3')).toEqual(expected);

    const store = Buffer.from(extractManifestStore(signed, mediaType) ?? '');
    const binding = rawAssertion(store, 'c2pa.soft-binding');
    expect(checkSoftBinding(binding)).toEqual([]);
    expect(binding.includes(Buffer.concat([Buffer.from('evalue\x58\x20', 'latin1'), digest(original)]))).toBe(true);
    requireDeterministic(store);

    expect((await pixels(signed)).equals(await pixels(original))).toBe(true);
  });

  it('that is changed afterwards is detected', async () => {
    const signed = await embed(mediaType, images[mediaType]);
    const original = images[mediaType];
    const place = signed.indexOf(original.subarray(-30, -20));
    signed.writeUInt8(signed.readUInt8(place) ^ 1, place);
    await expect(read(mediaType, signed)).rejects.toBeDefined();
  });

  it('that is signed again has the new manifest alone, and its pixels', async () => {
    const once = await embed(mediaType, images[mediaType]);
    const twice = await embed(mediaType, once);
    expect((await read(mediaType, twice)).state).toBe('Trusted');
    expect(Math.abs(twice.length - once.length)).toBeLessThan(300);
    expect((await pixels(twice)).equals(await pixels(once))).toBe(true);
  });
});

describe('an image', () => {
  it.each(['classic', 'big'])('in a %s TIFF of several pages keeps them all', async (kind) => {
    const pages = await sharp(images['image/gif'])
      .resize({ width: 90, height: 60, fit: 'fill' })
      .raw()
      .toBuffer({ resolveWithObject: true });
    const raw = { width: 90, height: 20, channels: pages.info.channels, pageHeight: 20 };
    const original = await sharp(pages.data, { raw: { ...raw, height: 60 } })
      .tiff({ bigtiff: kind === 'big' })
      .toBuffer();
    expect((await sharp(original).metadata()).pages).toBe(3);
    const signed = await embed('image/tiff', await embed('image/tiff', original));
    expect((await read('image/tiff', signed)).state).toBe('Trusted');
    expect((await sharp(signed).metadata()).pages).toBe(3);
    expect((await pixels(signed)).equals(await pixels(original))).toBe(true);
  });

  it('in an animated GIF or WebP keeps its frames', async () => {
    for (const format of ['gif', 'webp'] as const) {
      const raw = { width: 40, height: 120, channels: 3, pageHeight: 40 } as const;
      const data = Buffer.from(Array.from({ length: 40 * 120 * 3 }, (_, index) => (index * 7 + (index >> 9)) % 256));
      const original = await sharp(data, { raw })
        [format]({ delay: [50, 50, 50] })
        .toBuffer();
      const signed = await embed(`image/${format}`, original);
      expect((await read(`image/${format}`, signed)).state).toBe('Trusted');
      expect((await sharp(signed).metadata()).pages).toBe(3);
      expect((await pixels(signed)).equals(await pixels(original))).toBe(true);
    }
  });

  it('that is broken, empty or of another type is rejected with a reason, and the next one is signed', async () => {
    for (const bytes of [
      Buffer.alloc(0),
      images['image/jpeg'].subarray(0, 40),
      Buffer.from('GIF89a'),
      Buffer.alloc(1000, 7),
    ]) {
      for (const mediaType of writableTypes) {
        await expect(embed(mediaType, bytes)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
      }
    }
    expect((await read('image/png', await embed('image/png', images['image/png']))).state).toBe('Trusted');
  });

  it('that is an SVG with scripts keeps them without running them', async () => {
    const svg = Buffer.from(
      '<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a ">">]><!-- > --><svg xmlns="http://www.w3.org/2000/svg" title=">">' +
        '<script>throw 1</script><image href="http://127.0.0.1:1/x"/><![CDATA[<svg>]]></svg>',
    );
    const signed = await embed('image/svg+xml', svg);
    expect(signed.includes('<script>throw 1</script>')).toBe(true);
    expect((await read('image/svg+xml', signed)).state).toBe('Trusted');
  });
});
