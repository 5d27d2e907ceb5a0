// The algorithms of time-stamps and certificates, the check of a signature, and why evidence is refused.

import { constants, createHash, type KeyObject, verify } from 'node:crypto';
import { type DerElement, DerError, DerSequence, oidText, onlyChild, TAG } from '../asn1/der.js';

export type DigestName = 'sha256' | 'sha384' | 'sha512';

/** Evidence that is malformed, forged, or about another file. The message is a sentence for the claimant. */
export class InvalidEvidenceError extends Error {}

/** An algorithm that is too weak, or that this service does not know. */
export class UnsupportedError extends Error {}

const digests: Readonly<Record<string, DigestName>> = {
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};

interface SignatureScheme {
  readonly keyType: 'rsa' | 'ec' | 'ed25519';
  /** Undefined: not part of the algorithm's name. */
  readonly digest?: DigestName;
  readonly isPss?: boolean;
}

const RSA_PSS = '1.2.840.113549.1.1.10';
const schemes: Readonly<Record<string, SignatureScheme>> = {
  '1.2.840.113549.1.1.1': { keyType: 'rsa' },
  '1.2.840.113549.1.1.11': { keyType: 'rsa', digest: 'sha256' },
  '1.2.840.113549.1.1.12': { keyType: 'rsa', digest: 'sha384' },
  '1.2.840.113549.1.1.13': { keyType: 'rsa', digest: 'sha512' },
  [RSA_PSS]: { keyType: 'rsa', isPss: true },
  '1.2.840.10045.4.3.2': { keyType: 'ec', digest: 'sha256' },
  '1.2.840.10045.4.3.3': { keyType: 'ec', digest: 'sha384' },
  '1.2.840.10045.4.3.4': { keyType: 'ec', digest: 'sha512' },
  '1.3.101.112': { keyType: 'ed25519' },
};

/** Smaller ones can be broken. */
const MIN_RSA_BITS = 2048;
/** Larger ones cost much to check. */
const MAX_RSA_BITS = 8192;
const curves: readonly (string | undefined)[] = ['prime256v1', 'secp384r1', 'secp521r1'];

/** Names the digest of an AlgorithmIdentifier whose parameters, if any, are empty. */
export function digestOfIdentifier(identifier: DerElement): DigestName {
  const parts = DerSequence.of(identifier);
  const name = digests[oidText(parts.next(TAG.oid))];
  parts.optional(TAG.null);
  parts.end();
  if (!name) throw new UnsupportedError('It uses a hash function other than SHA-256, SHA-384 and SHA-512.');
  return name;
}

export function hash(name: DigestName | 'sha1', data: Uint8Array): Buffer {
  return createHash(name).update(data).digest();
}

/** @param digest if the algorithm does not name one; must be the one that it names */
export function isSignatureValid(
  identifier: DerElement,
  digest: DigestName | undefined,
  data: Uint8Array,
  key: KeyObject,
  signature: Uint8Array,
): boolean {
  const scheme = readScheme(identifier);
  requireStrongKey(key);
  if (key.asymmetricKeyType?.replace(/-pss$/, '') !== scheme.keyType) return false;
  if (scheme.keyType === 'ed25519') return verify(null, data, key, signature);
  const name = scheme.digest ?? digest;
  if (name === undefined || (digest !== undefined && digest !== name)) return false;
  if (scheme.keyType === 'ec') return verify(name, data, key, signature);
  if (!scheme.isPss) return verify(name, data, key, signature);
  const padding = constants.RSA_PKCS1_PSS_PADDING;
  return verify(name, data, { key, padding, saltLength: constants.RSA_PSS_SALTLEN_AUTO }, signature);
}

/** Throws if the algorithm is not one that this service accepts. */
function readScheme(identifier: DerElement): SignatureScheme {
  const [algorithm, parameters] = identifier.children;
  const oid = algorithm?.tag === TAG.oid ? oidText(algorithm) : '';
  const scheme = schemes[oid];
  if (!scheme) throw new UnsupportedError('It is signed with an algorithm that is not accepted.');
  return scheme.isPss ? { ...scheme, digest: readPssDigest(parameters) } : scheme;
}

/** The hash of RSASSA-PSS. Node takes the one of MGF1 to be the same, as everyone does. */
function readPssDigest(parameters: DerElement | undefined): DigestName {
  const [digest] = parameters?.children ?? [];
  // The default is SHA-1.
  if (digest?.tag !== TAG.context0) throw new UnsupportedError('It is signed with SHA-1, which is not accepted.');
  return digestOfIdentifier(onlyChild(digest, TAG.sequence));
}

function requireStrongKey(key: KeyObject): void {
  const { modulusLength, namedCurve } = key.asymmetricKeyDetails ?? {};
  const type = key.asymmetricKeyType ?? '';
  const isStrong =
    type === 'ed25519' ||
    (type === 'ec' && curves.includes(namedCurve)) ||
    (/^rsa(-pss)?$/.test(type) && inRange(modulusLength));
  if (!isStrong) throw new UnsupportedError('One of its keys is too weak or of an unknown kind.');
}

function inRange(bits = 0): boolean {
  return bits >= MIN_RSA_BITS && bits <= MAX_RSA_BITS;
}

/** Throws a DerError for everything but whole bytes. */
export function bitStringBytes({ body }: DerElement): Buffer {
  if (body[0] !== 0) throw new DerError('unexpected bits');
  return body.subarray(1);
}
