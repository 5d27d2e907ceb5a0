// Time-stamp authorities of every kind, right and wrong, and the tokens that they sign.

import { constants, createHash, KeyObject, sign, webcrypto } from 'node:crypto';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { parseDer, TAG } from '@provenance-registry/c2pa';
import { der, derInteger } from '../../packages/server/src/asn1/der.js';

export { x509 };

x509.cryptoProvider.set(webcrypto);

const rsa = (name: string) => ({
  name,
  modulusLength: 2048,
  publicExponent: Uint8Array.of(1, 0, 1),
  hash: 'SHA-256',
});
const keyKinds = {
  ed25519: { name: 'Ed25519' },
  p256: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  p384: { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' },
  p521: { name: 'ECDSA', namedCurve: 'P-521', hash: 'SHA-512' },
  /** Signs certificates with SHA-1. */
  p256sha1: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-1' },
  rsa: rsa('RSASSA-PKCS1-v1_5'),
  rsa1024: { ...rsa('RSASSA-PKCS1-v1_5'), modulusLength: 1024 },
} as const;
const DAY = 86_400_000;
/** The time of all tokens, unless a test chooses another one. */
export const STAMPED_AT = new Date('2024-05-01T12:00:00Z');
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';

export interface Authority {
  readonly certificate: x509.X509Certificate;
  readonly raw: Buffer;
  readonly pem: string;
  readonly key: KeyObject;
  readonly signingKey: webcrypto.CryptoKey;
  readonly algorithm: (typeof keyKinds)[keyof typeof keyKinds];
}

export interface AuthorityOptions {
  readonly name?: string;
  readonly serial?: string;
  readonly key?: keyof typeof keyKinds;
  /** Undefined: self-signed. */
  readonly issuer?: Authority;
  readonly validFrom?: Date;
  readonly validTo?: Date;
  /** Null: none. */
  readonly extensions?: readonly x509.Extension[];
}

export const asRoot = (pathLength?: number) => [
  new x509.BasicConstraintsExtension(true, pathLength, true),
  new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
];
export const asStamper = (purposes: string[] = [TIME_STAMPING], isCritical = true) => [
  new x509.BasicConstraintsExtension(false, undefined, true),
  new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
  ...(purposes.length > 0 ? [new x509.ExtendedKeyUsageExtension(purposes, isCritical)] : []),
];

export async function makeAuthority(options: AuthorityOptions = {}): Promise<Authority> {
  const { name = 'CN=Root, O=Test', issuer, key = 'ed25519', extensions = asRoot() } = options;
  const algorithm = keyKinds[key];
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: options.serial ?? '01',
    subject: name,
    issuer: issuer?.certificate.subject ?? name,
    notBefore: options.validFrom ?? new Date(STAMPED_AT.getTime() - 100 * DAY),
    notAfter: options.validTo ?? new Date(STAMPED_AT.getTime() + 100 * DAY),
    signingAlgorithm: issuer?.algorithm ?? algorithm,
    publicKey: keys.publicKey,
    signingKey: issuer?.signingKey ?? keys.privateKey,
    extensions: [
      ...extensions,
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      // c2pa-rs requires it.
      ...(issuer ? [await x509.AuthorityKeyIdentifierExtension.create(issuer.certificate.publicKey)] : []),
    ],
  });
  return {
    certificate,
    raw: Buffer.from(certificate.rawData),
    pem: `${certificate.toString('pem')}\n`,
    key: KeyObject.from(keys.privateKey),
    signingKey: keys.privateKey,
    algorithm,
  };
}

export async function makeRevocationList(
  issuer: Authority,
  revoked: readonly { serial: string; at: Date; reason?: x509.X509CrlReason }[],
): Promise<string> {
  const list = await x509.X509CrlGenerator.create({
    issuer: issuer.certificate.subject,
    thisUpdate: STAMPED_AT,
    nextUpdate: new Date(STAMPED_AT.getTime() + DAY),
    entries: revoked.map(({ serial, at, reason }) => ({
      serialNumber: serial,
      revocationDate: at,
      ...(reason !== undefined && { reason }),
    })),
    signingAlgorithm: issuer.algorithm,
    signingKey: issuer.signingKey,
  });
  return `${list.toString('pem').replaceAll(' CRL-', ' X509 CRL-')}\n`;
}

type Digest = 'sha1' | 'sha256' | 'sha384' | 'sha512';
type Scheme = 'rsa' | 'pss' | 'ec' | 'ed25519';

export interface TokenOptions {
  readonly imprint: Buffer;
  readonly imprintDigest?: Digest;
  readonly signer: Authority;
  /** Those in the token; the signer's by default. */
  readonly certificates?: readonly Buffer[];
  readonly digest?: Digest;
  readonly scheme?: Scheme;
  readonly time?: Date;
  /** As it stands in the token; that of `time` by default. */
  readonly timeElement?: Buffer;
  readonly accuracySeconds?: number;
  /** The certificate that the token names. */
  readonly named?: Buffer | null;
  readonly contentType?: Buffer;
  readonly contentDigest?: Buffer;
  readonly moreAttributes?: readonly Buffer[];
  readonly moreSigners?: boolean;
  /** Of TSTInfo. */
  readonly extensions?: Buffer;
  /** Changes what is sent after it was signed. */
  readonly changeAttributes?: (attributes: Buffer[]) => Buffer[];
  readonly changeContent?: (content: Buffer) => Buffer;
  /** Change the elements of a structure: TSTInfo before it is signed, the others afterwards. */
  readonly changeInfo?: (elements: Buffer[]) => Buffer[];
  readonly changeSignerInfo?: (elements: Buffer[]) => Buffer[];
  readonly changeSignedData?: (elements: Buffer[]) => Buffer[];
  /** Other bytes that are signed instead of the attributes. */
  readonly signed?: (attributes: readonly Buffer[], info: Buffer) => Buffer;
}

export const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
export const sequence = (...parts: Uint8Array[]) => der(TAG.sequence, ...parts);
export const octets = (bytes: Uint8Array) => der(TAG.octetString, bytes);
export const number = (value: number) => derInteger(Buffer.from([0, value >> 8, value & 0xff]));
const digestOids = {
  sha1: '2b0e03021a',
  sha256: '608648016503040201',
  sha384: '608648016503040202',
  sha512: '608648016503040203',
};
const digestIdentifier = (digest: Digest) => sequence(oid(digestOids[digest]));
const TST_INFO = oid('2a864886f70d0109100104');

export const attribute = (type: string, value: Buffer) => sequence(oid(type), der(TAG.set, value));
export const CONTENT_TYPE = '2a864886f70d010903';
export const MESSAGE_DIGEST = '2a864886f70d010904';
export const SIGNING_CERTIFICATE_V2 = '2a864886f70d010910022f';

export function makeToken(options: TokenOptions): Buffer {
  const { signer, digest = 'sha256', scheme = schemeOf(signer), time = STAMPED_AT, named = signer.raw } = options;
  const same = (elements: Buffer[]) => elements;
  const { changeInfo = same, changeSignerInfo = same, changeSignedData = same } = options;
  const infoElements = [
    number(1),
    oid('2a030401'),
    sequence(digestIdentifier(options.imprintDigest ?? 'sha256'), octets(options.imprint)),
    number(7),
    options.timeElement ??
      der(TAG.generalizedTime, Buffer.from(`${time.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`)),
    ...(options.accuracySeconds === undefined ? [] : [sequence(number(options.accuracySeconds))]),
    ...(options.extensions ? [options.extensions] : []),
  ];
  const info = sequence(...changeInfo(infoElements));
  const attributes = [
    attribute(CONTENT_TYPE, options.contentType ?? TST_INFO),
    attribute(MESSAGE_DIGEST, octets(options.contentDigest ?? hashOf(digest, info))),
    ...(named
      ? [attribute(SIGNING_CERTIFICATE_V2, sequence(sequence(sequence(octets(hashOf('sha256', named))))))]
      : []),
    ...(options.moreAttributes ?? []),
  ].sort(Buffer.compare);
  const signed = options.signed?.(attributes, info) ?? der(TAG.set, ...attributes);
  const signature = signWith(signer.key, scheme, digest, signed);
  const { issuer, serial } = issuerAndSerial(signer.raw);
  const signerElements = [
    number(1),
    sequence(issuer, serial),
    digestIdentifier(digest),
    der(TAG.context0, ...(options.changeAttributes?.(attributes) ?? attributes)),
    signatureIdentifier(scheme, digest),
    octets(signature),
  ];
  const signerInfo = sequence(...changeSignerInfo(signerElements));
  const signedElements = [
    number(3),
    der(TAG.set, digestIdentifier(digest)),
    sequence(TST_INFO, der(TAG.context0, octets(options.changeContent?.(info) ?? info))),
    der(TAG.context0, ...(options.certificates ?? [signer.raw])),
    der(TAG.set, signerInfo, ...(options.moreSigners ? [signerInfo] : [])),
  ];
  return sequence(oid('2a864886f70d010702'), der(TAG.context0, sequence(...changeSignedData(signedElements))));
}

/** A TimeStampResp. */
export function makeResponse(status: number, token?: Buffer): Buffer {
  return sequence(sequence(number(status)), ...(token ? [token] : []));
}

/** The content of `[1]` in TSTInfo: one critical extension that no reader knows. */
export const criticalExtension = der(
  0xa1,
  sequence(oid('2a030405'), der(TAG.boolean, Buffer.from([0xff])), octets(Buffer.from('0500', 'hex'))),
);

function schemeOf({ algorithm: { name } }: Authority): Scheme {
  if (name === 'Ed25519') return 'ed25519';
  return name === 'ECDSA' ? 'ec' : 'rsa';
}

function signWith(key: KeyObject, scheme: Scheme, digest: Digest, data: Buffer): Buffer {
  if (scheme === 'ed25519') return sign(null, data, key);
  if (scheme !== 'pss') return sign(digest, data, key);
  return sign(digest, data, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 });
}

function signatureIdentifier(scheme: Scheme, digest: Digest): Buffer {
  if (scheme === 'ed25519') return sequence(oid('2b6570'));
  if (scheme === 'rsa') return sequence(oid('2a864886f70d010101'), der(0x05));
  if (scheme === 'pss') return sequence(oid('2a864886f70d01010a'), pssParameters(digest));
  const last = { sha1: '01', sha256: '02', sha384: '03', sha512: '04' }[digest];
  return sequence(oid(digest === 'sha1' ? '2a8648ce3d0401' : `2a8648ce3d0403${last}`));
}

function pssParameters(digest: Digest): Buffer {
  const mgf = sequence(oid('2a864886f70d010108'), digestIdentifier(digest));
  return sequence(der(0xa0, digestIdentifier(digest)), der(0xa1, mgf), der(0xa2, number(32)));
}

export function hashOf(digest: Digest, data: Uint8Array): Buffer {
  return createHash(digest).update(data).digest();
}

export function issuerAndSerial(raw: Buffer): { issuer: Buffer; serial: Buffer } {
  const [, serial, , issuer] = parseDer(raw).children[0]?.children ?? [];
  if (!serial || !issuer) throw new Error('not a certificate');
  return { issuer: Buffer.from(issuer.whole), serial: Buffer.from(serial.whole) };
}
