// A chain whose node is killed and started again, and comes back with other blocks than it had: a reorganisation.

import { readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectToNode } from '@provenance-registry/chain-client';
import { createWalletClient, http, parseAbi, parseEther, parseTransaction } from 'viem';
import { generatePrivateKey, mnemonicToAccount, privateKeyToAccount } from 'viem/accounts';
import { hardhat } from 'viem/chains';
import { provideRegistry, registryOf } from '../packages/server/dist/chain/registryContract.js';
import { freePort, supervise } from './processes.mjs';

/** @typedef {Awaited<ReturnType<typeof startChain>>} Chain */

/** Two blocks: what counts as confirmed can be taken back, and what does not count yet. */
export const CONFIRMATIONS = 2;
const MOST_REGISTRATIONS = 3;
/** Far from where nobody expects a reorganisation any more. */
const DEEPEST_REORGANISATION = 40;
/** Otherwise nobody has any more what was in the blocks that went. */
const COMES_AGAIN = 0.3;

const program = fileURLToPath(new URL('./chainNode.mjs', import.meta.url));
const somebody = mnemonicToAccount('test test test test test test test test test test test junk');

/** The node may be killed meanwhile, or have no room: that is what happens here. */
const letGo = () => {};

/** @param {string} folder */
export async function startChain(folder) {
  const admin = privateKeyToAccount(generatePrivateKey());
  const writingKey = generatePrivateKey();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const writer = privateKeyToAccount(writingKey).address;
  const node = await supervise({
    name: 'chain node',
    command: process.execPath,
    args: [program, String(port), folder, String(CONFIRMATIONS), admin.address, writer],
    saysReady: 'the chain is ready',
  });
  const client = connectToNode({ url });
  await provideRegistry(client, { admin, registrar: writer, endpoints: ['http://127.0.0.1/api/c2pa'] });
  const registry = registryOf(admin);
  /** The registry stays: nobody takes that much back. */
  const floor = Number(await client.getBlockNumber({ cacheTime: 0 }));

  /** Blocks of somebody else, so that the chain is longer than it was. @param {number} count */
  async function mine(count) {
    const wallet = createWalletClient({ account: somebody, chain: hardhat, transport: http(url) });
    for (let left = count; left > 0; left -= 1) {
      await wallet.sendTransaction({ to: somebody.address, value: parseEther('0') });
    }
  }

  return {
    node,
    port,
    registry,
    writingKey,
    /**
     * What was in the blocks that go comes again at once, or nobody has it any more.
     * @param {import('./random.mjs').Random} random
     */
    async reorganise(random) {
      const path = join(folder, 'journal');
      /** @type {Block[]} */
      let dropped = [];
      await node.kill('SIGKILL', async () => {
        const lines = (await readFile(path, 'utf8')).split('\n');
        const cut = withoutLast(lines, 1 + random.below(MOST_REGISTRATIONS), { floor, registry });
        await truncate(path, cut.kept);
        dropped = cut.dropped;
      });
      await node.untilReady();
      if (random.chance(COMES_AGAIN)) {
        const raw = dropped.flatMap((block) => block.transactions);
        for (const serializedTransaction of raw)
          await client.sendRawTransaction({ serializedTransaction }).catch(letGo);
      }
      await mine(dropped.length + 1).catch(letGo);
    },
    registered: () => registeredIn(client, registry),
    stop: () => node.stop('SIGKILL'),
  };
}

/**
 * @typedef {{ kind: string, number: number, transactions: `0x${string}`[] }} Block
 * How many bytes are kept, and what is dropped: the last blocks, with so many that hold registrations among them.
 * @param {readonly string[]} lines of a journal, the last one unfinished or empty
 * @param {number} count
 * @param {{ floor: number, registry: string }} place the first block, and the contract
 */
function withoutLast(lines, count, { floor, registry }) {
  const whole = lines.slice(0, -1);
  /** @type {Block[]} */
  const dropped = [];
  let left = count;
  let end = whole.length;
  while (left > 0 && dropped.length < DEEPEST_REORGANISATION) {
    /** @type {Block} */
    const record = JSON.parse(whole[end - 1]?.replace(/^\w+ /, '') ?? '{}');
    const mayGo = record.kind === 'waiting' || (record.kind === 'block' && record.number > floor);
    if (!mayGo) break;
    end -= 1;
    if (record.kind !== 'block') continue;
    dropped.unshift(record);
    if (record.transactions.some((raw) => isAddressedTo(raw, registry))) left -= 1;
  }
  const kept = whole.slice(0, end).reduce((bytes, line) => bytes + Buffer.byteLength(line) + 1, 0);
  return { kept, dropped };
}

/** @param {`0x${string}`} raw @param {string} address */
function isAddressedTo(raw, address) {
  return parseTransaction(raw).to?.toLowerCase() === address.toLowerCase();
}

const registeredEvent = parseAbi([
  'event SoftBindingRegistered(bytes32 indexed fingerprint, string[] endpoints, string manifestId)',
])[0];

/**
 * The fingerprints in the registry's log, each as often as it is there, and the ids that they have.
 * @param {ReturnType<typeof connectToNode>} client
 * @param {`0x${string}`} address
 */
export async function registeredIn(client, address) {
  const logs = await client.getLogs({ address, event: registeredEvent, fromBlock: 0n, strict: true });
  return logs.map(({ args }) => ({ fingerprint: args.fingerprint, id: args.manifestId }));
}
