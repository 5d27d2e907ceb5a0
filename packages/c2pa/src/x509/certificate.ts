// X.509 certificates, read strictly, as far as time-stamps need them.

import { isSignatureValid } from './algorithms.js';
import {
  areEqual,
  bitStringBytes,
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
} from './der.js';

export interface X509 {
  /** All of it, in DER. */
  readonly raw: Uint8Array;
  readonly serial: string;
  /** Names in DER, as hexadecimal digits. */
  readonly issuer: string;
  readonly subject: string;
  /** Common name and organization. Untrusted text. */
  readonly displayName: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** The SubjectPublicKeyInfo. */
  readonly keyInfo: DerElement;
  readonly keyIdentifier: Uint8Array | undefined;
  readonly authority: { readonly maxIntermediates: number } | undefined;
  /** Undefined: not restricted. */
  readonly keyUsage: ReadonlySet<number> | undefined;
  readonly purposes: { readonly oids: readonly string[]; readonly isCritical: boolean } | undefined;
  /** A critical extension that is not known here, or constraints of names, which are not checked. */
  readonly hasUnknownRestriction: boolean;
  /** Rejects if the algorithm is not accepted. */
  isSignedBy(issuer: X509): Promise<boolean>;
}

const SUBJECT_KEY_IDENTIFIER = '2.5.29.14';
const KEY_USAGE = '2.5.29.15';
const BASIC_CONSTRAINTS = '2.5.29.19';
const NAME_CONSTRAINTS = '2.5.29.30';
const CERTIFICATE_POLICIES = '2.5.29.32';
const AUTHORITY_KEY_IDENTIFIER = '2.5.29.35';
const EXTENDED_KEY_USAGE = '2.5.29.37';
const known = [
  SUBJECT_KEY_IDENTIFIER,
  KEY_USAGE,
  BASIC_CONSTRAINTS,
  CERTIFICATE_POLICIES,
  AUTHORITY_KEY_IDENTIFIER,
  EXTENDED_KEY_USAGE,
];
const VERSION_3 = 2;
const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';
const UTF8_STRING = 0x0c;
const BMP_STRING = 0x1e;

export const ANY_PURPOSE = '2.5.29.37.0';
export const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';
/** Bits of the key usage. */
export const usage = { digitalSignature: 0, nonRepudiation: 1, keyCertSign: 5, crlSign: 6 } as const;

/** Long enough for every authority. */
const MAX_NAME_LENGTH = 200;

/** When a certificate is valid, also of one that has anything else that is not read here. Throws a DerError. */
export function readValidity(raw: Uint8Array): Pick<X509, 'notBefore' | 'notAfter'> {
  const fields = DerSequence.of(DerSequence.of(parseDer(raw)).next(TAG.sequence));
  for (const tag of [TAG.context0, TAG.integer, TAG.sequence, TAG.sequence]) fields.next(tag);
  const validity = DerSequence.of(fields.next(TAG.sequence));
  return { notBefore: nextTime(validity), notAfter: nextTime(validity) };
}

/** Throws if it is not a certificate of version 3. */
export function parseX509(element: DerElement): X509 {
  const outer = DerSequence.of(element);
  const tbs = outer.next(TAG.sequence);
  const algorithm = outer.next(TAG.sequence);
  const signature = bitStringBytes(outer.next(TAG.bitString));
  outer.end();

  const fields = DerSequence.of(tbs);
  const version = onlyChild(fields.next(TAG.context0), TAG.integer);
  if (smallInteger(version) !== VERSION_3) throw new DerError('another version');
  const serial = toHex(fields.next(TAG.integer).body);
  if (!areEqual(fields.next(TAG.sequence).whole, algorithm.whole)) throw new DerError('two signature algorithms');
  const issuer = toHex(fields.next(TAG.sequence).whole);
  const validity = DerSequence.of(fields.next(TAG.sequence));
  const [notBefore, notAfter] = [nextTime(validity), nextTime(validity)];
  validity.end();
  const subject = fields.next(TAG.sequence);
  const keyInfo = fields.next(TAG.sequence);
  const extensions = readExtensions(onlyChild(fields.next(TAG.context3), TAG.sequence));
  fields.end();

  return {
    raw: element.whole,
    serial,
    issuer,
    subject: toHex(subject.whole),
    displayName: displayNameOf(subject),
    notBefore,
    notAfter,
    keyInfo,
    keyIdentifier: readExtension(extensions, SUBJECT_KEY_IDENTIFIER, ({ body }) => body),
    authority: readExtension(extensions, BASIC_CONSTRAINTS, readBasicConstraints),
    keyUsage: readExtension(extensions, KEY_USAGE, readBits),
    purposes: readExtension(extensions, EXTENDED_KEY_USAGE, ({ children }, isCritical) => ({
      oids: children.map(oidText),
      isCritical,
    })),
    hasUnknownRestriction: [...extensions].some(
      ([oid, { isCritical }]) => oid === NAME_CONSTRAINTS || (isCritical && !known.includes(oid)),
    ),
    isSignedBy: (one) => isSignatureValid(algorithm, undefined, tbs.whole, one.keyInfo, signature),
  };
}

export interface Extension {
  readonly value: Uint8Array;
  readonly isCritical: boolean;
}

/** Returns the extensions by object identifier. Throws if one occurs twice. */
export function readExtensions(list: DerElement): ReadonlyMap<string, Extension> {
  const extensions = new Map<string, Extension>();
  for (const item of list.children) {
    const fields = DerSequence.of(item);
    const oid = oidText(fields.next(TAG.oid));
    const critical = fields.optional(TAG.boolean);
    const value = fields.next(TAG.octetString).body;
    fields.end();
    if (extensions.has(oid)) throw new DerError('an extension occurs twice');
    extensions.set(oid, { value, isCritical: critical !== undefined && readBoolean(critical) });
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
  const stated = fields.optional(TAG.boolean);
  const length = fields.optional(TAG.integer);
  fields.end();
  const isAuthority = stated !== undefined && readBoolean(stated);
  return isAuthority ? { maxIntermediates: length ? smallInteger(length) : Number.POSITIVE_INFINITY } : undefined;
}

function readBits({ body }: DerElement): ReadonlySet<number> {
  const bits = [...body.subarray(1)].flatMap((byte, index) =>
    [0, 1, 2, 3, 4, 5, 6, 7].filter((bit) => byte & (0x80 >> bit)).map((bit) => 8 * index + bit),
  );
  return new Set(bits);
}

/** Common name and organization; without either, all texts of the name. */
function displayNameOf(subject: DerElement): string {
  const parts = subject.children
    .flatMap(({ children }) => children)
    .map(({ children: [type, value] }) => ({
      oid: type?.tag === TAG.oid ? oidText(type) : '',
      text: value ? decodeText(value) : '',
    }));
  const find = (oid: string) => parts.findLast((part) => part.oid === oid)?.text;
  const [name, organization] = [find(COMMON_NAME), find(ORGANIZATION)];
  const known = [name, organization === name ? undefined : organization]
    .filter((part) => part !== undefined)
    .join(', ');
  // Control characters, and those that change the direction of the text around them.
  return (known || parts.map(({ text }) => text).join(', '))
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .slice(0, MAX_NAME_LENGTH);
}

/** The kinds of texts in names: those of two bytes a character, of UTF-8, and others. */
function decodeText({ tag, body }: DerElement): string {
  if (tag === BMP_STRING) return new TextDecoder('utf-16be').decode(body);
  return tag === UTF8_STRING ? new TextDecoder().decode(body) : String.fromCharCode(...body);
}
