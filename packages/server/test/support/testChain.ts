// A real EVM with the registry on it, whose blocks a test makes and takes back.

import { createJsonRpcClient } from '@provenance-registry/chain-client';
import { contentRegistryAbi, REGISTRAR_ROLE } from '@provenance-registry/contract';
import { createEvm } from '@provenance-registry/dev-chain';
import { createWalletClient, custom, type Hex, numberToHex } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { deployRegistry, registryAddressOf } from '../../src/chain/registryContract.js';
import { type FaultyNode, serveFaulty } from './faultyNode.js';

export interface TestChain {
  readonly node: FaultyNode;
  readonly registry: Hex;
  readonly writingKey: Hex;
  readonly writer: PrivateKeyAccount;
  /** Whether a block follows each transaction that is sent. */
  readonly mining: { atOnce: boolean };
  /** Straight to the machine, past all faults. */
  request(method: string, ...params: unknown[]): Promise<unknown>;
  mine(blocks?: number): Promise<void>;
  /** The last blocks are gone with their transactions; one more than there were stand in their place, empty. */
  reorganise(depth: number): Promise<void>;
  /** As a node that has forgotten what is not mined. */
  emptyPool(): Promise<void>;
  /** Sends from the administrator of the contract, in a block of its own. */
  administrate(functionName: 'pause' | 'unpause'): Promise<void>;
  setRegistrar(has: boolean, address?: Hex): Promise<void>;
  /** Signed by the writing key and mined, behind the submitter's back. */
  writeAsStranger(nonce: number, to: Hex, data?: Hex): Promise<Hex>;
  close(): Promise<void>;
}

/** Above every base fee that a test sets. */
const GENEROUS_FEE = 10n ** 12n;

export async function startTestChain(): Promise<TestChain> {
  const admin = privateKeyToAccount(generatePrivateKey());
  const writingKey = generatePrivateKey();
  const writer = privateKeyToAccount(writingKey);
  const evm = await createEvm({
    funded: [admin.address, writer.address],
    genesisTime: Math.floor(Date.now() / 1_000) - 3_600,
    automine: true,
  });
  // One at a time: a reader never sees a block that is being taken back.
  let turn: Promise<unknown> = Promise.resolve();
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = turn.then(work);
    turn = done.catch(() => undefined);
    return done;
  }
  const ask = (method: string, params: readonly unknown[] = []) => evm.request({ method, params });
  /** What takes the machine back to before each of the last blocks. */
  const snapshots: unknown[] = [];

  async function mineOne(): Promise<void> {
    snapshots.push(await ask('evm_snapshot'));
    await ask('evm_mine');
  }

  const mining = { atOnce: false };
  const node = await serveFaulty((method, params) =>
    inTurn(async () => {
      const answer = await ask(method, params);
      if (method === 'eth_sendRawTransaction' && mining.atOnce) await mineOne();
      return answer;
    }),
  );
  const client = createJsonRpcClient({ url: node.url });
  const roles = { admin, registrar: writer.address, endpoints: ['https://registry.example/api/c2pa'] };
  await deployRegistry(client, roles);
  const registry = registryAddressOf(admin);
  await ask('evm_setAutomine', [false]);
  mining.atOnce = true;
  node.calls.clear();
  const wallet = createWalletClient({
    account: admin,
    transport: custom({ request: ({ method, params }) => chain.request(method, ...(params ?? [])) }),
  });
  const contract = { address: registry, abi: contentRegistryAbi, chain: null, gas: 200_000n } as const;
  const fees = { maxFeePerGas: GENEROUS_FEE, maxPriorityFeePerGas: GENEROUS_FEE };

  const chain: TestChain = {
    node,
    registry,
    writingKey,
    writer,
    mining,
    request: (method, ...params) => inTurn(() => ask(method, params)),
    async mine(blocks = 1) {
      await inTurn(async () => {
        for (let left = blocks; left > 0; left -= 1) await mineOne();
      });
    },
    async reorganise(depth) {
      await inTurn(async () => {
        const snapshot = snapshots.splice(-depth)[0];
        if (snapshot === undefined) throw new Error('there are not so many blocks to take back');
        await ask('evm_revert', [snapshot]);
        await dropPool();
        // Another time makes other blocks of the same content.
        await ask('evm_increaseTime', [numberToHex(7)]);
        for (let left = depth + 1; left > 0; left -= 1) await mineOne();
      });
    },
    emptyPool: () => inTurn(dropPool),
    async administrate(functionName) {
      await wallet.writeContract({ ...contract, ...fees, functionName });
      await chain.mine();
    },
    async setRegistrar(has, address = writer.address) {
      const functionName = has ? 'grantRole' : 'revokeRole';
      await wallet.writeContract({ ...contract, ...fees, functionName, args: [REGISTRAR_ROLE, address] });
      await chain.mine();
    },
    async writeAsStranger(nonce, to, data = '0x') {
      const raw = await writer.signTransaction({
        type: 'eip1559',
        chainId: 31_337,
        nonce,
        to,
        data,
        gas: 1_000_000n,
        ...fees,
      });
      const hash = await inTurn(async () => {
        const sent = await ask('eth_sendRawTransaction', [raw]);
        await mineOne();
        return sent;
      });
      return `0x${String(hash).slice(2)}`;
    },
    async close() {
      await node.close();
    },
  };

  async function dropPool(): Promise<void> {
    const pending = await ask('eth_pendingTransactions');
    for (const { hash } of Array.isArray(pending) ? pending : []) await ask('hardhat_dropTransaction', [hash]);
  }
  return chain;
}
