// COSE_Sign1, of claims and of credentials: a claim's signature has the X.509 certificates in its protected header and a
// time-stamp in the unprotected one.

import { childOf, contentOf } from '@provenance-registry/c2pa';
import Type from 'typebox';
import { Value } from 'typebox/value';
import { decodeCbor, encodeCbor, encodeSign1 } from '../manifest/cbor.js';

/** Signs claims with a key in memory, a program, or a service that holds the key. */
export interface ClaimSigner {
  readonly algorithm: SigningAlgorithm;
  /** DER, the signing certificate first, without the root: verifiers have their own. */
  readonly certificates: readonly Uint8Array[];
  /** ECDSA signatures are r and s concatenated, as COSE requires. */
  sign(data: Uint8Array): Promise<Uint8Array>;
}

/** Returns an RFC 3161 token over the SHA-256 of the data. */
export interface Timestamper {
  stamp(data: Uint8Array): Promise<Uint8Array>;
}

/** The algorithms that C2PA allows, with their COSE numbers. */
const coseAlgorithms = { ES256: -7, ES384: -35, ES512: -36, PS256: -37, PS384: -38, PS512: -39, EdDSA: -8 } as const;
export type SigningAlgorithm = keyof typeof coseAlgorithms;

const Bytes = Type.Refine(Type.Unsafe<Uint8Array>({}), (value) => value instanceof Uint8Array);
const Sign1 = Type.Object({ value: Type.Tuple([Bytes, Type.Unknown(), Type.Unknown(), Type.Unknown()]) });

/** Names of the header's entries. */
const ALGORITHM = 1;
const CONTENT_TYPE = 3;
const KEY_ID = 4;
const X5CHAIN = 33;
const EMPTY = Buffer.alloc(0);
/** Padding also changes the length of its length field; a few attempts always suffice. */
const MAX_PADDING_ATTEMPTS = 8;

export async function coseSign1(
  payload: Uint8Array,
  signer: ClaimSigner,
  timestamper: Timestamper,
  size?: number,
): Promise<Buffer> {
  const { algorithm, certificates } = signer;
  const chain = certificates.length === 1 ? certificates[0] : certificates;
  const protectedHeader = encodeCbor(
    new Map<number, unknown>([
      [ALGORITHM, coseAlgorithms[algorithm]],
      [X5CHAIN, chain],
    ]),
  );
  const signature = await signer.sign(contentToSign(protectedHeader, payload));
  // C2PA 2.x: the token covers the signature like a counter-signature, and is included without a wrapper.
  const token = await timestamper.stamp(
    encodeCbor(['CounterSignature', protectedHeader, EMPTY, encodeCbor(signature)]),
  );
  const unprotected = { sigTst2: { tstTokens: [{ val: token }] } };
  const encode = (padding?: number) => {
    const header = padding === undefined ? unprotected : { ...unprotected, pad: Buffer.alloc(padding) };
    // Readers have the payload, which is the claim, from elsewhere.
    return encodeSign1(protectedHeader, header, null, signature);
  };
  return size === undefined ? encode() : padToSize(encode, size);
}

/** Signs a verifiable credential, which the result contains. */
export function encodeCredential(
  credential: Uint8Array,
  { keyId, sign }: { readonly keyId: string; sign(data: Uint8Array): Uint8Array },
): Buffer {
  const protectedHeader = encodeCbor(
    new Map<number, unknown>([
      [ALGORITHM, coseAlgorithms.EdDSA],
      [CONTENT_TYPE, 'application/vc'],
      [KEY_ID, Buffer.from(keyId)],
    ]),
  );
  return encodeSign1(protectedHeader, {}, credential, sign(contentToSign(protectedHeader, credential)));
}

function contentToSign(protectedHeader: Uint8Array, payload: Uint8Array): Buffer {
  return encodeCbor(['Signature1', protectedHeader, EMPTY, payload]);
}

function padToSize(encode: (padding: number) => Buffer, size: number): Buffer {
  let padding = Math.max(0, size - encode(0).length);
  for (let attempt = 0; attempt < MAX_PADDING_ATTEMPTS; attempt += 1) {
    const bytes = encode(padding);
    if (bytes.length === size) return bytes;
    padding += size - bytes.length;
  }
  throw new Error(`the signature does not fit into ${size} bytes`);
}

/** Reads the signature of a manifest, unchecked. Throws if it has another form. */
export function readSign1(manifest: Buffer) {
  const content = decodeCbor(contentOf(childOf(manifest, 'c2pa.signature')));
  const [protectedHeader, header, , signature] = Value.Parse(Sign1, content).value;
  return { protectedHeader, header, signature };
}

/** Reads the certificate, in DER, whose key signed. Throws if there is none. */
export function readSignerX509(protectedHeader: Uint8Array): Uint8Array {
  const chain = Value.Parse(Type.Record(Type.String(), Type.Unknown()), decodeCbor(protectedHeader))[X5CHAIN];
  const leaf: unknown = Array.isArray(chain) ? chain[0] : chain;
  if (!(leaf instanceof Uint8Array)) throw new Error('the signature has no certificate');
  return leaf;
}
