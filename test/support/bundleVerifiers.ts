// Judges bundles in Python and with the SDK for TypeScript, and changes bundles for both.

import { execFileSync, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { type Bundle, InvalidResponseError, parseBundle, verifyBundle } from '../../packages/client/src/index.js';
import { judgeBundle, type VerifyBundleOptions } from '../../packages/client/src/verification/bundle.js';
import { cacheManifests } from '../../packages/client/test/support/bundleFuzzer.js';
import { forgeHeader } from '../../packages/client/test/support/forgedProofs.js';
import { formatVerifierKey, parsePolicy } from '../../packages/log/src/index.js';

/** One question on each line. */
const verifyScript = `
import json, sys
from provenance_registry import BundleError, parse_bundle, verify_bundle
for line in sys.stdin.buffer:
    text, options = json.loads(line)
    try:
        result = verify_bundle(parse_bundle(text), **options)
        facts = {name: [value, *evidence] for name, value, evidence in result.facts}
        log_problems = [problem.code for problem in result.problems if problem.source == "log"]
        reason = result.reason and result.reason.code
        outcome = [result.verdict, reason, list(result.independent_sources), facts, result.times, log_problems]
    except BundleError:
        outcome = ["refused"]
    print(json.dumps(outcome), flush=True)
`;
const mainScript = `
import contextlib, io, json, sys
from provenance_registry.__main__ import main
outcomes = []
for arguments in json.load(sys.stdin):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        outcomes.append([main(["verify", *arguments]), printed.getvalue()])
print(json.dumps(outcomes))
`;

const env = { PATH: process.env['PATH'], PYTHONDONTWRITEBYTECODE: '1' };

/** Runs the program of the package once for each list of arguments. */
export function runVerifyProgram(
  python: string,
  calls: readonly (readonly string[])[],
): [exitCode: number, printed: string][] {
  return JSON.parse(execFileSync(python, ['-c', mainScript], { input: JSON.stringify(calls), encoding: 'utf8', env }));
}

/** Undefined parts: the bundle was refused. */
export type Outcome = readonly [
  verdict: string,
  reason?: string | null,
  independentSources?: readonly string[],
  facts?: Readonly<Record<string, unknown>>,
  times?: readonly unknown[],
  logProblems?: readonly string[],
];
export type Question = readonly [text: string, options: VerifyBundleOptions];

export type Verifier = (question: Question) => Promise<Outcome>;

/** One interpreter for any number of bundles, one after the other. It ends with `close`. */
export function startPythonVerifier(python: string): { readonly verify: Verifier; readonly close: () => void } {
  const child = spawn(python, ['-c', verifyScript], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const outcomes = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async verify([text, options]) {
      const { fingerprint, blockHash, trustAnchorsPem: trust_anchors, logKeys, policy, chain, expect } = options;
      // Python has no policies, in which fewer witnesses than all can be enough.
      const parsed = policy === undefined ? undefined : parsePolicy(policy);
      const { address: contract, chainId: chain_id } = chain ?? {};
      const named = {
        fingerprint,
        block_hash: blockHash,
        trust_anchors,
        contract,
        chain_id,
        anchor_block_hash: options.anchorBlockHash,
        log_contract: options.logContract,
        expect_mark: expect?.mark,
        log_keys: parsed?.logKeys.map(formatVerifierKey) ?? logKeys ?? [],
        witnesses: parsed?.witnesses.map(({ key }) => formatVerifierKey(key)) ?? [],
      };
      child.stdin.write(`${JSON.stringify([text, named])}\n`);
      const { value, done } = await outcomes.next();
      if (done) throw new Error('Python has ended without an outcome.');
      return JSON.parse(value);
    },
    close: () => child.stdin.end(),
  };
}

/** Validating a manifest takes c2pa-rs longer than all the rest: those of these bundles are read once. */
export function createSdkVerifier(bundles: readonly Bundle[]): Verifier {
  const readManifest = cacheManifests(bundles.map(({ manifest }) => manifest));
  return async ([text, options]) => {
    try {
      const bundle = parseBundle(JSON.parse(text));
      const found = await judgeBundle(bundle, await readManifest(bundle, options), options);
      // Its maker's, which the SDK calls the service's.
      const kinds = (evidence: readonly string[]) => evidence.map((kind) => (kind === 'service' ? 'maker' : kind));
      const facts = found.facts.map(({ name, value, evidence }) => [name, [value, ...kinds(evidence)]]);
      const times = found.times.map(({ source, at, isIndependent }) => [source, at, isIndependent]);
      const logProblems = found.problems.flatMap(({ source, code }) => (source === 'log' ? [code] : []));
      const { verdict, reason, independentSources } = found;
      return [verdict, reason?.code ?? null, independentSources, Object.fromEntries(facts), times, logProblems];
    } catch (error) {
      if (error instanceof SyntaxError || error instanceof InvalidResponseError) return ['refused'];
      throw error;
    }
  };
}

export async function readBlockHash(bundle: Bundle): Promise<string> {
  return (await verifyBundle(bundle)).checks.chain.details.blockHash ?? '';
}

export async function readAnchorHash(bundle: Bundle, logKeys: readonly string[]): Promise<string> {
  return (await verifyBundle(bundle, { logKeys })).checks.log.details.anchor?.blockHash ?? '';
}

/** Changes one bit of the hash of the block before: the proof still holds, but no chain has such a block. */
export function flipBlock({ chain, ...rest }: Bundle): Bundle {
  if (!chain) throw new Error('The bundle has no proof.');
  const header = Buffer.from(chain.proof.header.slice(2), 'hex');
  header.writeUInt8(header.readUInt8(10) ^ 1, 10);
  return { ...rest, chain: { ...chain, proof: { ...chain.proof, header: `0x${header.toString('hex')}` } } };
}

/** A block of the year 2001 with the same receipt, which no chain has: nothing in it shows that. */
export function backDate({ chain, ...rest }: Bundle): Bundle {
  if (!chain) throw new Error('The bundle has no proof.');
  return { ...rest, chain: { ...chain, proof: forgeHeader(chain.proof, 'timestamp', '0x3b9aca00') } };
}

export function omit<K extends keyof Bundle>(bundle: Bundle, name: K): Omit<Bundle, K> {
  const { [name]: _, ...rest } = bundle;
  return rest;
}

/** The name of Ed25519 in certificates and time-stamps, in hex. */
const ED25519_NAME = '06032b6570';

/**
 * Each with one bit of the manifest changed: `count` of them from its beginning to its end, other ones with another seed, and
 * others in each name of an algorithm.
 */
export function* changeManifest(bundle: Bundle, count: number, seed: number): Generator<string> {
  const made = Buffer.from(bundle.manifest, 'base64');
  const step = made.length / count;
  const spread = Array.from({ length: count }, (_, number) => Math.floor(number * step + (seed % step)));
  const names = [...made.keys()]
    .filter((start) => made.toString('hex', start, start + 5) === ED25519_NAME)
    .map((start) => start + 4);
  for (const [number, position] of [...spread, ...names].entries()) {
    const manifest = Buffer.from(made);
    manifest.writeUInt8(manifest.readUInt8(position) ^ (1 << ((number + seed) % 8)), position);
    yield JSON.stringify({ ...bundle, manifest: manifest.toString('base64') });
  }
}
