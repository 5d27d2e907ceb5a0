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
/** The manifest in the chunk states the chunk's length. */
type ChunkBuilder = (length: number, by: Signing) => Promise<Buffer>;
type PngManifest = Pick<ManifestContent, 'label' | 'title' | 'assertions'>;

export async function signPng(png: Uint8Array, manifest: PngManifest, signing: Signing): Promise<Buffer> {
  // The hash excludes the chunk, so it is the hash of the original file.
  const hash = createHash('sha256').update(png).digest();
  const signatureSize = await measureSignatureSize(signing);
  const buildChunk: ChunkBuilder = async (length, by) => {
    const assertions = [...manifest.assertions, dataHashAssertion(hash, { start: INSERT_OFFSET, length })];
    const content = { ...manifest, assertions, ingredientManifests: [], signatureSize };
    return pngChunk('caBX', await buildManifestStore(content, by));
  };
  const expectedLength = expectedLengths.get(signing);
  const expectedChunk = expectedLength === undefined ? undefined : await buildChunk(expectedLength, signing);
  if (expectedChunk && expectedChunk.length === expectedLength) return insertChunk(png, expectedChunk);

  const length = await findLength(buildChunk, signing);
  const chunk = await buildChunk(length, signing);
  if (chunk.length !== length) throw new Error('the size of the manifest changed while it was signed');
  expectedLengths.set(signing, length);
  return insertChunk(png, chunk);
}

function insertChunk(png: Uint8Array, chunk: Buffer): Buffer {
  return Buffer.concat([png.subarray(0, INSERT_OFFSET), chunk, png.subarray(INSERT_OFFSET)]);
}

/** Length of the chunk, by signer: the manifests of all cards have the same length. */
const expectedLengths = new WeakMap<Signing, number>();

/** The signed data contains the chunk's length, so it is determined first, with an empty signature. */
async function findLength(buildChunk: ChunkBuilder, signing: Signing): Promise<number> {
  const { algorithm, certificates } = signing.signer;
  const trial = {
    ...signing,
    signer: { algorithm, certificates, sign: async () => Buffer.alloc(0) },
    timestamper: { stamp: async () => Buffer.alloc(0) },
  };
  const estimate = await buildChunk(0xffff, trial);
  return (await buildChunk(estimate.length, trial)).length;
}

export function pngChunk(type: string, data: Uint8Array): Buffer {
  const chunk = Buffer.alloc(CHUNK_OVERHEAD_BYTES + data.length);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(type, 4, 'latin1');
  chunk.set(data, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length);
  return chunk;
}
