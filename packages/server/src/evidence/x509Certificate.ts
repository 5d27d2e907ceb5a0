// X.509 certificates, read strictly, as far as time-stamps need them.

import { type KeyObject, X509Certificate } from 'node:crypto';
import {
  type DerElement,
  DerError,
  DerSequence,
  oidText,
  onlyChild,
  parseDer,
  readTime,
  smallInteger,
  TAG,
} from '../asn1/der.js';
import { bitStringBytes, hash, isSignatureValid } from './algorithms.js';

export interface X509 {
  readonly raw: Buffer;
  readonly serial: string;
  /** Names in DER, as hexadecimal digits. */
  readonly issuer: string;
  readonly subject: string;
  /** Common name and organization. Untrusted text. */
  readonly displayName: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly publicKey: KeyObject;
  /** SHA-256 of the public key. */
  readonly keyId: string;
  readonly keyIdentifier: Buffer | undefined;
  readonly authority: { readonly maxIntermediates: number } | undefined;
  /** Undefined: not restricted. */
  readonly keyUsage: ReadonlySet<number> | undefined;
  readonly purposes: { readonly oids: readonly string[]; readonly isCritical: boolean } | undefined;
  readonly hasUnknownCriticalExtension: boolean;
  /** Throws if the algorithm is not accepted. */
  isSignedBy(key: KeyObject): boolean;
}

const SUBJECT_KEY_IDENTIFIER = '2.5.29.14';
const KEY_USAGE = '2.5.29.15';
const BASIC_CONSTRAINTS = '2.5.29.19';
const CERTIFICATE_POLICIES = '2.5.29.32';
const EXTENDED_KEY_USAGE = '2.5.29.37';
const known = [SUBJECT_KEY_IDENTIFIER, KEY_USAGE, BASIC_CONSTRAINTS, CERTIFICATE_POLICIES, EXTENDED_KEY_USAGE];

export const ANY_PURPOSE = '2.5.29.37.0';
export const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';
/** Bits of the key usage. */
export const usage = { digitalSignature: 0, nonRepudiation: 1, keyCertSign: 5, crlSign: 6 } as const;

/** Long enough for every authority. */
const MAX_NAME_LENGTH = 200;

/** Throws if it is not a certificate of version 3. */
export function parseX509(element: DerElement): X509 {
  const outer = DerSequence.of(element);
  const tbs = outer.next(TAG.sequence);
  const algorithm = outer.next(TAG.sequence);
  const signature = bitStringBytes(outer.next(TAG.bitString));
  outer.end();

  const fields = DerSequence.of(tbs);
  fields.next(TAG.context0);
  const serial = fields.next(TAG.integer).body.toString('hex');
  if (!fields.next(TAG.sequence).whole.equals(algorithm.whole)) throw new DerError('two signature algorithms');
  const issuer = fields.next(TAG.sequence).whole.toString('hex');
  const validity = DerSequence.of(fields.next(TAG.sequence));
  const [notBefore, notAfter] = [nextTime(validity), nextTime(validity)];
  const subject = fields.next(TAG.sequence).whole.toString('hex');
  const keyInfo = fields.next(TAG.sequence);
  const extensions = readExtensions(onlyChild(fields.next(TAG.context3), TAG.sequence));
  fields.end();

  const x509 = new X509Certificate(element.whole);
  return {
    raw: element.whole,
    serial,
    issuer,
    subject,
    displayName: displayNameOf(x509.subject),
    notBefore,
    notAfter,
    publicKey: x509.publicKey,
    keyId: hash('sha256', keyInfo.whole).toString('hex'),
    keyIdentifier: readExtension(extensions, SUBJECT_KEY_IDENTIFIER, ({ body }) => body),
    authority: readExtension(extensions, BASIC_CONSTRAINTS, readBasicConstraints),
    keyUsage: readExtension(extensions, KEY_USAGE, readBits),
    purposes: readExtension(extensions, EXTENDED_KEY_USAGE, ({ children }, isCritical) => ({
      oids: children.map(oidText),
      isCritical,
    })),
    hasUnknownCriticalExtension: [...extensions].some(([oid, { isCritical }]) => isCritical && !known.includes(oid)),
    isSignedBy: (key) => isSignatureValid(algorithm, undefined, tbs.whole, key, signature),
  };
}

export interface Extension {
  readonly value: Buffer;
  readonly isCritical: boolean;
}

/** Returns the extensions by object identifier. Throws if one occurs twice. */
export function readExtensions(list: DerElement): ReadonlyMap<string, Extension> {
  const extensions = new Map<string, Extension>();
  for (const item of list.children) {
    const fields = DerSequence.of(item);
    const oid = oidText(fields.next(TAG.oid));
    const isCritical = fields.optional(TAG.boolean)?.body[0] === 0xff;
    const value = fields.next(TAG.octetString).body;
    fields.end();
    if (extensions.has(oid)) throw new DerError('an extension occurs twice');
    extensions.set(oid, { value, isCritical });
  }
  return extensions;
}

function readExtension<T>(
  extensions: ReadonlyMap<string, Extension>,
  oid: string,
  read: (value: DerElement, isCritical: boolean) => T,
): T | undefined {
  const extension = extensions.get(oid);
  return extension && read(parseDer(extension.value), extension.isCritical);
}

export function nextTime(fields: DerSequence): Date {
  const time = fields.optional(TAG.utcTime, TAG.generalizedTime);
  if (!time) throw new DerError('a time is missing');
  return readTime(time);
}

function readBasicConstraints(element: DerElement): X509['authority'] {
  const fields = DerSequence.of(element);
  const isAuthority = fields.optional(TAG.boolean)?.body[0] === 0xff;
  const length = fields.optional(TAG.integer);
  fields.end();
  return isAuthority ? { maxIntermediates: length ? smallInteger(length) : Number.POSITIVE_INFINITY } : undefined;
}

function readBits({ body }: DerElement): ReadonlySet<number> {
  const bits = [...body.subarray(1)].flatMap((byte, index) =>
    [0, 1, 2, 3, 4, 5, 6, 7].filter((bit) => byte & (0x80 >> bit)).map((bit) => 8 * index + bit),
  );
  return new Set(bits);
}

/** Node has one line for each part of a name. */
function displayNameOf(subject: string): string {
  const parts = new Map(
    subject.split('\n').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  const [name, organization] = [parts.get('CN'), parts.get('O')];
  const text = [name, organization === name ? undefined : organization].filter((part) => part !== undefined).join(', ');
  // Control characters, and those that change the direction of the text around them.
  return (text || subject.replaceAll('\n', ', '))
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .slice(0, MAX_NAME_LENGTH);
}
