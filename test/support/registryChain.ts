// A registry on a real EVM, behind a node that records its calls and can be made to misbehave.

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { createJsonRpcClient, type JsonRpcClient, JsonRpcError } from '@provenance-registry/chain-client';
import { contentRegistryAbi } from '@provenance-registry/contract';
import { createEvm, type Evm } from '@provenance-registry/dev-chain';
import { type Account, createWalletClient, custom, type Hex } from 'viem';
import { hardhat } from 'viem/chains';
import { deployRegistry, registryAddressOf } from '../../packages/server/src/chain/registryContract.js';
import { admin, registrar, testWallet } from './wallets.js';

export interface RpcCall {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Replaces the node's response. `honest` gives the response it would have sent. */
type Misbehaviour = (response: ServerResponse, calls: readonly RpcCall[], honest: () => Promise<unknown>) => unknown;

export interface RecordingNode {
  readonly url: string;
  /** The calls of each HTTP request so far. */
  readonly requests: (readonly RpcCall[])[];
  /** Resolves with the next request. */
  nextRequest(): Promise<readonly RpcCall[]>;
  misbehave(how: Misbehaviour | undefined): void;
  close(): Promise<void>;
}

/** Starts a node that records its calls, and refuses each if no EVM is given. */
export async function startRecordingNode(evm?: Evm): Promise<RecordingNode> {
  const requests: (readonly RpcCall[])[] = [];
  let misbehaviour: Misbehaviour | undefined;
  let onRequest = (_calls: readonly RpcCall[]) => {};
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const message: RpcCall | RpcCall[] = JSON.parse(Buffer.concat(chunks).toString());
    const calls = Array.isArray(message) ? message : [message];
    requests.push(calls);
    onRequest(calls);
    const honest = async () => {
      const results = await Promise.all(calls.map((call) => execute(call, evm)));
      return Array.isArray(message) ? results : results[0];
    };
    if (misbehaviour) await misbehaviour(response, calls, honest);
    else response.end(JSON.stringify(await honest()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    nextRequest: () =>
      new Promise((resolve) => {
        onRequest = resolve;
      }),
    misbehave: (how) => {
      misbehaviour = how;
    },
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function execute({ id, method, params }: RpcCall, evm: Evm | undefined): Promise<object> {
  if (!evm) return { jsonrpc: '2.0', id, error: { code: -32_601, message: 'there is no chain here' } };
  try {
    return { jsonrpc: '2.0', id, result: await evm.request({ method, params }) };
  } catch (error) {
    if (!(error instanceof JsonRpcError)) throw error;
    const { code, message, data } = error;
    return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } };
  }
}

export const curatedEndpoint = 'https://registry.example.com/api/c2pa';

export interface RegistryChain extends RecordingNode {
  readonly evm: Evm;
  readonly reader: JsonRpcClient;
  readonly registry: Hex;
  registerCurated(fingerprint: Hex, manifestId: Hex): Promise<Hex>;
  registerPublic(account: Account, fingerprint: Hex, endpoints: string[], manifestId: string): Promise<Hex>;
  /** Sends any call to the registry, signed by that account. */
  send(account: Account, data: Hex): Promise<Hex>;
}

export async function startRegistryChain(): Promise<RegistryChain> {
  const funded = [admin.address, registrar.address, testWallet(0).address, testWallet(1).address];
  const evm = await createEvm({ funded, genesisTime: 1_700_000_000, automine: true });
  const node = await startRecordingNode(evm);
  const reader = createJsonRpcClient({ url: node.url });
  await deployRegistry(reader, { admin, registrar: registrar.address, endpoints: [curatedEndpoint] });
  const registry = registryAddressOf(admin);
  const contract = { address: registry, abi: contentRegistryAbi, chain: hardhat } as const;
  const writer = createWalletClient({ chain: hardhat, transport: custom(reader, { retryCount: 0 }) });
  return {
    ...node,
    evm,
    reader,
    registry,
    registerCurated: (fingerprint, manifestId) =>
      writer.writeContract({
        ...contract,
        account: registrar,
        functionName: 'registerManifest',
        args: [fingerprint, manifestId, toBytes32(1), toBytes32(2)],
      }),
    registerPublic: (account, fingerprint, endpoints, manifestId) =>
      writer.writeContract({
        ...contract,
        account,
        functionName: 'registerPublicManifest',
        args: [fingerprint, endpoints, manifestId, toBytes32(1)],
      }),
    send: (account, data) => writer.sendTransaction({ account, to: registry, data, chain: hardhat }),
  };
}

export function toBytes32(value: number | bigint): Hex {
  return `0x${value.toString(16).padStart(64, '0')}`;
}
