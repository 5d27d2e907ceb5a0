// Verifies the signed index of a registry's downloads: signature, certificates up to a trusted root, and whose index it is.

import { constants, type KeyObject, verify, X509Certificate } from 'node:crypto';
import {
  DOWNLOAD_INDEX_TYPE,
  DownloadIndex,
  judgeDownloadAge,
  MAX_PIECE_BYTES,
  signingPurposes,
} from '@provenance-registry/core';
import Type from 'typebox';
import { Check } from 'typebox/schema';
import { CommandError } from '../errors.js';
import { isValidAt, parseRoots } from '../trust/certificates.js';

/** Room for a billion fingerprints. */
const MAX_FILTER_BYTES = 1_200_000_000;
/** Signing certificates have one or two authorities. */
const MAX_CERTIFICATES = 8;

const Header = Type.Object({
  alg: Type.String(),
  typ: Type.Literal(DOWNLOAD_INDEX_TYPE),
  x5c: Type.Array(Type.String(), { minItems: 1, maxItems: MAX_CERTIFICATES }),
  // Extensions that must be understood.
  crit: Type.Optional(Type.Never()),
});

/** The curves and key types by JOSE's names. */
const algorithms: Readonly<Record<string, { digest: string | null; type: string; curve?: string }>> = {
  ES256: { digest: 'sha256', type: 'ec', curve: 'prime256v1' },
  ES384: { digest: 'sha384', type: 'ec', curve: 'secp384r1' },
  ES512: { digest: 'sha512', type: 'ec', curve: 'secp521r1' },
  PS256: { digest: 'sha256', type: 'rsa' },
  EdDSA: { digest: null, type: 'ed25519' },
};

export interface IndexTrust {
  readonly rootsPem: string;
  /** The URL of the registry. */
  readonly registry: string;
  readonly chainId: number | undefined;
  readonly contract: string | undefined;
  readonly now: Date;
}

export class UntrustedDownloadsError extends CommandError {
  constructor(reason: string) {
    super('UNTRUSTED_DOWNLOADS', 1, `The downloads are not used: ${reason}.`);
  }
}

/** Throws UntrustedDownloadsError unless the trusted registry signed this index. */
export function verifyIndex(jws: string, trust: IndexTrust): DownloadIndex {
  const [header = '', payload = '', signature = '', ...rest] = jws.split('.');
  const { alg, x5c } = requireForm(Header, decodeJson(header), 'the header of the index is not as documented');
  if (rest.length > 0) throw new UntrustedDownloadsError('the index is not a signature');
  const certificates = x5c.map(parseCertificate);
  const [leaf] = certificates;
  if (!leaf || !isSignedBy(`${header}.${payload}`, signature, alg, leaf.publicKey)) {
    throw new UntrustedDownloadsError('the signature of the index is wrong');
  }
  const index = requireForm(DownloadIndex, decodeJson(payload), 'the index is not as documented');
  const createdAt = new Date(index.createdAt);
  requireTrustedPath(certificates, trust.rootsPem, createdAt);
  requireOwnIndex(index, trust);
  requirePossibleSizes(index);
  return index;
}

function requireOwnIndex(index: DownloadIndex, { registry, chainId, contract, now }: IndexTrust): void {
  const { chain } = index;
  if (index.registry !== registry) {
    throw new UntrustedDownloadsError(`the index is of ${index.registry}, not of ${registry}`);
  }
  const isSameChain = chainId === undefined || chain.chainId === undefined || chain.chainId === chainId;
  if (!isSameChain || (contract !== undefined && chain.contract.toLowerCase() !== contract.toLowerCase())) {
    throw new UntrustedDownloadsError(`the index is of the contract ${chain.contract} on chain ${chain.chainId}`);
  }
  // It would keep out all later ones.
  if (judgeDownloadAge(index, now) === 'impossible') {
    throw new UntrustedDownloadsError(`the index is from the future (${index.createdAt}), or after the next one`);
  }
}

function requirePossibleSizes({ filter, pieces }: DownloadIndex): void {
  if (filter.size > MAX_FILTER_BYTES || pieces.some(({ size }) => size > MAX_PIECE_BYTES)) {
    throw new UntrustedDownloadsError('a file in the index is too large');
  }
  const isOrdered = pieces.every(({ from, to }, index) => from <= to && (pieces[index - 1]?.to ?? '') < from);
  if (!isOrdered) throw new UntrustedDownloadsError('the pieces in the index are not in order');
}

/**
 * Requires a path from the signer's certificate to a trusted root, each signed by the next and valid when the index was
 * made.
 */
function requireTrustedPath(certificates: readonly X509Certificate[], rootsPem: string, at: Date): void {
  const [leaf] = certificates;
  const isSigner = leaf && !leaf.ca && leaf.keyUsage?.some((purpose) => signers.includes(purpose));
  if (!isSigner) throw new UntrustedDownloadsError('the certificate of the index is not one of a signer');
  const isIssuedBy = (certificate: X509Certificate, issuer: X509Certificate) =>
    issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey) && isValidAt(issuer, at);
  const isPath = certificates.every((certificate, index) => {
    const issuer = certificates[index + 1];
    return !issuer || isIssuedBy(certificate, issuer);
  });
  const last = certificates.at(-1);
  const hasRoot = parseRoots(rootsPem).some(({ certificate }) => last && isIssuedBy(last, certificate));
  if (!isPath || !hasRoot || !isValidAt(leaf, at)) {
    throw new UntrustedDownloadsError('the certificate of the index leads to no trusted root');
  }
}

const signers: readonly string[] = Object.values(signingPurposes);

function isSignedBy(signed: string, signature: string, alg: string, key: KeyObject): boolean {
  const algorithm = algorithms[alg];
  if (!algorithm || key.asymmetricKeyType !== algorithm.type) return false;
  if (algorithm.curve !== undefined && key.asymmetricKeyDetails?.namedCurve !== algorithm.curve) return false;
  const options =
    algorithm.type === 'rsa'
      ? { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
      : { key, dsaEncoding: 'ieee-p1363' as const };
  return verify(algorithm.digest, Buffer.from(signed), options, Buffer.from(signature, 'base64url'));
}

function parseCertificate(der: string): X509Certificate {
  try {
    return new X509Certificate(Buffer.from(der, 'base64'));
  } catch {
    throw new UntrustedDownloadsError('a certificate of the index cannot be read');
  }
}

function decodeJson(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

function requireForm<S extends Type.TSchema>(schema: S, value: unknown, reason: string): Type.Static<S> {
  if (!Check(schema, value)) throw new UntrustedDownloadsError(reason);
  return value;
}
