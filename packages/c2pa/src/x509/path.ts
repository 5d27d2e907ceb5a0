// Finds the path from the certificate of a time-stamp authority to a trusted root, valid at the time of the time-stamp.

import { InvalidEvidenceError, publicKeyId, UnsupportedError } from './algorithms.js';
import { ANY_PURPOSE, parseX509, TIME_STAMPING, usage, type X509 } from './certificate.js';
import { parseDer } from './der.js';

/** Whom the checker trusts. Plain data: it is sent to worker processes. */
export interface PathTrust {
  /** In DER. */
  readonly roots: readonly Uint8Array[];
  /** Certificates of authorities that time-stamps may leave out. Not trusted by themselves. */
  readonly intermediates?: readonly Uint8Array[];
  readonly revocations?: readonly Revocation[];
  /** The path is that of a signer of claims, whose issuers need not be ones for time-stamps. */
  readonly isForSigners?: boolean;
}

export interface Revocation {
  /** The public key of the authority, as `publicKeyId` has it. */
  readonly issuerKeyId: string;
  readonly serial: string;
  readonly at: Date;
  /** CRLReason; 0 if it states none. */
  readonly reason: number;
}

export interface PathFinding {
  readonly state: 'trusted' | 'untrusted' | 'revoked';
  /** The problem as a sentence, unless it is trusted. */
  readonly reason: string | null;
}

/** More than any authority has between its root and itself. */
const MAX_AUTHORITIES = 8;
/**
 * Of CRLReason: unspecified, and the compromises of a key. A stolen key signs any time, so no time-stamp of that key
 * proves anything (RFC 3161, section 4).
 */
const COMPROMISES: readonly number[] = [0, 1, 2, 10];

const UNTRUSTED = 'The operator of this registry does not trust the time-stamp authority.';

interface Step {
  readonly certificate: X509;
  readonly below: Step | undefined;
  /** Certificates of authorities below this one. */
  readonly authorities: number;
}

/** Rejects with InvalidEvidenceError if a certificate of the path could not sign what it did sign. */
export async function findPath(
  leaf: X509,
  others: readonly X509[],
  trust: PathTrust,
  time: Date,
): Promise<PathFinding> {
  requireValidAt(leaf, time);
  const roots = parseAll(trust.roots);
  const candidates = [...roots, ...parseAll(trust.intermediates ?? []), ...others];
  const visited = new Set<X509>();
  const queue: Step[] = [{ certificate: leaf, below: undefined, authorities: 0 }];
  let refusal: Error | undefined;
  // The shortest path first: it is the one that restrictions of the path's length allow, if they allow any.
  for (let step = queue.shift(); step; step = queue.shift()) {
    const { authorities } = step;
    const { issuers, problem } = await findIssuers(step, candidates, trust, time);
    refusal ??= problem;
    const above = issuers.map((issuer) => ({ certificate: issuer, below: step, authorities: authorities + 1 }));
    const top = above.find((next) => roots.includes(next.certificate));
    if (top) return checkRevocations(top, trust.revocations ?? [], time);
    const unvisited = authorities < MAX_AUTHORITIES ? above.filter((next) => !visited.has(next.certificate)) : [];
    for (const next of unvisited) visited.add(next.certificate);
    queue.push(...unvisited);
  }
  if (refusal instanceof InvalidEvidenceError) throw refusal;
  return { state: 'untrusted', reason: refusal?.message ?? UNTRUSTED };
}

function parseAll(list: readonly Uint8Array[]): X509[] {
  return list.map((raw) => parseX509(parseDer(raw)));
}

/** Those that signed this certificate and were allowed to; and why another one was not. */
async function findIssuers(
  { certificate, authorities }: Step,
  candidates: readonly X509[],
  { isForSigners = false }: PathTrust,
  time: Date,
): Promise<{ issuers: X509[]; problem: Error | undefined }> {
  let problem: Error | undefined;
  const issuers: X509[] = [];
  for (const issuer of candidates.filter(({ subject }) => subject === certificate.issuer)) {
    try {
      if (!(await certificate.isSignedBy(issuer))) continue;
      requireAuthority(issuer, authorities, time);
      if (!isForSigners) requireTimestampAuthority(issuer);
      issuers.push(issuer);
    } catch (error) {
      if (!(error instanceof InvalidEvidenceError || error instanceof UnsupportedError)) throw error;
      problem ??= error;
    }
  }
  return { issuers, problem };
}

function requireAuthority(issuer: X509, authoritiesBelow: number, time: Date): void {
  const { authority, keyUsage } = issuer;
  if (!authority || !(keyUsage?.has(usage.keyCertSign) ?? true)) {
    throw new InvalidEvidenceError(`"${issuer.displayName}" is not a certificate authority, but signed a certificate.`);
  }
  if (authoritiesBelow > authority.maxIntermediates) {
    throw new InvalidEvidenceError(`"${issuer.displayName}" may not have an authority below it.`);
  }
  requireValidAt(issuer, time);
}

function requireTimestampAuthority({ purposes, displayName }: X509): void {
  if (purposes && !purposes.oids.some((oid) => oid === TIME_STAMPING || oid === ANY_PURPOSE)) {
    throw new InvalidEvidenceError(`"${displayName}" is not an authority for time-stamps.`);
  }
}

function requireValidAt(certificate: X509, time: Date): void {
  if (certificate.hasUnknownRestriction) {
    throw new UnsupportedError(`The certificate "${certificate.displayName}" has restrictions that are unknown.`);
  }
  if (time < certificate.notBefore || time > certificate.notAfter) {
    throw new InvalidEvidenceError(`The certificate "${certificate.displayName}" was not valid at that time.`);
  }
}

function checkRevocations(top: Step, revocations: readonly Revocation[], time: Date): PathFinding {
  let issuer = top.certificate;
  for (let step: Step | undefined = top; step; step = step.below) {
    const { serial, displayName } = step.certificate;
    const keyId = publicKeyId(issuer.keyInfo);
    const found = revocations.filter((entry) => entry.issuerKeyId === keyId && entry.serial === serial);
    if (found.some(({ reason, at }) => COMPROMISES.includes(reason) || at <= time)) {
      return { state: 'revoked', reason: `The certificate "${displayName}" is revoked.` };
    }
    issuer = step.certificate;
  }
  return { state: 'trusted', reason: null };
}
