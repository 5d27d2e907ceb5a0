// A chain node that is killed and restarted, also with different last blocks: a reorganization.

import { readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  createJsonRpcClient,
  readBlockNumber,
  readRegistrationLogs,
  sendRawTransaction,
} from '@provenance-registry/chain-client';
import { createWalletClient, http, parseEther, parseTransaction } from 'viem';
import { generatePrivateKey, mnemonicToAccount, privateKeyToAccount } from 'viem/accounts';
import { hardhat } from 'viem/chains';
import { deployRegistry, registryAddressOf } from '../packages/server/dist/chain/registryContract.js';
import { findFreePort, supervise } from './supervisor.mjs';

/** @typedef {Awaited<ReturnType<typeof startChain>>} Chain */

/** Two blocks, so that reorganizations remove confirmed as well as unconfirmed registrations. */
export const CONFIRMATIONS = 2;
const MAX_DROPPED_REGISTRATIONS = 3;
/** Well within the depth that the service watches for reorganizations. */
const MAX_REORGANIZATION_BLOCKS = 40;
/** Otherwise the transactions of the dropped blocks are lost. */
const RESEND_PROBABILITY = 0.3;

const program = fileURLToPath(new URL('./chainNode.mjs', import.meta.url));
const otherAccount = mnemonicToAccount('test test test test test test test test test test test junk');

/** The node may be killed at the same time, or its disk may be full. */
const ignoreError = () => {};

/** @param {string} folder */
export async function startChain(folder) {
  const admin = privateKeyToAccount(generatePrivateKey());
  const writingKey = generatePrivateKey();
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const writer = privateKeyToAccount(writingKey).address;
  const node = await supervise({
    name: 'chain node',
    command: process.execPath,
    args: [program, String(port), folder, String(CONFIRMATIONS), admin.address, writer],
    readyMessage: 'the chain is ready',
    stopSignal: 'SIGKILL',
  });
  const client = createJsonRpcClient({ url });
  await deployRegistry(client, { admin, registrar: writer, endpoints: ['http://127.0.0.1/api/c2pa'] });
  const registry = registryAddressOf(admin);
  /** Reorganizations never remove the registry itself. */
  const deploymentBlock = Number(await readBlockNumber(client));

  /** Blocks of another account, so that the chain grows longer than before. @param {number} count */
  async function mine(count) {
    const wallet = createWalletClient({ account: otherAccount, chain: hardhat, transport: http(url) });
    for (let left = count; left > 0; left -= 1) {
      await wallet.sendTransaction({ to: otherAccount.address, value: parseEther('0') });
    }
  }

  return {
    node,
    port,
    registry,
    writingKey,
    /**
     * Drops the last blocks. Their transactions are sent again at once, or are lost.
     * @param {import('./random.mjs').Random} random
     */
    async reorganize(random) {
      const path = join(folder, 'journal');
      /** @type {Block[]} */
      let dropped = [];
      await node.kill('SIGKILL', async () => {
        const lines = (await readFile(path, 'utf8')).split('\n');
        const cut = splitJournal(lines, 1 + random.below(MAX_DROPPED_REGISTRATIONS), { deploymentBlock, registry });
        await truncate(path, cut.kept);
        dropped = cut.dropped;
      });
      await node.waitUntilReady();
      if (random.chance(RESEND_PROBABILITY)) {
        const raw = dropped.flatMap((block) => block.transactions);
        for (const transaction of raw) await sendRawTransaction(client, transaction).catch(ignoreError);
      }
      await mine(dropped.length + 1).catch(ignoreError);
    },
    registrations: () => readRegistrations(client, registry),
  };
}

/**
 * @typedef {{ kind: string, number: number, transactions: `0x${string}`[] }} Block
 * Splits a journal into the bytes to keep and the last blocks, `count` of which contain registrations.
 * @param {readonly string[]} lines of the journal, the last one incomplete or empty
 * @param {number} count
 * @param {{ deploymentBlock: number, registry: string }} contract
 */
function splitJournal(lines, count, { deploymentBlock, registry }) {
  const complete = lines.slice(0, -1);
  /** @type {Block[]} */
  const dropped = [];
  let left = count;
  let end = complete.length;
  while (left > 0 && dropped.length < MAX_REORGANIZATION_BLOCKS) {
    /** @type {Block} */
    const record = JSON.parse(complete[end - 1]?.replace(/^\w+ /, '') ?? '{}');
    const isDroppable = record.kind === 'waiting' || (record.kind === 'block' && record.number > deploymentBlock);
    if (!isDroppable) break;
    end -= 1;
    if (record.kind !== 'block') continue;
    dropped.unshift(record);
    if (record.transactions.some((raw) => isAddressedTo(raw, registry))) left -= 1;
  }
  const kept = complete.slice(0, end).reduce((bytes, line) => bytes + Buffer.byteLength(line) + 1, 0);
  return { kept, dropped };
}

/** @param {`0x${string}`} raw @param {string} address */
function isAddressedTo(raw, address) {
  return parseTransaction(raw).to?.toLowerCase() === address.toLowerCase();
}

/**
 * Every registration event in the registry's log, duplicates included.
 * @param {import('@provenance-registry/chain-client').JsonRpcClient} client
 * @param {`0x${string}`} address
 */
export async function readRegistrations(client, address) {
  const registrations = [];
  for await (const log of readRegistrationLogs(client, address, { from: 0n, to: await readBlockNumber(client) })) {
    registrations.push({ fingerprint: log.fingerprint, id: log.manifestId });
  }
  return registrations;
}
