// Compares the mirror of the chain with the contract, both ways: mirrored entries, and registrations in the contract's log.

import type { Hex, MirrorDifference } from '../domain/ports/index.js';
import type { AuditParts, DivergenceCode } from './divergence.js';
import { type Finding, readPages, type Walk } from './walk.js';

/** The node is called once for each. */
const PAGE_SIZE = 200;

type MirrorParts = Pick<AuditParts, 'mirror'>;

const codes: Readonly<Record<MirrorDifference['problem'], DivergenceCode>> = {
  missing: 'mirror-missing',
  unknown: 'mirror-unknown',
  different: 'mirror-differs',
};
const reasons = {
  missing: 'it is registered on chain, but not mirrored',
  unknown: 'it is mirrored, but not registered on chain',
  different: 'its mirrored entry differs from the one on chain',
};

export function mirroredEntryWalk(parts: MirrorParts): Walk<Hex> {
  return {
    name: 'mirrored',
    batches: () => readPages<Hex>((after) => parts.mirror.listFingerprints(after, PAGE_SIZE)),
    check: async (fingerprints) => compare(parts, fingerprints, ['unknown', 'different']),
  };
}

export function registrationWalk(parts: MirrorParts): Walk<Hex> {
  return {
    name: 'registrations',
    batches: () => parts.mirror.listRegistrations(),
    check: async (fingerprints) => compare(parts, fingerprints, ['missing']),
  };
}

async function compare(
  { mirror }: MirrorParts,
  fingerprints: readonly Hex[],
  problems: readonly MirrorDifference['problem'][],
): Promise<Finding<Hex>[]> {
  const differences = await mirror.compare(fingerprints);
  return differences
    .filter(({ problem }) => problems.includes(problem))
    .map(({ fingerprint, problem }) => ({
      subject: fingerprint,
      divergence: {
        code: codes[problem],
        about: { fingerprint },
        message: `Fingerprint ${fingerprint}: ${reasons[problem]}`,
        repair: () => mirror.repair(fingerprint),
      },
    }));
}
