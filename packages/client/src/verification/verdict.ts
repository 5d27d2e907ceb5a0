// Says of every source in plain sentences what follows from it and what does not, and what follows from all of them.

import type { Fingerprint } from '@provenance-registry/core';
import { say } from '../sanitize.js';
import { againstManifest, againstRegistry, type Evidence, isRecordOnChain, wordOf } from './contradictions.js';
import type { Answer, ChainEvidence, ManifestEvidence, RegistryEvidence } from './evidence.js';

export interface Check {
  readonly state: 'confirmed' | 'contradicted' | 'absent' | 'unavailable';
  /** What this proves, and what not. */
  readonly proves: string;
  /** Why it is contradicted or unavailable. */
  readonly reason?: string;
  /** As the source says it: clean texts before you show them. */
  readonly details: Readonly<Record<string, unknown>>;
}

export interface Verification {
  readonly fingerprint: Fingerprint;
  /**
   * verified: the manifest or the chain confirms, and nothing contradicts. contradicted: something does.
   * unknown: everything that could be asked has nothing. incomplete: it could not be found out.
   */
  readonly verdict: 'verified' | 'contradicted' | 'unknown' | 'incomplete';
  readonly checks: { readonly registry: Check; readonly chain: Check; readonly manifest: Check };
}

export function judge(evidence: Evidence): Verification {
  const checks = {
    registry: judgeRegistry(evidence),
    chain: judgeChain(evidence),
    manifest: judgeManifest(evidence),
  };
  return { fingerprint: evidence.fingerprint, verdict: verdictOf(evidence, checks), checks };
}

function verdictOf({ registry, chain, manifest }: Evidence, checks: Verification['checks']): Verification['verdict'] {
  const states = Object.values(checks).map(({ state }) => state);
  if (states.includes('contradicted')) return 'contradicted';
  if (checks.chain.state === 'confirmed' || checks.manifest.state === 'confirmed') return 'verified';
  const kinds = [registry, chain, manifest].map(({ kind }) => kind);
  const nobodyHasIt = !states.includes('confirmed') && !kinds.includes('failed');
  return nobodyHasIt && states.includes('absent') ? 'unknown' : 'incomplete';
}

const PUBLIC_ENTRY =
  'Anyone may write anything into the public registry: it proves that this account knew the fingerprint at that time, and nothing about whose the file is.';

function judgeRegistry(evidence: Evidence): Check {
  const { registry } = evidence;
  const word = wordOf(registry);
  const details = word ? registryDetails(word) : {};
  const reason = againstRegistry(evidence);
  if (reason !== undefined) {
    return contradicted(
      'The service says what cannot be so: rely on nothing that it says about this file.',
      reason,
      details,
    );
  }
  if (registry.kind === 'nothing') {
    return absent('The service knows nothing about this file now. That does not prove that nobody registered it.');
  }
  if (!word) return unavailable('The service has said nothing.', registry);
  if (word.isCopy) return copied('the service', details);
  if (word.source === 'public') {
    const relayed = say`The service has nothing of its own about this file, and passes on what account ${word.registeredBy} wrote on chain.`;
    return absent(`${relayed} ${PUBLIC_ENTRY}`, details);
  }
  const claim = say`The service at ${word.service} says that the manifest ${word.manifestId} belongs to this file.`;
  const record = isRecordOnChain(evidence) ? ' The record that it shows is the one whose hash is on chain.' : '';
  return confirmed(`${claim} That is its word: the chain and the manifest show whether it is so.${record}`, details);
}

function judgeChain({ chain, chainFaults: [fault] = [] }: Evidence): Check {
  const word = wordOf(chain);
  const details = word ? chainDetails(word) : {};
  if (fault !== undefined) {
    return contradicted(
      'What is said about the chain cannot be so, or is not of this file: it proves nothing.',
      fault,
      details,
    );
  }
  if (chain.kind === 'nothing') {
    return absent(
      'The contract has no entry of this file, as the node says. That does not prove that nobody registered it: it may be on its way, or be registered elsewhere.',
    );
  }
  if (!word) return unavailable('The chain has said nothing.', chain);
  if (word.isCopy) return copied('the chain', details);
  const { registeredBy, manifestId, source } = word.entry;
  if (source === 'public') {
    const written = say`The curated registry has no entry of this file. Account ${registeredBy} wrote one into the public registry on ${sinceOf(word)}.`;
    return absent(`${written} ${PUBLIC_ENTRY}`, details);
  }
  const record = say`The node that was asked says: the contract ${word.address} on chain ${word.chainId} has the manifest ${manifestId} for this file since ${sinceOf(word)}, written by its registrar ${registeredBy}.`;
  return confirmed(
    `${record} Nobody can change or remove that, the service neither. It does not prove that whoever registered the file made it.${caveat(word)}`,
    details,
  );
}

function caveat({ addressFrom }: ChainEvidence): string {
  if (addressFrom === 'caller') return '';
  return ` The address of the contract is the word of the ${addressFrom}: compare it with one that you know from elsewhere.`;
}

const NO_PROOF = 'This manifest proves nothing about this file.';

function judgeManifest(evidence: Evidence): Check {
  const { manifest, hasTrustAnchors } = evidence;
  if (manifest.kind === 'nothing') return absent('No signed manifest of this file is where it could be looked for.');
  if (manifest.kind === 'unfit') return contradicted(NO_PROOF, manifest.reason);
  const word = wordOf(manifest);
  if (!word) return unavailable('No signed manifest was read.', manifest);
  const details = manifestDetails(word);
  const reason = againstManifest(word, evidence);
  if (reason !== undefined) return contradicted(NO_PROOF, reason, details);
  const signed = say`The manifest is about exactly this file, and it is as "${word.signedBy}" signed it.`;
  const who = hasTrustAnchors
    ? "The signer's certificate leads to an authority that you trust."
    : 'Who stands behind that name was not checked: anyone can make such a certificate.';
  const when = word.isTimestamped ? say` An authority that you trust confirms the time, ${word.signedAt}.` : '';
  return confirmed(`${signed} ${who}${when} It does not prove that what the manifest states is true.`, details);
}

function confirmed(proves: string, details: Check['details']): Check {
  return { state: 'confirmed', proves, details };
}

function contradicted(proves: string, reason: string, details: Check['details'] = {}): Check {
  return { state: 'contradicted', proves, reason, details };
}

function absent(proves: string, details: Check['details'] = {}): Check {
  return { state: 'absent', proves, details };
}

function unavailable(silence: string, answer: Answer<unknown>): Check {
  const reason = 'reason' in answer ? say`${answer.reason}` : silence;
  return { state: 'unavailable', proves: `${silence} This proves nothing.`, reason, details: {} };
}

/** Whoever made the bundle could have written anything. */
function copied(whose: string, details: Check['details']): Check {
  return {
    state: 'unavailable',
    proves: `The bundle has a copy of the word of ${whose}. It is as good as whoever made the bundle; by itself it proves nothing.`,
    reason: 'nobody was asked: this is a copy',
    details,
  };
}

function registryDetails(word: RegistryEvidence): Check['details'] {
  const { artifact, refusal, service, manifestId, endpoint, source, registeredBy } = word;
  const record = artifact && {
    status: artifact.status,
    since: artifact.createdAt,
    markId: artifact.mark.id,
    ...('name' in artifact.mark && { markName: artifact.mark.name, owner: artifact.mark.owner?.name }),
    author: artifact.metadata.author?.name,
    filename: artifact.metadata.filename,
    licence: artifact.license?.name,
    allowAiTraining: artifact.allowAiTraining,
    transactionHash: artifact.transactionHash,
  };
  return defined({ service, manifestId, endpoint, source, registeredBy, refusal, ...record });
}

function chainDetails(word: ChainEvidence): Check['details'] {
  const { chainId, address, addressFrom, registration } = word;
  const { timestamp: _, ...entry } = word.entry;
  return defined({ chainId, address, addressFrom, ...entry, since: sinceOf(word), ...registration });
}

function manifestDetails({ label, from, signedBy, signedAt, isTrusted, isTimestamped, stated }: ManifestEvidence) {
  const manifestId = label.replace(/^urn:c2pa:/, '');
  return defined({ manifestId, from, signedBy, signedAt, isTrusted, isTimestamped, ...stated });
}

function sinceOf({ entry }: ChainEvidence): string {
  return new Date(entry.timestamp * 1000).toISOString();
}

function defined(details: Record<string, unknown>): Check['details'] {
  return Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined));
}
