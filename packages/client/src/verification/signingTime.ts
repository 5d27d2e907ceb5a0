// When a manifest was signed, as far as a time-stamp proves it, and whether its signer was trusted and its certificates were
// valid then. What c2pa-rs says about time-stamps does not count: of version 1 claims, it trusts any authority.

import {
  areEqual,
  type ClaimSignature,
  type ClaimStamp,
  childrenOf,
  findPath,
  hash,
  labelOf,
  parseDer,
  parseX509,
  publicKeyId,
  readClaimSignature,
  readValidity,
  verifyToken,
  type X509,
} from '@provenance-registry/c2pa';
import { parseRootCertificates, type RootSet } from './rootSet.js';

export interface SigningTime {
  /** The time in a time-stamp whose authority leads to a root, while the certificate of the signer was valid. */
  readonly at: Date | undefined;
  /** That root is one of time-stamp authorities, not only one of signers. */
  readonly isOfNamedAuthority: boolean;
  /** That root is not one of signers. */
  readonly isIndependent: boolean;
  /** The name in the certificate of the signer, in DER as hexadecimal digits. */
  readonly signer: string | undefined;
  /** When the certificate of the signer began. */
  readonly certifiedSince: Date;
  /** Whether the certificate of the signer is valid now, or was at that time. */
  readonly isSignerValid: boolean;
  /** Whether all certificates up to a root of signers were valid then, and were those of authorities. */
  readonly isSignerTrusted: boolean;
  /** Headers of the signature with a time-stamp that counts. */
  readonly headers: readonly ClaimStamp['header'][];
}

/** By the label of the manifest. Manifests that cannot be read are missing. */
export type SigningTimes = ReadonlyMap<string, SigningTime>;

interface Roots {
  readonly signer: readonly Uint8Array[];
  readonly timestamp: readonly Uint8Array[];
  /** Those of time-stamp authorities alone: an authority under the signer's own root is the same party. */
  readonly others: readonly Uint8Array[];
}

/** Of every manifest in the store. */
export async function readSigningTimes(store: Uint8Array, roots: RootSet): Promise<SigningTimes> {
  const times = new Map<string, SigningTime>();
  try {
    const parsed = parseRoots(roots);
    const manifests = childrenOf(store);
    const labels = manifests.map(labelOf);
    for (const [index, manifest] of manifests.entries()) {
      const [label = ''] = labels.slice(index);
      // Readers differ in which one of two they take.
      if (labels.filter((one) => one === label).length > 1) continue;
      const time = await tryCheck(() => checkSignature(readClaimSignature(manifest), parsed, new Date()));
      if (time) times.set(label, time);
    }
  } catch {
    // Not boxes at all.
  }
  return times;
}

async function checkSignature(
  { certificates, stamps }: ClaimSignature,
  roots: Roots,
  now: Date,
): Promise<SigningTime | undefined> {
  const [leaf] = certificates;
  if (!leaf) return undefined;
  const { notBefore, notAfter } = readValidity(leaf);
  const isValidAt = (time: Date) => notBefore <= time && time <= notAfter;
  const found = (await Promise.all(stamps.map((stamp) => tryCheck(() => checkStamp(stamp, roots)))))
    .filter((stamp) => stamp !== undefined)
    .filter(({ at }) => isValidAt(at))
    .sort((one, other) => Number(other.isIndependent) - Number(one.isIndependent) || Number(one.at) - Number(other.at));
  const [earliest] = found;
  const times = earliest ? [now, earliest.at] : [now];
  const trusted = await Promise.all(times.map((time) => tryCheck(() => isTrusted(certificates, roots.signer, time))));
  return {
    signer: (await tryCheck(async () => parseCertificate(leaf)))?.subject,
    at: earliest?.at,
    isOfNamedAuthority: earliest?.isOfNamedAuthority ?? false,
    isIndependent: earliest?.isIndependent ?? false,
    certifiedSince: notBefore,
    isSignerValid: times.some(isValidAt),
    isSignerTrusted: trusted.includes(true),
    headers: found.map(({ header }) => header),
  };
}

/** Undefined unless the authority of the time-stamp leads to a root. */
async function checkStamp({ header, token, data }: ClaimStamp, roots: Roots) {
  const { imprint, time, authority, otherCertificates } = await verifyToken(token);
  if (!areEqual(imprint.value, await hash(imprint.digest, data))) return undefined;
  const leadsTo = async (list: readonly Uint8Array[]) =>
    (await tryCheck(() => findPath(authority, otherCertificates, { roots: list }, time)))?.state === 'trusted';
  const isIndependent = await leadsTo(roots.others);
  const isOfNamedAuthority = isIndependent || (await leadsTo(roots.timestamp));
  if (!isOfNamedAuthority && !(await leadsTo(roots.signer))) return undefined;
  return { header, at: time, isOfNamedAuthority, isIndependent };
}

async function isTrusted(certificates: readonly Uint8Array[], roots: readonly Uint8Array[], time: Date) {
  const [leaf, ...others] = certificates.map(parseCertificate);
  return leaf !== undefined && (await findPath(leaf, others, { roots, isForSigners: true }, time)).state === 'trusted';
}

/** Undefined for what cannot be read or does not hold, for whatever reason: then it proves nothing. */
async function tryCheck<T>(check: () => Promise<T>): Promise<T | undefined> {
  try {
    return await check();
  } catch {
    return undefined;
  }
}

function parseRoots({ signer, timestamp }: RootSet): Roots {
  const signers = parseRootCertificates(signer);
  const ownKeys = signers.map(({ keyInfo }) => publicKeyId(keyInfo));
  const authorities = parseRootCertificates(timestamp);
  const others = authorities.filter(({ keyInfo }) => !ownKeys.includes(publicKeyId(keyInfo)));
  const rawOf = (list: readonly X509[]) => list.map(({ raw }) => raw);
  return { signer: rawOf(signers), timestamp: rawOf(authorities), others: rawOf(others) };
}

function parseCertificate(raw: Uint8Array): X509 {
  return parseX509(parseDer(raw));
}
