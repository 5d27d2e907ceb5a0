// Verifies mutants of a bundle, and finds those that pass with something changed.

import { isDeepStrictEqual } from 'node:util';
import { type Bundle, InvalidResponseError, type OldBundle, parseBundle, type Verification } from '../../src/index.js';
import { judgeBundle, readBundledManifest, type VerifyBundleOptions } from '../../src/verification/bundle.js';
import { mutateBundle } from './bundleMutations.js';
import { createRandom } from './seededChoices.js';

export interface FuzzTarget {
  readonly bundle: Bundle;
  /** Of another file. */
  readonly other: Bundle;
  /** What callers may know from elsewhere. */
  readonly pins: readonly VerifyBundleOptions[];
}

export interface FuzzResult {
  /** By kind of mutation and outcome. */
  readonly counts: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly findings: readonly string[];
}

/** Mutants differ by seed and number alone, so that one can be repeated by itself. */
export async function fuzzBundles(target: FuzzTarget, seed: number, count: number): Promise<FuzzResult> {
  const { bundle, other, pins } = target;
  const readManifest = cacheManifests([bundle.manifest, other.manifest]);
  const judge = async (given: Bundle | OldBundle, options: VerifyBundleOptions) =>
    judgeBundle(given, await readManifest(given, options), options);
  const originals = await Promise.all(pins.map((options) => judge(bundle, options)));
  const counts: Record<string, Record<string, number>> = {};
  const findings: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const { kind, text } = mutateBundle(bundle, other, createRandom(seed * 1_000_003 + number));
    const [options = {}, original] = [pins[number % pins.length], originals[number % pins.length]];
    const { outcome, finding } = await examine(text, options, original, target, judge);
    const ofKind = counts[kind] ?? {};
    counts[kind] = { ...ofKind, [outcome]: (ofKind[outcome] ?? 0) + 1 };
    if (finding) findings.push(`--seed ${seed}, mutant ${number} (${kind}): ${finding}`);
  }
  return { counts, findings };
}

/** The manifests of the unchanged bundles are read once; all others go through c2pa-rs. */
export function cacheManifests(known: readonly string[]) {
  const cache = new Map<string, ReturnType<typeof readBundledManifest>>();
  return (given: Pick<Bundle, 'manifest'>, options: VerifyBundleOptions) => {
    if (!known.includes(given.manifest)) return readBundledManifest(given, options);
    const key = `${known.indexOf(given.manifest)} ${options.trustAnchorsPem}`;
    const cached = cache.get(key) ?? readBundledManifest(given, options);
    cache.set(key, cached);
    return cached;
  };
}

type Judge = (bundle: Bundle | OldBundle, options: VerifyBundleOptions) => Promise<Verification>;

async function examine(
  text: string,
  options: VerifyBundleOptions,
  original: Verification | undefined,
  { bundle }: FuzzTarget,
  judge: Judge,
): Promise<{ readonly outcome: string; readonly finding?: string | undefined }> {
  let mutant: Bundle | OldBundle;
  let verification: Verification;
  try {
    mutant = parseBundle(JSON.parse(text));
    verification = await judge(mutant, options);
    // Zero has two signs, and no bundle tells them apart.
    mutant = parseBundle(JSON.parse(JSON.stringify(mutant)));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof InvalidResponseError) return { outcome: 'refused' };
    return { outcome: 'crash', finding: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  if (!original) throw new Error('there is no original');
  const finding =
    findChangedFact(verification, original) ?? findUnnoticedChange(mutant, verification, bundle, original);
  return { outcome: isDeepStrictEqual(mutant, bundle) ? 'unchanged' : verification.verdict, finding };
}

/** Something that is shown as proven, and is not so in the unchanged bundle. */
function findChangedFact(mutant: Verification, original: Verification): string | undefined {
  if (mutant.verdict !== 'verified') return undefined;
  if (mutant.independentSources.length === 0) return 'verified without an independent source';
  if (mutant.fingerprint !== original.fingerprint) return 'verified for another file';
  const isOriginal = (list: readonly object[], one: object) => list.some((other) => isDeepStrictEqual(one, other));
  for (const { name, value, evidence } of mutant.facts) {
    const same = original.facts.find((fact) => fact.name === name);
    if (!evidence.includes('service') && same?.value !== value) return `verified with ${name} = ${value}`;
  }
  const time = mutant.times.find((one) => one.isIndependent && !isOriginal(original.times, one));
  if (time) return `verified with the time ${time.at}`;
  if (!mutant.independentSources.includes('chain')) return undefined;
  // A header does not name its chain.
  const { chainId: _, ...details } = mutant.checks.chain.details;
  const known: Readonly<Record<string, unknown>> = { ...original.checks.chain.details };
  const detail = Object.entries(details).find(([name, value]) => known[name] !== value);
  return detail && `verified with ${detail.join(' = ')}`;
}

/** Whatever is not the maker's word must be as in the unchanged bundle, or absent, or contradicted. */
function findUnnoticedChange(
  mutant: Bundle | OldBundle,
  verification: Verification,
  bundle: Bundle,
  original: Verification,
): string | undefined {
  const { verdict, checks } = verification;
  if (verdict !== 'verified' && verdict !== 'consistent') return undefined;
  if (mutant.version === 1) return 'read as version 1';
  if (checks.log.state === 'confirmed' && !isSameLeaf(checks.log, original.checks.log))
    return `${verdict} with another leaf`;
  if (hasAdditionalProperty(mutant, bundle)) return `${verdict} with an additional property`;
  const isProofChanged = mutant.chain !== undefined && !isDeepStrictEqual(mutant.chain.proof, bundle.chain?.proof);
  // Anyone can make a proof of another block: that is what the hash of the block is compared for.
  if (isProofChanged) {
    const isSameBlock = checks.chain.details.blockHash === original.checks.chain.details.blockHash;
    return isSameBlock ? 'another proof, and the same block' : undefined;
  }
  const names = ['fingerprint', 'manifestId', 'metadata'] as const;
  const name = names.find((one) => mutant[one] !== undefined && !isDeepStrictEqual(mutant[one], bundle[one]));
  // Without a proof, only the manifest vouches for the metadata; the rest of it is the maker's word.
  if (name !== undefined && (name !== 'metadata' || mutant.chain)) return `${verdict} with another ${name}`;
  if (mutant.chain && mutant.chain.address !== bundle.chain?.address) return `${verdict} with another contract`;
  return findChangedClaim(verification, original);
}

/** Whether the mutant's receipt says the same; the text of a receipt may have more signatures. */
function isSameLeaf(found: Verification['checks']['log'], original: Verification['checks']['log']): boolean {
  // Without what opens the leaf, it hides the same. What an anchor proves is a time.
  const { areTermsHidden: _, anchor: __, ...details } = found.details;
  return Object.entries(details).every(([name, value]) =>
    isDeepStrictEqual(value, new Map(Object.entries(original.details)).get(name)),
  );
}

/** Some bytes of a manifest mean nothing; what it says must be the same. */
function findChangedClaim({ verdict, facts, checks }: Verification, original: Verification): string | undefined {
  const changed = facts.find((fact) => !fact.evidence.includes('service') && !isKnown(fact, original));
  if (changed) return `${verdict} with ${changed.name} = ${changed.value}`;
  const { signedBy } = checks.manifest.details;
  const isSameSigner = signedBy === original.checks.manifest.details.signedBy;
  return isSameSigner ? undefined : `${verdict} with the signer ${signedBy}`;
}

/** Metadata may have any: its hash covers them. */
function hasAdditionalProperty(mutant: Omit<Bundle, 'version'>, bundle: Bundle): boolean {
  const pairs = [
    [mutant, bundle],
    [mutant.maker, bundle.maker],
    [mutant.chain, bundle.chain],
    [mutant.chain?.proof, bundle.chain?.proof],
  ];
  return pairs.some(([one = {}, other = {}]) => Object.keys(one).some((key) => !Object.hasOwn(other, key)));
}

function isKnown({ name, value }: Verification['facts'][number], { facts }: Verification): boolean {
  return facts.some((fact) => fact.name === name && fact.value === value);
}
