// The lie table: every field of every response that verification reads, changed, removed or replaced by another
// Artifact's. No cell may be `verified` with something shown as proven that is not true. `../lies.long.test.ts` tells all
// lies, `../lies.test.ts` a sample.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as letOthersRun } from 'node:timers/promises';
import type { Fingerprint } from '@provenance-registry/core';
import { afterAll, expect, test } from 'vitest';
import { newFile, toTestFile } from '../../../../test/support/files.js';
import { seed } from '../../../../test/support/random.js';
import { createRegistrant } from '../../../../test/support/registrants.js';
import { newDataFolder, startService, temporaryFolder } from '../../../../test/support/service.js';
import { newImage } from '../../../../test/support/signedImages.js';
import { listAnchorLies } from '../../../../test/support/tamperingAnchor.js';
import { type BundleLie, listBundleLies } from '../../../../test/support/tamperingBundle.js';
import { listManifestLies, type ManifestLie } from '../../../../test/support/tamperingManifest.js';
import { listNodeLies } from '../../../../test/support/tamperingNode.js';
import { listReceiptLies } from '../../../../test/support/tamperingReceipt.js';
import {
  listConspiracies,
  listServiceLies,
  SIDECAR,
  serveManifest,
} from '../../../../test/support/tamperingService.js';
import { anchorLog, LOG_CONTRACT, TEST_CHAIN } from '../../../../test/support/testAnchors.js';
import { createTestLog, leafOf } from '../../../../test/support/testLog.js';
import { parseReceipt } from '../../../log/src/index.js';
import { prepareSigning } from '../../../server/src/c2pa/signing/signingSetup.js';
import {
  createClient,
  InvalidResponseError,
  makeBundle,
  parseBundle,
  type RegistryClient,
  type Verification,
  type VerifyBundleOptions,
  type VerifyOptions,
  verify,
  verifyBundle,
  waitForStatus,
} from '../../src/index.js';
import { BundleV3 } from '../../src/verification/bundleFormat.js';
import { readManifestsOnce } from './readManifestsOnce.js';
import { type Lies, recordSources } from './recordedSources.js';
import { findShownLies } from './shownLies.js';
import { RECEIPT_WAIT_SECONDS, readLogKey } from './verifiedService.js';

const dataDir = await newDataFolder();
const service = await startService({ DATA_DIR: dataDir });
const { address, rpcUrl = '', chainId } = await createClient({ baseUrl: service.url }).getContract();
const trustAnchorsPem = await readFile(join(dataDir, 'keys', 'authority.pem'), 'utf8');
/** Signs with keys of its own, under the names of the service's, and dates its signatures back. */
const { signing: forger, trustAnchorsPem: forgersRootPem } = await prepareSigning({
  dataDir: await temporaryFolder(),
  version: '0.0.0',
  source: undefined,
  timestampUrls: [],
  clock: () => new Date(Date.now() - 3_600_000),
});

const ada = await createRegistrant(service.url);
const bea = await createRegistrant(service.url);
const data_mining = { use: 'constrained', constraint: 'Ask Ada.' } as const;
const terms = { license: 'CC-BY-4.0', allowAiTraining: false, aiPreferences: { data_mining } } as const;
const open = await ada.client.createMark({ name: 'Ada Lovelace Photography', ...terms });
const secret = await ada.client.createMark({ name: 'Secret', visibility: 'private', ...terms });
const others = await bea.client.createMark({ name: 'Bea Pictures', license: 'CC0-1.0', allowAiTraining: true });

async function register(
  client: RegistryClient,
  markId: string,
  fields: { filename?: string; previousFingerprint?: Fingerprint } = {},
): Promise<Fingerprint> {
  const { fingerprint } = newFile();
  await client.createArtifact({ markId, fingerprint, filename: 'sunrise.jpg', ...fields });
  await waitForStatus(client, fingerprint);
  await client.getReceipt({ fingerprint, wait: RECEIPT_WAIT_SECONDS });
  return fingerprint;
}

async function signImage(client: RegistryClient, markId: string): Promise<Fingerprint> {
  const file = new File([await newImage('image/png')], 'sunrise.png', { type: 'image/png' });
  const { image } = await client.signImage({ markId, file });
  const { fingerprint } = toTestFile(Buffer.from(image ?? []));
  await waitForStatus(client, fingerprint);
  await client.getReceipt({ fingerprint, wait: RECEIPT_WAIT_SECONDS });
  return fingerprint;
}

const publicFile = await register(ada.client, open.id);
const privateFile = await register(ada.client, secret.id);
const nextVersion = await register(ada.client, open.id, { previousFingerprint: publicFile });
/** With a manifest inside, and registered under the Artifact of the image that it was made from. */
const signedCopy = await signImage(ada.client, open.id);
const othersFile = await register(bea.client, others.id, { filename: 'moonrise.png' });

/** What the caller obtained elsewhere than from the service. */
const pins = {
  'nothing named': {},
  'log key named': { logKeys: [await readLogKey(createClient({ baseUrl: service.url }))] },
  'contract named': { chain: { rpcUrl, address } },
  'roots named': { trustAnchorsPem },
  'everything named': { chain: { rpcUrl, address, ...(chainId !== undefined && { chainId }) }, trustAnchorsPem },
} satisfies Record<string, Omit<VerifyOptions, 'client'>>;

const sources = recordSources(service.url, rpcUrl);
afterAll(sources.close);

readManifestsOnce();

/** A verification ends when its sources have answered: no time limit decides a cell. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

function verifyWith(lies: Lies, fingerprint: Fingerprint, token: string | undefined, options: VerifyOptions) {
  // A client remembers what a service has told it once, so each verification has its own.
  const client = createClient({ baseUrl: service.url, credential: token });
  return sources.runWith(lies, () => verify(fingerprint, { client, timeoutMs: NO_TIMEOUT_MS, ...options }));
}

interface Row {
  readonly fingerprint: Fingerprint;
  readonly token?: string;
  readonly othersToken?: string;
  /** Where it is not `consistent` with nothing named, and else `verified`. */
  readonly verdicts?: Partial<Record<keyof typeof pins, Verification['verdict']>>;
  /** The sources that lie, by what the caller named. */
  readonly liars: Partial<Record<keyof typeof pins, readonly Liar[]>>;
}

/** `service` alone changes one field at a time; `conspiring service` also hides what a lie could be compared with. */
type Liar = 'service' | 'conspiring service' | 'node' | 'manifest' | 'ancestors';

const rows: Record<string, Row> = {
  'a public file, seen by a stranger': {
    fingerprint: publicFile,
    liars: {
      'nothing named': ['service'],
      'contract named': ['service', 'conspiring service', 'node'],
      'roots named': ['service', 'manifest'],
      'log key named': ['service', 'conspiring service'],
      'everything named': ['service', 'node'],
    },
  },
  'a private file, seen by a stranger': {
    fingerprint: privateFile,
    liars: { 'contract named': ['conspiring service', 'node', 'manifest'], 'roots named': ['service'] },
  },
  'a private file, seen by its owner': {
    fingerprint: privateFile,
    token: ada.token,
    othersToken: bea.token,
    liars: { 'contract named': ['service', 'conspiring service'], 'log key named': ['service'] },
  },
  'a next version, seen by a stranger': {
    fingerprint: nextVersion,
    liars: { 'roots named': ['service', 'ancestors'] },
  },
  'a signed copy, seen by a stranger': {
    fingerprint: signedCopy,
    liars: {
      'contract named': ['conspiring service'],
      'roots named': ['service'],
      'log key named': ['service'],
      'everything named': ['service'],
    },
  },
};

/** Signing forgeries takes long, and c2pa-rs reads the same bytes once: each manifest is lied about in one way. */
const manifestLies = new Map<string, Promise<ManifestLie[]>>();

function lieAboutManifest(honest: Uint8Array, others: Uint8Array): Promise<ManifestLie[]> {
  const key = [honest, others].map((manifest) => Buffer.from(manifest).toString('base64')).join(' ');
  const lies = manifestLies.get(key) ?? listManifestLies(honest, others, forger);
  manifestLies.set(key, lies);
  return lies;
}

/** Chooses the lies that are told, of all that a liar has. */
export type ChooseLies = <Lie>(lies: readonly Lie[]) => readonly Lie[];

const table = { cells: 0, passed: 0 };

async function tellLies(row: Row, pin: keyof typeof pins, choose: ChooseLies): Promise<string[]> {
  const { fingerprint, token, othersToken, liars, verdicts = {} } = row;
  const truth = await verifyWith({}, fingerprint, ada.token, pins['everything named']);
  sources.takeResponses();
  await verifyWith({}, othersFile, othersToken, pins[pin]);
  const theirs = sources.takeResponses();
  const honest = await verifyWith({}, fingerprint, token, pins[pin]);
  const expected = verdicts[pin] ?? (pin === 'nothing named' ? 'consistent' : 'verified');
  expect([honest.verdict, honest.problems]).toEqual([expected, []]);
  const ours = sources.takeResponses();
  const passed: string[] = [];
  for (const liar of liars[pin] ?? []) {
    const lies = choose(await listLies(liar, ours, theirs));
    expect(lies.length).toBeGreaterThan(0);
    for (const lie of lies) {
      const found = await verifyWith(lie, fingerprint, token, pins[pin]);
      const shown = findPassedLies(found, truth, honest);
      if (shown.length > 0) passed.push(`${liar}: ${(lie.service ?? lie.node)?.name}: ${shown.join(', ')}`);
      table.cells += 1;
      await letOthersRun();
    }
  }
  table.passed += passed.length;
  return passed;
}

type Responses = ReturnType<typeof sources.takeResponses>;

async function listLies(liar: Liar, ours: Responses, theirs: Responses): Promise<Lies[]> {
  if (liar === 'node') return listNodeLies(ours.node, theirs.node).map((node) => ({ node }));
  if (liar === 'service') return listServiceLies(ours.service, theirs.service).map((service) => ({ service }));
  const manifests = await lieAboutManifest(bodyOf(ours.service), bodyOf(theirs.service));
  if (liar === 'conspiring service') {
    const forgeries = manifests.filter(({ isForged }) => isForged);
    return listConspiracies(ours.service, theirs.service, forgeries, forgersRootPem).map((service) => ({ service }));
  }
  const isAncestor = ({ name }: ManifestLie) => name.startsWith('ancestor');
  return manifests
    .filter((lie) => isAncestor(lie) === (liar === 'ancestors'))
    .map((lie) => ({ service: { name: lie.name, tamper: serveManifest(lie) } }));
}

function findPassedLies(found: Verification, truth: Verification, honest: Verification): string[] {
  // A service can say of any file that it is contested; what is shown beside that is proven, or its word.
  const isConfirmed = ['verified', 'contested', 'superseded'].includes(found.verdict);
  if (!isConfirmed) return [];
  const isRaised = found.verdict === 'verified' && honest.verdict !== 'verified';
  return [...(isRaised ? ['verified'] : []), ...findShownLies(found, truth, honest)];
}

function bodyOf(responses: Responses['service']): Uint8Array {
  const sidecar = responses.get(SIDECAR);
  if (!sidecar) throw new Error('no manifest was read');
  return sidecar.body;
}

const cells = Object.entries(rows).flatMap(([name, row]) =>
  (['nothing named', 'contract named', 'roots named', 'log key named', 'everything named'] as const)
    .filter((pin) => row.liars[pin])
    .map((pin) => ({ name, pin, row })),
);

/** What the caller of an offline verification obtained elsewhere than from the maker of the bundle. */
const bundlePins = {
  'nothing named': () => ({}),
  'roots named': () => ({ trustAnchorsPem }),
  'log key named': () => pins['log key named'],
  'the block compared': (blockHash: string | undefined) => ({ blockHash, chain: { address } }),
  'everything named': (blockHash: string | undefined) => ({ ...pins['everything named'], blockHash }),
} satisfies Record<string, (blockHash: string | undefined) => VerifyBundleOptions>;

/** Recorded: each is made once. */
async function makeBundles(fingerprint: Fingerprint) {
  return sources.runWith({}, async () => {
    const client = createClient({ baseUrl: service.url });
    return {
      bundle: await makeBundle(fingerprint, { client }),
      othersBundle: await makeBundle(othersFile, { client }),
    };
  });
}

async function tellBundleLies(pin: keyof typeof bundlePins, choose: ChooseLies): Promise<string[]> {
  const { bundle, othersBundle } = await makeBundles(publicFile);
  const manifest = Buffer.from(bundle.manifest, 'base64');
  const manifests = await lieAboutManifest(manifest, Buffer.from(othersBundle.manifest, 'base64'));
  const { blockHash } = (await verifyBundle(bundle)).checks.chain.details;
  const options = { fingerprint: publicFile, ...bundlePins[pin](blockHash) };
  const truth = await verifyBundle(bundle, { ...options, ...bundlePins['everything named'](blockHash) });
  const honest = await verifyBundle(bundle, options);
  expect([honest.verdict, honest.problems]).toEqual([pin === 'nothing named' ? 'consistent' : 'verified', []]);
  const forgeries = manifests.filter(({ isForged }) => isForged);
  const lies = choose(listBundleLies(bundle, othersBundle, BundleV3, forgeries));
  return judgeBundles(lies, options, (found) => findPassedLies(found, truth, honest));
}

/** A log of the test's own, so that it can sign what is not true. What it says of itself is its word: time, place and size. */
const log = await createTestLog();
const logKeys = [log.key];

type NameBlocks = (blockHash: string | undefined, anchorBlockHash: string | undefined) => VerifyBundleOptions;

/** What a caller knows who verifies a file by its receipt. */
const receiptPins = {
  'the key of the log named': () => ({ logKeys }),
  'key and roots named': () => ({ logKeys, trustAnchorsPem }),
  'key and contract of the log named': () => ({ logKeys, logContract: LOG_CONTRACT }),
  'key, contract and block of the anchor named': (_, anchorBlockHash) => ({
    logKeys,
    logContract: LOG_CONTRACT,
    anchorBlockHash,
    chain: { chainId: TEST_CHAIN },
  }),
  'key, roots and block named': (blockHash) => ({
    logKeys,
    trustAnchorsPem,
    ...bundlePins['the block compared'](blockHash),
  }),
} satisfies Record<string, NameBlocks>;

async function tellReceiptLies(
  subject: Fingerprint,
  pin: keyof typeof receiptPins,
  choose: ChooseLies,
): Promise<string[]> {
  const made = await makeBundles(subject);
  const receipt = await log.logLeaf(leafOf(made.bundle));
  const { index } = parseReceipt(receipt.receipt);
  const bundle = { ...made.bundle, log: { ...receipt, anchor: await anchorLog(log, index) } };
  const othersBundle = { ...made.othersBundle, log: await log.logLeaf(leafOf(made.othersBundle)) };
  const { chain, log: logged } = (await verifyBundle(bundle, { logKeys })).checks;
  const hashes = [chain.details.blockHash, logged.details.anchor?.blockHash] as const;
  const truth = await verifyBundle(bundle, {
    ...receiptPins['key, contract and block of the anchor named'](...hashes),
    ...receiptPins['key, roots and block named'](hashes[0]),
  });
  const named: NameBlocks = receiptPins[pin];
  const options = { fingerprint: subject, ...named(...hashes) };
  const honest = await verifyBundle(bundle, options);
  expect([honest.verdict, honest.problems]).toEqual(['verified', []]);
  const lies = choose([
    ...(await listAnchorLies(bundle, othersBundle, log, index)),
    ...(await listReceiptLies(bundle, othersBundle, log)),
  ]);
  return judgeBundles(lies, options, (found) =>
    findPassedLies(found, truth, honest).filter((shown) => !shown.startsWith('log ')),
  );
}

async function judgeBundles(
  lies: readonly BundleLie[],
  options: VerifyBundleOptions,
  findPassed: (found: Verification) => string[],
): Promise<string[]> {
  expect(lies.length).toBeGreaterThan(0);
  const passed: string[] = [];
  for (const lie of lies) {
    const found = await verifyIfBundle(lie.bundle, options);
    const shown = found ? findPassed(found) : [];
    if (shown.length > 0) passed.push(`${lie.name}: ${shown.join(', ')}`);
    await letOthersRun();
  }
  table.cells += lies.length;
  table.passed += passed.length;
  return passed;
}

/** Undefined when it is refused as something other than a bundle. */
async function verifyIfBundle(json: unknown, options: VerifyBundleOptions): Promise<Verification | undefined> {
  try {
    return await verifyBundle(parseBundle(JSON.parse(JSON.stringify(json))), options);
  } catch (error) {
    if (error instanceof InvalidResponseError) return undefined;
    throw error;
  }
}

/** Ends a test that hangs; the longest takes half a minute on an idle machine. */
const HANG_TIMEOUT_MS = 3_600_000;

/** Declares a test for each row and pin, and for each pin of the bundles. */
export function testLies(choose: ChooseLies): void {
  test.each(cells)(
    'no lie about $name passes with $pin',
    async ({ row, pin }) => {
      expect(await tellLies(row, pin, choose)).toEqual([]);
    },
    HANG_TIMEOUT_MS,
  );

  test.each(Object.keys(bundlePins) as (keyof typeof bundlePins)[])(
    'no lie in a bundle passes with %s',
    async (pin) => {
      expect(await tellBundleLies(pin, choose)).toEqual([]);
    },
    HANG_TIMEOUT_MS,
  );

  test.each(
    Object.entries({ 'a public file': publicFile, 'a signed copy': signedCopy }).flatMap(([name, subject]) =>
      (Object.keys(receiptPins) as (keyof typeof receiptPins)[]).map((pin) => ({ name, subject, pin })),
    ),
  )(
    'no lie about $name in a receipt passes with $pin',
    async ({ subject, pin }) => {
      expect(await tellReceiptLies(subject, pin, choose)).toEqual([]);
    },
    HANG_TIMEOUT_MS,
  );

  afterAll(() => {
    process.stdout.write(`lie table: ${table.cells} cells, ${table.passed} passed (seed ${seed})\n`);
  });
}
