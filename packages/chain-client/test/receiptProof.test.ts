// Block headers, receipts and their proofs, against blocks of a real EVM, which computes hashes and roots by itself.

import { createEvm } from '@provenance-registry/dev-chain';
import { type Hex, keccak256, toHex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRecordingNode, toBytes32 } from '../../../test/support/registryChain.js';
import { admin, registrar, testWallet } from '../../../test/support/wallets.js';
import { deployRegistry, registryAddressOf } from '../../server/src/chain/registryContract.js';
import { encodeHeader } from '../src/blockHeader.js';
import {
  createJsonRpcClient,
  encodeRegistrations,
  findRegistrationIn,
  InvalidProofError,
  type JsonRpcCall,
  type JsonRpcClient,
  type ReceiptProof,
  readBlockHeader,
  readReceipt,
  readReceiptProof,
  readTransaction,
  verifyReceiptProof,
} from '../src/index.js';
import { encodeReceipt } from '../src/receiptEncoding.js';

const strangers = [testWallet(0), testWallet(1)] as const;
const funded = [admin, registrar, ...strangers].map(({ address }) => address);
const evm = await createEvm({ funded, genesisTime: 1_700_000_000, automine: true });
const server = await startRecordingNode(evm);
const node = createJsonRpcClient({ url: server.url });
const registry = registryAddressOf(admin);

await deployRegistry(node, { admin, registrar: registrar.address, endpoints: ['https://registry.example.com'] });
await evm.request({ method: 'evm_setAutomine', params: [false] });
afterAll(() => server.close());

const fees = { gas: 60_000n, chainId: 31_337 } as const;
const feesOf1559 = { ...fees, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 1n } as const;
let nonce = 0;

/** Signs a transaction of every type in turn; each has another amount of gas and one in seven fails. */
function signTransaction(index: number): Promise<Hex> {
  const [sender, other] = strangers;
  const to = index % 7 === 3 ? registry : other.address;
  const call = {
    to,
    nonce: nonce++,
    data: index % 7 === 3 ? '0x12345678' : toHex(new Uint8Array(index % 50)),
  } as const;
  if (index % 3 === 0) return sender.signTransaction({ ...fees, ...call, type: 'legacy', gasPrice: 10n ** 11n });
  if (index % 3 === 1) {
    const accessList = [{ address: registry, storageKeys: [toBytes32(1)] }];
    return sender.signTransaction({ ...fees, ...call, type: 'eip2930', gasPrice: 10n ** 11n, accessList });
  }
  return sender.signTransaction({ ...feesOf1559, ...call, type: 'eip1559' });
}

async function signRegistration(fingerprints: readonly Hex[]): Promise<Hex> {
  const registrations = fingerprints.map((fingerprint, index) => ({
    fingerprint,
    manifestId: `0x${String(index + 1).padStart(32, '0')}` as const,
    manifestHash: keccak256(fingerprint),
    userIdHash: toBytes32(7),
  }));
  const count = Number(await evm.request({ method: 'eth_getTransactionCount', params: [registrar.address, 'latest'] }));
  const data = encodeRegistrations(registrations);
  return registrar.signTransaction({
    ...feesOf1559,
    gas: 10n ** 6n,
    type: 'eip1559',
    to: registry,
    nonce: count,
    data,
  });
}

/** The hashes of the transactions of one new block, in their order. */
async function mine(transactions: readonly Hex[]): Promise<Hex[]> {
  for (const raw of transactions) await evm.request({ method: 'eth_sendRawTransaction', params: [raw] });
  await evm.request({ method: 'evm_mine' });
  return transactions.map((raw) => keccak256(raw));
}

async function requireProof(hash: Hex, from: JsonRpcClient = node): Promise<ReceiptProof> {
  const proof = await readReceiptProof(from, hash);
  if (!proof) throw new Error('the transaction is not mined');
  return proof;
}

/** A node that also has `eth_getBlockReceipts`, which the EVM lacks, in another order. */
const generousNode: JsonRpcClient = {
  async request(call: JsonRpcCall) {
    if (call.method !== 'eth_getBlockReceipts') return node.request(call);
    const block = await node.request({ method: 'eth_getBlockByNumber', params: [call.params?.[0], false] });
    const { transactions } = JSON.parse(JSON.stringify(block));
    const receipts: Promise<unknown>[] = transactions.map((hash: Hex) =>
      node.request({ method: 'eth_getTransactionReceipt', params: [hash] }),
    );
    return (await Promise.all(receipts)).reverse();
  },
};

describe('every receipt of a block is proven by the hash of the block', () => {
  // The trie of one, two, and of more than 16 and 128 receipts has other kinds of nodes and keys of other lengths.
  it.each([1, 2, 17, 129, 300])('with %i transactions', async (size) => {
    const raw = await Promise.all(Array.from({ length: size }, (_, index) => signTransaction(index)));
    const hashes = await mine(raw);
    const chosen = size > 20 ? [0, 3, 16, 127, 128, 299].filter((index) => index < size) : hashes.keys();
    for (const index of chosen) {
      const hash = hashes[index] ?? '0x';
      const proof = await requireProof(hash, index % 2 === 0 ? node : generousNode);
      const receipt = await readReceipt(node, hash);
      const { blockHash, blockNumber, isSuccess, logs } = verifyReceiptProof(proof);
      expect({ blockHash, blockNumber, isSuccess, logs }).toEqual({
        blockHash: receipt?.blockHash,
        blockNumber: Number(receipt?.blockNumber),
        isSuccess: index % 7 !== 3,
        logs: [],
      });
      expect(proof.transactionIndex).toBe(index);
    }
  });

  it('whose transaction delegates an account to code (type 4)', async () => {
    const [sender, other] = strangers;
    const authorization = await admin.signAuthorization({ contractAddress: registry, chainId: 31_337, nonce: 0 });
    const call = { to: other.address, nonce: nonce++, authorizationList: [authorization] };
    const [hash = '0x'] = await mine([
      await sender.signTransaction({ ...feesOf1559, ...call, type: 'eip7702', gas: 200_000n }),
    ]);
    const proof = await requireProof(hash);
    expect(proof.receipt.slice(0, 4)).toBe('0x04');
    expect(verifyReceiptProof(proof).blockHash).toBe((await readReceipt(node, hash))?.blockHash);
  });
});

describe('the proof of a registration', () => {
  let hash: Hex = '0x';
  let proof: ReceiptProof;

  beforeAll(async () => {
    const registration = await signRegistration([toBytes32(11), toBytes32(12)]);
    [, hash = '0x'] = await mine([await signTransaction(1), registration]);
    proof = await requireProof(hash);
  });

  it('leads to the events of the contract, with time, manifest and hash of the metadata', async () => {
    const { logs, timestamp, blockHash } = verifyReceiptProof(proof);
    expect(findRegistrationIn(logs, registry, toBytes32(12))).toEqual({
      source: 'curated',
      manifestId: '00000000-0000-0000-0000-000000000002',
      endpoints: ['https://registry.example.com'],
      manifestHash: keccak256(toBytes32(12)),
    });
    expect(findRegistrationIn(logs, registry, toBytes32(13))).toBeUndefined();
    expect(findRegistrationIn(logs, admin.address, toBytes32(12))).toBeUndefined();
    expect(await readBlockHeader(node, blockHash)).toMatchObject({ hash: blockHash, timestamp, header: proof.header });
    expect(await readTransaction(node, hash)).toEqual({
      from: registrar.address.toLowerCase(),
      to: registry.toLowerCase(),
      input: expect.stringMatching(/^0xa932115c/),
    });
  });

  it('is invalid, or leads to another block, once a byte of it is changed', () => {
    const { blockHash } = verifyReceiptProof(proof);
    const flip = (bytes: Hex, index: number): Hex => {
      const digit = Number.parseInt(bytes.charAt(index), 16) ^ 1;
      return `0x${bytes.slice(2, index)}${digit.toString(16)}${bytes.slice(index + 1)}`;
    };
    /** Every seventh digit: lengths, hashes and content in turn. */
    const indexes = (bytes: Hex) => Array.from({ length: bytes.length / 7 - 1 }, (_, index) => 7 * index + 2);
    const changed: ReceiptProof[] = [
      ...indexes(proof.header).map((index) => ({ ...proof, header: flip(proof.header, index) })),
      ...indexes(proof.receipt).map((index) => ({ ...proof, receipt: flip(proof.receipt, index) })),
      ...proof.nodes.flatMap((bytes, position) =>
        indexes(bytes).map((index) => ({ ...proof, nodes: proof.nodes.with(position, flip(bytes, index)) })),
      ),
      ...[0, 2, 128].map((transactionIndex) => ({ ...proof, transactionIndex })),
      { ...proof, nodes: proof.nodes.slice(1) },
      { ...proof, nodes: proof.nodes.slice(0, -1) },
      { ...proof, nodes: [...proof.nodes, ...proof.nodes.slice(-1)] },
      { ...proof, nodes: proof.nodes.toReversed() },
    ];
    const accepted = changed.filter((one) => {
      try {
        return verifyReceiptProof(one).blockHash === blockHash;
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidProofError);
        return false;
      }
    });
    expect(accepted).toEqual([]);
    expect(changed.length).toBeGreaterThan(500);
  });
});

describe('a node that lies', () => {
  const lyingNode = (method: string, change: (result: object) => unknown): JsonRpcClient => ({
    async request(call: JsonRpcCall) {
      const result = await generousNode.request(call);
      return call.method === method && typeof result === 'object' && result ? change(result) : result;
    },
  });

  it.each<[string, string, (result: object) => unknown]>([
    ['about the time of the block', 'eth_getBlockByHash', (block) => ({ ...block, timestamp: '0x1' })],
    ['about the root of the receipts', 'eth_getBlockByHash', (block) => ({ ...block, receiptsRoot: toBytes32(1) })],
    ['about the transactions', 'eth_getBlockByHash', (block) => ({ ...block, transactions: [toBytes32(1)] })],
    ['about the block', 'eth_getTransactionReceipt', (receipt) => ({ ...receipt, transactionIndex: '0x0' })],
    ['about the logs', 'eth_getBlockReceipts', (receipts) => [receipts].flat().map((one) => ({ ...one, logs: [] }))],
    ['about the number of receipts', 'eth_getBlockReceipts', (receipts) => [receipts].flat().slice(1)],
  ])('%s is noticed', async (_, method, change) => {
    const fingerprint = toBytes32(1_000 + nonce);
    const [, hash = '0x'] = await mine([await signTransaction(1), await signRegistration([fingerprint])]);
    await expect(readReceiptProof(lyingNode(method, change), hash)).rejects.toThrow(InvalidProofError);
    expect(await readReceiptProof(generousNode, hash)).toBeDefined();
  });

  it('does not know what was never sent', async () => {
    expect(await readReceiptProof(node, toBytes32(1))).toBeUndefined();
    expect(await readBlockHeader(node, toBytes32(1))).toBeUndefined();
    expect(await readTransaction(node, toBytes32(1))).toBeUndefined();
  });
});

const noBloom: Hex = `0x${'00'.repeat(256)}`;

it('the first block of Ethereum has its well-known hash', () => {
  const emptyTrie = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';
  const header = encodeHeader({
    parentHash: toBytes32(0),
    sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
    miner: `0x${'00'.repeat(20)}`,
    stateRoot: '0xd7f8974fb5ac78d9ac099b9ad5018bedc2ce0a72dad1827a1709da30580f0544',
    transactionsRoot: emptyTrie,
    receiptsRoot: emptyTrie,
    logsBloom: noBloom,
    difficulty: '0x400000000',
    number: '0x0',
    gasLimit: '0x1388',
    gasUsed: '0x0',
    timestamp: '0x0',
    extraData: '0x11bbe8db4e347b4e8c937c1c8370e4b5ed33adb3db69cbdb7a38e1e50b1b82fa',
    mixHash: toBytes32(0),
    nonce: '0x0000000000000042',
  });
  expect(keccak256(header)).toBe('0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3');
});

it.each([
  ['since Canyon, with nonce and version', { depositReceiptVersion: '0x1' }, `f9010d0182b741b90100%c0833d3bbf01`],
  ['before Canyon, without them', {}, `f901080182b741b90100%c0`],
] as const)('the receipt of a deposit of the OP stack is encoded as there: %s', (_, version, expected) => {
  const receipt = { transactionIndex: '0x0', type: '0x7e', status: '0x1', cumulativeGasUsed: '0xb741' } as const;
  const encoded = encodeReceipt({ ...receipt, logsBloom: noBloom, logs: [], depositNonce: '0x3d3bbf', ...version });
  expect(encoded).toBe(`0x7e${expected.replace('%', noBloom.slice(2))}`);
});
