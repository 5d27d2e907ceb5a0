// The roots and revocation lists by which the operator trusts time-stamps of claims (CLAIM_TRUST_FILE).

import { constants, createHash, verify, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  bitStringBytes,
  type DerElement,
  DerSequence,
  nextTime,
  onlyChild,
  type PathTrust,
  parseDer,
  parseX509,
  publicKeyId,
  type Revocation,
  readExtensions,
  readScheme,
  smallInteger,
  TAG,
  toHex,
  usage,
  type X509,
} from '@provenance-registry/c2pa';

export interface ClaimTrust extends Required<Omit<PathTrust, 'isForSigners'>> {
  readonly id: string;
}

export const noTrust: ClaimTrust = { id: 'none', roots: [], intermediates: [], revocations: [] };

const REASON_CODE = '2.5.29.21';
const ISSUING_DISTRIBUTION_POINT = '2.5.29.28';
/** The CRLReason that takes a certificate off the list. */
const REMOVE_FROM_CRL = 8;

/** Throws with the reason if the file has anything but authorities and their revocation lists. */
export function readClaimTrust(path: string): ClaimTrust {
  const pem = readFileSync(path, 'utf8');
  const blocks = [...pem.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \1-----/g)];
  const contents = (kind: string) =>
    blocks.filter(([, label]) => label === kind).map(([, , base64 = '']) => Buffer.from(base64, 'base64'));
  const other = blocks.find(([, label = '']) => !['CERTIFICATE', 'X509 CRL'].includes(label));
  if (other) throw new Error(`"${path}" contains ${other[1]}, but only certificates and X509 CRLs are expected`);
  const certificates = contents('CERTIFICATE').map(readAuthority);
  const roots = certificates.filter(isRoot);
  if (roots.length === 0) throw new Error(`"${path}" contains no root certificate`);
  return {
    id: createHash('sha256').update(pem).digest('hex'),
    roots: roots.map(({ raw }) => raw),
    intermediates: certificates.filter((certificate) => !roots.includes(certificate)).map(({ raw }) => raw),
    revocations: contents('X509 CRL').flatMap((list) => readRevocations(list, certificates)),
  };
}

function readAuthority(raw: Buffer): X509 {
  let certificate: X509;
  try {
    certificate = parseX509(parseDer(raw));
  } catch {
    throw new Error('a certificate in it cannot be read');
  }
  if (!certificate.authority)
    throw new Error(`the certificate "${certificate.displayName}" is not one of an authority`);
  return certificate;
}

function isRoot(certificate: X509): boolean {
  try {
    if (certificate.subject !== certificate.issuer) return false;
    const [tbs, algorithm, signature] = parseDer(certificate.raw).children;
    if (!tbs || !algorithm || !signature) return false;
    return isSigned(tbs, algorithm, signature, certificate);
  } catch {
    throw new Error(`the certificate "${certificate.displayName}" uses an algorithm that is not accepted`);
  }
}

/** With Node's functions: settings are read before anything else can wait. Throws if the algorithm is not accepted. */
function isSigned(tbs: DerElement, identifier: DerElement, signature: DerElement, { raw, keyInfo }: X509): boolean {
  const { kind, digest = null, saltLength } = readScheme(identifier);
  publicKeyId(keyInfo);
  const { publicKey: key } = new X509Certificate(raw);
  const isOfKind = { ed25519: ['ed25519'], ec: ['ec'], rsa: ['rsa'], pss: ['rsa', 'rsa-pss'] }[kind];
  if (!isOfKind.includes(key.asymmetricKeyType ?? '') || (digest === null && kind !== 'ed25519')) return false;
  const padding = kind === 'pss' ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength } : {};
  return verify(digest, tbs.whole, { key, ...padding }, bitStringBytes(signature));
}

function readRevocations(raw: Buffer, certificates: readonly X509[]): Revocation[] {
  let list: ReturnType<typeof parseRevocationList>;
  try {
    list = parseRevocationList(raw);
  } catch {
    throw new Error('a revocation list in it cannot be read');
  }
  const issuer = certificates.find((certificate) => list.isSignedBy(certificate));
  if (!issuer) throw new Error('a revocation list in it is not signed by a certificate in it');
  // Delta lists, and lists of other authorities' certificates.
  if (list.hasUnknownCriticalExtension) {
    throw new Error(`a revocation list of "${issuer.displayName}" is of a kind that is not supported`);
  }
  return list.entries
    .filter(({ reason }) => reason !== REMOVE_FROM_CRL)
    .map((entry) => ({ ...entry, issuerKeyId: publicKeyId(issuer.keyInfo) }));
}

function parseRevocationList(raw: Buffer) {
  // The operator's own file may be large.
  const outer = DerSequence.of(parseDer(raw, Number.POSITIVE_INFINITY));
  const tbs = outer.next(TAG.sequence);
  const algorithm = outer.next(TAG.sequence);
  const signature = outer.next(TAG.bitString);
  outer.end();
  const fields = DerSequence.of(tbs);
  fields.optional(TAG.integer);
  fields.next(TAG.sequence);
  const issuer = toHex(fields.next(TAG.sequence).whole);
  nextTime(fields);
  fields.optional(TAG.utcTime, TAG.generalizedTime);
  const entries = (fields.optional(TAG.sequence)?.children ?? []).map(readEntry);
  const extensions = fields.optional(TAG.context0);
  fields.end();
  return {
    entries: entries.map(({ hasUnknownCriticalExtension: _, ...entry }) => entry),
    hasUnknownCriticalExtension:
      entries.some((entry) => entry.hasUnknownCriticalExtension) ||
      hasCritical(extensions && onlyChild(extensions, TAG.sequence), ISSUING_DISTRIBUTION_POINT),
    isSignedBy: (certificate: X509) =>
      certificate.subject === issuer &&
      (certificate.keyUsage?.has(usage.crlSign) ?? true) &&
      isSigned(tbs, algorithm, signature, certificate),
  };
}

function readEntry(element: DerElement) {
  const fields = DerSequence.of(element);
  const serial = toHex(fields.next(TAG.integer).body);
  const at = nextTime(fields);
  const list = fields.optional(TAG.sequence);
  fields.end();
  const reason = list && readExtensions(list).get(REASON_CODE);
  return {
    serial,
    at,
    reason: reason ? smallInteger(parseDer(reason.value)) : 0,
    hasUnknownCriticalExtension: hasCritical(list, REASON_CODE),
  };
}

function hasCritical(list: DerElement | undefined, known: string): boolean {
  return list !== undefined && [...readExtensions(list)].some(([oid, { isCritical }]) => isCritical && oid !== known);
}
