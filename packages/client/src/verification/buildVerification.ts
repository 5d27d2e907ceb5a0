// Concludes from the evidence: the verdict, the facts, and the check of each source.

import { notices as noticeTexts } from '../explanations.js';
import { type Evidence, findNotices, findProblems, isRecordInLog, isRecordOnChain } from './contradictions.js';
import { evidenceOf, type RegistryEvidence } from './evidence.js';
import { collectFacts } from './facts.js';
import type { VerifyOptions } from './options.js';
import { type CopyLink, findCopyLink, isManifestUnlinked } from './signedCopies.js';
import { checkChain, checkLog, checkManifest, checkRegistry } from './sourceChecks.js';
import { collectTimes, compareTimes, sinceFact } from './times.js';
import type { IndependentSource, Notice, Problem, Verification } from './types.js';
import { decideVerdict, isProven } from './verdict.js';

/** What the caller asks of the result. */
export type Demands = Pick<VerifyOptions, 'require' | 'expect'>;

export function buildVerification(evidence: Evidence, { require = [], expect }: Demands = {}): Verification {
  const { fingerprint } = evidence;
  const found = findProblems(evidence);
  const link = findCopyLink(evidence);
  const unblamed = acceptedEvidence(evidence, found);
  const compared = compareTimes(collectTimes(datedEvidence(unblamed, link)), unblamed.manifest?.certifiedSince);
  const problems = [...found, ...compared.problems];
  const accepted = acceptedEvidence(evidence, problems);
  const times = collectTimes(datedEvidence(accepted, link));
  const problemOf = (source: Problem['source']) => problems.find((problem) => problem.source === source);
  const checks = {
    registry: checkRegistry(evidence, problemOf('registry')),
    chain: checkChain(evidence, problemOf('chain')),
    manifest: checkManifest(evidence, link, problemOf('manifest')),
    log: checkLog(evidence, problemOf('log')),
  };
  const independentSources = (['chain', 'manifest', 'log'] as const).filter(
    (source) => checks[source].state === 'confirmed',
  );
  const all = collectFacts({
    ...accepted,
    link: accepted.manifest && link,
    isRecordOnChain: accepted.chain !== undefined && isRecordOnChain(evidence),
    isRecordInLog: accepted.log !== undefined && isRecordInLog(evidence),
    carriers: independentSources,
  });
  // Where sources contradict each other, the service's word alone counts for nothing.
  const reliable = problems.length > 0 ? all.filter(isProven) : all;
  const facts = [...reliable, ...sinceFact(times)];
  const missing = require.filter((source) => !independentSources.includes(source));
  const notices = [...findNotices(evidence), ...compared.notices, ...missing.map(requiredNotice)];
  const decision = decideVerdict({ evidence, checks, facts, problems, independentSources, missing, expect });
  return { fingerprint, ...decision, independentSources, facts, times, problems, notices, checks };
}

/** The time-stamp of the registered file's manifest says nothing about when a copy was made. */
function datedEvidence(accepted: ReturnType<typeof acceptedEvidence>, link: CopyLink | undefined) {
  return link ? { ...accepted, manifest: undefined } : accepted;
}

/** A record whose hash is on chain, or in a log whose key the caller knows, is proven, whatever else the service says. */
function acceptedEvidence(evidence: Evidence, problems: readonly Problem[]) {
  const { registry, chain, manifest, log } = evidence;
  const isAccepted = (source: Problem['source']) => problems.every((problem) => problem.source !== source);
  const onChain = isAccepted('chain') ? evidenceOf(chain) : undefined;
  const logged = isAccepted('log') ? evidenceOf(log) : undefined;
  const record = evidenceOf(registry);
  const isProven =
    (onChain && isRecordOnChain({ registry, chain })) ||
    (logged?.keyFrom === 'caller' && isRecordInLog({ registry, log }));
  const provenRecord = record && isProven ? withoutWord(record) : undefined;
  return {
    record: isAccepted('registry') ? record : provenRecord,
    chain: onChain,
    manifest: isAccepted('manifest') && !isManifestUnlinked(evidence) ? evidenceOf(manifest) : undefined,
    log: logged,
  };
}

/** Only what the hash on chain or in the log covers. */
function withoutWord(record: RegistryEvidence): RegistryEvidence {
  return { ...record, artifact: undefined, registration: undefined, signedCopyOf: undefined };
}

function requiredNotice(source: IndependentSource): Notice {
  return { code: 'REQUIRED', text: noticeTexts.REQUIRED.source(source) };
}
