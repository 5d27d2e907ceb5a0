// The development chain of a test worker: one EVM for all its files, reset when a file ends. Each service gets a contract
// and a writing key of its own.

import {
  createEvm,
  type Evm,
  type JsonRpcServer,
  serveJsonRpc,
  wellKnownAccounts,
} from '@provenance-registry/dev-chain';
import { numberToHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { deployRegistry, registryAddressOf } from '../../packages/server/src/chain/registryContract.js';
import { newPrivateKey } from './wallets.js';

interface WorkerChain {
  readonly evm: Evm;
  /** The function of the same instance of the module as the EVM, whose errors it recognizes by their class. */
  readonly serve: typeof serveJsonRpc;
  /** The state before the current file. */
  snapshot: unknown;
}

declare global {
  /** Outlives this module, which each test file loads again. */
  var workerChain: Promise<WorkerChain> | undefined;
}

/** Enough for every transaction of a test. */
const FUNDING = numberToHex(10n ** 22n);

/** Deployments by database: a service that is started again on the same one uses the same contract. */
const deployments = new Map<string, Promise<Deployment>>();

/** Set when the file's first block is about to be mined: returning to a snapshot also returns the clock. */
let clock: Promise<unknown> | undefined;

interface Deployment {
  readonly settings: Readonly<Record<string, string>>;
  readonly node: JsonRpcServer;
}

/** Closes the nodes, and removes what the file has left on the chain. */
export async function resetWorkerChain(): Promise<void> {
  const chain = await globalThis.workerChain;
  if (!chain || deployments.size === 0) return;
  for (const { node } of await Promise.all(deployments.values())) await node.close();
  deployments.clear();
  await chain.evm.request({ method: 'evm_revert', params: [chain.snapshot] });
  // A snapshot can be returned to once.
  chain.snapshot = await takeSnapshot(chain.evm);
}

/** Deploys the registry for the service with this database and URL. Returns the service's settings. */
export async function deployOnWorkerChain(databaseUrl: string, baseUrl: string): Promise<Deployment['settings']> {
  const deployment = deployments.get(databaseUrl) ?? deploy(baseUrl);
  deployments.set(databaseUrl, deployment);
  return (await deployment).settings;
}

async function deploy(baseUrl: string): Promise<Deployment> {
  globalThis.workerChain ??= startWorkerChain();
  const { evm, serve } = await globalThis.workerChain;
  clock ??= setClock(evm);
  await clock;
  const node = await serve({
    handle: (call) => evm.request(call),
    port: 0,
    origin: new URL(baseUrl).origin,
    onFault: (error) => {
      throw error;
    },
  });
  const admin = privateKeyToAccount(newPrivateKey());
  const writingKey = newPrivateKey();
  const registrar = privateKeyToAccount(writingKey).address;
  for (const address of [admin.address, registrar]) {
    await evm.request({ method: 'hardhat_setBalance', params: [address, FUNDING] });
  }
  await deployRegistry(evm, { admin, registrar, endpoints: [`${baseUrl}/api/c2pa`] });
  const settings = {
    RPC_URL: node.url,
    PUBLIC_RPC_URL: node.url,
    REGISTRY_ADDRESS: registryAddressOf(admin),
    CHAIN_PRIVATE_KEY: writingKey,
  };
  return { settings, node };
}

async function startWorkerChain(): Promise<WorkerChain> {
  // In the past, so that the clock can be set to the present for each file.
  const genesisTime = Math.floor(Date.now() / 1_000) - 3_600;
  const evm = await createEvm({ funded: wellKnownAccounts, genesisTime, automine: true });
  return { evm, serve: serveJsonRpc, snapshot: await takeSnapshot(evm) };
}

/** Blocks have the present time, so that they agree with the times of manifests and of the service. */
function setClock(evm: Evm): Promise<unknown> {
  const now = numberToHex(Math.floor(Date.now() / 1_000));
  return evm.request({ method: 'evm_setNextBlockTimestamp', params: [now] });
}

function takeSnapshot(evm: Evm): Promise<unknown> {
  return evm.request({ method: 'evm_snapshot', params: [] });
}
