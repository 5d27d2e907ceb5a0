// Bundles: made while the service is available, verified without it.

import { AsyncLocalStorage } from 'node:async_hooks';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { manifestHashOf } from '@provenance-registry/core';
import { numberToHex, stringToHex } from 'viem';
import { afterAll, describe, expect, test } from 'vitest';
import { newFile } from '../../../test/support/files.js';
import { seed } from '../../../test/support/random.js';
import { createRegistrant } from '../../../test/support/registrants.js';
import { startRecordingNode, startRegistryChain } from '../../../test/support/registryChain.js';
import { newDataFolder, startService } from '../../../test/support/service.js';
import { anchorLog, LOG_CONTRACT } from '../../../test/support/testAnchors.js';
import { createTestLog, leafOf } from '../../../test/support/testLog.js';
import { createJsonRpcClient, type JsonRpcCall, JsonRpcError, readBlock } from '../../chain-client/src/index.js';
import { parseReceipt } from '../../log/src/index.js';
import {
  ApiError,
  type Bundle,
  createClient,
  InvalidArgumentError,
  InvalidResponseError,
  makeBundle,
  parseBundle,
  verifyBundle,
  waitForStatus,
} from '../src/index.js';
import { BundleV3 } from '../src/verification/bundleFormat.js';
import { fuzzBundles } from './support/bundleFuzzer.js';
import { proveByEthers } from './support/bundlesByEthers.js';
import { forgeHeader, forgeReceipt } from './support/forgedProofs.js';

const offlineWork = new AsyncLocalStorage<true>();
const realFetch = globalThis.fetch;
globalThis.fetch = (...request) =>
  offlineWork.getStore() ? Promise.reject(new Error('there is no network')) : realFetch(...request);
afterAll(() => {
  globalThis.fetch = realFetch;
});

const dataDir = await newDataFolder();
const service = await startService({ DATA_DIR: dataDir });
const { client, markId } = await createRegistrant(service.url);
const stranger = createClient({ baseUrl: service.url });
const { rpcUrl = '', address, chainId } = await client.getContract();
const chain = { rpcUrl };
const trustAnchorsPem = await readFile(join(dataDir, 'keys', 'authority.pem'), 'utf8');

async function registerFile() {
  const { fingerprint } = newFile();
  await client.createArtifact({ markId, fingerprint, filename: 'sunrise.jpg' });
  await waitForStatus(client, fingerprint);
  return fingerprint;
}
const fingerprint = await registerFile();
const other = await registerFile();
/** Serialized and parsed again, as after storing it in a file. */
const bundle: Bundle = JSON.parse(JSON.stringify(await makeBundle(fingerprint, { client })));
const others = await makeBundle(other, { client });
const { chain: proven = missing(), metadata = missing() } = bundle;
const { chain: othersProven = missing() } = others;
const { proof } = proven;
const log = await createTestLog();
/** With receipts of a log whose key the test knows, and its anchor. */
const receipts = [await log.logLeaf(leafOf(bundle)), await log.logLeaf(leafOf(others))] as const;
const anchorOf = ({ receipt }: (typeof receipts)[number]) => anchorLog(log, parseReceipt(receipt).index);
const [logged, othersLogged] = [
  { ...bundle, log: { ...receipts[0], anchor: await anchorOf(receipts[0]) } },
  { ...others, log: { ...receipts[1], anchor: await anchorOf(receipts[1]) } },
];
const offline = await verifyOffline(bundle);
const { blockHash = '', blockNumber = 0 } = offline.checks.chain.details;

function missing(): never {
  throw new Error('the bundle is not complete');
}

/** Verifies without a network; the service in this process keeps its own. */
function verifyOffline(...request: Parameters<typeof verifyBundle>) {
  return offlineWork.run(true, () => verifyBundle(...request));
}

/** Another hexadecimal digit at that position. */
function changeDigit<Text extends string>(text: Text, position: number): Text {
  const digit = text[position] === '1' ? '2' : '1';
  return `${text.slice(0, position)}${digit}${text.slice(position + 1)}` as Text;
}

/** A node of the same chain that changes or refuses some results. */
async function startNode(change: (method: string, result: unknown) => unknown) {
  const honest = createJsonRpcClient({ url: rpcUrl });
  const request = async (call: JsonRpcCall) => change(call.method, await honest.request(call));
  const { url, close } = await startRecordingNode({ request });
  afterAll(close);
  return url;
}

describe('A bundle', () => {
  test('has the signed manifest, the metadata, and the proof of the registration', () => {
    expect(bundle).toEqual({
      format: 'provenance-bundle',
      version: 3,
      fingerprint,
      manifestId: expect.any(String),
      manifest: expect.any(String),
      metadata: expect.objectContaining({ filename: 'sunrise.jpg' }),
      chain: { chainId, address: address.toLowerCase(), proof: expect.anything() },
      log: { receipt: expect.any(String), leaf: expect.any(String) },
      maker: { madeAt: expect.any(String), service: service.url },
    });
    expect(parseBundle(bundle)).toEqual(bundle);
  });

  test('may be large', () => {
    // Patterns with groups exhaust the stack of the engine on such texts.
    const [manifest, receipt] = ['A'.repeat(8_000_000), `0x${'00'.repeat(4_000_000)}` as const];
    const large = { ...bundle, manifest, chain: { ...proven, proof: { ...proof, receipt } } };
    expect(parseBundle(large)).toBe(large);
  });

  test('is the same without an account, and without what is hidden from its maker', async () => {
    const { maker: _, ...content } = await makeBundle(fingerprint, { client: stranger });
    expect(content).toEqual({ ...bundle, log: expect.anything(), maker: undefined });
    const hidden = await registerFile();
    await client.setContentVisibility({ fingerprint: hidden, contentVisibility: 'private' });
    expect((await makeBundle(hidden, { client })).metadata).toBeDefined();
    const strangers = await makeBundle(hidden, { client: stranger });
    expect([strangers.metadata, strangers.chain !== undefined]).toEqual([undefined, true]);
    const { verdict, facts } = await verifyOffline(strangers, { trustAnchorsPem });
    const unproven = facts.filter(({ evidence }) => !evidence.includes('manifest'));
    expect([verdict, unproven.map(({ name }) => name)]).toEqual(['verified', ['since']]);
  });

  test('has no proof before the file is on chain', async () => {
    const elsewhere = await startRegistryChain();
    try {
      const early = await makeBundle(fingerprint, { client, chain: { rpcUrl: elsewhere.url, address } });
      expect(early).toEqual({ ...bundle, chain: undefined, log: expect.anything(), maker: expect.anything() });
    } finally {
      await elsewhere.close();
    }
  });

  test('is not made of an unregistered file, nor with a node or a service that lies', async () => {
    const making = makeBundle(newFile().fingerprint, { client, chain });
    await expect(making).rejects.toThrow(ApiError);
    await expect(making).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const liar = await startNode((method, result) =>
      method === 'eth_getBlockByHash' ? { ...Object(result), timestamp: '0x1' } : result,
    );
    await expect(makeBundle(fingerprint, { client, chain: { rpcUrl: liar } })).rejects.toThrow(InvalidResponseError);
    const otherContract = { rpcUrl, address: `0x${'11'.repeat(20)}` };
    await expect(makeBundle(fingerprint, { client, chain: otherContract })).rejects.toThrow('did not register');
  });

  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'not a bundle'],
    ['something else', { version: 3 }, 'not a bundle'],
    ['a bundle of a later version', { ...bundle, version: 4 }, 'version 4'],
    ['a receipt in a bundle of version 2', { ...bundle, version: 2, log: { receipt: '', leaf: '' } }, 'not a bundle'],
    ['a manifest that is not base64', { ...bundle, manifest: '?' }, 'not a bundle'],
    ['base64 of a wrong length', { ...bundle, manifest: 'QQ=' }, 'not a bundle'],
    ['base64 with spare bits', { ...bundle, manifest: 'QR==' }, 'not a bundle'],
    ['a property that has no meaning', { ...bundle, artifact: {} }, 'not a bundle'],
    ['one in its proof', { ...bundle, chain: { ...proven, proof: { ...proof, timestamp: 1 } } }, 'not a bundle'],
    ['metadata that are nested too deeply', addToMetadata(nest(63)), 'not a bundle'],
    [
      'metadata that are nested so deeply that they would exhaust the stack',
      addToMetadata(nest(100_000)),
      'not a bundle',
    ],
    ['half of a surrogate pair', addToMetadata('\ud83d'), 'not a bundle'],
    ['half of a surrogate pair in a name', addToMetadata({ '\ude00': 1 }), 'not a bundle'],
    ['a number that no double can hold', addToMetadata(Number.POSITIVE_INFINITY), 'not a bundle'],
  ])('is refused with %s', (_, json, message) => {
    expect(() => parseBundle(json)).toThrow(InvalidResponseError);
    expect(() => parseBundle(json)).toThrow(message);
  });
});

test('A bundle may have metadata that this version does not know', () => {
  const read = parseBundle(addToMetadata([nest(61), '\ud83d\ude00', 1e308]));
  expect(read).toMatchObject({ version: 3 });
});

function addToMetadata(value: unknown): unknown {
  return { ...bundle, metadata: { ...bundle.metadata, more: value } };
}

/** So many arrays within each other. */
function nest(depth: number): unknown {
  return JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);
}

/** Changes a name that no signature covers. */
function renameBox(name: string): string {
  const store = Buffer.from(bundle.manifest, 'base64');
  store.write('x', store.indexOf(name));
  return store.toString('base64');
}

/** Lets the only manifest of the store end behind the store. */
function growBox(): string {
  const store = Buffer.from(bundle.manifest, 'base64');
  const start = store.indexOf('jumb', 8) - 4;
  store.writeUInt32BE(store.readUInt32BE(start) + 1, start);
  return store.toString('base64');
}

describe('Offline,', () => {
  test('everything in a bundle agrees, and the hash of the block is there to be compared', async () => {
    const block = await readBlock(createJsonRpcClient({ url: rpcUrl }), BigInt(blockNumber));
    expect(block?.hash).toBe(blockHash);
    expect(offline).toMatchObject({
      verdict: 'consistent',
      independentSources: [],
      problems: [],
      notices: [],
      checks: {
        registry: { state: 'unavailable' },
        chain: {
          state: 'unavailable',
          code: 'NOT_PROVEN',
          proves: expect.stringMatching(/^(?!.*cannot be changed).*compare the hash of the block with an explorer/),
          details: { from: 'bundle', manifestId: bundle.manifestId, manifestHash: manifestHashOf(metadata) },
        },
        manifest: { state: 'agrees' },
      },
      reason: { code: 'BLOCK_NOT_COMPARED' },
    });
    expect(offline.facts).toContainEqual({ name: 'mark', value: metadata.mark?.name, evidence: ['service'] });
    expect(offline.times).toContainEqual({
      source: 'block',
      at: new Date(Number(block?.timestamp) * 1000).toISOString(),
      isIndependent: false,
    });
  });

  test.each([
    ['the roots of its signer', { trustAnchorsPem }, ['manifest']],
    ['the hash of its block', { blockHash, chain: { address } }, ['chain']],
    ['that hash in capitals', { blockHash: `0x${blockHash.slice(2).toUpperCase()}`, chain: { address } }, ['chain']],
    ['both', { trustAnchorsPem, blockHash, chain: { address } }, ['chain', 'manifest']],
  ])('a bundle is verified by %s', async (_, pins, independentSources) => {
    const result = await verifyOffline(bundle, { fingerprint, ...pins });
    expect(result).toMatchObject({ verdict: 'verified', independentSources });
    expect(result.facts).toContainEqual({ name: 'author', value: 'Ada', evidence: independentSources });
  });

  test('the hash of its block proves nothing unless the caller knows the contract', async () => {
    const { verdict, reason, facts } = await verifyOffline(bundle, { fingerprint, blockHash });
    expect([verdict, reason?.code]).toEqual(['consistent', 'CONTRACT_NOT_NAMED']);
    expect(facts.filter(({ evidence }) => !evidence.includes('service'))).toEqual([]);
  });

  test.each<[string, (hash: string) => string]>([
    ['its first ten characters', (hash) => hash.slice(0, 10)],
    ['all but its last digit', (hash) => hash.slice(0, -1)],
    ['a digit more', (hash) => `${hash}0`],
    ['no 0x', (hash) => hash.slice(2)],
    ['a space after it', (hash) => `${hash} `],
    ['a letter that is no digit', (hash) => `${hash.slice(0, -1)}g`],
    ['nothing', () => ''],
  ])('%s instead of the hash of a block is a mistake of the caller', async (_, change) => {
    await expect(verifyOffline(bundle, { blockHash: change(blockHash) })).rejects.toThrow(InvalidArgumentError);
  });

  test.each<[string, (text: string) => string]>([
    ['its first ten characters', (text) => text.slice(0, 10)],
    ['all but its last digit', (text) => text.slice(0, -1)],
    ['a digit more', (text) => `${text}0`],
  ])('%s instead of the contract or of the fingerprint is never verified', async (_, change) => {
    const isVerified = (options: object) =>
      verifyOffline(bundle, { blockHash, ...options }).then(
        ({ verdict }) => verdict === 'verified',
        (error: unknown) => !(error instanceof InvalidArgumentError),
      );
    expect(await isVerified({ chain: { address: change(address) } })).toBe(false);
    expect(await isVerified({ fingerprint: change(fingerprint) })).toBe(false);
  });

  test.each<[string, object]>([
    ['another block hash', { blockHash: `0x${'ab'.repeat(32)}` }],
    ['another contract', { chain: { address: `0x${'11'.repeat(20)}` } }],
    ['another chain', { chain: { chainId: 1 } }],
    ['another file', { fingerprint: other }],
    ['a block hash with another first digit', { blockHash: changeDigit(blockHash, 2) }],
    ['a block hash with another digit in the middle', { blockHash: changeDigit(blockHash, 33) }],
    ['a block hash with another last digit', { blockHash: changeDigit(blockHash, 65) }],
    ['a contract with another first digit', { chain: { address: changeDigit(address, 2) } }],
    ['a contract with another last digit', { chain: { address: changeDigit(address, 41) } }],
    ['a chain with one digit more', { chain: { chainId: (chainId ?? 1) * 10 } }],
    ['a file whose fingerprint has another first digit', { fingerprint: changeDigit(fingerprint, 2) }],
    ['a file whose fingerprint has another last digit', { fingerprint: changeDigit(fingerprint, 65) }],
  ])('a bundle is contradicted when the caller expects %s', async (_, options) => {
    expect((await verifyOffline(bundle, { trustAnchorsPem, ...options })).verdict).toBe('contradicted');
  });

  test('a bundle without its proof says nothing about the chain', async () => {
    const { chain: _, ...rest } = bundle;
    const result = await verifyOffline(rest, { trustAnchorsPem });
    expect(result.checks.chain).toMatchObject({ state: 'unavailable', code: 'NOT_PROVEN', details: {} });
    expect([result.verdict, result.independentSources]).toEqual(['verified', ['manifest']]);
    expect(result.facts.filter(({ evidence }) => evidence.includes('chain'))).toEqual([]);
    // The caller compared a hash, and with what?
    expect((await verifyOffline(rest, { trustAnchorsPem, blockHash })).verdict).toBe('incomplete');
  });

  test.each<[string, Partial<Bundle>, string]>([
    ['the manifest of another file', { manifest: others.manifest }, 'FINGERPRINT_MISMATCH'],
    ['the metadata of another file', { metadata: { ...metadata, filename: 'x' } }, 'METADATA_MISMATCH'],
    ['more metadata than was hashed', { metadata: Object.assign({ note: '!' }, metadata) }, 'METADATA_MISMATCH'],
    ['the proof of another file', { chain: othersProven }, 'PROOF_INVALID'],
    ['another fingerprint', { fingerprint: other }, 'FINGERPRINT_MISMATCH'],
    ['another id', { manifestId: others.manifestId }, 'MANIFEST_ID_MISMATCH'],
    ['another contract', { chain: { ...proven, address: `0x${'11'.repeat(20)}` } }, 'PROOF_INVALID'],
    [
      'another header',
      { chain: { ...proven, proof: { ...proof, header: othersProven.proof.header } } },
      'PROOF_INVALID',
    ],
    ['another position', { chain: { ...proven, proof: { ...proof, transactionIndex: 1 } } }, 'PROOF_INVALID'],
    [
      'a block of the year 10000',
      { chain: { ...proven, proof: forgeHeader(proof, 'timestamp', numberToHex(253_402_300_800)) } },
      'PROOF_INVALID',
    ],
    ['a manifest with a box of another name', { manifest: renameBox('c2pa.signature\0') }, 'MANIFEST_INVALID'],
    ['a manifest with a box that is too large', { manifest: growBox() }, 'MANIFEST_INVALID'],
  ])('a bundle with %s is contradicted', async (_, change, code) => {
    const { verdict, problems } = await verifyOffline({ ...bundle, ...change }, { fingerprint, trustAnchorsPem });
    expect(verdict).toBe('contradicted');
    expect(problems.map((problem) => problem.code)).toContain(code);
  });

  test('a time-stamp whose certificate is not one for time-stamps dates nothing, and does not blame the signer', async () => {
    const manifest = Buffer.from(bundle.manifest, 'base64');
    const purpose = Buffer.from('06082b06010505070308', 'hex');
    manifest.writeUInt8(4, manifest.indexOf(purpose) + purpose.length - 1);
    const changed = { ...bundle, manifest: manifest.toString('base64') };
    const { verdict, times } = await verifyOffline(changed, { fingerprint, trustAnchorsPem });
    expect(verdict).toBe('verified');
    expect(times.map(({ source }) => source)).toEqual(['block']);
  });

  test.each([
    ['an earlier time', forgeHeader(proof, 'timestamp', numberToHex(1_600_000_000))],
    ['a remark', forgeHeader(proof, 'extraData', stringToHex('mine'))],
    [
      'other logs',
      forgeReceipt(proof, `0x${proof.receipt.slice(2).replaceAll(manifestHashOf(metadata).slice(2), 'ab'.repeat(32))}`),
    ],
  ])('a forged proof with %s never carries a fact, and leads to another block', async (_, forged) => {
    const { metadata: __, ...rest } = bundle;
    const lie = { ...rest, chain: { ...proven, proof: forged } };
    const unpinned = await verifyOffline(lie);
    expect(unpinned.verdict).not.toBe('verified');
    expect(unpinned.checks.chain.details.blockHash).not.toBe(blockHash);
    const pinned = await verifyOffline(lie, { trustAnchorsPem });
    expect(pinned.facts.filter(({ evidence }) => evidence.includes('chain'))).toEqual([]);
    expect(pinned.times.filter(({ source, isIndependent }) => source === 'block' && isIndependent)).toEqual([]);
    for (const pins of [{ blockHash }, { chain }]) {
      const { verdict, problems } = await verifyBundle(lie, pins);
      expect([verdict, problems.map(({ code }) => code)]).toEqual([
        'contradicted',
        expect.arrayContaining(['BLOCK_MISMATCH']),
      ]);
    }
  });

  test('a bundle of version 1 is still read: its manifest counts, the rest is the word of its maker', async () => {
    const { manifestId, manifest } = bundle;
    const artifact = await client.getArtifact({ fingerprint });
    const old = { version: 1, madeAt: '2026-01-01', service: service.url, fingerprint, manifestId, manifest, artifact };
    const read = parseBundle({ ...old, report: {}, card: '', chain: { address, entry: {} } });
    const { verdict, checks, facts } = await verifyOffline(read, { fingerprint, trustAnchorsPem });
    expect([verdict, checks.chain.code]).toEqual(['verified', 'NOT_PROVEN']);
    expect(facts.find(({ name }) => name === 'authorId')?.evidence).toEqual(['service']);
    expect(facts.find(({ name }) => name === 'author')?.evidence).toEqual(['manifest']);
    expect((await verifyBundle(read, { chain: { ...chain, address } })).independentSources).toEqual(['chain']);
  });
});

describe('With a node of the chain,', () => {
  test('the proof is confirmed by the node, which is independent', async () => {
    const result = await verifyBundle(bundle, { fingerprint, chain: { rpcUrl, address, chainId } });
    expect(result).toMatchObject({ verdict: 'verified', independentSources: ['chain'], problems: [], notices: [] });
    expect(result.checks.chain.details).toMatchObject({ blockHash, blockNumber, from: 'caller' });
    const { verdict, reason } = await verifyBundle(bundle, { fingerprint, chain });
    expect([verdict, reason?.code]).toEqual(['consistent', 'CONTRACT_NOT_NAMED']);
  });

  test('which cannot search its logs, the block is compared by its number', async () => {
    const refuseSearch = (method: string, result: unknown) => {
      if (method === 'eth_getLogs') throw new JsonRpcError(-32_601, 'no logs here');
      return result;
    };
    const node = { rpcUrl: await startNode(refuseSearch), address };
    const result = await verifyBundle(bundle, { chain: node });
    expect(result).toMatchObject({ verdict: 'verified', notices: [] });
    expect(result.times).toContainEqual(expect.objectContaining({ source: 'block', isIndependent: true }));
    const lie = { ...bundle, chain: { ...proven, proof: forgeHeader(proof, 'extraData', '0x01') } };
    expect((await verifyBundle(lie, { chain: node })).problems).toMatchObject([{ code: 'BLOCK_MISMATCH' }]);
  });

  test('which is on another chain or has no such entry, the bundle is contradicted', async () => {
    const foreign = await startNode((method, result) => (method === 'eth_chainId' ? '0x1' : result));
    const { problems } = await verifyBundle(bundle, { chain: { rpcUrl: foreign } });
    expect(problems.map(({ code }) => code)).toEqual(['CHAIN_ID_MISMATCH']);
    const elsewhere = await startRegistryChain();
    try {
      const lie = { ...bundle, chain: { ...proven, address: elsewhere.registry.toLowerCase() } };
      const found = await verifyBundle(bundle, { chain: { rpcUrl: elsewhere.url, address: elsewhere.registry } });
      expect([found.verdict, (await verifyBundle(lie, { chain: { rpcUrl: elsewhere.url } })).verdict]).toEqual([
        'contradicted',
        'contradicted',
      ]);
    } finally {
      await elsewhere.close();
    }
  });

  test('which is down, the result is incomplete, and says why', async () => {
    const down = { rpcUrl: 'http://127.0.0.1:1', address };
    for (const named of [{ chain: down }, { chain: { ...down, rpcUrl: [rpcUrl, down.rpcUrl] } }]) {
      const { verdict, reason } = await verifyBundle(bundle, { ...named, trustAnchorsPem });
      expect([verdict, reason]).toEqual([
        'incomplete',
        { code: 'SOURCE_UNUSABLE', text: expect.stringContaining('could not be used') },
      ]);
    }
  });
});

test('the verification that docs/bundles.md describes, written with ethers, comes to the same result', () => {
  const { blockTime } = offline.checks.chain.details;
  expect(proveByEthers(bundle)).toEqual({ blockHash, blockNumber, blockTime });
  expect(() => proveByEthers({ ...bundle, metadata: { ...metadata, filename: 'x' } })).toThrow('other metadata');
  const forged = { ...proven, proof: { ...proof, header: othersProven.proof.header } };
  expect(() => proveByEthers({ ...bundle, chain: forged })).toThrow('another node');
});

test('docs/bundle.schema.json is current', async () => {
  const schema = { $schema: 'https://json-schema.org/draft/2020-12/schema', ...BundleV3 };
  await expect(`${JSON.stringify(schema, undefined, 2)}\n`).toMatchFileSnapshot('../../../docs/bundle.schema.json');
});

describe('Mutated bundles', () => {
  const fuzzSeed = Number(process.env['FUZZ_SEED'] ?? seed % 2 ** 31);
  const count = Number(process.env['FUZZ_BUNDLES'] ?? 1_000);

  test(
    'never crash the verification, and never pass with something changed',
    async () => {
      const logKeys = [log.key];
      const { anchor } = (await verifyOffline(logged, { logKeys })).checks.log.details;
      const known: readonly object[] = [
        {},
        { trustAnchorsPem },
        { blockHash },
        { logKeys },
        { trustAnchorsPem, blockHash, logKeys },
        { logKeys, logContract: LOG_CONTRACT, anchorBlockHash: anchor?.blockHash },
      ];
      const pins = known.flatMap((one) => [one, { ...one, fingerprint }]);
      const { counts, findings } = await fuzzBundles({ bundle: logged, other: othersLogged, pins }, fuzzSeed, count);
      console.table(counts);
      expect(findings).toEqual([]);
      expect(Object.keys(counts)).toHaveLength(8);
    },
    60_000 + count * 100,
  );
});
