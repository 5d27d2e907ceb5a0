// What the development chain has answered is never lost: not by starting again, not by a kill, not by a disk that fails;
// and no other process writes to it meanwhile.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, open, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Value } from 'typebox/value';
import type { Address, Hash } from 'viem';
import { describe, expect, it, vi } from 'vitest';
import { randomInt } from '../../../test/support/random.js';
import { temporaryFolder } from '../../../test/support/service.js';
import { encodeRecord } from '../src/journal.js';
import {
  accounts,
  alice,
  bob,
  ETHER,
  HexText,
  openChain,
  type RpcAnswer,
  receiptOf,
  rpc,
  running,
  sent,
  start,
  tipOf,
  transfer,
} from './support.js';

describe('a restarted chain', () => {
  it('funds new accounts once', async () => {
    const folder = await temporaryFolder();
    const late: Address = '0x00000000000000000000000000000000000000aa';
    const first = await start(folder);
    await sent(first.url, await transfer(alice, 0, { to: late, value: ETHER }));
    await first.close();
    for (let round = 0; round < 3; round += 1) {
      const { url, close } = await start(folder, { funded: [late] });
      expect(BigInt(String((await rpc(url, 'eth_getBalance', late, 'latest')).result))).toBe(10_001n * ETHER);
      await sent(url, await transfer(alice, round + 1));
      await close();
    }
  });

  it('removes an incomplete record that a kill left, wherever it ends, and continues', async () => {
    const folder = await temporaryFolder();
    const journal = join(folder, 'journal');
    const chain = await openChain(folder);
    await chain.send(await transfer(alice, 0));
    const whole = (await stat(journal)).size;
    await chain.send(await transfer(alice, 1));
    await chain.close();
    const all = await readFile(journal);
    for (let length = whole; length < all.length; length += length < all.length - 9 ? 61 : 1) {
      await writeFile(journal, all.subarray(0, length));
      const again = await openChain(folder);
      expect(await again.request({ method: 'eth_blockNumber' })).toBe('0x1');
      expect((await stat(journal)).size).toBe(whole);
      await again.send(await transfer(alice, 1));
      await again.close();
      await (await openChain(folder)).close();
    }
  });

  it('starts from the beginning when not even its genesis was written', async () => {
    const folder = await temporaryFolder();
    await (await openChain(folder)).close();
    await truncate(join(folder, 'journal'), 20);
    const again = await openChain(folder);
    await again.send(await transfer(alice, 0));
    await again.close();
  });

  it('refuses a journal with any changed byte, and names the file', async () => {
    const folder = await temporaryFolder();
    const journal = join(folder, 'journal');
    const chain = await openChain(folder);
    await chain.send(await transfer(alice, 0));
    await chain.send(await transfer(alice, 1));
    await chain.close();
    const all = await readFile(journal);
    for (let at = all.length - 1; at >= 0; at -= 23) {
      const damaged = Buffer.from(all);
      damaged.writeUInt8(damaged.readUInt8(at) ^ 1, at);
      await writeFile(journal, damaged);
      await expect(openChain(folder)).rejects.toThrow(journal);
    }
  });

  it.each([
    ['lacks a block', (lines: string[]) => lines.toSpliced(1, 1)],
    ['has two blocks the wrong way round', (lines: string[]) => lines.toSpliced(1, 2, lines[2] ?? '', lines[1] ?? '')],
    ['has no beginning', (lines: string[]) => lines.slice(1)],
    ['begins twice', (lines: string[]) => [lines[0] ?? '', ...lines]],
  ])('refuses a journal that %s', async (_, change) => {
    const folder = await temporaryFolder();
    const journal = join(folder, 'journal');
    const chain = await openChain(folder);
    for (const account of accounts.slice(0, 3)) await chain.send(await transfer(account, 0));
    await chain.close();
    const lines = (await readFile(journal, 'utf8')).split('\n').slice(0, -1);
    await writeFile(
      journal,
      change(lines).map((line) => `${line}\n`),
    );
    await expect(openChain(folder)).rejects.toThrow(journal);
  });

  it('refuses a journal whose blocks differ in the replay', async () => {
    const folder = await temporaryFolder();
    const journal = join(folder, 'journal');
    const chain = await openChain(folder);
    await chain.send(await transfer(alice, 0));
    await chain.close();
    const lines = (await readFile(journal, 'utf8')).split('\n');
    const block = JSON.parse(lines[1]?.slice(17) ?? '');
    await writeFile(journal, [`${lines[0]}\n`, encodeRecord({ ...block, timestamp: block.timestamp + 1 })]);
    await expect(openChain(folder)).rejects.toThrow(/block 1 was 0x.*the replay has/);
  });
});

describe('an acknowledged transaction', () => {
  it('is on disk first', async () => {
    const folder = await temporaryFolder();
    const chain = await openChain(folder);
    const order: string[] = [];
    await onSync(async (sync) => {
      await new Promise(setImmediate);
      await sync();
      order.push('synced');
    });
    const read = async () => {
      const number = await chain.request({ method: 'eth_blockNumber' });
      if (number !== '0x0') order.push('read');
    };
    const sending = chain.send(await transfer(alice, 0)).then(() => order.push('answered'));
    await Promise.all([sending, read(), read()]);
    expect(order[0]).toBe('synced');
    expect(order).toContain('read');
    await chain.close();
  });

  it('is kept when the disk fails, and reading goes on', async () => {
    const folder = await temporaryFolder();
    const faults: unknown[] = [];
    const chain = await openChain(folder, { onFault: (fault) => faults.push(fault) });
    await chain.send(await transfer(alice, 0));
    const tip = await chain.request({ method: 'eth_getBlockByNumber', params: ['latest', false] });
    await onSync(async () => {
      throw new Error('input/output error');
    });
    const both = await Promise.all([transfer(alice, 1), transfer(bob, 0)]);
    const refusals = await Promise.allSettled(both.map((transaction) => chain.send(transaction)));
    expect(refusals.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await chain.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })).toEqual(tip);
    expect(faults).toMatchObject([{ message: expect.stringContaining(folder), cause: { message: /input/ } }]);

    vi.restoreAllMocks();
    const copy = await temporaryFolder();
    await copyFile(join(folder, 'journal'), join(copy, 'journal'));
    const asLeft = await openChain(copy);
    expect(await asLeft.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })).toEqual(tip);
    await asLeft.close();
    await chain.send(await transfer(alice, 1));
    await chain.close();
  });

  it('is kept when the disk is full, and more are accepted when there is room', async () => {
    const folder = await temporaryFolder();
    const full = await launch(folder, { maxFileKilobytes: 16 });
    const answered: unknown[] = [];
    let refusal: RpcAnswer['error'];
    while (!refusal) {
      const { result, error } = await rpc(full.url, 'eth_sendRawTransaction', await transfer(alice, answered.length));
      if (error) refusal = error;
      else answered.push(result);
    }
    expect(refusal).toMatchObject({ code: -32_000, message: expect.stringContaining('journal cannot be written') });
    expect(answered.length).toBeGreaterThan(5);
    const tip = await tipOf(full.url);
    expect(Number(tip.number)).toBe(answered.length);

    execFileSync('prlimit', [`--pid=${full.process.pid}`, '--fsize=unlimited:']);
    await sent(full.url, await transfer(alice, answered.length));
    const grown = await tipOf(full.url);
    expect(Number(grown.number)).toBe(answered.length + 1);
    await full.end();
    const again = await launch(folder);
    expect(await tipOf(again.url)).toEqual(grown);
    await again.end();
  });

  it('is kept, in the same block, after each of three kills under load', async () => {
    const folder = await temporaryFolder();
    const known = new Map<Hash, string | undefined>();
    for (let round = 0; round < 3; round += 1) {
      const chain = await launch(folder);
      await expectAll(chain.url, known);
      let answers = 0;
      const killAfter = 10 + randomInt(60);
      await Promise.all(
        accounts.slice(0, 4).map((account) =>
          sendUntilKilled(chain.url, account, (hash, block) => {
            known.set(hash, block);
            answers += 1;
            if (answers === killAfter) chain.process.kill('SIGKILL');
          }),
        ),
      );
      await chain.end();
    }
    const { url, end } = await launch(folder);
    await expectAll(url, known);
    await end();
  });
});

describe('a second chain', () => {
  it('on the same folder is refused, from the same process and from another', async () => {
    const folder = await temporaryFolder();
    const { close } = await start(folder);
    await expect(start(folder)).rejects.toThrow(`Another process runs a development chain in ${folder}`);
    await expect(launch(folder)).rejects.toThrow(`Another process runs a development chain in ${folder}`);
    await close();
    await start(folder);
  });

  it('on the same port is refused with one clear reason, and leaves its folder free', async () => {
    const { url } = await start(await temporaryFolder());
    const port = Number(new URL(url).port);
    const folder = await temporaryFolder();
    await expect(start(folder, { port })).rejects.toMatchObject({
      code: 'EADDRINUSE',
      message: `Port ${port} of 127.0.0.1 is in use by another program.`,
    });
    await start(folder);
  });

  it('on a copy of the folder is the same chain', async () => {
    const [folder, copy] = [await temporaryFolder(), await temporaryFolder()];
    const { url } = await start(folder);
    await sent(url, await transfer(alice, 0));
    await copyFile(join(folder, 'journal'), join(copy, 'journal'));
    expect(await tipOf((await start(copy)).url)).toEqual(await tipOf(url));
  });
});

/** Stands between the journal and the disk. */
async function onSync(replacement: (sync: () => Promise<void>) => Promise<void>): Promise<void> {
  const handle = await open('/dev/null');
  const prototype = Object.getPrototypeOf(handle);
  await handle.close();
  const sync = prototype.datasync;
  vi.spyOn(prototype, 'datasync').mockImplementation(function (this: unknown) {
    return replacement(() => sync.call(this));
  });
}

/** Every transaction is in its block; in some block, when the kill came before that could be asked. */
async function expectAll(url: string, known: Map<Hash, string | undefined>): Promise<void> {
  for (const [hash, block] of known) {
    const receipt = await receiptOf(url, hash);
    expect(receipt).toMatchObject({ transactionHash: hash, blockHash: block ?? expect.any(String) });
    known.set(hash, receipt?.blockHash);
  }
}

/** One transaction after the other, until the chain stops responding. */
async function sendUntilKilled(
  url: string,
  account: typeof alice,
  onAnswer: (hash: Hash, block: string | undefined) => void,
): Promise<void> {
  const answered = <T>(promise: Promise<T>) => promise.catch(() => undefined);
  const count = await answered(rpc(url, 'eth_getTransactionCount', account.address, 'latest'));
  if (!count) return;
  for (let nonce = Number(count.result); ; nonce += 1) {
    const transaction = await transfer(account, nonce);
    const answer = await answered(rpc(url, 'eth_sendRawTransaction', transaction));
    if (!answer) return;
    if (answer.error) throw new Error(answer.error.message);
    const hash = Value.Parse(HexText, answer.result);
    const receipt = await answered(receiptOf(url, hash));
    onAnswer(hash, receipt?.blockHash);
  }
}

interface Launched {
  readonly url: string;
  readonly process: ChildProcess;
  /** Kills it, unless it is dead. */
  end(): Promise<void>;
}

/** The chain in a process of its own. */
async function launch(folder: string, limits: { maxFileKilobytes?: number } = {}): Promise<Launched> {
  const script = `
    import { startDevelopmentChain } from '@provenance-registry/dev-chain';
    const settings = { folder: ${JSON.stringify(folder)}, port: 0, funded: [], confirmations: 1, onFault() {} };
    startDevelopmentChain(settings).then(({ url }) => console.log(url), ({ message }) => console.log(message));`;
  const limit = limits.maxFileKilobytes === undefined ? '' : `ulimit -S -f ${limits.maxFileKilobytes}; `;
  const child = spawn('bash', ['-c', `${limit}exec "$0" --input-type=module -e "$1"`, process.execPath, script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  async function end() {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }
  running.push(end);
  const [line] = await once(createInterface(child.stdout), 'line');
  if (!/^http:/.test(line)) throw new Error(line);
  return { url: line, process: child, end };
}
