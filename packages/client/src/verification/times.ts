// The times that evidence carries, and since when a file is registered.

import { notices as noticeTexts, problems as problemTexts } from '../explanations.js';
import {
  type ChainEvidence,
  evidenceOf,
  isAnchorIndependent,
  type LogEvidence,
  type ManifestEvidence,
  type RegistryEvidence,
} from './evidence.js';
import type { EvidenceKind, Fact, Notice, Problem, TimeEvidence } from './types.js';

/** Clocks of services, time-stamp authorities and block producers differ by less. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;
/** A registration may wait for the chain; a longer wait is told. */
const REPORTED_DELAY_MS = 60 * 60_000;

export interface DatedEvidence {
  readonly record: Pick<RegistryEvidence, 'registration'> | undefined;
  readonly chain:
    | (Pick<ChainEvidence, 'blockTime' | 'isIndependent'> & { readonly entry: Pick<ChainEvidence['entry'], 'source'> })
    | undefined;
  readonly manifest: Pick<ManifestEvidence, 'timestamp'> | undefined;
  readonly log: Pick<LogEvidence, 'keyFrom' | 'anchor'> | undefined;
}

/** Earliest first; of the same second, the time-stamp, since a file is signed before it is written on chain. */
export function collectTimes({ record, chain, manifest, log }: DatedEvidence): TimeEvidence[] {
  const times: TimeEvidence[] = [];
  if (manifest?.timestamp) {
    const { at, isIndependent } = manifest.timestamp;
    times.push({ source: 'timestamp', at, isIndependent });
  }
  if (chain?.blockTime !== undefined && chain.entry.source === 'curated') {
    const at = new Date(chain.blockTime * 1000).toISOString();
    times.push({ source: 'block', at, isIndependent: chain.isIndependent });
  }
  const anchor = log?.anchor && evidenceOf(log.anchor);
  if (anchor) {
    const at = new Date(anchor.blockTime * 1000).toISOString();
    times.push({ source: 'anchor', at, isIndependent: isAnchorIndependent(log) });
  }
  if (record?.registration) times.push({ source: 'service', at: record.registration.createdAt, isIndependent: false });
  return times.sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

const evidenceKinds = { block: 'chain', timestamp: 'manifest', anchor: 'log', service: 'service' } as const;

/** The earliest independent time; without one, the service's word, rather that of its block or manifest than its own. */
export function sinceFact(times: readonly TimeEvidence[]): Fact[] {
  const since =
    times.find(({ isIndependent }) => isIndependent) ?? times.find(({ source }) => source !== 'service') ?? times[0];
  if (!since) return [];
  const evidence: EvidenceKind = since.isIndependent ? evidenceKinds[since.source] : 'service';
  return [{ name: 'since', value: since.at, evidence: [evidence] }];
}

/**
 * A file is signed and recorded in one request, and written on chain afterwards.
 * @param certifiedSince when the certificate of the signer began
 */
export function compareTimes(
  times: readonly TimeEvidence[],
  certifiedSince?: Date,
): { problems: Problem[]; notices: Notice[] } {
  const [block, timestamp, service] = (['block', 'timestamp', 'service'] as const).map((source) =>
    times.find((time) => time.source === source),
  );
  const problems: Problem[] = [];
  const notices: Notice[] = [];
  const elapsed = (from: TimeEvidence, to: TimeEvidence) => Date.parse(to.at) - Date.parse(from.at);
  const report = (source: Problem['source'], reason: string) =>
    problems.push({ source, code: 'TIME_MISMATCH', reason });
  const { TIME_MISMATCH } = problemTexts;
  if (block && timestamp && elapsed(block, timestamp) > CLOCK_TOLERANCE_MS) {
    report('chain', TIME_MISMATCH.chain(block.at, timestamp.at));
  } else if (block && certifiedSince && Number(certifiedSince) - Date.parse(block.at) > CLOCK_TOLERANCE_MS) {
    report('chain', TIME_MISMATCH.certificate(block.at, certifiedSince.toISOString()));
  }
  if (service && timestamp && Math.abs(elapsed(service, timestamp)) > CLOCK_TOLERANCE_MS) {
    report('registry', TIME_MISMATCH.manifest(service.at, timestamp.at));
  }
  if (service && block && elapsed(block, service) > CLOCK_TOLERANCE_MS) {
    report('registry', TIME_MISMATCH.record(service.at, block.at));
  }
  const signed = timestamp ?? service;
  if (signed && block && elapsed(signed, block) > REPORTED_DELAY_MS) {
    const source = signed === timestamp ? 'timestamp' : 'service';
    notices.push({ code: 'TIMES_DIFFER', text: noticeTexts.TIMES_DIFFER(block.at, source, signed.at) });
  }
  return { problems, notices };
}
