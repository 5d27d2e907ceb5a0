// The algorithms of time-stamps and certificates, the check of a signature by the platform, and why evidence is refused.

import {
  bitStringBytes,
  type DerElement,
  DerError,
  DerSequence,
  oidText,
  onlyChild,
  parseDer,
  positiveInteger,
  smallInteger,
  TAG,
  toHex,
} from './der.js';

export type DigestName = 'sha256' | 'sha384' | 'sha512';

/** Evidence that is malformed, forged, or about another file. The message is a sentence for the claimant. */
export class InvalidEvidenceError extends Error {}

/** An algorithm that is too weak, or not known here. */
export class UnsupportedError extends Error {}

const digests: Readonly<Record<string, DigestName>> = {
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};

export interface SignatureScheme {
  readonly kind: 'rsa' | 'pss' | 'ec' | 'ed25519';
  /** Undefined: not part of the algorithm's name. */
  readonly digest?: DigestName;
  readonly saltLength?: number;
}

const RSA = '1.2.840.113549.1.1.1';
const RSA_PSS = '1.2.840.113549.1.1.10';
const MGF1 = '1.2.840.113549.1.1.8';
const EC = '1.2.840.10045.2.1';
const ED25519 = '1.3.101.112';
const schemes: Readonly<Record<string, SignatureScheme>> = {
  [RSA]: { kind: 'rsa' },
  '1.2.840.113549.1.1.11': { kind: 'rsa', digest: 'sha256' },
  '1.2.840.113549.1.1.12': { kind: 'rsa', digest: 'sha384' },
  '1.2.840.113549.1.1.13': { kind: 'rsa', digest: 'sha512' },
  '1.2.840.10045.4.3.2': { kind: 'ec', digest: 'sha256' },
  '1.2.840.10045.4.3.3': { kind: 'ec', digest: 'sha384' },
  '1.2.840.10045.4.3.4': { kind: 'ec', digest: 'sha512' },
  [ED25519]: { kind: 'ed25519' },
};
/** What RSASSA-PSS means by leaving the length of the salt out. */
const DEFAULT_SALT_LENGTH = 20;

/** Smaller ones can be broken. */
const MIN_RSA_BITS = 2048;
/** Larger ones cost much to check. */
const MAX_RSA_BITS = 8192;
interface Curve {
  readonly name: 'P-256' | 'P-384' | 'P-521';
  /** Of each of the two numbers of a signature. */
  readonly size: number;
}
const curves: Readonly<Record<string, Curve>> = {
  '1.2.840.10045.3.1.7': { name: 'P-256', size: 32 },
  '1.3.132.0.34': { name: 'P-384', size: 48 },
  '1.3.132.0.35': { name: 'P-521', size: 66 },
};
const UNCOMPRESSED = 4;

const WEAK_KEY = 'One of its keys is too weak or of an unknown kind.';
const UNKNOWN_ALGORITHM = 'It is signed with an algorithm that is not accepted.';

/** Names the digest of an AlgorithmIdentifier whose parameters, if any, are empty. */
export function digestOfIdentifier(identifier: DerElement): DigestName {
  const parts = DerSequence.of(identifier);
  const name = digests[oidText(parts.next(TAG.oid))];
  parts.optional(TAG.null);
  parts.end();
  if (!name) throw new UnsupportedError('It uses a hash function other than SHA-256, SHA-384 and SHA-512.');
  return name;
}

export async function hash(name: DigestName | 'sha1', data: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await platform().digest(name.replace('sha', 'SHA-'), new Uint8Array(data)));
}

/** @param digest if the algorithm does not name one; must be the one that it names */
export async function isSignatureValid(
  identifier: DerElement,
  digest: DigestName | undefined,
  data: Uint8Array,
  keyInfo: DerElement,
  signature: Uint8Array,
): Promise<boolean> {
  const scheme = readScheme(identifier);
  const key = readPublicKey(keyInfo);
  if (!key.kinds.includes(scheme.kind)) return false;
  const name = scheme.digest ?? digest;
  if (scheme.kind !== 'ed25519' && (name === undefined || (digest !== undefined && digest !== name))) return false;
  const bytes = key.curve ? toFixedNumbers(signature, key.curve.size) : new Uint8Array(signature);
  const algorithm = algorithmOf(scheme, name, key.curve);
  let imported: CryptoKey;
  try {
    imported =
      'jwk' in key.material
        ? await platform().importKey('jwk', key.material.jwk, algorithm, false, ['verify'])
        : await platform().importKey('raw', key.material.raw, algorithm, false, ['verify']);
  } catch {
    // A point that is not on its curve, or an algorithm that an old browser does not have.
    throw new UnsupportedError(WEAK_KEY);
  }
  return platform().verify(algorithm, imported, bytes, new Uint8Array(data));
}

/** Missing in pages without HTTPS: then nothing can be checked. */
function platform(): SubtleCrypto {
  const { subtle }: { readonly subtle?: SubtleCrypto } = globalThis.crypto;
  if (!subtle) throw new UnsupportedError('Signatures can only be checked in a page that was loaded by HTTPS.');
  return subtle;
}

function algorithmOf({ kind, saltLength = 0 }: SignatureScheme, digest: DigestName | undefined, curve?: Curve) {
  const digestName = digest?.replace('sha', 'SHA-') ?? '';
  if (kind === 'ed25519') return { name: 'Ed25519' };
  if (kind === 'ec') return { name: 'ECDSA', hash: digestName, namedCurve: curve?.name ?? '' };
  return kind === 'rsa'
    ? { name: 'RSASSA-PKCS1-v1_5', hash: digestName }
    : { name: 'RSA-PSS', hash: digestName, saltLength };
}

/** Throws if the algorithm is not one that is accepted. */
export function readScheme(identifier: DerElement): SignatureScheme {
  const fields = DerSequence.of(identifier);
  const oid = oidText(fields.next(TAG.oid));
  if (oid === RSA_PSS) return readPss(fields.next(TAG.sequence));
  const scheme = schemes[oid];
  if (!scheme) throw new UnsupportedError(UNKNOWN_ALGORITHM);
  if (scheme.kind === 'rsa') fields.optional(TAG.null);
  fields.end();
  return scheme;
}

function readPss(parameters: DerElement): SignatureScheme {
  const fields = DerSequence.of(parameters);
  const stated = fields.optional(TAG.context0);
  const mask = fields.optional(TAG.context1);
  const salt = fields.optional(TAG.context2);
  fields.end();
  // The default is SHA-1.
  if (!stated || !mask) throw new UnsupportedError('It is signed with SHA-1, which is not accepted.');
  const digest = digestOfIdentifier(onlyChild(stated, TAG.sequence));
  const generator = DerSequence.of(onlyChild(mask, TAG.sequence));
  if (oidText(generator.next(TAG.oid)) !== MGF1) throw new UnsupportedError(UNKNOWN_ALGORITHM);
  // No platform knows two.
  if (digestOfIdentifier(generator.next(TAG.sequence)) !== digest) throw new UnsupportedError(UNKNOWN_ALGORITHM);
  generator.end();
  const saltLength = salt ? smallInteger(onlyChild(salt, TAG.integer)) : DEFAULT_SALT_LENGTH;
  return { kind: 'pss', digest, saltLength };
}

interface PublicKey {
  readonly kinds: readonly SignatureScheme['kind'][];
  readonly material: { readonly jwk: JsonWebKey } | { readonly raw: Uint8Array<ArrayBuffer> };
  readonly curve?: Curve;
}

/** Reads a SubjectPublicKeyInfo. Throws unless the key is a strong one. */
function readPublicKey(keyInfo: DerElement): PublicKey {
  const outer = DerSequence.of(keyInfo);
  const [algorithm, parameters] = outer.next(TAG.sequence).children;
  const bytes = bitStringBytes(outer.next(TAG.bitString));
  outer.end();
  const oid = algorithm?.tag === TAG.oid ? oidText(algorithm) : '';
  if (oid === ED25519) return { kinds: ['ed25519'], material: { raw: new Uint8Array(bytes) } };
  if (oid === RSA) return { kinds: ['rsa', 'pss'], material: readRsaKey(bytes) };
  if (oid === RSA_PSS) return { kinds: ['pss'], material: readRsaKey(bytes) };
  const curve = oid === EC && parameters?.tag === TAG.oid ? curves[oidText(parameters)] : undefined;
  const isPoint = bytes[0] === UNCOMPRESSED && bytes.length === 1 + 2 * (curve?.size ?? 0);
  if (!curve || !isPoint) throw new UnsupportedError(WEAK_KEY);
  return { kinds: ['ec'], material: { raw: new Uint8Array(bytes) }, curve };
}

function readRsaKey(bytes: Uint8Array): PublicKey['material'] {
  const fields = DerSequence.of(parseDer(bytes));
  const [modulus, exponent] = [fields.next(TAG.integer), fields.next(TAG.integer)].map(positiveInteger);
  fields.end();
  const bits = modulus ? 8 * modulus.length - Math.clz32(modulus[0] ?? 0) + 24 : 0;
  if (!modulus || !exponent || bits < MIN_RSA_BITS || bits > MAX_RSA_BITS) throw new UnsupportedError(WEAK_KEY);
  return { jwk: { kty: 'RSA', n: toBase64Url(modulus), e: toBase64Url(exponent) } };
}

/** Identifies a public key, however the certificate writes it. Throws unless it is a strong one. */
export function publicKeyId(keyInfo: DerElement): string {
  const { material } = readPublicKey(keyInfo);
  return 'jwk' in material ? `${material.jwk.n}.${material.jwk.e}` : toHex(material.raw);
}

/** Platforms take the two numbers of an ECDSA signature one after the other. */
function toFixedNumbers(signature: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const fields = DerSequence.of(parseDer(signature));
  const numbers = [fields.next(TAG.integer), fields.next(TAG.integer)].map(positiveInteger);
  fields.end();
  const fixed = new Uint8Array(2 * size);
  for (const [index, number] of numbers.entries()) {
    if (number.length > size) throw new DerError('a number of the signature is too large');
    fixed.set(number, (index + 1) * size - number.length);
  }
  return fixed;
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
