// The built-in time-stamp authority (RFC 3161), of this process and over HTTP.

import { createHash, createPrivateKey, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto';
import { AsnConvert } from '@peculiar/asn1-schema';
import { TimeStampReq } from '@peculiar/asn1-tsp';
import { parseDer, TAG } from '@provenance-registry/c2pa';
import { der, derInteger } from '../../asn1/der.js';
import type { Timestamper } from '../signing/cose.js';

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
  /** Hash function of the content's digest in the signed attributes. */
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

/** Takes the key and the certificate of the authority in PEM. Throws unless they belong together. */
export class TimestampAuthority implements Timestamper {
  readonly #key: KeyObject;
  readonly #certificate: X509Certificate;
  readonly #issuerAndSerial: Buffer;
  readonly #scheme: Scheme;
  /** Signed attributes that are the same in every token. */
  readonly #fixedAttributes: readonly Buffer[];
  readonly #clock: () => Date;

  constructor({ keyPem, certificatePem }: Record<'keyPem' | 'certificatePem', string>, clock: () => Date) {
    const key = createPrivateKey(keyPem);
    const certificate = new X509Certificate(certificatePem);
    const scheme = findScheme(key);
    if (!scheme || !certificate.checkPrivateKey(key)) {
      throw new Error('the time-stamp authority needs a P-256 or Ed25519 key that matches its certificate');
    }
    const digest = der(TAG.octetString, createHash('sha256').update(certificate.raw).digest());
    const certificateIds = der(TAG.sequence, der(TAG.sequence, der(TAG.sequence, digest)));
    this.#key = key;
    this.#certificate = certificate;
    this.#issuerAndSerial = issuerAndSerial(certificate);
    this.#scheme = scheme;
    this.#fixedAttributes = [
      attribute(ID_CONTENT_TYPE, ID_TST_INFO),
      attribute(ID_SIGNING_CERTIFICATE_V2, certificateIds),
    ];
    this.#clock = clock;
  }

  async stamp(data: Uint8Array): Promise<Buffer> {
    return this.#createToken(sha256Imprint(data), undefined, true);
  }

  /** Takes a TimeStampReq, returns a TimeStampResp; for a bad request that is a rejection, never an exception. */
  respond(request: Uint8Array): Buffer {
    try {
      const { imprint, nonce, withCertificate } = parseRequest(request);
      return der(TAG.sequence, grantedStatus, this.#createToken(imprint, nonce, withCertificate));
    } catch (error) {
      return rejection(error instanceof RejectedRequestError ? error.failure : 'systemFailure');
    }
  }

  #createToken(imprint: Buffer, nonce: Buffer | undefined, withCertificate: boolean): Buffer {
    const info = der(
      TAG.sequence,
      derInteger(Buffer.from([1])),
      POLICY,
      imprint,
      derInteger(createSerial()),
      der(TAG.generalizedTime, Buffer.from(generalizedTime(this.#clock()))),
      ACCURACY_ONE_SECOND,
      ...(nonce ? [nonce] : []),
    );
    const signedData = der(
      TAG.sequence,
      derInteger(Buffer.from([3])),
      der(TAG.set, this.#scheme.digestIdentifier),
      der(TAG.sequence, ID_TST_INFO, der(TAG.context0, der(TAG.octetString, info))),
      ...(withCertificate ? [der(TAG.context0, this.#certificate.raw)] : []),
      der(TAG.set, this.#sign(info)),
    );
    return der(TAG.sequence, ID_SIGNED_DATA, der(TAG.context0, signedData));
  }

  /** Returns the SignerInfo of a time-stamp's content. */
  #sign(info: Buffer): Buffer {
    const { digest, digestIdentifier, signatureIdentifier, signAttributes } = this.#scheme;
    const messageDigest = der(TAG.octetString, createHash(digest).update(info).digest());
    // DER sorts sets. The attributes are signed as a set but sent with another tag.
    const attributes = [...this.#fixedAttributes, attribute(ID_MESSAGE_DIGEST, messageDigest)].sort(Buffer.compare);
    return der(
      TAG.sequence,
      derInteger(Buffer.from([1])),
      this.#issuerAndSerial,
      digestIdentifier,
      der(TAG.context0, ...attributes),
      signatureIdentifier,
      der(TAG.octetString, signAttributes(der(TAG.set, ...attributes), this.#key)),
    );
  }
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
    imprint: der(
      TAG.sequence,
      new Uint8Array(AsnConvert.serialize(hashAlgorithm)),
      der(TAG.octetString, new Uint8Array(hashedMessage.buffer)),
    ),
    nonce: request.nonce && derInteger(new Uint8Array(request.nonce)),
    withCertificate: request.certReq,
  };
}

function attribute(type: Buffer, value: Buffer): Buffer {
  return der(TAG.sequence, type, der(TAG.set, value));
}

/** Formats whole seconds: readers disagree about fractions. */
function generalizedTime(time: Date): string {
  return `${time.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`;
}

/** Returns a number that is positive and unique. */
function createSerial(): Buffer {
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  return serial;
}

/** Copies the two fields of the certificate byte for byte. */
function issuerAndSerial({ raw }: X509Certificate): Buffer {
  const [, serialNumber, , issuer] = parseDer(raw).children[0]?.children ?? [];
  if (!issuer || !serialNumber) throw new Error('the certificate has no issuer or no serial number');
  return der(TAG.sequence, issuer.whole, serialNumber.whole);
}
