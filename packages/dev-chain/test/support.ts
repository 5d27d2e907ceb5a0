// Development chains in the process of a test, and what tests send to them.

import { join } from 'node:path';
import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';
import type { Address, Hash, Hex } from 'viem';
import { afterEach, vi } from 'vitest';
import { testWallet } from '../../../test/support/wallets.js';
import { type DevelopmentChain, startDevelopmentChain } from '../src/developmentChain.js';
import { openDurableChain } from '../src/durableChain.js';

export const accounts = Array.from({ length: 10 }, (_, addressIndex) => testWallet(addressIndex));
export const [alice, bob] = [testWallet(0), testWallet(1)];
export const ETHER = 10n ** 18n;

/** What a test started; ended when it is through. */
export const running: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  for (const end of running.splice(0)) await end();
});

type Settings = Partial<Parameters<typeof startDevelopmentChain>[0]>;

export async function start(folder: string, settings: Settings = {}): Promise<DevelopmentChain> {
  const chain = await startDevelopmentChain({
    folder,
    port: 0,
    funded: [],
    confirmations: 1,
    onFault: fail,
    ...settings,
  });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= chain.close();
    return closed;
  };
  running.push(close);
  return { url: chain.url, close };
}

/** Without the HTTP server. */
export async function openChain(folder: string, settings: Partial<Parameters<typeof openDurableChain>[0]> = {}) {
  const path = join(folder, 'journal');
  return openDurableChain({
    path,
    funded: accounts.map(({ address }) => address),
    confirmations: 1,
    clock: () => new Date(),
    onFault: fail,
    ...settings,
  });
}

function fail(reason: unknown): void {
  throw reason;
}

export function transfer(
  from: typeof alice,
  nonce: number,
  fields: { value?: bigint; to?: Address; fee?: bigint; tip?: bigint } = {},
) {
  return from.signTransaction({
    chainId: 31_337,
    type: 'eip1559',
    to: fields.to ?? bob.address,
    value: fields.value ?? 1n,
    gas: 21_000n,
    maxFeePerGas: fields.fee ?? 10_000_000_000n,
    maxPriorityFeePerGas: fields.tip ?? 1n,
    nonce,
  });
}

const RpcAnswer = Type.Object({
  result: Type.Optional(Type.Unknown()),
  error: Type.Optional(Type.Object({ code: Type.Number(), message: Type.String() })),
});
export type RpcAnswer = Static<typeof RpcAnswer>;

export const HexText = Type.Unsafe<Hex>(Type.String({ pattern: '^0x[0-9a-f]*$' }));
const Receipt = Type.Union([Type.Null(), Type.Object({ blockHash: HexText })]);
const Block = Type.Object({ number: HexText, hash: HexText, timestamp: HexText });

export async function post(url: string, body: unknown): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: text });
}

export async function rpc(url: string, method: string, ...params: unknown[]): Promise<RpcAnswer> {
  return Value.Parse(RpcAnswer, await (await post(url, { jsonrpc: '2.0', id: 1, method, params })).json());
}

export async function receiptOf(url: string, hash: Hash): Promise<Static<typeof Receipt>> {
  return Value.Parse(Receipt, (await rpc(url, 'eth_getTransactionReceipt', hash)).result);
}

export async function tipOf(url: string): Promise<Static<typeof Block>> {
  return Value.Parse(Block, (await rpc(url, 'eth_getBlockByNumber', 'latest', false)).result);
}

export async function sent(url: string, transaction: Hex): Promise<Hash> {
  const { result, error } = await rpc(url, 'eth_sendRawTransaction', transaction);
  if (error) throw new Error(error.message);
  return Value.Parse(HexText, result);
}
