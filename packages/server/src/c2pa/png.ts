// Puts a signed manifest into a PNG, as a chunk right after its header.

import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { ClaimSigner } from './cose.js';
import { type Assertion, buildManifestStore, type ManifestContent, type Signing } from './manifestStore.js';
import { measureSignatureSize } from './signatureSize.js';

/** After the signature and the IHDR chunk, which comes first in every PNG. */
const INSERT_AT = 33;
/** A chunk's length, type and checksum. */
const CHUNK_OVERHEAD = 12;
type PngManifest = Pick<ManifestContent, 'label' | 'title' | 'assertions'>;

export async function signPng(png: Uint8Array, manifest: PngManifest, signing: Signing): Promise<Buffer> {
  // The chunk is what the hash leaves out: without it the file is as it was.
  const hash = createHash('sha256').update(png).digest();
  const signatureSize = await measureSignatureSize(signing);
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
  const known = expectedLengths.get(signing);
  const quick = known === undefined ? undefined : await build(known, signing);
  if (quick && quick.length + CHUNK_OVERHEAD === known) return inserted(png, quick);

  const length = await findLength(build, signing);
  const store = await build(length, signing);
  if (store.length + CHUNK_OVERHEAD !== length) throw new Error('the manifest changed its size while it was signed');
  expectedLengths.set(signing, length);
  return inserted(png, store);
}

function inserted(png: Uint8Array, store: Buffer): Buffer {
  return Buffer.concat([png.subarray(0, INSERT_AT), chunk(store), png.subarray(INSERT_AT)]);
}

/** Cards differ in nothing that changes their manifest's length: it is found once for each way of signing. */
const expectedLengths = new WeakMap<Signing, number>();

/** The length of the chunk stands in what is signed: it is found with a signature that costs nothing. */
async function findLength(build: (length: number, by: Signing) => Promise<Buffer>, signing: Signing): Promise<number> {
  const trial = { ...signing, signer: withoutKey(signing.signer), timestamper: { stamp: async () => Buffer.alloc(0) } };
  const roughly = (await build(0xffff, trial)).length + CHUNK_OVERHEAD;
  return (await build(roughly, trial)).length + CHUNK_OVERHEAD;
}

function dataHashWithout(length: number, hash: Uint8Array): Assertion {
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
