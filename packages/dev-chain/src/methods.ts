// The JSON-RPC methods of the development chain: those of public nodes that viem, ethers and cast need. None uses keys of
// the node, and none changes the chain in another way than by transactions.

import { errorCodes, type JsonRpcCall, JsonRpcError } from '@provenance-registry/chain-client';
import Type from 'typebox';
import { Value } from 'typebox/value';
import { type Hash, type Hex, isHex } from 'viem';

export interface Chain {
  request(call: JsonRpcCall): Promise<unknown>;
  send(transaction: Hex): Promise<Hash>;
}

/** As on public nodes. */
const MAX_LOG_BLOCKS = 10_000;

const readMethods = new Set([
  'eth_blobBaseFee',
  'eth_blockNumber',
  'eth_call',
  'eth_chainId',
  'eth_coinbase',
  'eth_estimateGas',
  'eth_feeHistory',
  'eth_gasPrice',
  'eth_getBalance',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getBlockTransactionCountByHash',
  'eth_getBlockTransactionCountByNumber',
  'eth_getCode',
  'eth_getFilterChanges',
  'eth_getFilterLogs',
  'eth_getLogs',
  'eth_getProof',
  'eth_getStorageAt',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getTransactionByHash',
  'eth_getTransactionCount',
  'eth_getTransactionReceipt',
  'eth_maxPriorityFeePerGas',
  'eth_newBlockFilter',
  'eth_newFilter',
  'eth_syncing',
  'eth_uninstallFilter',
  'net_version',
  'web3_clientVersion',
  'web3_sha3',
]);

const keyMethods = /^(eth_sendTransaction|eth_sign|personal_)/;

const LogFilter = Type.Object({
  fromBlock: Type.Optional(Type.String()),
  toBlock: Type.Optional(Type.String()),
  blockHash: Type.Optional(Type.Null()),
});

export function publicMethods(chain: Chain): (call: JsonRpcCall) => Promise<unknown> {
  return async ({ method, params = [] }) => {
    switch (method) {
      case 'eth_sendRawTransaction':
        return chain.send(parseSignedTransaction(params));
      case 'eth_accounts':
        return [];
      case 'net_listening':
        return true;
      case 'net_peerCount':
        return '0x0';
      case 'eth_getLogs':
      case 'eth_newFilter':
        await requireShortRange(chain, params);
    }
    if (!readMethods.has(method)) throw unknownMethodError(method);
    return chain.request({ method, params });
  };
}

function parseSignedTransaction([transaction, ...more]: readonly unknown[]): Hex {
  if (more.length === 0 && isHex(transaction) && transaction.length % 2 === 0) return lowerCase(transaction);
  throw new JsonRpcError(errorCodes.invalidParams, 'eth_sendRawTransaction takes one signed transaction, in hex.');
}

function lowerCase(hex: Hex): Hex {
  return `0x${hex.slice(2).toLowerCase()}`;
}

function unknownMethodError(method: string): JsonRpcError {
  const reason = keyMethods.test(method)
    ? 'holds no keys: sign the transaction yourself and use eth_sendRawTransaction'
    : method.endsWith('subscribe')
      ? 'has no subscriptions over HTTP: poll, or use eth_newFilter'
      : 'does not offer it';
  return new JsonRpcError(errorCodes.methodNotFound, `The method ${method} is not available: this chain ${reason}.`);
}

async function requireShortRange(chain: Chain, [filter]: readonly unknown[]): Promise<void> {
  // The EVM rejects anything else.
  if (!Value.Check(LogFilter, filter)) return;
  const [from, to] = [filter.fromBlock, filter.toBlock].map((block = 'latest') =>
    block === 'earliest' ? '0x0' : isHex(block) ? block : undefined,
  );
  const latest = from && to ? undefined : await chain.request({ method: 'eth_blockNumber' });
  const blocks = Number(to ?? latest) - Number(from ?? latest) + 1;
  if (blocks <= MAX_LOG_BLOCKS) return;
  throw new JsonRpcError(
    errorCodes.invalidParams,
    `The range has ${blocks} blocks, and one request may cover ${MAX_LOG_BLOCKS}: ask for a part of it at a time.`,
  );
}
