// Checks the evidence of claims: time-stamps, manifests with one, and entries on chain.

import { createHash, X509Certificate } from 'node:crypto';
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
import type { TimestampFinding, TimestampSubject } from './checkTimestamp.js';
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
/** Type of the box at the start of a manifest store. */
const STORE_TYPE = 'jumb';
const UNTRUSTED = 'The operator of this registry does not trust the time-stamp authority of the manifest.';

export class EvidenceChecker implements ClaimEvidenceChecker {
  readonly trustId: string;
  readonly #options: EvidenceCheckerOptions;
  readonly #timestamps: TimestampChecker;
  readonly #trustAnchorsPem: string;

  constructor(options: EvidenceCheckerOptions) {
    this.#options = options;
    this.#timestamps = options.timestamps ?? createTimestampChecker();
    this.trustId = options.trust.id;
    this.#trustAnchorsPem = options.trust.roots.map((root) => String(new X509Certificate(root))).join('\n');
  }

  async check(evidence: SubmittedEvidence): Promise<EvidenceResult> {
    if (evidence.kind === 'chain-entry') return this.#checkChainEntry(evidence);
    requireSize(evidence);
    return evidence.kind === 'timestamp' ? this.#checkTimestamp(evidence) : this.#checkManifest(evidence);
  }

  async recheck(evidence: KeptEvidence): Promise<EvidenceFinding> {
    const finding = await this.#findKeptTime(evidence);
    if (finding.state === 'invalid') return { state: 'unchecked', time: null, source: '', reason: finding.reason };
    return toEvidence(finding);
  }

  close(): Promise<void> {
    return this.#timestamps.close();
  }

  async #checkTimestamp({ client, fingerprint, bytes }: Submitted<'timestamp'>): Promise<EvidenceResult> {
    const finding = await this.#findTokenTime(client, bytes, { sha256: digestOf(fingerprint) });
    return { ...accept(finding), kept: 'token' in finding ? finding.token : null };
  }

  async #checkManifest({ client, fingerprint, bytes }: Submitted<'manifest'>): Promise<EvidenceResult> {
    const isStore = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1', 4, 8) === STORE_TYPE;
    const manifest = await this.#readManifest(client, bytes, isStore ? undefined : await this.#detectMediaType(bytes));
    if (!manifest) throw refusal('It has no C2PA manifest that can be read.');
    const isAbout = isStore
      ? manifest.fingerprints.includes(fingerprint)
      : manifest.matchesFile && hashFile(bytes) === fingerprint;
    if (!isAbout) throw refusal('The manifest is not bound to this file.');
    return { ...accept(await this.#findManifestTime(client, manifest)), kept: manifest.store };
  }

  async #checkChainEntry({ fingerprint, account }: Submitted<'chain-entry'>): Promise<EvidenceResult> {
    const entry = await this.#options.publicRegistry.findEntry(fingerprint, account);
    if (!entry) {
      const what = account ? 'of this account for this file' : 'for this file';
      throw refusal(`The public registry on chain has no entry ${what}.`);
    }
    return { state: 'checked', time: entry.time, source: entry.registeredBy, reason: null, kept: null };
  }

  async #findKeptTime({ kind, fingerprint, bytes }: KeptEvidence): Promise<TimestampFinding> {
    if (kind === 'timestamp') return this.#findTokenTime(RECHECK, bytes, { sha256: digestOf(fingerprint) });
    const manifest = await this.#readManifest(RECHECK, bytes, undefined);
    // That it is bound to the file was found when the file was there.
    return manifest ? this.#findManifestTime(RECHECK, manifest) : invalid('The manifest cannot be read.');
  }

  /** Both c2pa-rs and this service check the time-stamp; c2pa-rs knows no revocation lists. */
  async #findManifestTime(client: string, manifest: TimestampedManifest): Promise<TimestampFinding> {
    const { failures, timestamp } = manifest;
    if (failures.length > 0) return invalid(`The manifest is not intact: ${failures.join(', ')}.`);
    if (!timestamp) return invalid('The manifest has no valid time-stamp.');
    const { token, data, time, isTrusted } = timestamp;
    const finding = await this.#findTokenTime(client, token, { data });
    if (finding.state === 'invalid') return finding;
    if (!isSameSecond(finding.time, time)) return invalid('The manifest has more than one time.');
    return finding.state === 'trusted' && !isTrusted ? { ...finding, state: 'untrusted', reason: UNTRUSTED } : finding;
  }

  #findTokenTime(client: string, bytes: Uint8Array, subject: TimestampSubject): Promise<TimestampFinding> {
    return this.#timestamps.check(client, { bytes, subject, trust: this.#options.trust });
  }

  /** Returns the empty type, which no file has, if it is unknown. */
  async #detectMediaType(bytes: Uint8Array): Promise<string> {
    return (await this.#options.media.inspect(bytes, undefined, { isWhole: false })).mediaType ?? '';
  }

  /** Reads a file of this media type, or, if there is none, a manifest store. */
  #readManifest(client: string, bytes: Uint8Array, mediaType: string | undefined) {
    const trustAnchorsPem = this.#trustAnchorsPem;
    return this.#options.manifests.readTimestamped({ client, bytes, mediaType, trustAnchorsPem });
  }
}

function requireSize({ kind, bytes }: Submitted<'timestamp' | 'manifest'>): void {
  const limit = maxEvidenceBytes[kind];
  if (bytes.length > limit) throw new RegistryError('PAYLOAD_TOO_LARGE', `The evidence is larger than ${limit} bytes.`);
}

/** Throws for what is invalid or revoked. */
function accept(finding: TimestampFinding): EvidenceFinding {
  if (finding.state === 'invalid' || finding.state === 'revoked') throw refusal(finding.reason ?? '');
  return toEvidence(finding);
}

function toEvidence({ state, time, source, reason }: Exclude<TimestampFinding, { state: 'invalid' }>): EvidenceFinding {
  return { state: state === 'trusted' ? 'checked' : 'unchecked', time, source, reason };
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
