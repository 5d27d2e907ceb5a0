// Images with an embedded manifest, in every format, verified by the reference implementation.

import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEmbedder, embeddableTypes } from '../../src/c2pa/embedder.js';
import { assetReport } from '../../src/c2pa/report.js';
import { type EmbeddableType, embeddableImages } from '../support/embeddableImages.js';
import { startEngine } from '../support/manifests.js';

let fixture: Awaited<ReturnType<typeof startEngine>>;

let embedder: ReturnType<typeof createEmbedder>;
let images: Record<EmbeddableType, Buffer>;

beforeAll(async () => {
  fixture = await startEngine();
  embedder = createEmbedder(fixture.signing);
  images = await embeddableImages();
});
afterAll(() => embedder.close());

async function embed(mediaType: EmbeddableType, bytes: Uint8Array, title = 'picture') {
  return embedder.embed({
    client: 'a user',
    mediaType,
    bytes,
    fingerprint: createHash('sha256').update(bytes).digest(),
    title,
    claims: { allowAiTraining: false, author: { name: 'Ada' }, licenseKey: 'CC0-1.0' },
  });
}

async function read(mediaType: EmbeddableType, bytes: Uint8Array) {
  const report = assetReport(await fixture.reader.read(mediaType, bytes)) as unknown as {
    validation_state: string;
    active_manifest: string;
    manifests: Record<
      string,
      { title: string; assertions: { label: string; data: unknown }[]; ingredients?: unknown[] }
    >;
  };
  return { report, manifest: report.manifests[report.active_manifest] };
}

describe.each(embeddableTypes)('%s', (mediaType) => {
  it('is valid with its manifest embedded, soft-bound to the original image', async () => {
    const original = images[mediaType];
    const { report, manifest } = await read(mediaType, await embed(mediaType, original));
    expect(report.validation_state).toBe('Trusted');
    const labels = manifest?.assertions.map(({ label }) => label);
    expect(labels).toEqual(expect.arrayContaining(['c2pa.actions.v2', 'c2pa.soft-binding', 'cawg.training-mining']));
    const binding = manifest?.assertions.find(({ label }) => label === 'c2pa.soft-binding')?.data;
    const value = createHash('sha256').update(original).digest('base64');
    expect(binding).toMatchObject({ alg: 'com.service.sha256', blocks: [{ value }] });
  });

  it('that is changed afterwards is detected', async () => {
    const signed = Buffer.from(await embed(mediaType, images[mediaType]));
    const place = mediaType === 'image/svg+xml' ? signed.indexOf('red') : signed.length - 3;
    signed.writeUInt8(signed.readUInt8(place) ^ 1, place);
    const verdict = await read(mediaType, signed).then(
      ({ report }) => report.validation_state,
      () => 'refused',
    );
    expect(verdict).toBe('refused');
  });
});

describe('an image', () => {
  it.each(['image/jpeg', 'image/png', 'image/webp', 'image/tiff', 'image/gif', 'image/avif'] as const)(
    'of type %s keeps every pixel',
    async (mediaType) => {
      const signed = await embed(mediaType, images[mediaType]);
      const pixels = (bytes: Uint8Array) => sharp(bytes).raw().toBuffer();
      expect((await pixels(signed)).equals(await pixels(images[mediaType]))).toBe(true);
    },
  );

  it('with an existing manifest keeps it as its parent', async () => {
    const once = await embed('image/jpeg', images['image/jpeg'], 'once');
    const { report, manifest } = await read('image/jpeg', await embed('image/jpeg', once, 'twice'));
    expect(report.validation_state).toBe('Trusted');
    expect(
      Object.values(report.manifests)
        .map(({ title }) => title)
        .sort(),
    ).toEqual(['once', 'twice']);
    expect(manifest?.ingredients).toHaveLength(1);
  });

  it('that is broken, empty or of another type is rejected, and the next one is signed', async () => {
    for (const bytes of [
      Buffer.alloc(0),
      images['image/jpeg'].subarray(0, 40),
      Buffer.from('GIF89a'),
      Buffer.alloc(1000, 7),
    ]) {
      await expect(embed('image/png', bytes)).rejects.toBeDefined();
    }
    expect((await read('image/png', await embed('image/png', images['image/png']))).report.validation_state).toBe(
      'Trusted',
    );
  });

  it('that is an SVG with scripts keeps them without running them', async () => {
    const svg = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg"><script>throw 1</script><image href="http://127.0.0.1:1/x"/></svg>',
    );
    const signed = Buffer.from(await embed('image/svg+xml', svg));
    expect(signed.includes('<script>throw 1</script>')).toBe(true);
    expect((await read('image/svg+xml', signed)).report.validation_state).toBe('Trusted');
  });
});
