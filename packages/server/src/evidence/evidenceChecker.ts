// Checks the evidence of claims: time-stamps, manifests with one, and entries on chain.

import { createHash } from 'node:crypto';
import { digestOf, type Fingerprint, fingerprintOf, RegistryError } from '@provenance-registry/core';
import type {
  ClaimEvidenceChecker,
  EvidenceFinding,
  EvidenceResult,
  KeptEvidence,
  Media,
  PublicRegistry,
  SubmittedEvidence,
  TimestampedManifest,
  TimestampedManifestReader,
} from '../domain/ports/index.js';
import { maxEvidenceBytes } from '../domain/ports/index.js';
import type { TimestampFinding } from './checkTimestamp.js';
import type { ClaimTrust } from './claimTrust.js';
import { createTimestampChecker, type TimestampChecker } from './timestampChecker.js';

export interface EvidenceCheckerOptions {
  readonly trust: ClaimTrust;
  /** Tests share one. */
  readonly timestamps?: TimestampChecker;
  readonly manifests: TimestampedManifestReader;
  readonly media: Media;
  readonly publicRegistry: PublicRegistry;
}

type Submitted<Kind> = Extract<SubmittedEvidence, { readonly kind: Kind }>;

/** The budget of kept evidence that is checked again. */
const RECHECK = 'recheck';
/** Of the box at the start of a manifest store. */
const STORE_TYPE = 'jumb';
const UNTRUSTED = 'The operator of this registry does not trust the time-stamp authority of the manifest.';

export function createEvidenceChecker({
  trust,
  timestamps = createTimestampChecker(),
  manifests,
  media,
  publicRegistry,
}: EvidenceCheckerOptions): ClaimEvidenceChecker & { close(): Promise<void> } {
  const trustAnchorsPem = trust.roots.map(toPem).join('\n');

  async function checkTimestamp({ client, fingerprint, bytes }: Submitted<'timestamp'>): Promise<EvidenceResult> {
    const subject = { sha256: digestOf(fingerprint) };
    const finding = await timestamps.check(client, { bytes, subject, trust });
    return { ...accept(finding), kept: tokenOf(finding) };
  }

  async function checkManifest({ client, fingerprint, bytes }: Submitted<'manifest'>): Promise<EvidenceResult> {
    const isStore = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1', 4, 8) === STORE_TYPE;
    // Undefined is a manifest store; no file has the empty type.
    const mediaType = isStore
      ? undefined
      : ((await media.inspect(bytes, undefined, { isWhole: false })).mediaType ?? '');
    const manifest = await manifests.readTimestamped({ client, bytes, mediaType, trustAnchorsPem });
    if (!manifest) throw refusal('It has no C2PA manifest that can be read.');
    const isAbout = isStore
      ? manifest.fingerprints.includes(fingerprint)
      : manifest.matchesFile && hashFile(bytes) === fingerprint;
    if (!isAbout) throw refusal('The manifest is not bound to this file.');
    return { ...accept(await findTime(client, manifest)), kept: manifest.store };
  }

  /** Both c2pa-rs and this service check the time-stamp; c2pa-rs knows no revocation lists. */
  async function findTime(client: string, manifest: TimestampedManifest): Promise<TimestampFinding> {
    const { failures, timestamp } = manifest;
    if (failures.length > 0) return invalid(`The manifest is not intact: ${failures.join(', ')}.`);
    if (!timestamp) return invalid('The manifest has no valid time-stamp.');
    const { token, data, time, isTrusted } = timestamp;
    const finding = await timestamps.check(client, { bytes: token, subject: { data }, trust });
    if (finding.state === 'invalid') return finding;
    if (!isSameSecond(finding.time, time)) return invalid('The manifest has more than one time.');
    return finding.state === 'trusted' && !isTrusted ? { ...finding, state: 'untrusted', reason: UNTRUSTED } : finding;
  }

  async function checkChainEntry({ fingerprint, account }: Submitted<'chain-entry'>): Promise<EvidenceResult> {
    const entry = await publicRegistry.findEntry(fingerprint, account);
    if (!entry) {
      const what = account ? 'of this account for this file' : 'for this file';
      throw refusal(`The public registry on chain has no entry ${what}.`);
    }
    return { state: 'checked', time: entry.time, source: entry.registeredBy, reason: null, kept: null };
  }

  async function findKeptTime({ kind, fingerprint, bytes }: KeptEvidence): Promise<TimestampFinding> {
    if (kind === 'timestamp') {
      return timestamps.check(RECHECK, { bytes, subject: { sha256: digestOf(fingerprint) }, trust });
    }
    const request = { client: RECHECK, bytes, mediaType: undefined, trustAnchorsPem };
    const manifest = await manifests.readTimestamped(request);
    // That it is bound to the file was found when the file was there.
    return manifest ? findTime(RECHECK, manifest) : invalid('The manifest cannot be read.');
  }

  return {
    trustId: trust.id,
    async check(evidence) {
      if (evidence.kind === 'chain-entry') return checkChainEntry(evidence);
      requireSize(evidence);
      return evidence.kind === 'timestamp' ? checkTimestamp(evidence) : checkManifest(evidence);
    },
    async recheck(evidence) {
      const finding = await findKeptTime(evidence);
      if (finding.state === 'invalid') return { state: 'unchecked', time: null, source: '', reason: finding.reason };
      return toEvidence(finding);
    },
    close: () => timestamps.close(),
  };
}

function requireSize({ kind, bytes }: Submitted<'timestamp' | 'manifest'>): void {
  const limit = maxEvidenceBytes[kind];
  if (bytes.length > limit) throw new RegistryError('PAYLOAD_TOO_LARGE', `The evidence is larger than ${limit} bytes.`);
}

/** Refuses what is invalid or revoked. */
function accept(finding: TimestampFinding): EvidenceFinding {
  if (finding.state === 'invalid' || finding.state === 'revoked') throw refusal(finding.reason ?? '');
  return toEvidence(finding);
}

function toEvidence({ state, time, source, reason }: Exclude<TimestampFinding, { state: 'invalid' }>): EvidenceFinding {
  return { state: state === 'trusted' ? 'checked' : 'unchecked', time, source, reason };
}

function tokenOf(finding: TimestampFinding): Uint8Array | null {
  return 'token' in finding ? finding.token : null;
}

function refusal(reason: string): RegistryError {
  return new RegistryError('BAD_REQUEST', `The evidence is refused. ${reason}`);
}

function invalid(reason: string): TimestampFinding {
  return { state: 'invalid', reason };
}

/** c2pa-rs leaves fractions out. */
function isSameSecond(one: Date, other: Date): boolean {
  return Math.floor(one.getTime() / 1000) === Math.floor(other.getTime() / 1000);
}

function hashFile(bytes: Uint8Array): Fingerprint {
  return fingerprintOf(createHash('sha256').update(bytes).digest());
}

function toPem(certificate: Uint8Array): string {
  const lines =
    Buffer.from(certificate)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
