// Compares the result of a verification whose sources lied with what honest sources prove.

import type { Fact, TimeEvidence, Verification } from '../../src/index.js';

/** What the registry check shows is the service's word, so it may differ; `manifestId` and whatever is new may not. */
const serviceWords: readonly string[] = [
  'source',
  'registeredBy',
  'refusal',
  'status',
  'transactionHash',
  'signedCopyOf',
  'signedCopies',
  'mark',
  'verifiedDomains',
  'domainsAtRegistration',
  'claims',
];
/** Shows less than the truth. */
const weakerDetails: Readonly<Record<string, unknown>> = { isTimestamped: false, areTermsHidden: true };

/**
 * What is shown as proven and is not true.
 * @param truth what the owner of the Artifact sees with every source named
 * @param honest the result with the same options, but without a lie
 */
export function findShownLies(found: Verification, truth: Verification, honest: Verification): string[] {
  return [
    ...found.facts.filter((fact) => !isTrue(fact, truth)).map(({ name, value }) => `fact ${name}: ${value}`),
    // Times that are not independent are marked as such.
    ...found.times
      .filter(({ isIndependent }) => isIndependent)
      .filter(({ source, at }) => !isTrueTime(source, at, truth) || !isIndependentTime(source, honest))
      .map(({ source, at }) => `independent time of ${source}: ${at}`),
    ...found.independentSources
      .filter((source) => !honest.independentSources.includes(source))
      .map((source) => `independent source ${source}`),
    ...listWrongDetails('chain', found, truth, honest),
    ...listWrongDetails('manifest', found, truth, honest),
    ...listWrongDetails('log', found, truth, honest),
    ...listWrongDetails('registry', found, truth, honest),
  ];
}

const clocks = { chain: 'block', manifest: 'timestamp', log: 'anchor', service: 'service' } as const;

function isTrue({ name, value, evidence }: Fact, truth: Verification): boolean {
  if (evidence.every((kind) => kind === 'service')) return true;
  if (name === 'since') {
    return evidence.some((kind) => isTrueTime(clocks[kind], value, truth));
  }
  return truth.facts.some((fact) => fact.name === name && fact.value === value);
}

function isTrueTime(source: TimeEvidence['source'], at: unknown, truth: Verification): boolean {
  return truth.times.some((time) => time.source === source && time.at === at);
}

function isIndependentTime(source: string, honest: Verification): boolean {
  return honest.times.some((time) => time.source === source && time.isIndependent);
}

/** Details of a source that is not independent are marked as the service's or the maker's word. */
function listWrongDetails(
  source: keyof Verification['checks'],
  found: Verification,
  ...truths: readonly Verification[]
): string[] {
  const { state, details } = found.checks[source];
  if (state !== 'confirmed' || (source !== 'registry' && !found.independentSources.includes(source))) return [];
  const known = truths.map(({ checks }) => new Map(Object.entries(checks[source].details)));
  return (
    Object.entries(details)
      .filter(([key]) => source !== 'registry' || !serviceWords.includes(key))
      .filter(([key, value]) => weakerDetails[key] !== value)
      // An anchor that was not compared is marked as such, and dates nothing.
      .filter(([key]) => key !== 'anchor' || found.times.some((time) => time.source === 'anchor' && time.isIndependent))
      .filter(([key, value]) => !known.some((truth) => JSON.stringify(truth.get(key)) === JSON.stringify(value)))
      .map(([key, value]) => `${source} ${key}: ${JSON.stringify(value)}`)
  );
}
