// The Python package: current with the API, typed, installable, right about bundles, and usable as its README says.

import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, promisify } from 'node:util';
import type { Fingerprint } from '@provenance-registry/core';
import { beforeAll, expect, it, vi } from 'vitest';
import {
  type Bundle,
  InvalidResponseError,
  makeBundle,
  parseBundle,
  type RegistryClient,
  waitForStatus,
} from '../packages/client/src/index.js';
import { hashFile } from '../packages/client/src/node/index.js';
import {
  judgeBundle,
  readBundledManifest,
  type VerifyBundleOptions,
} from '../packages/client/src/verification/bundle.js';
import { createRandom, mutateBundle } from '../packages/client/test/support/bundleMutations.js';
import { draw } from '../packages/server/test/support/pictures.js';
import { newFile } from './support/files.js';
import { pythonPackage, python as toolPython, wheels } from './support/python.js';
import { seed } from './support/random.js';
import { createRegistrant } from './support/registrants.js';
import { newDataFolder, startService, temporaryFolder } from './support/service.js';

/** Mutants of each bundle; more by hand. */
const MUTANTS = Number(process.env['PYTHON_MUTANTS'] ?? 42);

const root = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);

let folder: string;
/** The interpreter of an environment in which the package is installed. */
let python: string;
let url: string;
let client: RegistryClient;
let markId: string;
let token: string;
let trustAnchorsPem: string;
let photo: Buffer;

beforeAll(async () => {
  folder = await temporaryFolder();
  const dataDir = await newDataFolder();
  const [service] = await Promise.all([startService({ DATA_DIR: dataDir, DOWNLOADS_SECONDS: '1' }), installPackage()]);
  url = service.url;
  ({ client, markId, token } = await createRegistrant(url));
  trustAnchorsPem = await readFile(join(dataDir, 'keys', 'authority.pem'), 'utf8');
  photo = await draw({ seed: 71, width: 320, height: 240, cell: 40 }).jpeg().toBuffer();
  await writeFile(join(folder, 'photo.jpg'), photo);
});

/** Builds a wheel from a copy, because that leaves files beside the sources, and installs it in an empty environment. */
async function installPackage() {
  await cp(pythonPackage, join(folder, 'package'), { recursive: true });
  const pip = ['-m', 'pip', '--isolated', '--no-cache-dir', '--disable-pip-version-check'];
  const build = ['wheel', '--no-index', '--no-deps', '--no-build-isolation', '--wheel-dir', join(folder, 'dist')];
  await run(toolPython, [...pip, ...build, join(folder, 'package')]);
  await run(toolPython, ['-m', 'venv', join(folder, 'venv')]);
  python = join(folder, 'venv/bin/python');
  const offline = ['--no-index', '--find-links', wheels, '--find-links', join(folder, 'dist')];
  await run(python, [...pip, 'install', ...offline, 'provenance-registry']);
}

const environment = () => ({ PATH: process.env['PATH'], PYTHONDONTWRITEBYTECODE: '1', REGISTRY_URL: url });

it('is generated from the API as it is', () => {
  execFileSync(process.execPath, [join(root, 'scripts/pythonClient.mjs'), '--check']);
});

it('passes mypy in strict mode, together with its tests', async () => {
  const options = ['--strict', '--cache-dir', join(folder, 'mypy')];
  const { stdout } = await run(toolPython, ['-m', 'mypy', ...options, 'provenance_registry', 'tests'], {
    cwd: join(folder, 'package'),
  });
  expect(stdout).toMatch('Success: no issues found');
});

it('passes its own tests against a service', async () => {
  const env = { ...environment(), PHOTO: join(folder, 'photo.jpg') };
  // Isolated from the current folder: what is tested is what was installed.
  const args = ['-P', '-m', 'unittest', 'discover', '-s', 'tests', '-t', '.'];
  const { stderr } = await run(python, args, { cwd: join(folder, 'package'), env });
  expect(stderr).toMatch(/^Ran (3[5-9]|[4-9]\d) tests in [\d.]+s\n\nOK\n$/m);
});

const verifyScript = `
import json, sys
from provenance_registry import BundleError, parse_bundle, verify_bundle
outcomes = []
for text, options in json.load(sys.stdin):
    try:
        result = verify_bundle(parse_bundle(text), **options)
        outcomes.append([result.verdict, list(result.independent_sources)])
    except BundleError:
        outcomes.append(["refused", []])
print(json.dumps(outcomes))
`;

type Outcome = readonly [verdict: string, independentSources: readonly string[]];

function verifyInPython(questions: readonly (readonly [string, VerifyBundleOptions])[]): Outcome[] {
  const input = questions.map(([text, options]) => {
    const { fingerprint, blockHash, trustAnchorsPem: trust_anchors, chain } = options;
    const contract = chain?.address;
    return [text, { fingerprint, block_hash: blockHash, trust_anchors, contract, chain_id: chain?.chainId }];
  });
  const output = execFileSync(python, ['-c', verifyScript], {
    input: JSON.stringify(input),
    encoding: 'utf8',
    env: environment(),
    maxBuffer: 2 ** 26,
  });
  return JSON.parse(output);
}

async function verifyInTypeScript(text: string, options: VerifyBundleOptions): Promise<Outcome> {
  try {
    const bundle = parseBundle(JSON.parse(text));
    const manifest = await readCached(bundle, options);
    const { verdict, independentSources } = await judgeBundle(bundle, manifest, options);
    return [verdict, independentSources];
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof InvalidResponseError) return ['refused', []];
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

async function register(fields: { readonly previousFingerprint?: Fingerprint } = {}) {
  const { fingerprint } = newFile();
  await client.createArtifact({ markId, fingerprint, filename: 'sunrise.jpg', ...fields });
  await waitForStatus(client, fingerprint);
  return { fingerprint, bundle: await makeBundle(fingerprint, { client }) };
}

async function signCopy() {
  const file = new Uint8Array(Buffer.concat([photo, Buffer.from('another')]));
  const { image = new Uint8Array() } = await client.signImage({ markId, file, filename: 'photo.jpg' });
  const fingerprint = `0x${createHash('sha256').update(image).digest('hex')}`;
  const make = async () => {
    const bundle = await makeBundle(fingerprint, { client });
    if (!bundle.chain) throw new Error('The copy is not on chain yet.');
    return bundle;
  };
  return vi.waitFor(make, { timeout: 60_000, interval: 200 });
}

/** What callers may know from elsewhere, and what contradicts the bundle. */
async function listPins(bundle: Bundle, other: Bundle): Promise<VerifyBundleOptions[]> {
  const { fingerprint, chain: { address, chainId } = {} } = bundle;
  const { blockHash } = (await judgeBundle(bundle, await readCached(bundle, {}), {})).checks.chain.details;
  return [
    {},
    { trustAnchorsPem },
    { blockHash },
    { fingerprint, trustAnchorsPem, blockHash },
    { fingerprint, trustAnchorsPem, blockHash, chain: { address, chainId } },
    { fingerprint: other.fingerprint },
    { blockHash: `0x${'1'.repeat(64)}` },
    { chain: { address: `0x${'2'.repeat(40)}`, chainId: 5 } },
  ];
}

/** The name of Ed25519 in certificates and time-stamps, in hex. */
const ED25519_NAME = '06032b6570';

/** Each with one bit of the manifest changed: from its beginning to its end, and in each name of an algorithm. */
function* changeManifest(bundle: Bundle): Generator<string> {
  const made = Buffer.from(bundle.manifest, 'base64');
  const spread = Array.from({ length: MUTANTS / 3 }, (_, number) => Math.floor((number * made.length * 3) / MUTANTS));
  const names = [...made.keys()]
    .filter((start) => made.toString('hex', start, start + 5) === ED25519_NAME)
    .map((start) => start + 4);
  for (const [number, position] of [...spread, ...names].entries()) {
    const manifest = Buffer.from(made);
    manifest.writeUInt8(manifest.readUInt8(position) ^ (1 << (number % 8)), position);
    yield JSON.stringify({ ...bundle, manifest: manifest.toString('base64') });
  }
}

it('comes to the verdict of the SDK for TypeScript, also on bundles that were tampered with', async () => {
  const [{ fingerprint, bundle: first }, { bundle: other }] = [await register(), await register()];
  const { bundle: version } = await register({ previousFingerprint: fingerprint });
  const questions: [string, VerifyBundleOptions][] = [];
  const bundles = [first, version, await signCopy()];
  const manifestsAsMade = bundles.map(({ manifest }) => manifest);
  for (const bundle of bundles) {
    const pins = await listPins(bundle, other);
    const choose = (number: number) => pins[number % 5] ?? {};
    questions.push(...pins.map((options): [string, VerifyBundleOptions] => [JSON.stringify(bundle), options]));
    for (let number = 0; number < MUTANTS; number += 1) {
      questions.push([mutateBundle(bundle, other, createRandom(seed + number)).text, choose(number)]);
    }
    for (const [number, text] of [...changeManifest(bundle)].entries()) questions.push([text, choose(number)]);
  }
  const expected: Outcome[] = [];
  for (const [text, options] of questions) expected.push(await verifyInTypeScript(text, options));
  const found = verifyInPython(questions);
  const differing = questions.flatMap(([text, options], index) => {
    const pair = [expected[index], found[index]] as const;
    return isDeepStrictEqual(pair[0], pair[1]) || isStricter(text, pair[1]) ? [] : [{ pair, options, text }];
  });
  expect(differing).toEqual([]);

  /** c2pa-rs passes over time-stamps that are not valid, and some sizes of boxes; the package does not. */
  function isStricter(text: string, [verdict]: Outcome = ['', []]): boolean {
    return (
      ['contradicted', 'incomplete'].includes(verdict) && manifestsAsMade.every((manifest) => !text.includes(manifest))
    );
  }
  const verdicts = new Set(expected.map(([verdict]) => verdict));
  expect([...verdicts].toSorted()).toEqual(['consistent', 'contradicted', 'refused', 'verified']);
});

it('does what its README says', async () => {
  const cwd = join(folder, 'readme');
  await mkdir(cwd);
  await writeFile(join(cwd, 'photo.jpg'), Buffer.concat([photo, Buffer.from('of the README')]));
  await writeFile(join(cwd, 'roots.pem'), trustAnchorsPem);
  const { fingerprint } = await hashFile(join(cwd, 'photo.jpg'));
  const readme = await readFile(join(root, 'clients/python/README.md'), 'utf8');
  const path = `${join(folder, 'venv/bin')}:${process.env['PATH']}`;
  const env = { ...environment(), PATH: path, TOKEN: token, MARK_ID: markId };
  const output = [];
  for (const [, language, code = ''] of readme.matchAll(/^```(sh|python)\n([\s\S]*?)^```$/gm)) {
    // The environment has it already.
    if (code.startsWith('pip install')) continue;
    if (code.includes('photo.bundle.json')) {
      await writeFile(join(cwd, 'photo.bundle.json'), JSON.stringify(await makeBundle(fingerprint, { client })));
    }
    const [command, flags] = language === 'sh' ? ['sh', ['-eu', '-c']] : ['python', ['-c']];
    output.push((await run(command, [...flags, code], { cwd, env })).stdout);
  }
  expect(output).toEqual([
    expect.stringMatching(/^submitted photo\.jpg\n0x\w{8} artifact\n0x00000000 none\nTrue True\n$/),
    'submitted True\nartifact\n',
    expect.stringContaining(`${fingerprint} verified\n`),
    expect.stringMatching(/^verified manifest\npassed \| file \| /),
    expect.stringMatching(/^fetched \d+ files\n0x\w{64} (no|maybe)\n$/),
    expect.stringMatching(/^(True|False)\n(None|\{.*\})\n$/),
  ]);
});
