// Inserts a signed manifest into a PNG, as the chunk after its header.

import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { dataHashAssertion } from './assertions.js';
import { buildManifestStore, type ManifestContent, type Signing } from './manifestStore.js';
import { measureSignatureSize } from './signatureSize.js';

/** After the PNG signature and the IHDR chunk, which is always first. */
const INSERT_OFFSET = 33;
/** A chunk's length, type and checksum. */
const CHUNK_OVERHEAD_BYTES = 12;
type PngManifest = Pick<ManifestContent, 'label' | 'title' | 'assertions'>;

export async function signPng(png: Uint8Array, manifest: PngManifest, signing: Signing): Promise<Buffer> {
  // The hash excludes the chunk, so it is the hash of the original file.
  const hash = createHash('sha256').update(png).digest();
  const signatureSize = await measureSignatureSize(signing);
  const build = (length: number, by: Signing) =>
    buildManifestStore(
      {
        ...manifest,
        assertions: [...manifest.assertions, dataHashAssertion(hash, { start: INSERT_OFFSET, length })],
        ingredientManifests: [],
        signatureSize,
      },
      by,
    );
  const expectedLength = expectedLengths.get(signing);
  const expectedStore = expectedLength === undefined ? undefined : await build(expectedLength, signing);
  if (expectedStore && expectedStore.length + CHUNK_OVERHEAD_BYTES === expectedLength) {
    return insertManifest(png, expectedStore);
  }

  const length = await findLength(build, signing);
  const store = await build(length, signing);
  if (store.length + CHUNK_OVERHEAD_BYTES !== length)
    throw new Error('the size of the manifest changed while it was signed');
  expectedLengths.set(signing, length);
  return insertManifest(png, store);
}

function insertManifest(png: Uint8Array, store: Buffer): Buffer {
  return Buffer.concat([png.subarray(0, INSERT_OFFSET), pngChunk('caBX', store), png.subarray(INSERT_OFFSET)]);
}

/** Length of the chunk, by signer: the manifests of all cards have the same length. */
const expectedLengths = new WeakMap<Signing, number>();

/** The signed data contains the chunk's length, so it is determined first, with an empty signature. */
async function findLength(build: (length: number, by: Signing) => Promise<Buffer>, signing: Signing): Promise<number> {
  const { algorithm, certificates } = signing.signer;
  const trial = {
    ...signing,
    signer: { algorithm, certificates, sign: async () => Buffer.alloc(0) },
    timestamper: { stamp: async () => Buffer.alloc(0) },
  };
  const estimate = (await build(0xffff, trial)).length + CHUNK_OVERHEAD_BYTES;
  return (await build(estimate, trial)).length + CHUNK_OVERHEAD_BYTES;
}

export function pngChunk(type: string, data: Uint8Array): Buffer {
  const chunk = Buffer.alloc(CHUNK_OVERHEAD_BYTES + data.length);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(type, 4, 'latin1');
  chunk.set(data, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length);
  return chunk;
}
