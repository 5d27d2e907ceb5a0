// Anchors of the public log on a chain that does what chains do: each is a published head, between registrations.

import { createJsonRpcClient, encodeAnchor, readAnchors } from '@provenance-registry/chain-client';
import { parseCheckpoint, parseNote } from '@provenance-registry/log';
import type { Hex } from 'viem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newDataFolder } from '../../../../test/support/service.js';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import { deployLogContract, findLogContractProblem } from '../../src/chain/registryContract.js';
import { LogAnchorQueries } from '../../src/database/queries/log/logAnchors.js';
import { LogSequenceQueries } from '../../src/database/queries/log/logSequence.js';
import type { LogFiles } from '../../src/domain/ports/index.js';
import { openLogDisk } from '../../src/files/logDisk.js';
import { createAnchoredLog } from '../../src/publicLog/anchoredLog.js';
import type { Sequencer } from '../../src/publicLog/sequencer.js';
import { addLeaves, openSequencer } from '../support/logStores.js';
import { expectConsistentRegistrations } from '../support/registrations.js';
import { hasLogged, openSubmitterSetup, type StartOptions, type SubmitterSetup } from '../support/submitters.js';

const lease = { name: 'public-log', holder: 'this test', ms: 3_600_000 };
/** An anchor follows as soon as the log has grown, whatever the clock of the test's chain says. */
const INTERVAL_MS = -3_600_000;

let world: SubmitterSetup;
let files: LogFiles;
let sequencer: Sequencer;
let contract: Hex;
let records: LogSequenceQueries;
let anchors: LogAnchorQueries;

beforeEach(async () => {
  world = await openSubmitterSetup();
  const { outbox, chain } = world;
  files = await openLogDisk(await newDataFolder());
  records = new LogSequenceQueries(outbox.database);
  expect(await records.acquireLease(lease)).toBe(true);
  sequencer = openSequencer(records, files, { lease });
  anchors = new LogAnchorQueries(outbox.database);
  const node = createJsonRpcClient({ url: chain.node.url });
  const deployed = await deployLogContract(node, chain.writer, chain.writer.address);
  contract = `0x${deployed.slice(2).toLowerCase()}`;
});
afterEach(() => world.close());

const start = (options: StartOptions = {}) =>
  world.start({
    anchoring: {
      contract,
      log: createAnchoredLog(records, files),
      records: anchors,
      intervalMs: INTERVAL_MS,
    },
    ...options,
  });

/** Grows the log and returns its published size and root. */
async function publish(leaves: number) {
  await addLeaves(world.outbox.database, leaves);
  for (;;) {
    const { sequenced } = await sequencer.runRound();
    const { text } = (await files.readCheckpoint()) ?? {};
    if (sequenced > 0 || text === undefined || (await records.readHead()).hasPending) continue;
    const { size, root } = parseCheckpoint(parseNote(text).text);
    return { size, root: `0x${Buffer.from(root).toString('hex')}` };
  }
}

const readLast = () => anchors.readLast({ chainId: 31_337, address: contract });

async function untilAnchored({ size }: { readonly size: number }) {
  await waitUntil(async () => (await readLast())?.size === size, `the log is anchored at ${size}`);
}

/** What the events of the contract say. */
async function listEvents() {
  const node = createJsonRpcClient({ url: world.chain.node.url });
  const to = BigInt(String(await world.chain.request('eth_blockNumber')));
  const events: { size: number; root: Hex }[] = [];
  for await (const { size, root } of readAnchors(node, contract, { from: 0n, to })) events.push({ size, root });
  return events;
}

describe('anchors of the public log', () => {
  it('are heads that were published, each after the one before, between registrations', async () => {
    const { outbox, chain } = world;
    const heads = [await publish(3)];
    await outbox.add(2);
    start();
    await outbox.untilAll('submitted');
    await untilAnchored(heads[0] ?? { size: -1 });
    for (const leaves of [1, 300]) {
      const head = await publish(leaves);
      heads.push(head);
      await outbox.add(2);
      await untilAnchored(head);
    }
    await outbox.untilAll('submitted');
    await expectConsistentRegistrations(outbox, chain);
    const events = await listEvents();
    expect(events.slice(-1)).toEqual(heads.slice(-1));
    expect(heads).toEqual(expect.arrayContaining(events));
    const last = await readLast();
    const [transaction] = [await chain.request('eth_getTransactionReceipt', last?.transactionHash)];
    expect(transaction).toMatchObject({ blockHash: last?.blockHash, to: contract });
  });

  it('count when they have three confirmations, and are looked for again after a reorganization', async () => {
    const { chain } = world;
    const head = await publish(5);
    start({ confirmations: 3 });
    await waitUntil(async () => (await listEvents()).length === 1, 'the anchor is mined');
    const receipts = () => chain.node.calls.get('eth_getTransactionReceipt') ?? 0;
    const seen = receipts();
    await waitUntil(() => receipts() > seen + 2, 'it has looked at the receipt');
    expect(await readLast()).toBeUndefined();
    await chain.mine(2);
    await untilAnchored(head);
    const before = await readLast();
    await chain.reorganize(3);
    await waitUntil(async () => {
      await chain.mine();
      const last = await readLast();
      return last !== undefined && last.blockHash !== before?.blockHash;
    }, 'it is anchored again');
    expect(await listEvents()).toEqual([head]);
    const block = await chain.request('eth_getBlockByHash', (await readLast())?.blockHash, false);
    expect(block).not.toBeNull();
  });

  it('are read from the contract by a database that has lost them, and go on', async () => {
    const { outbox } = world;
    const first = await publish(4);
    const submitter = start();
    await untilAnchored(first);
    await submitter.stop();
    await outbox.query('delete from log_anchors');
    await outbox.query('delete from chain_transactions');
    const second = await publish(9);
    start();
    await untilAnchored(second);
    expect(await listEvents()).toEqual([first, second]);
    expect(await outbox.query('select size from log_anchors order by size')).toHaveLength(2);
  });

  it.each([2, 8, 9])(
    'are not made of a log that contradicts one of size %i, while registrations go on',
    async (size) => {
      const { outbox, chain } = world;
      const root: Hex = `0x${'ab'.repeat(32)}`;
      await chain.sendUnknownTransaction(1, contract, encodeAnchor({ size, root }, []));
      expect(await publish(6)).toMatchObject({ size: 8 });
      await outbox.add(1);
      start();
      await outbox.untilAll('submitted');
      await waitUntil(() => hasLogged(world, 'the log is not anchored'), 'it has said so');
      expect(await listEvents()).toEqual([{ size, root }]);
    },
  );

  it('hold up no registration while the node has no answer about their contract', async () => {
    const { outbox, chain } = world;
    const head = await publish(3);
    chain.node.tamper = (method, result, params) =>
      method === 'eth_call' && JSON.stringify(params).includes(contract) ? 'none' : result;
    await outbox.add(2);
    start();
    await outbox.untilAll('submitted');
    await waitUntil(() => hasLogged(world, 'the log is not anchored'), 'it has said so');
    expect(await listEvents()).toEqual([]);
    chain.node.tamper = (_method, result) => result;
    await untilAnchored(head);
  });

  it('are made by their writer alone, in a contract that takes them', async () => {
    const { chain } = world;
    const node = createJsonRpcClient({ url: chain.node.url });
    expect(await findLogContractProblem(node, contract, chain.writer.address)).toBeUndefined();
    expect(await findLogContractProblem(node, contract, `0x${'22'.repeat(20)}`)).toContain('may not anchor');
    expect(await findLogContractProblem(node, chain.registry, chain.writer.address)).toContain('takes no anchors');
    expect(await findLogContractProblem(node, `0x${'22'.repeat(20)}`, undefined)).toContain('there is no contract');
  });
});
