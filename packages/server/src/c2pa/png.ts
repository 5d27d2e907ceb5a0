// Puts a signed manifest into a PNG, as a chunk right after its header.

import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { ClaimSigner } from './cose.js';
import { type AssertionPart, buildManifestStore, type ManifestParts, type Signing } from './manifest.js';
import { roomForSignature } from './signatureRoom.js';

/** After the signature and the IHDR chunk, which comes first in every PNG. */
const INSERT_AT = 33;
/** A chunk's length, type and checksum. */
const CHUNK_OVERHEAD = 12;
type PngManifest = Pick<ManifestParts, 'label' | 'title' | 'assertions'>;

export async function signPng(png: Uint8Array, manifest: PngManifest, signing: Signing): Promise<Buffer> {
  // The chunk is what the hash leaves out: without it the file is as it was.
  const hash = createHash('sha256').update(png).digest();
  const signatureSize = await roomForSignature(signing);
  const build = (length: number, by: Signing) =>
    buildManifestStore(
      {
        ...manifest,
        assertions: [...manifest.assertions, dataHashWithout(length, hash)],
        ingredientManifests: [],
        signatureSize,
      },
      by,
    );
  // The length of the chunk stands in what is signed: it is found with a signature that costs nothing.
  const trial = { ...signing, signer: withoutKey(signing.signer), timestamper: { stamp: async () => Buffer.alloc(0) } };
  let length = (await build(0xffff, trial)).length + CHUNK_OVERHEAD;
  length = (await build(length, trial)).length + CHUNK_OVERHEAD;
  const store = await build(length, signing);
  if (store.length + CHUNK_OVERHEAD !== length) throw new Error('the manifest changed its size while it was signed');
  return Buffer.concat([png.subarray(0, INSERT_AT), chunk(store), png.subarray(INSERT_AT)]);
}

function dataHashWithout(length: number, hash: Uint8Array): AssertionPart {
  return {
    label: 'c2pa.hash.data',
    format: 'cbor',
    content: {
      exclusions: [{ start: INSERT_AT, length }],
      name: 'jumbf manifest',
      alg: 'sha256',
      hash,
      pad: new Uint8Array(0),
    },
    origin: 'created',
  };
}

function chunk(store: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from('caBX', 'latin1'), store]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(store.length);
  checksum.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, checksum]);
}

function withoutKey({ algorithm, certificates }: ClaimSigner): ClaimSigner {
  return { algorithm, certificates, sign: async () => Buffer.alloc(0) };
}
