// Anchors of the public log as a part of a receipt: when the leaf was in the log, by the chain. In bundles they are of the test's own log
// and of blocks that no chain has; from a service, they are those of its development chain.

import type { LogReceipt } from '@provenance-registry/core';
import { describe, expect, test } from 'vitest';
import { freePort } from '../../../test/support/ports.js';
import {
  ANCHOR_TIME,
  anchorLog,
  LOG_CONTRACT,
  makeAnchorBlock,
  TEST_CHAIN,
} from '../../../test/support/testAnchors.js';
import { createTestLog, leafOf } from '../../../test/support/testLog.js';
import { waitUntil } from '../../../test/support/waitUntil.js';
import { parseReceipt } from '../../log/src/index.js';
import {
  type Bundle,
  InvalidArgumentError,
  InvalidResponseError,
  makeBundle,
  parseBundle,
  type RegistryClient,
  readReceipt,
  verify,
  verifyBundle,
} from '../src/index.js';
import { factsOf, readLogKey, startVerifiedService } from './support/verifiedService.js';

const { stranger, ada, rpcUrl, address, trustAnchorsPem, registerFile } = await startVerifiedService({
  // A development chain of its own, which has a contract for anchors.
  CHAIN_PORT: String(await freePort()),
  LOG_ANCHOR_SECONDS: '1',
});
const { fingerprint } = await registerFile();
/** The first leaf may be in the first anchor: this one is in a later one. */
const { fingerprint: other } = await registerFile();
await waitUntil(
  async () => (await stranger.getPublicReceipt({ fingerprint: other })).anchor !== undefined,
  'the log is anchored',
);

const log = await createTestLog();
const made = await makeBundle(fingerprint, { client: stranger });
const { chain: _, log: ownLog, ...plain } = made;
const receipt = await log.logLeaf(leafOf(made));
const { index } = parseReceipt(receipt.receipt);
await log.logLeaf(leafOf(await makeBundle(other, { client: stranger })));
const anchor = await anchorLog(log, index);
const logged = { ...receipt, anchor };
const anchored: Bundle = { ...plain, log: logged };
const logKeys = [log.key];
const { blockHash: anchorBlockHash = '' } = (await verifyBundle(anchored, { logKeys })).checks.log.details.anchor ?? {};
const at = new Date(ANCHOR_TIME * 1000).toISOString();
const named = { fingerprint, logKeys, logContract: LOG_CONTRACT, anchorBlockHash };
const codes = ({ problems }: Awaited<ReturnType<typeof verifyBundle>>) =>
  problems.map(({ source, code }) => [source, code]);

const elsewhere = `0x${'b2'.repeat(20)}` as const;
const hash = `0x${'cd'.repeat(32)}` as const;
const inOtherContract = await anchorLog(log, index, { address: elsewhere });
const forgedReceipt = makeAnchorBlock({ address: LOG_CONTRACT, size: 1, root: hash });
const forgeries: readonly (readonly [string, Partial<typeof anchor>, code: string])[] = [
  ['that another contract logged', { ...inOtherContract, address: LOG_CONTRACT }, 'ANCHOR_INVALID'],
  ['on another chain', { chainId: 1 }, 'CHAIN_ID_MISMATCH'],
  ['in another block', await anchorLog(log, index, { time: ANCHOR_TIME - 1 }), 'BLOCK_MISMATCH'],
  ['of fewer leaves than its event', { size: anchor.size - 1 }, 'ANCHOR_INVALID'],
  ['whose event has fewer leaves', await anchorLog(log, index, { size: anchor.size - 1 }), 'ANCHOR_INVALID'],
  ['whose event has another root', await anchorLog(log, index, { root: hash }), 'ANCHOR_INVALID'],
  ['with the proof of another size', { hashes: anchor.hashes.slice(1) }, 'ANCHOR_INVALID'],
  ['with the proof of another leaf', { hashes: (await anchorLog(log, index - 1)).hashes }, 'ANCHOR_INVALID'],
  ['of a receipt of another block', { proof: { ...anchor.proof, nodes: forgedReceipt.nodes } }, 'ANCHOR_INVALID'],
];

describe('The anchor in a bundle', () => {
  test('dates the leaf for those who compare its block and name the contract', async () => {
    const found = await verifyBundle(anchored, named);
    expect([found.verdict, found.problems]).toEqual(['verified', []]);
    expect(found.times).toEqual([{ source: 'anchor', at, isIndependent: true }]);
    expect(factsOf(found)['since']).toEqual([at, 'log']);
    expect(found.checks.log.details.anchor).toEqual({
      address: LOG_CONTRACT,
      addressFrom: 'caller',
      size: index + 2,
      blockNumber: 42,
      blockHash: anchorBlockHash,
      blockTime: at,
      isOnChain: true,
    });
    expect(found.checks.log.proves).toContain(`The leaf was in the log before block 42, ${at}`);
    const withBlock = await verifyBundle({ ...made, log: logged }, { ...named, trustAnchorsPem });
    // The registration's own block was not compared.
    expect(factsOf(withBlock)['since']).toEqual([at, 'log']);
  });

  test.each([
    ['the block was not compared', { fingerprint, logKeys, logContract: LOG_CONTRACT }, 'Anyone can make such a proof'],
    ['the contract was not named', { fingerprint, logKeys, anchorBlockHash }, 'comes from the bundle'],
    [
      'it is of another contract than the one that was named',
      { ...named, logContract: elsewhere },
      'comes from the bundle',
    ],
  ])('dates nothing if %s', async (_case, options, words) => {
    const found = await verifyBundle(anchored, options);
    expect([found.verdict, found.times.filter(({ isIndependent }) => isIndependent)]).toEqual(['verified', []]);
    expect(factsOf(found)['since']?.[1]).toBe('service');
    expect(found.checks.log.proves).toContain(words);
  });

  test('is not looked at without the key of the log, and does not replace it', async () => {
    const found = await verifyBundle(anchored, { fingerprint, trustAnchorsPem, logContract: LOG_CONTRACT });
    expect([found.verdict, found.independentSources]).toEqual(['verified', ['manifest']]);
    expect(found.times.map(({ source }) => source)).toEqual(['timestamp']);
    const compared = await verifyBundle(anchored, { fingerprint, trustAnchorsPem, anchorBlockHash });
    expect([compared.verdict, compared.reason?.code]).toEqual(['incomplete', 'SOURCE_UNUSABLE']);
  });

  test('that is not there cannot have been compared', async () => {
    const bundle = { ...plain, log: receipt };
    const { verdict, reason } = await verifyBundle(bundle, named);
    expect([verdict, reason]).toEqual([
      'incomplete',
      { code: 'SOURCE_UNUSABLE', text: expect.stringContaining('the bundle has no anchor of the log') },
    ]);
    expect((await verifyBundle(bundle, { ...named, anchorBlockHash: undefined })).verdict).toBe('verified');
    await expect(verifyBundle(anchored, { ...named, anchorBlockHash: '0x12' })).rejects.toThrow(InvalidArgumentError);
  });

  test.each(forgeries)('%s is contradicted', async (_case, change, code) => {
    const bundle = { ...plain, log: { ...receipt, anchor: { ...anchor, ...change } } };
    const found = await verifyBundle(bundle, { ...named, chain: { chainId: TEST_CHAIN } });
    expect(found.verdict).toBe('contradicted');
    expect(codes(found)).toContainEqual(['log', code]);
    expect(found.times.filter(({ source }) => source === 'anchor')).toEqual([]);
  });

  test('has one form', () => {
    const [first = hash] = anchor.hashes;
    for (const change of [
      { address: LOG_CONTRACT.toUpperCase() },
      { size: 0 },
      { hashes: [first.slice(0, -1)] },
      { hashes: Array.from({ length: 64 }, () => first) },
      { proof: { ...anchor.proof, header: `${anchor.proof.header}0` } },
      { root: hash },
    ]) {
      const bundle = { ...plain, log: { ...receipt, anchor: { ...anchor, ...change } } };
      expect(() => parseBundle(bundle)).toThrow(InvalidResponseError);
    }
  });
});

describe('The anchor of a service', async () => {
  const key = await readLogKey(stranger);
  const { log: identity } = await stranger.getRegistryIdentity();
  const logContract = identity?.contract?.address;
  const stated = (await stranger.getPublicReceipt({ fingerprint })).anchor ?? expect.unreachable('not anchored');
  const chain = { rpcUrl, address };
  const pins = { logKeys: [key], logContract, chain };
  /** The same service, which says something else about the anchor. */
  const lie = (change: Partial<typeof stated> | undefined): RegistryClient => ({
    ...stranger,
    async getPublicReceipt(input, options): Promise<LogReceipt> {
      const { anchor: _anchor, ...found } = await stranger.getPublicReceipt(input, options);
      return change ? { ...found, anchor: { ...stated, ...change } } : found;
    },
  });
  const anchorTimes = ({ times }: Awaited<ReturnType<typeof verify>>) =>
    times.filter(({ source }) => source === 'anchor');

  test('is shown by a node of the caller, if key and contract are named or roots vouch for them', async () => {
    for (const options of [pins, { chain, trustAnchorsPem }]) {
      const found = await verify(fingerprint, { client: stranger, ...options });
      expect([found.verdict, anchorTimes(found)]).toEqual([
        'verified',
        [{ source: 'anchor', at: stated.blockTime, isIndependent: true }],
      ]);
      expect(found.checks.log.details.anchor).toMatchObject({
        address: logContract,
        blockNumber: stated.blockNumber,
        blockHash: stated.blockHash,
        size: stated.size,
      });
      expect(factsOf(found)['since']?.[0]).toBe(found.times.find(({ isIndependent }) => isIndependent)?.at);
    }
    const artifact = await stranger.getPublicArtifact({ fingerprint });
    const { check } = await readReceipt(fingerprint, { client: stranger, artifact, ...pins });
    expect([check.state, check.details.anchor?.blockHash]).toEqual(['confirmed', stated.blockHash]);
  });

  test.each([
    ['a node', { logKeys: [key], logContract }],
    ['the contract', { logKeys: [key], chain }],
    ['the key', { logContract, chain }],
  ])('is not shown as proven without %s', async (_case, options) => {
    const found = await verify(fingerprint, { client: stranger, ...options });
    expect(anchorTimes(found).filter(({ isIndependent }) => isIndependent)).toEqual([]);
  });

  test.each<[string, Partial<typeof stated> | undefined, verdict: string]>([
    ['nothing', undefined, 'verified'],
    ['another size', { size: stated.size + 1 }, 'verified'],
    ['another contract', { address: `0x${'b2'.repeat(20)}` }, 'verified'],
    ['a transaction of something else', { transactionHash: `0x${'12'.repeat(32)}` }, 'verified'],
  ])('is not shown if the service names %s', async (_case, change, verdict) => {
    const found = await verify(fingerprint, { client: lie(change), ...pins });
    expect([found.verdict, anchorTimes(found)]).toEqual([verdict, []]);
  });

  test('contradicts tiles that are not those of the anchored tree', async () => {
    const forked: RegistryClient = {
      ...stranger,
      async download(url, options) {
        const bytes = await stranger.download(url, options);
        return url.includes('/log/tile/') ? bytes.map((byte) => byte ^ 1) : bytes;
      },
    };
    const found = await verify(fingerprint, { client: forked, ...pins });
    expect([found.verdict, codes(found)]).toEqual(['contradicted', [['log', 'ANCHOR_INVALID']]]);
    await expect(makeBundle(fingerprint, { client: forked, chain })).rejects.toThrow(InvalidResponseError);
  });

  test('is in bundles, and verified without the service', async () => {
    const bundle = parseBundle(JSON.parse(JSON.stringify(await makeBundle(fingerprint, { client: ada.client }))));
    expect(bundle).toMatchObject({ log: { anchor: { address: logContract, size: stated.size } } });
    const found = await verifyBundle(bundle, { fingerprint, ...pins });
    expect([found.verdict, anchorTimes(found)]).toEqual([
      'verified',
      [{ source: 'anchor', at: stated.blockTime, isIndependent: true }],
    ]);
    const offline = await verifyBundle(bundle, { fingerprint, logKeys: [key], logContract, chain: { address } });
    expect([offline.verdict, anchorTimes(offline)]).toEqual([
      'verified',
      [{ source: 'anchor', at: stated.blockTime, isIndependent: false }],
    ]);
    const dead = await verifyBundle(bundle, { fingerprint, ...pins, chain: { rpcUrl: 'http://127.0.0.1:9', address } });
    expect([dead.verdict, dead.reason?.code, anchorTimes(dead).filter(({ isIndependent }) => isIndependent)]).toEqual([
      'incomplete',
      'SOURCE_UNUSABLE',
      [],
    ]);
    expect(ownLog).toBeDefined();
  });

  test('of a block that the node does not have is contradicted', async () => {
    const found = await verifyBundle(anchored, { fingerprint, logKeys, logContract: LOG_CONTRACT, chain });
    expect(codes(found)).toContainEqual(['log', 'BLOCK_MISMATCH']);
  });
});
