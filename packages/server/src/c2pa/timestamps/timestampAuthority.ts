// The built-in time-stamp authority (RFC 3161), for this process and over HTTP.

import { createHash, createPrivateKey, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto';
import { AsnConvert } from '@peculiar/asn1-schema';
import { TimeStampReq } from '@peculiar/asn1-tsp';
import type { AlgorithmIdentifier } from '@peculiar/asn1-x509';
import { der, derInteger, readDer, TAG } from '../../asn1/derWriter.js';
import type { Timestamper } from '../signing/cose.js';

export interface TimestampAuthority extends Timestamper {
  /** Takes a TimeStampReq, returns a TimeStampResp; for a bad request that is a rejection, never an exception. */
  respond(request: Uint8Array): Buffer;
}

const SHA256 = '2.16.840.1.101.3.4.2.1';
const imprintLengths: Record<string, number> = {
  [SHA256]: 32,
  '2.16.840.1.101.3.4.2.2': 48,
  '2.16.840.1.101.3.4.2.3': 64,
};

// Object identifiers in DER.
const ID_SIGNED_DATA = Buffer.from('06092a864886f70d010702', 'hex');
const ID_TST_INFO = Buffer.from('060b2a864886f70d0109100104', 'hex');
const ID_CONTENT_TYPE = Buffer.from('06092a864886f70d010903', 'hex');
const ID_MESSAGE_DIGEST = Buffer.from('06092a864886f70d010904', 'hex');
const ID_SIGNING_CERTIFICATE_V2 = Buffer.from('060b2a864886f70d010910022f', 'hex');
const SHA256_IDENTIFIER = der(TAG.sequence, Buffer.from('0609608648016503040201', 'hex'));
const SHA512_IDENTIFIER = der(TAG.sequence, Buffer.from('0609608648016503040203', 'hex'));
const ECDSA_SHA256_IDENTIFIER = der(TAG.sequence, Buffer.from('06082a8648ce3d040302', 'hex'));
const ED25519_IDENTIFIER = der(TAG.sequence, Buffer.from('06032b6570', 'hex'));

interface Scheme {
  /** Of the content, in the signed attributes. */
  readonly digest: string;
  readonly digestIdentifier: Buffer;
  readonly signatureIdentifier: Buffer;
  readonly signAttributes: (attributes: Buffer, key: KeyObject) => Buffer;
}

const P256: Scheme = {
  digest: 'sha256',
  digestIdentifier: SHA256_IDENTIFIER,
  signatureIdentifier: ECDSA_SHA256_IDENTIFIER,
  signAttributes: (attributes, key) => sign('sha256', attributes, key),
};
/** RFC 8419 requires SHA-512 with it. */
const ED25519: Scheme = {
  digest: 'sha512',
  digestIdentifier: SHA512_IDENTIFIER,
  signatureIdentifier: ED25519_IDENTIFIER,
  signAttributes: (attributes, key) => sign(null, attributes, key),
};

/** The policy of a development authority, without any guarantees. */
const POLICY_ID = '1.3.6.1.4.1.99999.1.1.1';
const POLICY = Buffer.from('060b2b06010401868d1f010101', 'hex');
const ACCURACY_ONE_SECOND = der(TAG.sequence, derInteger(Buffer.from([1])));

/** Bits of PKIFailureInfo (RFC 3161). */
const failureBits = {
  badAlg: 0,
  badRequest: 2,
  badDataFormat: 5,
  unacceptedPolicy: 15,
  unacceptedExtension: 16,
  systemFailure: 25,
};

class RejectedRequestError extends Error {
  constructor(readonly failure: keyof typeof failureBits) {
    super(failure);
  }
}

export function createTimestampAuthority(
  keys: { readonly keyPem: string; readonly certificatePem: string },
  clock: () => Date,
): TimestampAuthority {
  const key = createPrivateKey(keys.keyPem);
  const certificate = new X509Certificate(keys.certificatePem);
  const scheme = findScheme(key);
  if (!scheme || !certificate.checkPrivateKey(key)) {
    throw new Error('the time-stamp authority needs a P-256 or Ed25519 key that matches its certificate');
  }
  const { digest: digestName, digestIdentifier, signatureIdentifier, signAttributes } = scheme;
  const { issuer, serialNumber } = issuerAndSerial(certificate.raw);
  const certificateId = der(
    TAG.sequence,
    der(TAG.sequence, der(TAG.sequence, der(TAG.octetString, createHash('sha256').update(certificate.raw).digest()))),
  );
  const contentType = attribute(ID_CONTENT_TYPE, ID_TST_INFO);
  const signingCertificate = attribute(ID_SIGNING_CERTIFICATE_V2, certificateId);
  const certificates = der(TAG.context0, certificate.raw);

  function createToken(imprint: Buffer, nonce: Buffer | undefined, withCertificate: boolean): Buffer {
    const info = der(
      TAG.sequence,
      derInteger(Buffer.from([1])),
      POLICY,
      imprint,
      derInteger(createSerial()),
      der(TAG.generalizedTime, Buffer.from(generalizedTime(clock()))),
      ACCURACY_ONE_SECOND,
      ...(nonce ? [nonce] : []),
    );
    const digest = attribute(ID_MESSAGE_DIGEST, der(TAG.octetString, createHash(digestName).update(info).digest()));
    // DER sorts sets. The attributes are signed as a set but sent with another tag.
    const attributes = [contentType, signingCertificate, digest].sort(Buffer.compare);
    const signature = signAttributes(der(TAG.set, ...attributes), key);
    const signerInfo = der(
      TAG.sequence,
      derInteger(Buffer.from([1])),
      der(TAG.sequence, issuer, serialNumber),
      digestIdentifier,
      der(TAG.context0, ...attributes),
      signatureIdentifier,
      der(TAG.octetString, signature),
    );
    const signedData = der(
      TAG.sequence,
      derInteger(Buffer.from([3])),
      der(TAG.set, digestIdentifier),
      der(TAG.sequence, ID_TST_INFO, der(TAG.context0, der(TAG.octetString, info))),
      ...(withCertificate ? [certificates] : []),
      der(TAG.set, signerInfo),
    );
    return der(TAG.sequence, ID_SIGNED_DATA, der(TAG.context0, signedData));
  }

  return {
    stamp: async (data) => createToken(sha256Imprint(data), undefined, true),
    respond(bytes) {
      try {
        const { imprint, nonce, withCertificate } = parseRequest(bytes);
        return der(TAG.sequence, grantedStatus, createToken(imprint, nonce, withCertificate));
      } catch (error) {
        return rejection(error instanceof RejectedRequestError ? error.failure : 'systemFailure');
      }
    },
  };
}

function findScheme(key: KeyObject): Scheme | undefined {
  if (key.asymmetricKeyType === 'ed25519') return ED25519;
  return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? P256 : undefined;
}

export function sha256Imprint(data: Uint8Array): Buffer {
  return der(TAG.sequence, SHA256_IDENTIFIER, der(TAG.octetString, createHash('sha256').update(data).digest()));
}

const grantedStatus = der(TAG.sequence, derInteger(Buffer.from([0])));

function rejection(failure: keyof typeof failureBits): Buffer {
  const bit = failureBits[failure];
  const bits = Buffer.alloc((bit >> 3) + 1);
  bits[bit >> 3] = 0x80 >> (bit & 7);
  const information = der(TAG.bitString, Buffer.from([7 - (bit & 7)]), bits);
  return der(TAG.sequence, der(TAG.sequence, derInteger(Buffer.from([2])), information));
}

function parseRequest(bytes: Uint8Array) {
  let request: TimeStampReq;
  try {
    request = AsnConvert.parse(bytes, TimeStampReq);
  } catch {
    throw new RejectedRequestError('badDataFormat');
  }
  const { hashAlgorithm, hashedMessage } = request.messageImprint;
  if (request.version !== 1) throw new RejectedRequestError('badRequest');
  const length = imprintLengths[hashAlgorithm.algorithm];
  if (length === undefined) throw new RejectedRequestError('badAlg');
  if (hashedMessage.byteLength !== length) throw new RejectedRequestError('badDataFormat');
  if (request.reqPolicy && request.reqPolicy !== POLICY_ID) throw new RejectedRequestError('unacceptedPolicy');
  if (request.extensions?.length) throw new RejectedRequestError('unacceptedExtension');
  return {
    // Returned as received, with or without empty parameters.
    imprint: der(TAG.sequence, toDer(hashAlgorithm), der(TAG.octetString, new Uint8Array(hashedMessage.buffer))),
    nonce: request.nonce && derInteger(new Uint8Array(request.nonce)),
    withCertificate: request.certReq,
  };
}

function toDer(identifier: AlgorithmIdentifier): Buffer {
  return Buffer.from(AsnConvert.serialize(identifier));
}

function attribute(type: Buffer, value: Buffer): Buffer {
  return der(TAG.sequence, type, der(TAG.set, value));
}

/** Whole seconds: readers disagree about fractions. */
function generalizedTime(time: Date): string {
  return `${time.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`;
}

/** Positive and unique. */
function createSerial(): Buffer {
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  return serial;
}

/** Copied from the certificate byte for byte. */
function issuerAndSerial(raw: Buffer): { issuer: Buffer; serialNumber: Buffer } {
  const content = readDer(raw, 0).body;
  const tbs = readDer(content, 0).body;
  const version = readDer(tbs, 0);
  const serialNumber = readDer(tbs, version.end);
  const algorithm = readDer(tbs, serialNumber.end);
  return { issuer: readDer(tbs, algorithm.end).whole, serialNumber: serialNumber.whole };
}
