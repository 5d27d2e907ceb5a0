// A real EVM with the registry deployed, whose blocks a test mines and reorganizes.

import { contentRegistryAbi, REGISTRAR_ROLE } from '@provenance-registry/contract';
import { createEvm, type Evm } from '@provenance-registry/dev-chain';
import { createWalletClient, custom, type Hex, numberToHex } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { newPrivateKey } from '../../../../test/support/wallets.js';
import { deployRegistry, registryAddressOf } from '../../src/chain/registryContract.js';
import { type FaultyNode, serveFaulty } from './faultyNode.js';

export interface TestChain {
  readonly node: FaultyNode;
  readonly registry: Hex;
  readonly writingKey: Hex;
  readonly writer: PrivateKeyAccount;
  /** Whether each transaction is mined as it is sent. */
  readonly mining: { atOnce: boolean };
  /** Calls the EVM directly, without the node's faults. */
  request(method: string, ...params: unknown[]): Promise<unknown>;
  mine(blocks?: number): Promise<void>;
  /** Replaces the last `depth` blocks and their transactions with `depth + 1` empty blocks. */
  reorganize(depth: number): Promise<void>;
  /** Drops all pending transactions. */
  emptyPool(): Promise<void>;
  /** Sends a call from the contract's administrator and mines it. */
  administrate(functionName: 'pause' | 'unpause'): Promise<void>;
  setRegistrar(has: boolean, address?: Hex): Promise<void>;
  setEndpoints(endpoints: string[]): Promise<void>;
  /** Sends and mines a transaction of the writing key that the submitter does not know. */
  sendUnknownTransaction(nonce: number, to: Hex, data?: Hex): Promise<Hex>;
  close(): Promise<void>;
}

/** Above every base fee that a test sets. */
const MAX_FEE = 10n ** 12n;

/** An EVM with the registry deployed, in which nothing else has happened. */
interface DeployedEvm {
  readonly evm: Evm;
  readonly admin: PrivateKeyAccount;
  readonly writingKey: Hex;
}

declare global {
  /** Left by finished tests of this worker: starting and deploying takes longer than most tests. */
  var unusedEvms: DeployedEvm[] | undefined;
}

async function deployEvm(): Promise<DeployedEvm> {
  const admin = privateKeyToAccount(newPrivateKey());
  const writingKey = newPrivateKey();
  const writer = privateKeyToAccount(writingKey);
  const evm = await createEvm({
    funded: [admin.address, writer.address],
    genesisTime: Math.floor(Date.now() / 1_000) - 3_600,
    automine: true,
  });
  const roles = { admin, registrar: writer.address, endpoints: ['https://registry.example/api/c2pa'] };
  await deployRegistry(evm, roles);
  await evm.request({ method: 'evm_setAutomine', params: [false] });
  return { evm, admin, writingKey };
}

export async function startTestChain(): Promise<TestChain> {
  globalThis.unusedEvms ??= [];
  const deployed = globalThis.unusedEvms.pop() ?? (await deployEvm());
  const { evm, admin, writingKey } = deployed;
  const writer = privateKeyToAccount(writingKey);
  const deployedState = await evm.request({ method: 'evm_snapshot', params: [] });
  // Returning to a snapshot also returns the clock.
  await evm.request({ method: 'evm_setNextBlockTimestamp', params: [numberToHex(Math.floor(Date.now() / 1_000))] });
  // Calls run one at a time, so that a reader never sees a half-done reorganization.
  let last: Promise<unknown> = Promise.resolve();
  function inSequence<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  }
  const execute = (method: string, params: readonly unknown[] = []) => evm.request({ method, params });
  /** The state before each block. */
  const snapshots: unknown[] = [];

  async function mineOne(): Promise<void> {
    snapshots.push(await execute('evm_snapshot'));
    await execute('evm_mine');
  }

  const mining = { atOnce: true };
  const node = await serveFaulty((method, params) =>
    inSequence(async () => {
      const result = await execute(method, params);
      if (method === 'eth_sendRawTransaction' && mining.atOnce) await mineOne();
      return result;
    }),
  );
  const registry = registryAddressOf(admin);
  const wallet = createWalletClient({
    account: admin,
    transport: custom({ request: ({ method, params }) => chain.request(method, ...(params ?? [])) }),
  });
  const contract = { address: registry, abi: contentRegistryAbi, chain: null, gas: 200_000n } as const;
  const fees = { maxFeePerGas: MAX_FEE, maxPriorityFeePerGas: MAX_FEE };

  const chain: TestChain = {
    node,
    registry,
    writingKey,
    writer,
    mining,
    request: (method, ...params) => inSequence(() => execute(method, params)),
    async mine(blocks = 1) {
      await inSequence(async () => {
        for (let left = blocks; left > 0; left -= 1) await mineOne();
      });
    },
    async reorganize(depth) {
      await inSequence(async () => {
        const snapshot = snapshots.splice(-depth)[0];
        if (snapshot === undefined) throw new Error('there are fewer blocks than that');
        await execute('evm_revert', [snapshot]);
        await dropPool();
        // A different timestamp makes the new blocks differ from the old ones.
        await execute('evm_increaseTime', [numberToHex(7)]);
        for (let left = depth + 1; left > 0; left -= 1) await mineOne();
      });
    },
    emptyPool: () => inSequence(dropPool),
    async administrate(functionName) {
      await wallet.writeContract({ ...contract, ...fees, functionName });
      await chain.mine();
    },
    async setRegistrar(has, address = writer.address) {
      const functionName = has ? 'grantRole' : 'revokeRole';
      await wallet.writeContract({ ...contract, ...fees, functionName, args: [REGISTRAR_ROLE, address] });
      await chain.mine();
    },
    async setEndpoints(endpoints) {
      await wallet.writeContract({ ...contract, ...fees, functionName: 'setEndpoints', args: [endpoints] });
      await chain.mine();
    },
    async sendUnknownTransaction(nonce, to, data = '0x') {
      const raw = await writer.signTransaction({
        type: 'eip1559',
        chainId: 31_337,
        nonce,
        to,
        data,
        gas: 1_000_000n,
        ...fees,
      });
      const hash = await inSequence(async () => {
        const sent = await execute('eth_sendRawTransaction', [raw]);
        await mineOne();
        return sent;
      });
      return `0x${String(hash).slice(2)}`;
    },
    async close() {
      await node.close();
      await inSequence(() => execute('evm_revert', [deployedState]));
      globalThis.unusedEvms?.push(deployed);
    },
  };

  async function dropPool(): Promise<void> {
    const pending = await execute('eth_pendingTransactions');
    for (const { hash } of Array.isArray(pending) ? pending : []) await execute('hardhat_dropTransaction', [hash]);
  }
  return chain;
}
