// Concludes from the evidence: what each source proves and does not prove, and the verdict over all of them.

import { safeText } from '../sanitize.js';
import type { ChainDetails, Check, ManifestDetails, RegistryDetails, Verification } from './checks.js';
import {
  type Evidence,
  findManifestProblem,
  findRegistryProblem,
  isRecordOnChain,
  type Problem,
} from './contradictions.js';
import {
  type ChainEvidence,
  evidenceOf,
  type ManifestEvidence,
  type RegistryEvidence,
  type SourceResult,
} from './evidence.js';

export function buildVerification(evidence: Evidence): Verification {
  const checks = {
    registry: checkRegistry(evidence),
    chain: checkChain(evidence),
    manifest: checkManifest(evidence),
  };
  return { fingerprint: evidence.fingerprint, verdict: decideVerdict(evidence, checks), checks };
}

function decideVerdict(
  { registry, chain, manifest }: Evidence,
  checks: Verification['checks'],
): Verification['verdict'] {
  const states = Object.values(checks).map(({ state }) => state);
  if (states.includes('contradicted')) return 'contradicted';
  if (checks.chain.state === 'confirmed' || checks.manifest.state === 'confirmed') return 'verified';
  const kinds = [registry, chain, manifest].map(({ kind }) => kind);
  const isUnknown = !states.includes('confirmed') && !kinds.includes('failed') && states.includes('absent');
  return isUnknown ? 'unknown' : 'incomplete';
}

const PUBLIC_ENTRY =
  'Anyone can write to the public registry: the entry proves that this account knew the fingerprint at that time, and nothing about who made the file.';

function checkRegistry(evidence: Evidence): Check<RegistryDetails> {
  const { registry } = evidence;
  const record = evidenceOf(registry);
  const details: RegistryDetails = record ? registryDetails(record) : {};
  const problem = findRegistryProblem(evidence);
  if (problem) {
    const proves = 'The service contradicts other evidence: do not rely on anything it says about this file.';
    return contradicted(proves, problem, details);
  }
  if (registry.kind === 'absent') {
    return absent(
      'The service has no record of this file. This does not prove that the file was never registered.',
      details,
    );
  }
  if (!record) return unavailable('The service could not be checked.', registry, details);
  if (record.isCopy) return copied('service', details);
  if (record.source === 'public') {
    const relayed = safeText`The service has no record of its own for this file. It relays an entry that the account ${record.registeredBy} wrote on chain.`;
    return absent(`${relayed} ${PUBLIC_ENTRY}`, details);
  }
  const claim = safeText`The service at ${record.service} says that the manifest ${record.manifestId} belongs to this file.`;
  const match = isRecordOnChain(evidence) ? ' The record that it shows matches the hash on chain.' : '';
  const limits = "This is the service's own statement: the chain and the manifest show whether it is true.";
  return confirmed(`${claim} ${limits}${match}`, details);
}

function checkChain({ chain, chainProblems: [problem] = [] }: Evidence): Check<ChainDetails> {
  const evidence = evidenceOf(chain);
  const details: ChainDetails = evidence ? chainDetails(evidence) : {};
  if (problem) {
    return contradicted('The chain data is inconsistent or about another file: it proves nothing.', problem, details);
  }
  if (chain.kind === 'absent') {
    return absent(
      'According to the node, the contract has no entry for this file. This does not prove that the file was never registered: the registration may be pending, or be in another registry.',
      details,
    );
  }
  if (!evidence) return unavailable('The chain could not be checked.', chain, details);
  if (evidence.isCopy) return copied('chain', details);
  const { registeredBy, manifestId, source } = evidence.entry;
  if (source === 'public') {
    const entry = safeText`The curated registry has no entry for this file. The account ${registeredBy} wrote one to the public registry on ${formatTime(evidence)}.`;
    return absent(`${entry} ${PUBLIC_ENTRY}`, details);
  }
  const entry = safeText`According to the node, the contract ${evidence.address} on chain ${evidence.chainId} has the manifest ${manifestId} for this file since ${formatTime(evidence)}, written by its registrar ${registeredBy}.`;
  const limits =
    'This entry cannot be changed or removed, not even by the service. It does not prove that the registrant made the file.';
  return confirmed(`${entry} ${limits}${addressCaveat(evidence)}`, details);
}

function addressCaveat({ addressFrom }: ChainEvidence): string {
  if (addressFrom === 'caller') return '';
  return ` The address of the contract comes from the ${addressFrom}: compare it with one from a source that you trust.`;
}

const NO_PROOF = 'This manifest proves nothing about this file.';

function checkManifest(evidence: Evidence): Check<ManifestDetails> {
  const { manifest, hasTrustAnchors } = evidence;
  const signed = evidenceOf(manifest);
  const details: ManifestDetails = signed ? manifestDetails(signed) : {};
  if (manifest.kind === 'absent') return absent('No signed manifest of this file was found.', details);
  if (manifest.kind === 'invalid') {
    return contradicted(NO_PROOF, { code: 'MANIFEST_UNREADABLE', reason: manifest.reason }, details);
  }
  if (!signed) return unavailable('No signed manifest could be checked.', manifest, details);
  const problem = findManifestProblem(signed, evidence);
  if (problem) return contradicted(NO_PROOF, problem, details);
  const signature = safeText`The manifest is for exactly this file and has not been changed since "${signed.signedBy}" signed it.`;
  const signer = hasTrustAnchors
    ? "The signer's certificate was issued by an authority that you trust."
    : 'The identity of the signer was not checked: anyone can create a certificate with this name.';
  const time = signed.isTimestamped
    ? safeText` A time-stamp authority that you trust confirms the time, ${signed.signedAt}.`
    : '';
  const limits = 'It does not prove that the statements in the manifest are true.';
  return confirmed(`${signature} ${signer}${time} ${limits}`, details);
}

function confirmed<D>(proves: string, details: D): Check<D> {
  return { state: 'confirmed', proves, details };
}

function contradicted<D>(proves: string, problem: Problem, details: D): Check<D> {
  return { state: 'contradicted', proves, ...problem, details };
}

function absent<D>(proves: string, details: D): Check<D> {
  return { state: 'absent', proves, details };
}

function unavailable<D>(summary: string, result: SourceResult<unknown>, details: D): Check<D> {
  const reason = 'reason' in result ? safeText`${result.reason}` : summary;
  const code = result.kind === 'skipped' ? 'NOT_CHECKED' : 'SOURCE_UNAVAILABLE';
  return { state: 'unavailable', proves: `${summary} This proves nothing.`, code, reason, details };
}

function copied<D>(source: 'service' | 'chain', details: D): Check<D> {
  return {
    state: 'unavailable',
    proves: `The bundle has a copy of what the ${source} said. It is only as reliable as the creator of the bundle and proves nothing by itself.`,
    code: 'COPY',
    reason: `the ${source} was not asked: this is a copy`,
    details,
  };
}

function registryDetails(evidence: RegistryEvidence): RegistryDetails {
  const { artifact, refusal, service, manifestId, endpoint, source, registeredBy } = evidence;
  const record = artifact && {
    status: artifact.status,
    since: artifact.createdAt,
    markId: artifact.mark.id,
    ...('name' in artifact.mark && { markName: artifact.mark.name, owner: artifact.mark.owner?.name }),
    author: artifact.metadata.author?.name,
    filename: artifact.metadata.filename,
    license: artifact.license?.name,
    allowAiTraining: artifact.allowAiTraining,
    transactionHash: artifact.transactionHash,
  };
  return omitUndefined({ service, manifestId, endpoint, source, registeredBy, refusal, ...record });
}

function chainDetails(evidence: ChainEvidence): ChainDetails {
  const { chainId, address, addressFrom, registration } = evidence;
  const { timestamp: _, ...entry } = evidence.entry;
  return { chainId, address, addressFrom, ...entry, since: formatTime(evidence), ...registration };
}

function manifestDetails(evidence: ManifestEvidence): ManifestDetails {
  const { label, from, signedBy, signedAt, isTrusted, isTimestamped, claims } = evidence;
  const manifestId = label.replace(/^urn:c2pa:/, '');
  return omitUndefined({ manifestId, from, signedBy, signedAt, isTrusted, isTimestamped, ...claims });
}

function formatTime({ entry }: ChainEvidence): string {
  return new Date(entry.timestamp * 1000).toISOString();
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function omitUndefined<T extends object>(fields: T): Defined<T> {
  // Object.fromEntries loses the keys; only undefined values are dropped.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
