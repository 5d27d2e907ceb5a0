// What a client may ask the development chain over HTTP: what viem, ethers and cast need of any public node. Nothing
// that holds keys, nothing that bends the chain's rules.

import { errorCodes, type JsonRpcCall, JsonRpcError } from '@provenance-registry/chain-client';
import Type from 'typebox';
import { Value } from 'typebox/value';
import { type Hash, type Hex, isHex } from 'viem';

export interface Chain {
  request(call: JsonRpcCall): Promise<unknown>;
  send(transaction: Hex): Promise<Hash>;
}

/** As many blocks as public nodes look through at once. */
const MAX_LOG_BLOCKS = 10_000;

const readingMethods = new Set([
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

const holdsKeys = /^(eth_sendTransaction|eth_sign|personal_)/;

const LogFilter = Type.Object({
  fromBlock: Type.Optional(Type.String()),
  toBlock: Type.Optional(Type.String()),
  blockHash: Type.Optional(Type.Null()),
});

/** Answers calls from anybody. */
export function publicMethods(chain: Chain): (call: JsonRpcCall) => Promise<unknown> {
  return async ({ method, params = [] }) => {
    switch (method) {
      case 'eth_sendRawTransaction':
        return chain.send(signedTransaction(params));
      case 'eth_accounts':
        return [];
      case 'net_listening':
        return true;
      case 'net_peerCount':
        return '0x0';
      case 'eth_getLogs':
      case 'eth_newFilter':
        await refuseLongRange(chain, params);
    }
    if (!readingMethods.has(method)) throw unknownMethod(method);
    return chain.request({ method, params });
  };
}

function signedTransaction([transaction, ...more]: readonly unknown[]): Hex {
  if (more.length === 0 && isHex(transaction) && transaction.length % 2 === 0) return lowerCase(transaction);
  throw new JsonRpcError(errorCodes.invalidParams, 'eth_sendRawTransaction takes one signed transaction, in hex.');
}

function lowerCase(hex: Hex): Hex {
  return `0x${hex.slice(2).toLowerCase()}`;
}

function unknownMethod(method: string): JsonRpcError {
  const reason = holdsKeys.test(method)
    ? 'holds no keys: sign the transaction yourself and use eth_sendRawTransaction'
    : method.endsWith('subscribe')
      ? 'has no subscriptions over HTTP: poll, or use eth_newFilter'
      : 'does not offer it';
  return new JsonRpcError(errorCodes.methodNotFound, `The method ${method} is not available: this chain ${reason}.`);
}

async function refuseLongRange(chain: Chain, [filter]: readonly unknown[]): Promise<void> {
  // The machine itself refuses what is no filter.
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
