// The machine under the development chain, as tests of faults use it.

import type { Hex } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { CHAIN_ID, createEvm, type Evm } from './evm.js';

const account = mnemonicToAccount('test test test test test test test test test test test junk');
const options = { funded: [account.address], genesisTime: 1_760_000_000 };

const transfer = (fields: { nonce: number; fee?: bigint; gas?: bigint }): Promise<Hex> =>
  account.signTransaction({
    chainId: CHAIN_ID,
    type: 'eip1559',
    to: account.address,
    value: 1n,
    gas: fields.gas ?? 21_000n,
    maxFeePerGas: fields.fee ?? 10_000_000_000n,
    maxPriorityFeePerGas: 1n,
    nonce: fields.nonce,
  });

const ask = (evm: Evm, method: string, ...params: unknown[]) => evm.request({ method, params });
const send = (evm: Evm, transaction: Hex) => ask(evm, 'eth_sendRawTransaction', transaction);
const receipt = (evm: Evm, hash: unknown) => ask(evm, 'eth_getTransactionReceipt', hash);
/** Returns what the code reverts with. */
const revertWith = (bytes: string): Hex => `0x63${bytes}5f526004601cfd`;

describe('a virtual machine', () => {
  it('has chain id 31337, and gives each funded account 10,000 ether', async () => {
    const evm = await createEvm({ ...options, automine: true });
    expect(await ask(evm, 'eth_chainId')).toBe('0x7a69');
    expect(BigInt(String(await ask(evm, 'eth_getBalance', account.address, 'latest')))).toBe(10_000n * 10n ** 18n);
  });

  it('has the same genesis block for the same options', async () => {
    const genesis = async (genesisTime: number) =>
      ask(await createEvm({ ...options, genesisTime, automine: false }), 'eth_getBlockByNumber', '0x0', false);
    expect(await genesis(1_760_000_000)).toEqual(await genesis(1_760_000_000));
    expect(await genesis(1_760_000_001)).not.toEqual(await genesis(1_760_000_000));
  });

  it('mines automatically or on request', async () => {
    const automatic = await createEvm({ ...options, automine: true });
    expect(await receipt(automatic, await send(automatic, await transfer({ nonce: 0 })))).toMatchObject({
      status: '0x1',
    });

    const manual = await createEvm({ ...options, automine: false });
    const hash = await send(manual, await transfer({ nonce: 0 }));
    expect(await receipt(manual, hash)).toBeNull();
    await ask(manual, 'evm_mine');
    expect(await receipt(manual, hash)).toMatchObject({ blockNumber: '0x1' });
  });

  it('reverts to a snapshot, as a chain does in a reorganization', async () => {
    const evm = await createEvm({ ...options, automine: true });
    const snapshot = await ask(evm, 'evm_snapshot');
    const hash = await send(evm, await transfer({ nonce: 0 }));
    expect(await ask(evm, 'evm_revert', snapshot)).toBe(true);
    expect(await receipt(evm, hash)).toBeNull();
    expect(await ask(evm, 'eth_blockNumber')).toBe('0x0');
  });

  it('drops a transaction on request, and keeps one pending that pays less than the base fee', async () => {
    const evm = await createEvm({ ...options, automine: false });
    const dropped = await send(evm, await transfer({ nonce: 0 }));
    expect(await ask(evm, 'hardhat_dropTransaction', dropped)).toBe(true);
    const cheap = await send(evm, await transfer({ nonce: 0, fee: 2_000_000_000n }));
    await ask(evm, 'hardhat_setNextBlockBaseFeePerGas', '0xb2d05e00');
    await ask(evm, 'evm_mine');
    expect([await receipt(evm, dropped), await receipt(evm, cheap)]).toEqual([null, null]);
    await ask(evm, 'hardhat_setNextBlockBaseFeePerGas', '0x3b9aca00');
    await ask(evm, 'evm_mine');
    expect(await receipt(evm, cheap)).toMatchObject({ status: '0x1' });
  });

  it('returns code 3 and the data for a revert, and -32601 for an unknown method', async () => {
    const evm = await createEvm({ ...options, automine: true });
    await expect(ask(evm, 'eth_call', { data: revertWith('deadbeef') }, 'latest')).rejects.toMatchObject({
      code: 3,
      data: '0xdeadbeef',
      message: expect.stringContaining('execution reverted'),
    });
    const outOfGas = ask(evm, 'eth_call', { data: '0x5b5f56', gas: '0x10000' }, 'latest');
    await expect(outOfGas).rejects.toMatchObject({ code: -32_000, data: undefined });
    await expect(ask(evm, 'eth_noSuchThing')).rejects.toMatchObject({ code: -32_601 });
    await expect(ask(evm, 'eth_call')).rejects.toMatchObject({ code: -32_602 });
  });

  it('rejects with the messages that clients look for', async () => {
    const evm = await createEvm({ ...options, automine: false });
    const first = await transfer({ nonce: 0 });
    await send(evm, first);
    await expect(send(evm, first)).rejects.toThrow('already known');
    await expect(send(evm, await transfer({ nonce: 0, fee: 10_000_000_001n }))).rejects.toThrow(/underpriced/);
    await expect(send(evm, await transfer({ nonce: 1, fee: 10n ** 19n }))).rejects.toThrow('insufficient funds');
    await expect(send(evm, await transfer({ nonce: 1, gas: 2n ** 24n + 1n }))).rejects.toThrow('gas cap');
    await ask(evm, 'evm_mine');
    await expect(send(evm, first)).rejects.toThrow(/nonce too low/i);
  });
});

describe('transactions that cannot be mined', () => {
  it('stop all mining, when the sender has spent the funds, until they are dropped', async () => {
    const evm = await createEvm({ ...options, automine: false });
    const spend = (nonce: number) =>
      account.signTransaction({
        chainId: CHAIN_ID,
        to: '0x00000000000000000000000000000000000000aa',
        value: 6_000n * 10n ** 18n,
        gas: 21_000n,
        maxFeePerGas: 10_000_000_000n,
        nonce,
      });
    const [first, second] = [await send(evm, await spend(0)), await send(evm, await spend(1))];
    await expect(ask(evm, 'evm_mine')).rejects.toThrow('insufficient funds');
    await ask(evm, 'hardhat_dropTransaction', second);
    await ask(evm, 'evm_mine');
    expect(await receipt(evm, first)).toMatchObject({ status: '0x1' });
  });
});
