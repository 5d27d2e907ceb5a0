// Verifies an RFC 3161 time-stamp: a CMS SignedData over a TSTInfo, signed by one time-stamp authority.

import {
  type DigestName,
  digestOfIdentifier,
  hash,
  InvalidEvidenceError,
  isSignatureValid,
} from '../x509/algorithms.js';
import { parseX509, readExtensions, TIME_STAMPING, usage, type X509 } from '../x509/certificate.js';
import {
  areEqual,
  type DerElement,
  DerError,
  DerSequence,
  oidText,
  onlyChild,
  parseDer,
  readBoolean,
  readTime,
  smallInteger,
  TAG,
  toHex,
} from '../x509/der.js';

export interface TimestampToken {
  /** The token without the response around it. */
  readonly raw: Uint8Array;
  readonly time: Date;
  readonly imprint: { readonly digest: DigestName; readonly value: Uint8Array };
  readonly authority: X509;
  readonly otherCertificates: readonly X509[];
}

const SIGNED_DATA = '1.2.840.113549.1.7.2';
const TST_INFO = '1.2.840.113549.1.9.16.1.4';
const CONTENT_TYPE = '1.2.840.113549.1.9.3';
const MESSAGE_DIGEST = '1.2.840.113549.1.9.4';
const SIGNING_CERTIFICATE = '1.2.840.113549.1.9.16.2.12';
const SIGNING_CERTIFICATE_V2 = '1.2.840.113549.1.9.16.2.47';

/** PKIStatus: granted, and granted with modifications. */
const MAX_GRANTED_STATUS = 1;
/** Authorities send two or three. Each is checked against the others. */
const MAX_CERTIFICATES = 16;
/** Those of public authorities are within a second. With less accuracy, the time says too little. */
const MAX_ACCURACY_SECONDS = 60;
/** The implicit tag of a GeneralName that is a directory name. */
const DIRECTORY_NAME = 0xa4;
const MILLIS = 0x80;
const MICROS = 0x81;

/** Rejects with InvalidEvidenceError, DerError or UnsupportedError unless the signature of its own certificate is valid. */
export async function verifyToken(bytes: Uint8Array): Promise<TimestampToken> {
  const token = unwrapResponse(parseDer(bytes));
  const { content, certificates, signer } = readSignedData(token);
  const authority = certificates.find((certificate) => signer.isBy(certificate));
  if (!authority) throw new InvalidEvidenceError('The time-stamp does not contain the certificate of its authority.');
  await verifySignature(signer, content, authority);
  requireTimestampPurpose(authority);
  return {
    raw: token.whole,
    ...readInfo(content),
    authority,
    otherCertificates: certificates.filter((certificate) => certificate !== authority),
  };
}

/** A TimeStampResp begins with its status, a token with its type. */
function unwrapResponse(outer: DerElement): DerElement {
  const fields = DerSequence.of(outer);
  const statusInfo = fields.optional(TAG.sequence);
  if (!statusInfo) return outer;
  const [status] = statusInfo.children;
  if (status?.tag !== TAG.integer || smallInteger(status) > MAX_GRANTED_STATUS) {
    throw new InvalidEvidenceError(
      'The time-stamp authority rejected the request: the response contains no time-stamp.',
    );
  }
  const token = fields.next(TAG.sequence);
  fields.end();
  return token;
}

interface SignerInfo {
  readonly isBy: (certificate: X509) => boolean;
  readonly digest: DigestName;
  /** Bytes of the attributes as they are signed. */
  readonly signedBytes: Uint8Array;
  readonly attributes: ReadonlyMap<string, DerElement>;
  readonly algorithm: DerElement;
  readonly signature: Uint8Array;
}

function readSignedData(token: DerElement) {
  const info = DerSequence.of(token);
  requireOid(info.next(TAG.oid), SIGNED_DATA);
  const signedData = onlyChild(info.next(TAG.context0), TAG.sequence);
  info.end();

  const fields = DerSequence.of(signedData);
  fields.next(TAG.integer);
  fields.next(TAG.set);
  const encapsulated = DerSequence.of(fields.next(TAG.sequence));
  requireOid(encapsulated.next(TAG.oid), TST_INFO);
  const content = onlyChild(encapsulated.next(TAG.context0), TAG.octetString).body;
  encapsulated.end();
  const certificates = fields.optional(TAG.context0)?.children ?? [];
  if (certificates.length > MAX_CERTIFICATES)
    throw new InvalidEvidenceError('The time-stamp has too many certificates.');
  // Revocation lists are those of the operator: one in the token is chosen by its sender.
  fields.optional(TAG.context1);
  const signer = readSigner(onlyChild(fields.next(TAG.set), TAG.sequence));
  fields.end();
  return { content, certificates: certificates.flatMap(parseIfPossible), signer };
}

/** A certificate of another kind leads to no root, and does no harm. */
function parseIfPossible(element: DerElement): X509[] {
  try {
    return [parseX509(element)];
  } catch {
    return [];
  }
}

function readSigner(element: DerElement): SignerInfo {
  const fields = DerSequence.of(element);
  fields.next(TAG.integer);
  const keyIdentifier = fields.optional(MILLIS)?.body;
  const isBy = keyIdentifier
    ? ({ keyIdentifier: own }: X509) => own !== undefined && areEqual(own, keyIdentifier)
    : readIssuerAndSerial(fields.next(TAG.sequence));
  const digest = digestOfIdentifier(fields.next(TAG.sequence));
  const signedAttributes = fields.next(TAG.context0);
  const algorithm = fields.next(TAG.sequence);
  const signature = fields.next(TAG.octetString).body;
  // Not signed, and not needed.
  fields.optional(TAG.context1);
  fields.end();
  return {
    isBy,
    digest,
    // Signed as a set, but sent with another tag.
    signedBytes: Uint8Array.of(TAG.set, ...signedAttributes.whole.subarray(1)),
    attributes: readAttributes(signedAttributes),
    algorithm,
    signature,
  };
}

function readIssuerAndSerial(element: DerElement): (certificate: X509) => boolean {
  const fields = DerSequence.of(element);
  const issuer = toHex(fields.next(TAG.sequence).whole);
  const serial = toHex(fields.next(TAG.integer).body);
  fields.end();
  return (certificate) => certificate.issuer === issuer && certificate.serial === serial;
}

/** Each with its only value. */
function readAttributes(set: DerElement): ReadonlyMap<string, DerElement> {
  const attributes = new Map<string, DerElement>();
  for (const item of set.children) {
    const fields = DerSequence.of(item);
    const oid = oidText(fields.next(TAG.oid));
    const [value, ...others] = fields.next(TAG.set).children;
    fields.end();
    if (attributes.has(oid) || !value || others.length > 0) {
      throw new InvalidEvidenceError('An attribute of the time-stamp occurs twice.');
    }
    attributes.set(oid, value);
  }
  return attributes;
}

async function verifySignature(signer: SignerInfo, content: Uint8Array, authority: X509): Promise<void> {
  const { digest, attributes, algorithm, signedBytes, signature } = signer;
  const type = attributes.get(CONTENT_TYPE);
  const contentDigest = attributes.get(MESSAGE_DIGEST);
  if (type?.tag !== TAG.oid || oidText(type) !== TST_INFO) {
    throw new InvalidEvidenceError('What the authority signed is not a time-stamp.');
  }
  if (contentDigest?.tag !== TAG.octetString || !areEqual(contentDigest.body, await hash(digest, content))) {
    throw new InvalidEvidenceError('The time-stamp was changed after it was signed.');
  }
  await requireSigningCertificate(attributes, authority);
  if (!(await isSignatureValid(algorithm, digest, signedBytes, authority.keyInfo, signature))) {
    throw new InvalidEvidenceError('The signature of the time-stamp is not valid.');
  }
}

/** Requires the attribute without which another certificate of the same key could stand for the authority's. */
async function requireSigningCertificate(attributes: ReadonlyMap<string, DerElement>, authority: X509): Promise<void> {
  const present = [SIGNING_CERTIFICATE, SIGNING_CERTIFICATE_V2].filter((oid) => attributes.has(oid));
  const areRight = await Promise.all(
    present.map((oid) => {
      // The first of a list is the signer's.
      const id = attributes.get(oid)?.children[0]?.children[0];
      return namesCertificate(id, oid === SIGNING_CERTIFICATE, authority);
    }),
  );
  if (present.length === 0 || areRight.includes(false)) {
    throw new InvalidEvidenceError('The time-stamp does not name the certificate that signed it.');
  }
}

/**
 * ESSCertID has the SHA-1 of the certificate; ESSCertIDv2 that of its algorithm, SHA-256 by default. SHA-1 only tells
 * certificates of the same key apart here, and public authorities still use it.
 */
async function namesCertificate(
  id: DerElement | undefined,
  isFirstVersion: boolean,
  { raw, issuer, serial }: X509,
): Promise<boolean> {
  if (!id) return false;
  const fields = DerSequence.of(id);
  const algorithm = isFirstVersion ? undefined : fields.optional(TAG.sequence);
  const digest = isFirstVersion ? 'sha1' : algorithm ? digestOfIdentifier(algorithm) : 'sha256';
  const digestOfCertificate = fields.next(TAG.octetString).body;
  const issuerSerial = fields.optional(TAG.sequence);
  fields.end();
  if (!areEqual(digestOfCertificate, await hash(digest, raw))) return false;
  if (!issuerSerial) return true;
  const [names, number] = issuerSerial.children;
  return (
    number?.tag === TAG.integer &&
    toHex(number.body) === serial &&
    (names?.children.some(({ tag, body }) => tag === DIRECTORY_NAME && toHex(body) === issuer) ?? false)
  );
}

function requireTimestampPurpose({ purposes, keyUsage, authority }: X509): void {
  const isForTimestamps = purposes?.oids.length === 1 && purposes.oids[0] === TIME_STAMPING;
  const allowed: readonly number[] = [usage.digitalSignature, usage.nonRepudiation];
  const maySign = !keyUsage || (keyUsage.size > 0 && [...keyUsage].every((bit) => allowed.includes(bit)));
  if (!isForTimestamps || !purposes.isCritical || !maySign || authority) {
    throw new InvalidEvidenceError('The certificate that signed the time-stamp is not one for time-stamps.');
  }
}

function readInfo(content: Uint8Array): Pick<TimestampToken, 'time' | 'imprint'> {
  const fields = DerSequence.of(parseDer(content));
  if (smallInteger(fields.next(TAG.integer)) !== 1) throw new DerError('unknown version');
  fields.next(TAG.oid);
  const imprint = DerSequence.of(fields.next(TAG.sequence));
  const digest = digestOfIdentifier(imprint.next(TAG.sequence));
  const value = imprint.next(TAG.octetString).body;
  imprint.end();
  fields.next(TAG.integer);
  const time = readTime(fields.next(TAG.generalizedTime));
  const accuracy = fields.optional(TAG.sequence);
  if (accuracy && accuracySeconds(accuracy) > MAX_ACCURACY_SECONDS) {
    throw new InvalidEvidenceError('The time-stamp states its time with an accuracy worse than a minute.');
  }
  const ordering = fields.optional(TAG.boolean);
  if (ordering) readBoolean(ordering);
  fields.optional(TAG.integer);
  fields.optional(TAG.context0);
  const extensions = fields.optional(TAG.context1);
  fields.end();
  if (extensions && [...readExtensions(extensions)].some(([, { isCritical }]) => isCritical)) {
    throw new InvalidEvidenceError('The time-stamp has a critical extension that is unknown.');
  }
  return { time, imprint: { digest, value } };
}

function accuracySeconds(element: DerElement): number {
  const fields = DerSequence.of(element);
  const seconds = fields.optional(TAG.integer);
  // Less than a second.
  fields.optional(MILLIS);
  fields.optional(MICROS);
  fields.end();
  return seconds ? smallInteger(seconds) : 0;
}

function requireOid(element: DerElement, expected: string): void {
  if (oidText(element) !== expected) throw new InvalidEvidenceError('It is not a time-stamp.');
}
