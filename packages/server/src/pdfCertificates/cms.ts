// Detached CMS signatures of documents as PAdES has them (ETSI EN 319 142-1): over the digest of the document, with the
// signing certificate among the signed attributes, and a time-stamp of the signature among the unsigned ones.

import type { X509Certificate } from 'node:crypto';
import * as cms from '@peculiar/asn1-cms';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import { AlgorithmIdentifier, Certificate } from '@peculiar/asn1-x509';
import { type DocumentSigner, sha256Of } from './documentKey.js';

const SHA256 = new AlgorithmIdentifier({ algorithm: '2.16.840.1.101.3.4.2.1' });
const RSA_ENCRYPTION = new AlgorithmIdentifier({ algorithm: '1.2.840.113549.1.1.1', parameters: null });
const SIGNING_CERTIFICATE_V2 = '1.2.840.113549.1.9.16.2.47';
const SIGNATURE_TIME_STAMP = '1.2.840.113549.1.9.16.2.14';
/** SigningCertificateV2 with one ESSCertIDv2: three sequences and an octet string, up to the SHA-256 of the certificate. */
const SIGNING_CERTIFICATE_HEAD = Buffer.from('302630243022' + '0420', 'hex');
/** The object identifier of data, in DER. */
const ID_DATA = Buffer.from('06092a864886f70d010701', 'hex');
const SET_TAG = 0x31;

/** @param stamp returns a time-stamp token over the signature; undefined: the signature has none */
export async function signDigest(
  digest: Uint8Array,
  signer: DocumentSigner,
  stamp: (signature: Uint8Array) => Promise<Uint8Array | undefined>,
): Promise<Uint8Array> {
  const certificates = signer.certificates.map(parseCertificate);
  const [certificate] = certificates;
  const [leaf] = signer.certificates;
  if (!certificate || !leaf) throw new Error('the signer has no certificate');
  const attributes = [
    attribute(cms.id_contentType, ID_DATA),
    attribute(cms.id_messageDigest, toDer(new OctetString(digest))),
    attribute(SIGNING_CERTIFICATE_V2, Buffer.concat([SIGNING_CERTIFICATE_HEAD, Buffer.from(sha256Of(leaf), 'hex')])),
  ].sort((one, other) => Buffer.compare(toDer(one), toDer(other)));
  const signature = await signer.sign(derSet(attributes.map(toDer)));
  const token = await stamp(signature);
  const { issuer, serialNumber } = certificate.tbsCertificate;
  const signerInfo = new cms.SignerInfo({
    version: cms.CMSVersion.v1,
    sid: new cms.SignerIdentifier({ issuerAndSerialNumber: new cms.IssuerAndSerialNumber({ issuer, serialNumber }) }),
    digestAlgorithm: SHA256,
    signedAttrs: attributes,
    signatureAlgorithm: RSA_ENCRYPTION,
    signature: new OctetString(signature),
    ...(token && { unsignedAttrs: [attribute(SIGNATURE_TIME_STAMP, token)] }),
  });
  const signedData = new cms.SignedData({
    version: cms.CMSVersion.v1,
    digestAlgorithms: new cms.DigestAlgorithmIdentifiers([SHA256]),
    encapContentInfo: new cms.EncapsulatedContentInfo({ eContentType: cms.id_data }),
    certificates: new cms.CertificateSet(certificates.map((one) => new cms.CertificateChoices({ certificate: one }))),
    signerInfos: new cms.SignerInfos([signerInfo]),
  });
  return toDer(new cms.ContentInfo({ contentType: cms.id_signedData, content: AsnConvert.serialize(signedData) }));
}

function parseCertificate({ raw }: X509Certificate): Certificate {
  return AsnConvert.parse(raw, Certificate);
}

function attribute(attrType: string, value: Uint8Array): cms.Attribute {
  return new cms.Attribute({ attrType, attrValues: [Uint8Array.from(value).buffer] });
}

function toDer(value: object): Buffer {
  return Buffer.from(AsnConvert.serialize(value));
}

/** The attributes are signed as a set, but sent with another tag. */
function derSet(items: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(items);
  // Between 128 and 255 bytes: the three attributes have fixed lengths.
  return Buffer.concat([Buffer.from([SET_TAG, 0x81, body.length]), body]);
}
