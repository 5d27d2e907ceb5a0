// The Python package: current with the API, typed, installable, right about bundles, and usable as its README says.

import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, promisify } from 'node:util';
import type { Fingerprint } from '@provenance-registry/core';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type Bundle, makeBundle, type RegistryClient, waitForStatus } from '../packages/client/src/index.js';
import { hashFile } from '../packages/client/src/node/index.js';
import type { VerifyBundleOptions } from '../packages/client/src/verification/bundle.js';
import { mutateBundle } from '../packages/client/test/support/bundleMutations.js';
import { createRandom, pick } from '../packages/client/test/support/seededChoices.js';
import { FingerprintIndex, formatPolicy, formatVerifierKey, parseReceipt } from '../packages/log/src/index.js';
import { mutateProofs } from '../packages/log/test/support/naiveIndex.js';
import { createSigner } from '../packages/log/test/support/signers.js';
import { nodeHasher, vectorEntry, vectorKey, vectors } from '../packages/log/test/support/vectors.js';
import { draw } from '../packages/server/test/support/pictures.js';
import {
  backDate,
  changeManifest,
  createSdkVerifier,
  flipBlock,
  omit,
  type Question,
  readAnchorHash,
  readBlockHash,
  runVerifyProgram,
  startPythonVerifier,
} from './support/bundleVerifiers.js';
import { newFile } from './support/files.js';
import { listHostileLeaves } from './support/hostileLeaves.js';
import { pythonPackage, python as toolPython, wheels } from './support/python.js';
import { randomBytes, seed } from './support/random.js';
import { createRegistrant } from './support/registrants.js';
import { newDataFolder, startService, temporaryFolder } from './support/service.js';
import { anchorLog, LOG_CONTRACT } from './support/testAnchors.js';
import { createTestLog, hideTerms, leafOf, makeLoggedBundles, type TestLog } from './support/testLog.js';
import { makeAuthority } from './support/timestampForge.js';
import { verdictCases } from './support/verdictCases.js';

/** Changed bundles; more by hand. */
const MUTANTS = Number(process.env['PYTHON_MUTANTS'] ?? 144);
/** A quarter has a bit changed in the manifest, which takes c2pa-rs long. */
const MANIFEST_PART = 1 / 4;
/** Another quarter has a leaf that the log signed, and that no honest log has. */
const LEAF_PART = 1 / 4;
const MS_PER_MUTANT = 1_000;

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

/** Prints how many receipts hold as they are, and how many with another entry, index, size or key. */
const receiptScript = `
import json, sys
from provenance_registry.receipts import ReceiptError, parse_log_keys, verify_receipt
def holds(receipt, entry, keys):
    try:
        return bool(verify_receipt(receipt, entry, keys))
    except ReceiptError:
        return False
[key, other_key], receipts = json.load(sys.stdin)
keys, others = parse_log_keys([key]), parse_log_keys([other_key])
counts = [0, 0]
for receipt, entry, index, size in receipts:
    data = entry.encode()
    counts[0] += holds(receipt, data, keys)
    changed = [receipt.replace(f"index {index}\\n", f"index {index + step}\\n") for step in (-1, 1)]
    changed += [receipt.replace(f"\\n{size}\\n", f"\\n{size + step}\\n") for step in (-1, 1)]
    counts[1] += sum(holds(one, data, keys) for one in changed if one != receipt)
    counts[1] += holds(receipt, data + b"x", keys) + holds(receipt, data, others)
print(json.dumps(counts))
`;

it('accepts the receipts that Tessera and x/mod made, and no other', () => {
  const receipts = vectors.receipts.map(({ index, receipt }) => {
    const size = Number(/\n\n[^\n]+\n(\d+)\n/.exec(receipt)?.[1]);
    return [receipt, Buffer.from(vectorEntry(index)).toString(), index, size];
  });
  const [name = '', ...rest] = vectorKey('log').split('+');
  const { key } = createSigner(name, 'log', 'another key');
  const input = JSON.stringify([[[name, ...rest].join('+'), formatVerifierKey(key)], receipts]);
  const counts = execFileSync(python, ['-c', receiptScript], { input, encoding: 'utf8', env: environment() });
  expect(JSON.parse(counts)).toEqual([receipts.length, 0]);
  expect(receipts.length).toBeGreaterThan(10);
});

/** Prints which leaves the proofs prove; -1 for none, -2 for a proof that is refused. */
const indexScript = `
import json, sys
from provenance_registry.index_proofs import IndexHead, IndexProofError, find_proven_leaf
def find(fingerprint, records, siblings):
    try:
        leaf = find_proven_leaf(fingerprint, records, siblings, head)
        return -1 if leaf is None else leaf
    except IndexProofError:
        return -2
root, questions = json.load(sys.stdin)
head = IndexHead(2**40, bytes.fromhex(root), 20)
print(json.dumps([find(*map(bytes.fromhex, parts[:2]), [*map(bytes.fromhex, parts[2:])]) for parts in questions]))
`;

it('finds what the index of a log proves, and accepts no changed proof', () => {
  const index = new FingerprintIndex(nodeHasher);
  const known = Array.from({ length: 20 }, () => randomBytes(32));
  // Some of one bucket, and some beside it.
  for (const last of [1, 2, 3]) known.push(Buffer.from(known[0] ?? []).fill(last, 31));
  known.push(Buffer.from(known[0] ?? []).fill(0xf0 ^ (known[0]?.readUInt8(2) ?? 0), 2, 3));
  for (const [leaf, fingerprint] of known.entries()) index.insert(fingerprint, leaf);
  const questions = [...known, ...known.map(() => randomBytes(32))].flatMap((fingerprint) =>
    [index.prove(fingerprint), index.provePrefix(fingerprint)].map((proof) => ({ fingerprint, proof })),
  );
  const changed = [...mutateProofs(questions, 1_000)];
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
  const input = JSON.stringify([
    hex(index.readRoot()),
    [...questions, ...changed].map(({ fingerprint, proof }) =>
      [fingerprint, proof.records, ...proof.siblings].map(hex),
    ),
  ]);
  const found = execFileSync(python, ['-c', indexScript], { input, encoding: 'utf8', env: environment() });
  expect(JSON.parse(found)).toEqual([
    ...questions.map(({ fingerprint }) => index.find(fingerprint) ?? -1),
    ...changed.map(() => -2),
  ]);
});

interface Registered {
  readonly bundle: Bundle;
  readonly bytes: Uint8Array;
}

async function register(fields: { readonly previousFingerprint?: Fingerprint } = {}): Promise<Registered> {
  const { fingerprint, bytes } = newFile();
  await client.createArtifact({ markId, fingerprint, filename: 'sunrise.jpg', ...fields });
  await waitForStatus(client, fingerprint);
  return { bytes, bundle: await makeBundle(fingerprint, { client }) };
}

async function signCopy(): Promise<Bundle> {
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

describe('bundles', () => {
  let first: Registered;
  let other: Registered;
  beforeAll(async () => {
    [first, other] = [await register(), await register()];
  });

  it('are judged as the table of cases of all clients says, by the package and by its program', async () => {
    const cases = verdictCases.filter((one) => one.bundle && !one.named.some((source) => source.startsWith('node')));
    const { bundle } = first;
    const { fingerprint, chain, metadata } = bundle;
    const logged = await makeLoggedBundles(bundle, other.bundle);
    const variants: Readonly<Record<string, unknown>> = {
      whole: bundle,
      ...logged.bundles,
      flipped: flipBlock(bundle),
      'back-dated': backDate(bundle),
      'without proof': omit(bundle, 'chain'),
      'without metadata': omit(bundle, 'metadata'),
      'of another file': other.bundle,
    };
    const otherRoots = (await makeAuthority()).pem;
    const sources: Readonly<Record<string, VerifyBundleOptions>> = {
      block: { blockHash: await readBlockHash(bundle) },
      'other block': { blockHash: `0x${'1'.repeat(64)}` },
      contract: { chain: { address: chain?.address } },
      'other contract': { chain: { address: `0x${'2'.repeat(40)}` } },
      roots: { trustAnchorsPem },
      'other roots': { trustAnchorsPem: otherRoots },
      'log key': { logKeys: [logged.key] },
      'other log key': { logKeys: [logged.otherKey] },
    };
    const marks: Readonly<Record<string, string>> = {
      id: metadata?.mark?.id ?? '',
      name: metadata?.mark?.name ?? '',
      'other id': other.bundle.manifestId,
      'other name': 'Ada Lovelace',
    };
    const questions = cases.map((one): Question => {
      const named: VerifyBundleOptions[] = one.named.map((source) => sources[source] ?? expect.unreachable(source));
      const expected = one.expect && { expect: { mark: marks[one.expect] ?? expect.unreachable(one.expect) } };
      return [
        JSON.stringify(variants[one.bundle ?? ''] ?? expect.unreachable(one.bundle)),
        Object.assign({ fingerprint }, ...named, expected),
      ];
    });
    const program = startPythonVerifier(python);
    const judged: unknown[] = [];
    for (const [index, question] of questions.entries()) {
      const [verdict, reason] = await program.verify(question);
      judged.push([cases[index]?.when, verdict, reason]);
    }
    program.close();
    expect(judged).toEqual(cases.map((one) => [one.when, one.verdict, one.reason ?? null]));
    const programArguments: string[][] = [];
    for (const [index, question] of questions.entries()) {
      programArguments.push(await listArguments(`case-${index}`, question, first.bytes));
    }
    const printed = runVerifyProgram(python, programArguments);
    const summaries = printed.map(([code, text], index) => [cases[index]?.when, code, text.split(/[ :\n]/)[1]]);
    expect(summaries).toEqual(cases.map((one) => [one.when, one.exitCode, one.verdict]));
    expect(cases.length).toBeGreaterThan(15);
  });

  /** Writes what the program reads. */
  async function listArguments(name: string, [text, options]: Question, bytes: Uint8Array): Promise<string[]> {
    const [bundle, file, roots] = ['json', 'jpg', 'pem'].map((ending) => join(folder, `${name}.${ending}`));
    if (!bundle || !file || !roots) throw new Error('no name');
    await Promise.all([
      writeFile(bundle, text),
      writeFile(file, bytes),
      writeFile(roots, options.trustAnchorsPem ?? ''),
    ]);
    return [
      bundle,
      file,
      ...(options.trustAnchorsPem === undefined ? [] : ['--roots', roots]),
      ...(options.blockHash === undefined ? [] : ['--block-hash', options.blockHash]),
      ...(options.chain?.address === undefined ? [] : ['--contract', options.chain.address]),
      ...(options.logKeys ?? []).flatMap((key) => ['--log-key', key]),
      ...(options.expect === undefined ? [] : ['--expect-mark', options.expect.mark]),
    ];
  }

  it('are printed with what a named source proves apart from the word of their maker', async () => {
    const { bundle, bytes } = first;
    const block = { blockHash: await readBlockHash(bundle), chain: { address: bundle.chain?.address } };
    const text = JSON.stringify(bundle);
    const questions: Question[] = [
      [text, {}],
      [text, { trustAnchorsPem }],
      [text, block],
      [JSON.stringify(omit(bundle, 'chain')), { blockHash: block.blockHash }],
      [JSON.stringify({ ...bundle, metadata: { ...bundle.metadata, filename: 'moon.jpg' } }), {}],
    ];
    const programArguments: string[][] = [];
    for (const [index, question] of questions.entries()) {
      programArguments.push(await listArguments(`printed-${index}`, question, bytes));
    }
    const printed = runVerifyProgram(python, programArguments).map(([, output]) => {
      const [, proven = '', word = ''] =
        /^((?: {2}Proven by what you named\n(?: {4}.*\n)*)?)((?: {2}According to the maker\n(?: {4}.*\n)*)?) {2}Checks$/m.exec(
          output,
        ) ?? [];
      return { start: output.split('\n').slice(0, 2), proven, word };
    });
    const consistent = [
      `${bundle.fingerprint} consistent`,
      '  The bundle agrees with itself, but the block of its proof was not compared with the chain.',
    ];
    const [mark, since, filename] = [/Mark +Ada/, /Since +\d{4}-/, /File name +sunrise\.jpg/];
    expect(printed[0]).toEqual({ start: consistent, proven: '', word: expect.stringMatching(mark) });
    expect(printed[1]).toMatchObject({ proven: expect.stringMatching(mark), word: expect.stringMatching(since) });
    expect(printed[1]?.proven).not.toMatch(since);
    expect(printed[2]).toMatchObject({ proven: expect.stringMatching(since) });
    expect(printed[2]?.proven).toMatch(filename);
    const required = 'incomplete: The chain is required, but does not confirm independently of the service.';
    expect(printed[3]?.start[0]).toBe(`${bundle.fingerprint} ${required}`);
    // What contradicts is said, and nothing that only the maker says.
    expect(printed[4]).toMatchObject({ proven: '', word: '' });
    expect(printed[4]?.start[1]).toMatch('does not match the hash on chain');
  });

  it('need the signatures of all witnesses that are named, as in the SDK for TypeScript', async () => {
    const [seen, stranger, impostor] = ['w1', 'w2', 'another'].map((seed) =>
      createSigner(seed === 'another' ? 'w1.example' : `${seed}.example`, 'cosignature', seed),
    );
    if (!seen || !stranger || !impostor) throw new Error('no signers');
    const log = await createTestLog(undefined, undefined, [seen]);
    const bundle = { ...first.bundle, log: await log.logLeaf(leafOf(first.bundle)) };
    const forged = bundle.log.receipt.replace(
      /(— w1\.example .{20})(.)/,
      (_, start, next) => start + (next === 'A' ? 'B' : 'A'),
    );
    const verifyWithSdk = createSdkVerifier([bundle]);
    const program = startPythonVerifier(python);
    const judged: unknown[] = [];
    for (const [receipt, witnesses] of [
      [bundle.log.receipt, [seen]],
      [bundle.log.receipt, [seen, stranger]],
      [bundle.log.receipt, [impostor]],
      [forged, [seen]],
    ] as const) {
      const policy = formatPolicy(
        [log.key],
        witnesses.map(({ key }) => formatVerifierKey(key)),
      );
      const question: Question = [JSON.stringify({ ...bundle, log: { ...bundle.log, receipt } }), { policy }];
      const [expected, found] = await Promise.all([verifyWithSdk(question), program.verify(question)]);
      expect(found).toEqual(expected);
      judged.push(found.slice(0, 3));
    }
    program.close();
    expect(judged).toEqual([
      ['verified', null, ['log']],
      ['incomplete', 'SOURCE_UNUSABLE', []],
      ['incomplete', 'SOURCE_UNUSABLE', []],
      ['contradicted', 'CONTRADICTED', []],
    ]);
  });

  it(
    'lead to the result of the SDK for TypeScript, also if they were tampered with',
    async () => {
      const { bundle: version } = await register({ previousFingerprint: first.bundle.fingerprint });
      const log = await createTestLog();
      const addReceipt = async (bundle: Bundle) => addAnchor(bundle, await log.logLeaf(leafOf(bundle)));
      const addAnchor = async (bundle: Bundle, logged: NonNullable<Bundle['log']>): Promise<Bundle> => {
        const anchor = await anchorLog(log, parseReceipt(logged.receipt).index);
        return { ...bundle, log: { ...logged, anchor } };
      };
      const { leaf: hidden, opening } = hideTerms(leafOf(version));
      const bundles = [
        await addReceipt(first.bundle),
        await addAnchor(version, { ...(await log.logLeaf(hidden)), opening }),
        await addReceipt(await signCopy()),
      ];
      const others = await addReceipt(other.bundle);
      const verifyWithSdk = createSdkVerifier([...bundles, others]);
      const program = startPythonVerifier(python);
      const differing: unknown[] = [];
      const verdicts = new Set<string>();
      let count = 0;
      for (const bundle of bundles) {
        for await (const question of listQuestions(bundle, others, MUTANTS / bundles.length, log)) {
          const [expected, found] = await Promise.all([verifyWithSdk(question), program.verify(question)]);
          const [verdict, reason] = expected;
          verdicts.add(reason ?? verdict);
          count += 1;
          if (!isDeepStrictEqual(expected, found))
            differing.push({ count, named: Object.keys(question[1]), expected, found });
        }
      }
      program.close();
      console.log(`${count} bundles (seed ${seed}), ${differing.length} judged differently`);
      expect(differing).toEqual([]);
      expect([...verdicts]).toEqual(
        expect.arrayContaining([
          'BLOCK_NOT_COMPARED',
          'CONTRACT_NOT_NAMED',
          'CONTRADICTED',
          'REGISTRANT_NOT_PROVEN',
          'UNEXPECTED_MARK',
          'refused',
          'verified',
        ]),
      );
    },
    120_000 + MUTANTS * MS_PER_MUTANT,
  );
});

/** The bundle as it is and changed so many times, each with something that a caller may know. */
async function* listQuestions(bundle: Bundle, other: Bundle, count: number, log: TestLog): AsyncGenerator<Question> {
  const pins = await listPins(bundle, other, [log.key]);
  const withLogKeys = pins.filter(({ logKeys }) => logKeys);
  const choose = (number: number) => pins[number % 10] ?? {};
  for (const options of pins) {
    yield [JSON.stringify(bundle), options];
    yield [JSON.stringify(omit(bundle, 'metadata')), options];
    yield [JSON.stringify(omit(bundle, 'log')), options];
    yield [JSON.stringify(omit(bundle, 'chain')), options];
    yield [JSON.stringify({ ...bundle, log: { ...bundle.log, anchor: undefined } }), options];
  }
  const [manifests, leaves] = [Math.floor(count * MANIFEST_PART), Math.floor(count * LEAF_PART)];
  for (let number = 0; number < count - manifests - leaves; number += 1) {
    yield [mutateBundle(bundle, other, createRandom(seed * 1_000_003 + number)).text, choose(number)];
  }
  const hostile = await listHostileLeaves(bundle, other, log);
  const random = createRandom(seed);
  for (let number = 0; number < leaves; number += 1) {
    yield [JSON.stringify(pick(random, hostile)), pick(random, withLogKeys)];
  }
  let number = 0;
  for (const text of changeManifest(bundle, manifests, seed)) {
    number += 1;
    yield [text, choose(number)];
  }
}

/** What callers may know from elsewhere, and what contradicts the bundle. */
async function listPins(bundle: Bundle, other: Bundle, logKeys: readonly string[]): Promise<VerifyBundleOptions[]> {
  const { fingerprint, metadata, chain: { address, chainId } = {} } = bundle;
  const blockHash = await readBlockHash(bundle);
  const anchorBlockHash = await readAnchorHash(bundle, logKeys);
  const logContract = LOG_CONTRACT;
  return [
    {},
    { trustAnchorsPem },
    { blockHash },
    { fingerprint, trustAnchorsPem, blockHash },
    { fingerprint, trustAnchorsPem, blockHash, chain: { address, chainId } },
    { blockHash, chain: { address } },
    { logKeys },
    { logKeys, logContract, anchorBlockHash },
    { fingerprint, logKeys, trustAnchorsPem, logContract, anchorBlockHash, blockHash, chain: { address, chainId } },
    { expect: { mark: metadata?.mark?.id ?? '' } },
    { expect: { mark: other.manifestId } },
    { fingerprint: other.fingerprint },
    { fingerprint, logKeys, trustAnchorsPem },
    { logKeys, anchorBlockHash },
    { logKeys, logContract, chain: { chainId: 5 } },
    { anchorBlockHash },
    { logKeys, logContract: `0x${'2'.repeat(40)}`, anchorBlockHash: `0x${'1'.repeat(64)}` },
    { blockHash: `0x${'1'.repeat(64)}` },
    { chain: { address: `0x${'2'.repeat(40)}`, chainId: 5 } },
  ];
}

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
    expect.stringMatching(/^submitted photo\.jpg\n0x\w{8} artifact\n0x00000000 none\nartifact True\n$/),
    'submitted artifact\nartifact\n',
    expect.stringContaining(`${fingerprint} verified\n`),
    expect.stringMatching(/^verified manifest\nmark \| Ada Lovelace Photography \| manifest\n/),
    expect.stringMatching(/^fetched \d+ files\n0x\w{64} (no|maybe)\n$/),
    expect.stringMatching(/^(no|maybe)\n(no None|registered \{.*\}) current\n$/),
  ]);
});
