// Decides what the verdict about a file is, and why it is not `verified`. Nothing else does.

import { logCheck, notices, reasons, skippedSources } from '../explanations.js';
import type { Evidence } from './contradictions.js';
import { evidenceOf } from './evidence.js';
import type { Expectation } from './options.js';
import type { Fact, FactName, IndependentSource, Notice, Reason, Verdict, Verification } from './types.js';

/** What is decided on. */
export interface Findings extends Pick<Verification, 'checks' | 'facts' | 'problems' | 'independentSources'> {
  readonly evidence: Evidence;
  /** Sources that the caller requires, and that do not confirm independently. */
  readonly missing: readonly IndependentSource[];
  readonly expect: Expectation | undefined;
}

export type Decision = Pick<Verification, 'verdict' | 'reason'>;

/** Tries the rules in their order; a file is `verified` when none of them applies. */
export function decideVerdict(findings: Findings): Decision {
  for (const rule of rules) {
    const decision = rule(findings);
    if (decision) return decision;
  }
  return { verdict: 'verified' };
}

type Rule = (findings: Findings) => Decision | undefined;

const rules: readonly Rule[] = [
  ifContradicted,
  ifNamedSourceUnusable,
  ifNothingFound,
  ifRequiredMissing,
  ifUnbacked,
  ifNotExpected,
  ifDisputed,
  ifFailed,
  ifRootsUnused,
  ifLogKeysUnused,
  ifNotIndependent,
  ifRegistrantNotProven,
];

function decide(verdict: Exclude<Verdict, 'verified'>, code: Reason['code'], text: string): Decision {
  return { verdict, reason: { code, text } };
}

function ifContradicted({ checks, problems }: Findings): Decision | undefined {
  const isContradicted = Object.values(checks).some(({ state }) => state === 'contradicted');
  if (!isContradicted) return undefined;
  return decide('contradicted', 'CONTRADICTED', problems[0]?.reason ?? reasons.CONTRADICTED);
}

/** What the caller named must have been used, whatever the others say. */
function ifNamedSourceUnusable({ evidence }: Findings): Decision | undefined {
  const { chain, isNodeFromCaller } = evidence;
  const unused = chain.kind === 'failed' || chain.kind === 'skipped' ? chain.reason : undefined;
  const cause =
    evidenceOf(chain)?.unusableNode ?? (isNodeFromCaller ? unused : undefined) ?? findAnchorFailure(evidence);
  return cause === undefined ? undefined : decide('incomplete', 'SOURCE_UNUSABLE', reasons.SOURCE_UNUSABLE(cause));
}

/** Also if there is no anchor whose block could have been compared. */
function findAnchorFailure({ log, isAnchorCompared }: Evidence): string | undefined {
  const anchor = evidenceOf(log)?.anchor;
  if (anchor?.kind === 'failed') return anchor.reason;
  if (anchor) return evidenceOf(anchor)?.unusableNode;
  if (!isAnchorCompared) return undefined;
  return log.kind === 'found' || !('reason' in log) ? skippedSources.NO_ANCHOR : log.reason;
}

function ifNothingFound({ checks, evidence }: Findings): Decision | undefined {
  const states = Object.values(checks).map(({ state }) => state);
  if (states.includes('confirmed') || states.includes('agrees')) return undefined;
  const failure = findFailure(evidence);
  if (failure === undefined && states.includes('absent'))
    return decide('unknown', 'UNKNOWN', describeAbsence(evidence));
  const { reason } = Object.values(checks).find(({ state }) => state === 'unavailable') ?? {};
  return decide('incomplete', 'SOURCES_UNAVAILABLE', reasons.SOURCES_UNAVAILABLE(failure ?? reason));
}

/** A copy is not everything that was registered. */
function describeAbsence({ log }: Evidence): string {
  return (log.kind === 'absent' ? log.reason : undefined) ?? reasons.UNKNOWN;
}

function findFailure({ registry, chain, manifest }: Evidence): string | undefined {
  const [failure] = [registry, chain, manifest].flatMap((result) => (result.kind === 'failed' ? [result.reason] : []));
  return failure;
}

function ifRequiredMissing({ missing: [source] }: Findings): Decision | undefined {
  return source === undefined ? undefined : decide('incomplete', 'REQUIRED', notices.REQUIRED.source(source));
}

/** Nothing says the same as the service, and chain or manifest could not be read. */
function ifUnbacked({ checks, evidence }: Findings): Decision | undefined {
  const isBacked =
    checks.log.state === 'confirmed' ||
    [checks.chain, checks.manifest].some(({ state }) => state === 'confirmed' || state === 'agrees');
  const failure = findFailure(evidence);
  if (isBacked || failure === undefined) return undefined;
  return decide('incomplete', 'SOURCES_UNAVAILABLE', reasons.SOURCES_UNAVAILABLE(failure));
}

/** Also where the Mark is the service's word: then nothing says that it is the expected one. */
function ifNotExpected({ facts, expect }: Findings): Decision | undefined {
  if (!expect) return undefined;
  const stated = (['markId', 'mark'] as const).map((name) => facts.find((fact) => fact.name === name)?.value);
  if (stated.every((value) => value === undefined)) return decide('incomplete', 'MARK_HIDDEN', reasons.MARK_HIDDEN);
  if (stated.includes(expect.mark)) return undefined;
  return decide('contradicted', 'UNEXPECTED_MARK', reasons.UNEXPECTED_MARK(stated[1] ?? stated[0], expect.mark));
}

/** Rests on the service's word, which nothing else confirms or contradicts. */
function ifDisputed({ evidence: { registry } }: Findings): Decision | undefined {
  const claims = evidenceOf(registry)?.artifact?.claims;
  if (!claims) return undefined;
  if (claims.contested || claims.checked > 0) return decide('contested', 'CONTESTED', reasons.CONTESTED);
  return claims.supersededBy ? decide('superseded', 'SUPERSEDED', reasons.SUPERSEDED) : undefined;
}

/** Manifest and leaf are made before a registration fails, and remain. */
function ifFailed({ evidence: { registry } }: Findings): Decision | undefined {
  const { artifact, registration } = evidenceOf(registry) ?? {};
  if (artifact?.status !== 'failed' && registration?.status !== 'failed') return undefined;
  return decide('consistent', 'REGISTRATION_FAILED', reasons.REGISTRATION_FAILED);
}

/** Roots prove nothing without a manifest: the other named sources decide, if there is one. */
function ifRootsUnused({ independentSources, evidence }: Findings): Decision | undefined {
  const { hasTrustAnchors, manifest } = evidence;
  const isUnread = manifest.kind === 'failed' || manifest.kind === 'skipped';
  if (!hasTrustAnchors || !isUnread || independentSources.length > 0) return undefined;
  return decide('incomplete', 'SOURCE_UNUSABLE', reasons.SOURCE_UNUSABLE(manifest.reason));
}

/** Keys of the log prove nothing without a receipt. */
function ifLogKeysUnused({ independentSources, evidence: { hasLogKeys, log } }: Findings): Decision | undefined {
  if (!hasLogKeys || log.kind === 'found' || independentSources.length > 0) return undefined;
  return decide(
    'incomplete',
    'SOURCE_UNUSABLE',
    reasons.SOURCE_UNUSABLE('reason' in log ? log.reason : logCheck.absent),
  );
}

function ifNotIndependent({ independentSources, evidence }: Findings): Decision | undefined {
  if (independentSources.length > 0) return undefined;
  const chain = evidenceOf(evidence.chain);
  const isBlockUsed = chain?.from === 'caller' || evidence.isBlockCompared;
  if (chain && isBlockUsed && chain.addressFrom !== 'caller') {
    const text = reasons.CONTRACT_NOT_NAMED(chain.address, chain.addressFrom);
    return decide('consistent', 'CONTRACT_NOT_NAMED', text);
  }
  if (chain?.from === 'bundle') return decide('consistent', 'BLOCK_NOT_COMPARED', reasons.BLOCK_NOT_COMPARED);
  return decide('consistent', 'NOTHING_NAMED', reasons.NOTHING_NAMED);
}

/** What people act on. The rest may be the service's word, and is then shown as that. */
const registrantFacts: readonly FactName[] = ['mark', 'markId', 'author', 'license', 'allowAiTraining'];

function isRegistrantProven(facts: readonly Fact[]): boolean {
  return facts.every((fact) => !registrantFacts.includes(fact.name) || isProven(fact));
}

/**
 * Whether a source that the caller named carries a fact; otherwise it is the word of the service, or of a bundle's maker.
 * @example
 * ```ts
 * for (const { name, value } of verification.facts.filter(isProven)) console.log(name, value);
 * ```
 */
export function isProven({ evidence }: Pick<Fact, 'evidence'>): boolean {
  return !evidence.includes('service');
}

function ifRegistrantNotProven({ facts }: Findings): Decision | undefined {
  if (isRegistrantProven(facts)) return undefined;
  return decide('consistent', 'REGISTRANT_NOT_PROVEN', reasons.REGISTRANT_NOT_PROVEN);
}

/** Whether a verdict says something about the file. */
export function isConclusive({ verdict }: Verification): boolean {
  return verdict !== 'unknown' && verdict !== 'incomplete';
}

/** Limits a verdict about the registered file when the given one has no entry of its own: nothing is proven about that. */
export function limitToServiceWord(verification: Verification, require: readonly IndependentSource[]): Verification {
  if (verification.verdict === 'contradicted') return verification;
  const { verdict, reason, facts, times, checks, notices: found } = verification;
  const unconfirmed = require.map((source): Notice => ({ code: 'REQUIRED', text: notices.REQUIRED.copy(source) }));
  const limit = <C extends { readonly state: string }>(check: C) =>
    check.state === 'confirmed' ? { ...check, state: 'agrees' as const } : check;
  const ownEntry = { code: 'NO_OWN_ENTRY', text: reasons.NO_OWN_ENTRY } as const;
  return {
    ...verification,
    verdict: require.length > 0 ? 'incomplete' : verdict === 'verified' ? 'consistent' : verdict,
    reason: verdict === 'verified' || reason === undefined ? ownEntry : reason,
    independentSources: [],
    facts: facts.map((fact) => ({ ...fact, evidence: ['service'] as const })),
    times: times.map((time) => ({ ...time, isIndependent: false })),
    checks: { ...checks, chain: limit(checks.chain), manifest: limit(checks.manifest), log: limit(checks.log) },
    notices: [...found, ...unconfirmed],
  };
}

/**
 * Turns the verification by a registry that is not the one that the user pinned into `contradicted`, without any fact.
 * @example
 * ```ts
 * const shown = isPinnedRegistry ? verification : distrustRegistry(verification);
 * ```
 */
export function distrustRegistry<T extends Verification>(verification: T): T {
  const reason = { code: 'REGISTRY_CHANGED', text: reasons.REGISTRY_CHANGED } as const;
  return { ...verification, verdict: 'contradicted', reason, independentSources: [], facts: [], times: [] };
}

/**
 * Turns a verification into `incomplete` if it uses the word of a registry that could not be compared with the one that
 * the user pinned.
 * @example
 * ```ts
 * const shown = requireRegistryCheck(verification, 'the server responded with status 404');
 * ```
 */
export function requireRegistryCheck<T extends Verification>(verification: T, cause: string): T {
  const isUsed = verification.checks.registry.state !== 'unavailable';
  if (!isUsed || verification.verdict === 'contradicted') return verification;
  const reason = { code: 'REGISTRY_NOT_CHECKED', text: reasons.REGISTRY_NOT_CHECKED(cause) } as const;
  return { ...verification, verdict: 'incomplete', reason };
}

/**
 * Tells how the registration itself is confirmed: `contested` and `superseded` stand in place of `verified` or
 * `consistent`.
 * @example
 * ```ts
 * console.log(verification.verdict, confirmationOf(verification)); // contested verified
 * ```
 */
export function confirmationOf({ verdict, independentSources, facts }: Verification): Confirmation {
  if (verdict !== 'contested' && verdict !== 'superseded') return verdict;
  return independentSources.length > 0 && isRegistrantProven(facts) ? 'verified' : 'consistent';
}

/**
 * Whether a source that the caller obtained elsewhere confirms the registration, whatever claims there are to it.
 * @example
 * ```ts
 * if (isConfirmed(await verify(fingerprint, { client, chain }))) console.log('Registered.');
 * ```
 */
export function isConfirmed(verification: Verification | undefined): boolean {
  return verification !== undefined && confirmationOf(verification) === 'verified';
}

/**
 * A verdict about the registration itself, whatever claims there are to it.
 * @example
 * ```ts
 * const confirmation: Confirmation = confirmationOf(verification);
 * ```
 */
export type Confirmation = Exclude<Verdict, 'contested' | 'superseded'>;
