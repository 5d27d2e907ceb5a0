// The JSON-RPC methods of the development chain: those of public nodes that viem, ethers and cast need. None uses keys of
// the node, and none changes the chain in another way than by transactions. Untrusted calls wait behind the service's own.

import { errorCodes, type JsonRpcCall, JsonRpcError } from '@provenance-registry/chain-client';
import { limitConcurrency } from '@provenance-registry/core';
import Type from 'typebox';
import { Value } from 'typebox/value';
import { type Hash, type Hex, isHex, numberToHex } from 'viem';
import { TRANSACTION_GAS_CAP } from './evm.js';
import type { Caller } from './jsonRpcServer.js';

export interface Chain {
  request(call: JsonRpcCall): Promise<unknown>;
  send(transaction: Hex): Promise<Hash>;
}

/** Executes what may take long. */
export type Executor = (call: JsonRpcCall) => Promise<unknown>;

/** The limit of public nodes. */
const MAX_LOG_BLOCKS = 10_000;
/** Untrusted calls that wait for their turn: more than any program on this machine has open at once. */
const MAX_WAITING_CALLS = 1_000;

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

/** Their cost depends on the caller: the code that is executed, or the amount of data that is searched. */
const expensiveMethods = new Set(['eth_call', 'eth_estimateGas', 'eth_feeHistory', 'eth_getLogs', 'eth_getProof']);

const keyMethods = /^(eth_sendTransaction|eth_sign|personal_)/;

const LogFilter = Type.Object({
  fromBlock: Type.Optional(Type.String()),
  toBlock: Type.Optional(Type.String()),
  blockHash: Type.Optional(Type.Null()),
});

const CallWithGas = Type.Object({ gas: Type.String({ pattern: '^0x[0-9a-fA-F]+$' }) });
const CallWithInput = Type.Object({ input: Type.String(), data: Type.String() });

/** Expensive untrusted calls go to `execute`, one at a time; without it, to the chain itself. */
export function publicMethods(chain: Chain, execute: Executor = (call) => chain.request(call)) {
  const full = () => new JsonRpcError(errorCodes.limitExceeded, 'The development chain has too many calls waiting.');
  const takeExpensiveTurn = limitConcurrency(1, MAX_WAITING_CALLS, full);
  /** One of them at most is between the service's own calls and the EVM. */
  const takeTurn = limitConcurrency(1, MAX_WAITING_CALLS, full);

  return async ({ method, params = [] }: JsonRpcCall, { isOwn, signal }: Caller): Promise<unknown> => {
    switch (method) {
      case 'eth_sendRawTransaction':
        return chain.send(parseSignedTransaction(params));
      case 'eth_accounts':
        return [];
      case 'net_listening':
        return true;
      case 'net_peerCount':
        return '0x0';
    }
    if (!readMethods.has(method)) throw unknownMethodError(method);
    const call = { method, params: limitParams(method, params) };
    if (method === 'eth_getLogs' || method === 'eth_newFilter') await requireShortRange(chain, params);
    if (isOwn) return chain.request(call);
    const isExpensive = expensiveMethods.has(method);
    return (isExpensive ? takeExpensiveTurn : takeTurn)(() => {
      // The client may have disconnected while its call was waiting.
      signal.throwIfAborted();
      return isExpensive ? execute(call) : chain.request(call);
    });
  };
}

/** Refuses overrides of state and blocks, and makes calls as the EVM takes them. */
function limitParams(method: string, params: readonly unknown[]): readonly unknown[] {
  if (method !== 'eth_call' && method !== 'eth_estimateGas') return params;
  if (params.length > 2) {
    throw new JsonRpcError(
      errorCodes.invalidParams,
      `${method} takes a call and a block: overrides are not available.`,
    );
  }
  const [call, ...block] = params;
  return [lowerGas(joinData(call)), ...block];
}

/** `input` is the newer name of `data`; cast sends both, of which EDR accepts one. */
function joinData(call: unknown): unknown {
  if (!Value.Check(CallWithInput, call) || call.input !== call.data) return call;
  const { input: _, ...rest } = call;
  return rest;
}

/** No transaction may have a higher gas limit. */
function lowerGas(call: unknown): unknown {
  const isTooHigh = Value.Check(CallWithGas, call) && BigInt(call.gas) > TRANSACTION_GAS_CAP;
  return isTooHigh ? { ...call, gas: numberToHex(TRANSACTION_GAS_CAP) } : call;
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
