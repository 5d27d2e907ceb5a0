// How transactions that clients send become blocks: their order, their fees, and what a restart keeps.

import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/service.js';
import { accounts, alice, bob, ETHER, openChain, receiptOf, rpc, sent, start, tipOf, transfer } from './support.js';

describe('transactions', () => {
  it('one whose earlier nonce is missing is pending, survives a restart, and is mined later', async () => {
    const folder = await temporaryFolder();
    const first = await start(folder);
    const [later, latest] = [await transfer(alice, 1), await transfer(alice, 2)];
    const hashes = [await sent(first.url, latest), await sent(first.url, later)];
    expect((await rpc(first.url, 'eth_getTransactionByHash', hashes[0])).result).toMatchObject({ blockNumber: null });
    expect((await rpc(first.url, 'eth_blockNumber')).result).toBe('0x0');
    await first.close();

    const { url } = await start(folder);
    expect((await rpc(url, 'eth_getTransactionByHash', hashes[1])).result).toMatchObject({ nonce: '0x1' });
    expect((await rpc(url, 'eth_sendRawTransaction', later)).error?.message).toContain('already known');
    await sent(url, await transfer(alice, 0));
    for (const hash of hashes) expect(await receiptOf(url, hash)).toMatchObject({ blockNumber: '0x1' });
  });

  it('one that pays too little is queued, and replaced by one that pays enough', async () => {
    const { url } = await start(await temporaryFolder());
    const cheap = await sent(url, await transfer(alice, 0, { fee: 10n }));
    expect(await receiptOf(url, cheap)).toBeNull();
    const enough = await sent(url, await transfer(alice, 0, { tip: 2n }));
    expect(await receiptOf(url, enough)).toMatchObject({ status: '0x1' });
    expect((await rpc(url, 'eth_getTransactionByHash', cheap)).result).toBeNull();
  });

  it('one whose sender can no longer pay for it is rejected, and others are mined', async () => {
    const folder = await temporaryFolder();
    const chain = await openChain(folder);
    const [spends, cannotPay, other] = await Promise.allSettled([
      chain.send(await transfer(alice, 0, { value: 6_000n * ETHER })),
      chain.send(await transfer(alice, 1, { value: 6_000n * ETHER })),
      chain.send(await transfer(bob, 0)),
    ]);
    expect([spends.status, other.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(cannotPay).toMatchObject({ reason: { message: expect.stringContaining('insufficient funds') } });
    await chain.close();
    await (await openChain(folder)).close();
  });

  it('sent at the same time share a block, in any order of nonces, and are the same after a restart', async () => {
    const folder = await temporaryFolder();
    const chain = await openChain(folder);
    const nonces = [3, 0, 2, 1, 4];
    const transactions = await Promise.all(
      nonces.flatMap((nonce) => accounts.slice(0, 4).map((account) => transfer(account, nonce))),
    );
    await Promise.all(transactions.map((transaction) => chain.send(transaction)));
    const tip = await chain.request({ method: 'eth_getBlockByNumber', params: ['latest', false] });
    expect(tip).toMatchObject({ transactions: expect.toSatisfy((list) => list.length > 10) });
    await chain.close();
    const again = await openChain(folder);
    expect(await again.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })).toEqual(tip);
    await again.close();
  });

  it('are reported once to clients with a filter, also when they were queued for a nonce', async () => {
    const { url } = await start(await temporaryFolder());
    const ask = async (method: string, ...params: unknown[]) => (await rpc(url, method, ...params)).result;
    const [logs, blocks] = [await ask('eth_newFilter', {}), await ask('eth_newBlockFilter')];
    const log = (nonce: number) =>
      alice.signTransaction({ chainId: 31_337, data: '0x5f5fa0', gas: 100_000n, maxFeePerGas: 10n ** 10n, nonce });
    for (const nonce of [1, 2, 0]) await sent(url, await log(nonce));
    expect(await ask('eth_getFilterChanges', logs)).toMatchObject([{ logIndex: '0x0' }, { logIndex: '0x1' }, {}]);
    expect(await ask('eth_getFilterChanges', blocks)).toContain((await tipOf(url)).hash);
    expect(await ask('eth_getFilterChanges', logs)).toEqual([]);
  });

  it('that do not fit into one block take several', async () => {
    const folder = await temporaryFolder();
    const chain = await openChain(folder);
    const burn = (nonce: number) =>
      // An instruction that does not exist uses up all gas.
      alice.signTransaction({ chainId: 31_337, data: '0xfe', gas: 16_000_000n, maxFeePerGas: 10n ** 10n, nonce });
    const transactions = await Promise.all([0, 1, 2, 3, 4, 5, 6].map(burn));
    const hashes = await Promise.all(transactions.map((transaction) => chain.send(transaction)));
    const blocks = await Promise.all(
      hashes.map((hash) => chain.request({ method: 'eth_getTransactionReceipt', params: [hash] })),
    );
    expect(new Set(blocks.map((receipt) => (receipt as { blockNumber: string }).blockNumber)).size).toBeGreaterThan(2);
    await chain.close();
    await (await openChain(folder)).close();
  });
});
