// Signed copies of real and unusual images: each is intact for this service and for native c2pa-rs, or was refused.

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fingerprintOf, RegistryError, trustedPurposes } from '@provenance-registry/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestEmbedder } from '../../../../test/support/manifestReader.js';
import { python } from '../../../../test/support/python.js';
import { temporaryFolder } from '../../../../test/support/service.js';
import { createImageSigner, newImage } from '../../../../test/support/signedImages.js';
import { makeVariedImages } from '../../../../test/support/variedImages.js';
import { writableTypes } from '../../src/c2pa/containers/index.js';
import { createManifestInspector } from '../../src/c2pa/reading/manifestInspector.js';
import { createMedia } from '../../src/media/index.js';
import type { EmbeddableType } from '../support/embeddableImages.js';
import { startEngine } from '../support/manifests.js';
import {
  makeUnusualImages,
  refusedSvgs,
  signableSvgs,
  svgsWithManifests,
  type UnusualImage,
} from '../support/unusualImages.js';

const READ_STATES = fileURLToPath(new URL('../support/read_states.py', import.meta.url));
const INTACT = 'Trusted';

let fixture: Awaited<ReturnType<typeof startEngine>>;
let embedder: ReturnType<typeof createTestEmbedder>;
let inspector: ReturnType<typeof createManifestInspector>;
const media = createMedia();

beforeAll(async () => {
  fixture = await startEngine();
  embedder = createTestEmbedder(fixture);
  const { trustAnchorsPem, issuer } = fixture;
  inspector = createManifestInspector({ trustAnchorsPem, issuer, isOwnCertificate: async () => true });
});
afterAll(() => Promise.all([inspector.close(), media.close()]));

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();

const inspect = ({ type, bytes }: UnusualImage) => inspector.inspect({ client: 'eve', mediaType: type, bytes });

/** With the manifest that the image has as its parent, as in a creation. */
async function sign(image: UnusualImage): Promise<Buffer> {
  const parent = await inspect(image);
  const request = { mediaType: image.type, bytes: image.bytes, fingerprint: digest(image.bytes) };
  return Buffer.from(
    await embedder.embed({ ...request, claims: { allowAiTraining: null }, ...(parent && { parent }) }),
  );
}

type Outcomes = Record<string, string>;

/** What both readers find in the signed copy of each, or why it was refused. */
async function signAll(
  images: Readonly<Record<string, UnusualImage>>,
): Promise<{ copies: Buffer[]; outcomes: Outcomes }> {
  const folder = await temporaryFolder();
  const signed: { name: string; path: string; type: EmbeddableType; bytes: Buffer }[] = [];
  const outcomes: Outcomes = {};
  for (const [name, image] of Object.entries(images)) {
    const copy = await sign(image).catch((error: unknown) => error);
    if (!(copy instanceof Buffer)) {
      outcomes[name] = copy instanceof RegistryError ? `${copy.code} ${copy.message}` : String(copy);
      continue;
    }
    const found = await inspect({ type: image.type, bytes: copy });
    if (found?.ownFingerprint !== fingerprintOf(digest(image.bytes))) outcomes[name] = 'not recognized';
    const path = join(folder, String(signed.length));
    await writeFile(path, copy);
    signed.push({ name, path, type: image.type, bytes: copy });
  }
  const states = await readNatively(signed.map(({ path, type }) => ({ path, type })));
  for (const [index, { name }] of signed.entries()) outcomes[name] ??= states[index] ?? 'not read';
  return { copies: signed.map(({ bytes }) => bytes), outcomes };
}

function readNatively(images: readonly { path: string; type: string }[]): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const process = execFile(python, [READ_STATES], { maxBuffer: 2 ** 24 }, (error, output) =>
      error ? reject(error) : resolve(JSON.parse(output)),
    );
    process.stdin?.end(JSON.stringify({ roots: fixture.trustAnchorsPem, purposes: trustedPurposes, images }));
  });
}

const isIntact = (outcome: string) => outcome === INTACT;

function toSvgs(texts: Readonly<Record<string, string | Buffer>>): Record<string, UnusualImage> {
  const entries = Object.entries(texts);
  return Object.fromEntries(entries.map(([name, text]) => [name, { type: 'image/svg+xml', bytes: Buffer.from(text) }]));
}

const MANIFEST = '<c2pa:manifest xmlns:c2pa="[^"]+">[A-Za-z0-9+/=]{1000,}</c2pa:manifest>';

/** Nothing but the manifest, with a `metadata` around it if need be, was added, and nothing but a byte order mark removed. */
function isOtherwiseEqual(copy: Buffer, original: Buffer): boolean {
  const text = original.toString('latin1').replace(/^\xef\xbb\xbf/, '');
  return [MANIFEST, `<metadata>${MANIFEST}</metadata>`].some(
    (added) => copy.toString('latin1').replace(new RegExp(added), '') === text,
  );
}

describe('the signed copy of an SVG', () => {
  it('is intact in every reader with a byte order mark, metadata and all else that SVGs have, which stay as they were', async () => {
    const images = toSvgs(signableSvgs);
    const { copies, outcomes } = await signAll(images);
    expect(Object.entries(outcomes).filter(([, outcome]) => !isIntact(outcome))).toEqual([]);
    const changed = Object.entries(images).filter(
      ([, { bytes }], index) => !isOtherwiseEqual(copies[index] ?? Buffer.alloc(0), bytes),
    );
    expect(changed).toEqual([]);
  });

  it('has its own manifest in the place of another one', async () => {
    const images = toSvgs(svgsWithManifests);
    const { copies, outcomes } = await signAll(images);
    expect(Object.entries(outcomes).filter(([, outcome]) => !isIntact(outcome))).toEqual([]);
    expect(copies.map((copy) => String(copy).split('<c2pa:manifest').length)).toEqual(copies.map(() => 2));
  });

  it('is refused with a reason if no reader would find it intact', async () => {
    const { copies, outcomes } = await signAll(
      toSvgs(Object.fromEntries(Object.entries(refusedSvgs).map(([name, [text]]) => [name, text]))),
    );
    expect(copies).toEqual([]);
    for (const [name, [, reason]] of Object.entries(refusedSvgs)) {
      expect([name, outcomes[name]]).toEqual([name, expect.stringMatching(/^BAD_REQUEST /)]);
      expect(outcomes[name]).toMatch(reason);
    }
  });

  it('is intact for each of 500 icons: all 213 of Tango, and 287 of Adwaita', async () => {
    const [tango, adwaita] = await Promise.all(
      ['Tango', 'Adwaita'].map((theme) => findSvgs(`/usr/share/icons/${theme}`)),
    );
    const paths = [...(tango ?? []), ...(adwaita ?? [])].slice(0, 500);
    const images = await Promise.all(
      paths.map(async (path) => [path, { type: 'image/svg+xml', bytes: await readFile(path) }] as const),
    );
    const { outcomes } = await signAll(Object.fromEntries(images));
    expect(Object.entries(outcomes).filter(([, outcome]) => !isIntact(outcome))).toEqual([]);
    expect(Object.keys(outcomes)).toHaveLength(500);
  });
});

/** Regular files: themes have many links. */
async function findSvgs(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const svgs = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.svg'));
  return svgs.map(({ parentPath, name }) => join(parentPath, name)).sort();
}

describe('the signed copy of an image', () => {
  it('is intact for each of more than 200: JPEG, PNG, WebP, TIFF, GIF, AVIF and HEIC of usual and unusual structure', async () => {
    const images = await makeUnusualImages();
    for (const { name, bytes } of await makeVariedImages()) {
      const { mediaType } = await media.inspect(bytes, undefined, { isWhole: false });
      const type = writableTypes.find((one) => one === mediaType);
      // All but bitmaps, which cannot be signed.
      if (type) images[name] = { type, bytes };
    }
    const { outcomes } = await signAll(images);
    expect(Object.entries(outcomes).filter(([, outcome]) => !isIntact(outcome))).toEqual([]);
    expect(Object.keys(outcomes).length).toBeGreaterThan(200);
  });

  it('is intact if the image had a manifest, of another signer or of this one, also one of many segments', async () => {
    const forger = await createImageSigner();
    const images: Record<string, UnusualImage> = {};
    for (const type of ['image/jpeg', 'image/png'] as const) {
      const foreign = await forger.sign(type, await newImage(type), { title: 'x'.repeat(200_000) });
      images[`${type} of another signer`] = { type, bytes: foreign };
      images[`${type} of this one`] = { type, bytes: await sign({ type, bytes: foreign }) };
    }
    const { copies, outcomes } = await signAll(images);
    expect(Object.values(outcomes)).toEqual([INTACT, INTACT, INTACT, INTACT]);
    for (const { length } of copies) expect(length).toBeGreaterThan(200_000);
  });
});
