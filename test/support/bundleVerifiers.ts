// Judges bundles in Python and with the SDK for TypeScript, and changes bundles for both.

import { execFileSync } from 'node:child_process';
import { type Bundle, InvalidResponseError, parseBundle } from '../../packages/client/src/index.js';
import {
  judgeBundle,
  readBundledManifest,
  type VerifyBundleOptions,
} from '../../packages/client/src/verification/bundle.js';

const verifyScript = `
import json, sys
from provenance_registry import BundleError, parse_bundle, verify_bundle
outcomes = []
for text, options in json.load(sys.stdin):
    try:
        result = verify_bundle(parse_bundle(text), **options)
        facts = {name: [value, *evidence] for name, value, evidence in result.facts}
        outcomes.append([result.verdict, result.reason and result.reason.code, list(result.independent_sources), facts])
    except BundleError:
        outcomes.append(["refused"])
print(json.dumps(outcomes))
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

function runPython<T>(python: string, script: string, input: readonly unknown[]): T[] {
  const output = execFileSync(python, ['-c', script], {
    input: JSON.stringify(input),
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], PYTHONDONTWRITEBYTECODE: '1' },
    maxBuffer: 2 ** 28,
  });
  return JSON.parse(output);
}

/** Runs the program of the package once for each list of arguments. */
export function runVerifyProgram(
  python: string,
  calls: readonly (readonly string[])[],
): [exitCode: number, printed: string][] {
  return runPython(python, mainScript, calls);
}

/** Undefined parts: the bundle was refused. */
export type Outcome = readonly [
  verdict: string,
  reason?: string | null,
  independentSources?: readonly string[],
  facts?: Readonly<Record<string, unknown>>,
];
export type Question = readonly [text: string, options: VerifyBundleOptions];

export function verifyInPython(python: string, questions: readonly Question[]): Outcome[] {
  const input = questions.map(([text, { fingerprint, blockHash, trustAnchorsPem: trust_anchors, chain, expect }]) => {
    const { address: contract, chainId: chain_id } = chain ?? {};
    const named = { fingerprint, block_hash: blockHash, trust_anchors, contract, chain_id };
    return [text, { ...named, expect_mark: expect?.mark }];
  });
  return runPython(python, verifyScript, input);
}

export async function verifyInTypeScript([text, options]: Question): Promise<Outcome> {
  try {
    const bundle = parseBundle(JSON.parse(text));
    const found = await judgeBundle(bundle, await readCached(bundle, options), options);
    // Its maker's, which the SDK calls the service's.
    const kinds = (evidence: readonly string[]) => evidence.map((kind) => (kind === 'service' ? 'maker' : kind));
    const facts = found.facts.map(({ name, value, evidence }) => [name, [value, ...kinds(evidence)]]);
    const { verdict, reason, independentSources } = found;
    return [verdict, reason?.code ?? null, independentSources, Object.fromEntries(facts)];
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof InvalidResponseError) return ['refused'];
    throw error;
  }
}

const manifests = new Map<string, ReturnType<typeof readBundledManifest>>();

/** Validating a manifest takes c2pa-rs longer than all the rest. */
function readCached(bundle: Pick<Bundle, 'manifest'>, options: VerifyBundleOptions) {
  const key = `${bundle.manifest} ${options.trustAnchorsPem}`;
  const found = manifests.get(key) ?? readBundledManifest(bundle, options);
  manifests.set(key, found);
  return found;
}

export async function readBlockHash(bundle: Bundle) {
  return (await judgeBundle(bundle, await readCached(bundle, {}), {})).checks.chain.details.blockHash ?? '';
}

/** Changes one bit of the hash of the block before: the proof still holds, but no chain has such a block. */
export function flipBlock({ chain, ...rest }: Bundle): Bundle {
  if (!chain) throw new Error('The bundle has no proof.');
  const header = Buffer.from(chain.proof.header.slice(2), 'hex');
  header.writeUInt8(header.readUInt8(10) ^ 1, 10);
  return { ...rest, chain: { ...chain, proof: { ...chain.proof, header: `0x${header.toString('hex')}` } } };
}

export function omit<K extends keyof Bundle>(bundle: Bundle, name: K): Omit<Bundle, K> {
  const { [name]: _, ...rest } = bundle;
  return rest;
}

/** The name of Ed25519 in certificates and time-stamps, in hex. */
const ED25519_NAME = '06032b6570';

/** Each with one bit of the manifest changed: `count` of them from its beginning to its end, and others in each name of an algorithm. */
export function* changeManifest(bundle: Bundle, count: number): Generator<string> {
  const made = Buffer.from(bundle.manifest, 'base64');
  const spread = Array.from({ length: count }, (_, number) => Math.floor((number * made.length) / count));
  const names = [...made.keys()]
    .filter((start) => made.toString('hex', start, start + 5) === ED25519_NAME)
    .map((start) => start + 4);
  for (const [number, position] of [...spread, ...names].entries()) {
    const manifest = Buffer.from(made);
    manifest.writeUInt8(manifest.readUInt8(position) ^ (1 << (number % 8)), position);
    yield JSON.stringify({ ...bundle, manifest: manifest.toString('base64') });
  }
}
