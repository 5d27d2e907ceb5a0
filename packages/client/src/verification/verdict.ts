// Concludes from the evidence: the verdict, the facts, and what each source proves and does not prove.

import { type Artifact, GalleryMark } from '@provenance-registry/core';
import { Check as checkSchema } from 'typebox/schema';
import { safeText } from '../sanitize.js';
import { type Evidence, findNotices, findProblems, isRecordOnChain } from './contradictions.js';
import {
  bareManifestId,
  type ChainEvidence,
  evidenceOf,
  type ManifestEvidence,
  type RegistryEvidence,
  type SourceResult,
} from './evidence.js';
import { collectFacts } from './facts.js';
import { type CopyLink, findCopyLink } from './signedCopies.js';
import { collectTimes, compareTimes, sinceFact } from './times.js';
import type {
  ChainDetails,
  Check,
  IndependentSource,
  ManifestDetails,
  Notice,
  Problem,
  RegistryDetails,
  Verification,
} from './types.js';

export function buildVerification(evidence: Evidence, require: readonly IndependentSource[] = []): Verification {
  const { fingerprint } = evidence;
  const found = findProblems(evidence);
  const link = findCopyLink(evidence);
  const allTimes = collectTimes(datedEvidence(acceptedEvidence(evidence, found), link));
  const compared = compareTimes(allTimes);
  const problems = [...found, ...compared.problems];
  const accepted = acceptedEvidence(evidence, problems);
  const times = collectTimes(datedEvidence(accepted, link));
  const problemOf = (source: Problem['source']) => problems.find((problem) => problem.source === source);
  const checks = {
    registry: checkRegistry(evidence, problemOf('registry')),
    chain: checkChain(evidence, problemOf('chain')),
    manifest: checkManifest(evidence, link, problemOf('manifest')),
  };
  const independentSources = listIndependentSources(evidence, checks, link);
  const isContractCompared = accepted.chain?.addressFrom === 'caller';
  const isRecordProven = accepted.chain !== undefined && isRecordOnChain(evidence);
  const facts = collectFacts({
    ...accepted,
    link: accepted.manifest && link,
    isRecordOnChain: isRecordProven,
    carriers: listCarriers(independentSources, isContractCompared),
  });
  // Where sources contradict each other, the service's word alone counts for nothing.
  const reliable = problems.length > 0 ? facts.filter(({ evidence: kinds }) => !kinds.includes('service')) : facts;
  const missing = require.filter((source) => !independentSources.includes(source));
  const notices = [...findNotices(evidence), ...compared.notices, ...missing.map(requiredNotice)];
  const verdict = decideVerdict(evidence, checks, independentSources, missing.length > 0);
  return {
    fingerprint,
    verdict,
    independentSources,
    facts: [...reliable, ...sinceFact(times, listCarriers(independentSources, true))],
    times,
    problems,
    notices,
    checks,
  };
}

/** The time-stamp of the registered file's manifest says nothing about when a copy was made. */
function datedEvidence(accepted: ReturnType<typeof acceptedEvidence>, link: CopyLink | undefined) {
  return link ? { ...accepted, manifest: undefined } : accepted;
}

/** A record whose hash is on chain is proven, whatever else the service says. */
function acceptedEvidence(evidence: Evidence, problems: readonly Problem[]) {
  const { registry, chain, manifest } = evidence;
  const isAccepted = (source: Problem['source']) => problems.every((problem) => problem.source !== source);
  const onChain = isAccepted('chain') ? evidenceOf(chain) : undefined;
  const record = evidenceOf(registry);
  const provenRecord = record && onChain && isRecordOnChain({ registry, chain }) ? withoutWord(record) : undefined;
  return {
    record: isAccepted('registry') ? record : provenRecord,
    chain: onChain,
    manifest: isAccepted('manifest') && !isManifestUnlinked(evidence) ? evidenceOf(manifest) : undefined,
  };
}

/** The manifest is for another file, and only the service says that this one is a copy of it. */
function isManifestUnlinked(evidence: Evidence): boolean {
  const signed = evidenceOf(evidence.manifest);
  return signed !== undefined && signed.fingerprint !== evidence.fingerprint && !findCopyLink(evidence);
}

/** Only what the hash on chain covers. */
function withoutWord(record: RegistryEvidence): RegistryEvidence {
  return { ...record, artifact: undefined, registration: undefined, signedCopyOf: undefined };
}

function listIndependentSources(
  { chain, manifest }: Evidence,
  checks: Verification['checks'],
  link: CopyLink | undefined,
): IndependentSource[] {
  const isChain = checks.chain.state === 'confirmed' && evidenceOf(chain)?.isIndependent === true;
  const isManifest =
    checks.manifest.state === 'confirmed' &&
    evidenceOf(manifest)?.trustedBy === 'caller' &&
    (link === undefined || link.isIndependent);
  return [...(isChain ? (['chain'] as const) : []), ...(isManifest ? (['manifest'] as const) : [])];
}

/**
 * With nothing independent, everything comes from one party, and the verdict says so. A contract that only the service names
 * proves since when it has an entry; who wrote what into it is the service's word.
 */
function listCarriers(
  independentSources: readonly IndependentSource[],
  isContractCompared: boolean,
): IndependentSource[] {
  if (independentSources.length === 0) return ['chain', 'manifest'];
  return independentSources.filter((source) => source === 'manifest' || isContractCompared);
}

function requiredNotice(source: IndependentSource): Notice {
  return { code: 'REQUIRED', text: `The ${source} is required, but does not confirm independently of the service.` };
}

function decideVerdict(
  evidence: Evidence,
  checks: Verification['checks'],
  independentSources: readonly IndependentSource[],
  isRequiredMissing: boolean,
): Verification['verdict'] {
  const { registry, chain, manifest } = evidence;
  const states = Object.values(checks).map(({ state }) => state);
  if (states.includes('contradicted')) return 'contradicted';
  const hasFailed = [registry, chain, manifest].some(({ kind }) => kind === 'failed');
  if (!states.includes('confirmed')) return !hasFailed && states.includes('absent') ? 'unknown' : 'incomplete';
  if (isRequiredMissing || hasMalformedNode(evidence)) return 'incomplete';
  const isBacked = checks.chain.state === 'confirmed' || checks.manifest.state === 'confirmed';
  if (independentSources.length === 0 && !isBacked && hasFailed) return 'incomplete';
  return findDispute(evidence) ?? (independentSources.length > 0 ? 'verified' : 'consistent');
}

/** Rests on the service's word, which nothing else confirms or contradicts. */
function findDispute({ registry }: Evidence): 'contested' | 'superseded' | undefined {
  const claims = evidenceOf(registry)?.artifact?.claims;
  if (!claims) return undefined;
  if (claims.contested || claims.checked > 0) return 'contested';
  return claims.supersededBy ? 'superseded' : undefined;
}

/** A node that the caller relies on, and that responds with something else, leaves the question open. */
function hasMalformedNode({ chain, isNodeFromCaller }: Evidence): boolean {
  if (chain.kind === 'failed') return isNodeFromCaller === true && chain.isMalformed === true;
  return evidenceOf(chain)?.hasMalformedNode === true;
}

const PUBLIC_ENTRY =
  'Anyone can write to the public registry: the entry proves that this account knew the fingerprint at that time, and nothing about who made the file.';

function checkRegistry(evidence: Evidence, problem: Problem | undefined): Check<RegistryDetails> {
  const { registry } = evidence;
  const record = evidenceOf(registry);
  const details: RegistryDetails = record ? registryDetails(record) : {};
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
  if (record.isCopy) {
    const proves = "What the bundle says about the service is its creator's word and proves nothing.";
    return { state: 'unavailable', proves, code: 'NOT_CHECKED', reason: 'the service was not asked', details };
  }
  if (record.source === 'public') {
    const relayed = safeText`The service has no record of its own for this file. It relays an entry that the account ${record.registeredBy} wrote on chain.`;
    return absent(`${relayed} ${PUBLIC_ENTRY}`, details);
  }
  const copy = record.signedCopyOf === undefined ? '' : safeText`, as a signed copy of ${record.signedCopyOf}`;
  const claim = `${safeText`The service at ${record.service} says that the manifest ${record.manifestId} belongs to this file`}${copy}.`;
  const limits = "This is the service's own word: the chain and the manifest show whether it is true.";
  const match = isRecordOnChain(evidence)
    ? ' The keccak-256 of the metadata that it shows is the one on chain.'
    : ' The metadata that it shows could not be compared with the hash on chain.';
  return confirmed(`${claim} ${limits}${match}`, details);
}

function checkChain({ registry, chain }: Evidence, problem: Problem | undefined): Check<ChainDetails> {
  const evidence = evidenceOf(chain);
  const isHashConfirmed = evidence?.from === 'bundle' || isRecordOnChain({ registry, chain });
  const details: ChainDetails = evidence ? chainDetails(evidence, isHashConfirmed) : {};
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
  if (evidence.entry.source === 'public') {
    const entry = safeText`The curated registry has no entry for this file. The account ${evidence.entry.registeredBy} wrote one to the public registry.`;
    return absent(`${entry} ${PUBLIC_ENTRY}`, details);
  }
  const limits =
    'This entry cannot be changed or removed, not even by the service. It does not prove that the registrant made the file.';
  return confirmed(`${describeEntry(evidence)} ${limits}${chainCaveats(evidence)}`, details);
}

function describeEntry(evidence: ChainEvidence): string {
  const { from, address, chainId, isChainIdUnproven, entry, registration, blockTime } = evidence;
  const source = from === 'bundle' ? 'According to the proof in the bundle' : 'According to the node';
  const block =
    registration && blockTime !== undefined
      ? safeText` since block ${registration.blockNumber} of ${formatTime(blockTime)}, whose hash is ${registration.blockHash}`
      : '';
  const writer = entry.registeredBy === undefined ? '' : safeText`, written by its registrar ${entry.registeredBy}`;
  // The chain is then the one on which the caller finds the block.
  const chain = isChainIdUnproven ? '' : ` on chain ${chainId}`;
  return `${source}, ${safeText`the contract ${address}${chain} has the manifest ${entry.manifestId} for this file`}${block}${writer}.`;
}

function chainCaveats({ from, addressFrom, isIndependent }: ChainEvidence): string {
  const caveats = [
    ...(from === 'service' ? [" The node is the service's own: use one that you know from elsewhere."] : []),
    ...(from === 'bundle' && !isIndependent
      ? [' Anyone can make such a proof for a block of their own: compare the hash of the block with an explorer.']
      : []),
    ...(addressFrom === 'caller'
      ? []
      : [
          ` The address of the contract comes from the ${addressFrom}: compare it with one that you know from elsewhere.`,
        ]),
  ];
  return caveats.join('');
}

const NO_PROOF = 'This manifest proves nothing about this file.';

function checkManifest(
  evidence: Evidence,
  link: CopyLink | undefined,
  problem: Problem | undefined,
): Check<ManifestDetails> {
  const { manifest } = evidence;
  const signed = evidenceOf(manifest);
  const details: ManifestDetails = signed ? manifestDetails(signed) : {};
  if (problem) return contradicted(NO_PROOF, problem, details);
  if (manifest.kind === 'absent') return absent('No signed manifest of this file was found.', details);
  if (!signed) return unavailable('No signed manifest could be checked.', manifest, details);
  if (isManifestUnlinked(evidence)) {
    const reason = safeText`the manifest is for ${signed.fingerprint}, and only the service says that this file is a signed copy of that one`;
    return { state: 'unavailable', proves: NO_PROOF, code: 'NOT_PROVEN', reason, details };
  }
  const subject = link ? describeLink(link) : 'exactly this file';
  const signature = `The manifest is for ${subject} and has not been changed since ${safeText`"${signed.signedBy}"`} signed it.`;
  const limits = 'It does not prove that the statements in the manifest are true.';
  return confirmed(`${signature} ${describeSigner(signed)}${describeTimestamp(signed)} ${limits}`, details);
}

function describeLink({ original, evidence }: CopyLink): string {
  const source = evidence.includes('chain')
    ? 'the chain has it for this copy too'
    : 'the manifest inside this copy names it';
  return safeText`the registered file ${original}, of which this file is a signed copy (${source}),`;
}

function describeSigner({ trustedBy }: ManifestEvidence): string {
  if (trustedBy === 'caller') return "The signer's certificate was issued by an authority that you trust.";
  if (trustedBy === 'service') {
    return "The signer's certificate was issued by an authority that the service names: that is the service's word.";
  }
  return 'The identity of the signer was not checked: anyone can create a certificate with this name.';
}

function describeTimestamp({ timestamp }: ManifestEvidence): string {
  if (!timestamp) return '';
  const authority = timestamp.isIndependent
    ? 'A time-stamp authority that you trust'
    : "A time-stamp authority under the signer's own or the service's roots";
  return safeText` ${authority} gives the time ${timestamp.at}.`;
}

function confirmed<D>(proves: string, details: D): Check<D> {
  return { state: 'confirmed', proves, details };
}

function contradicted<D>(proves: string, { code, reason }: Problem, details: D): Check<D> {
  return { state: 'contradicted', proves, code, reason, details };
}

function absent<D>(proves: string, details: D): Check<D> {
  return { state: 'absent', proves, details };
}

function unavailable<D>(summary: string, result: SourceResult<unknown>, details: D): Check<D> {
  const reason = 'reason' in result ? safeText`${result.reason}` : summary;
  const isMalformed = result.kind === 'failed' && result.isMalformed === true;
  const skippedCode = 'isUnproven' in result ? 'NOT_PROVEN' : 'NOT_CHECKED';
  const code = result.kind === 'skipped' ? skippedCode : isMalformed ? 'SOURCE_MALFORMED' : 'SOURCE_UNAVAILABLE';
  return { state: 'unavailable', proves: `${summary} This proves nothing.`, code, reason, details };
}

function registryDetails({ artifact, registration, ...stated }: RegistryEvidence): RegistryDetails {
  const { service, manifestId, source, registeredBy, refusal, signedCopyOf } = stated;
  const record = registration && { status: registration.status, transactionHash: registration.transactionHash };
  const copies = signedCopyOf === undefined ? (artifact?.renditions ?? []) : [];
  const signedCopies = copies.length > 0 ? copies.map((copy) => copy.fingerprint) : undefined;
  const own = { service, manifestId, source, registeredBy, refusal, ...record, signedCopyOf, signedCopies };
  return omitUndefined({ ...own, ...(artifact && markDetails(artifact)), claims: artifact?.claims });
}

/**
 * A hidden Mark has no domains in the record either, which does not mean that it has none. The schema of an Artifact
 * accepts a Mark with any of the fields.
 */
function markDetails({ mark, verifiedDomains, domainsAtRegistration }: Artifact) {
  if (!checkSchema(GalleryMark, mark)) return {};
  const { createdAt, artifactCount, namesakeCount, representedBy } = mark;
  return { mark: { createdAt, artifactCount, namesakeCount, representedBy }, verifiedDomains, domainsAtRegistration };
}

/** Leaves out what nothing else confirms: the endpoints, and the hash of metadata that are not known. */
function chainDetails(evidence: ChainEvidence, isHashConfirmed: boolean): ChainDetails {
  const { from, address, addressFrom, entry, registration, blockTime } = evidence;
  const chainId = evidence.isChainIdUnproven ? undefined : evidence.chainId;
  const { source, manifestId, registeredBy } = entry;
  const manifestHash = isHashConfirmed ? entry.manifestHash : undefined;
  const block = { ...registration, ...(blockTime !== undefined && { blockTime: formatTime(blockTime) }) };
  return omitUndefined({
    from,
    chainId,
    address,
    addressFrom,
    source,
    manifestId,
    manifestHash,
    registeredBy,
    ...block,
  });
}

function manifestDetails({ label, from, signedBy, trustedBy, timestamp, identity }: ManifestEvidence): ManifestDetails {
  const manifestId = bareManifestId(label);
  return omitUndefined({
    manifestId,
    from,
    signedBy,
    signedAt: timestamp?.at,
    trustedBy,
    isTimestamped: !!timestamp,
    identity,
  });
}

function formatTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function omitUndefined<T extends object>(fields: T): Defined<T> {
  // Object.fromEntries loses the keys; only undefined values are dropped.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
