// The monitor as a command that runs for long: what it asks of witnesses and sends to webhooks, and what a kill leaves.

import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { Fingerprint } from '@provenance-registry/core';
import Type from 'typebox';
import { Value } from 'typebox/value';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { newFingerprint } from '../../../test/support/artifacts.js';
import { freePort } from '../../../test/support/ports.js';
import { createMigratedDatabase } from '../../../test/support/postgres.js';
import { randomInt, randomUUID } from '../../../test/support/random.js';
import { createRegistrant } from '../../../test/support/registrants.js';
import { newDataFolder, startServiceProcess } from '../../../test/support/service.js';
import {
  encodeLeaf,
  formatPolicy,
  formatVerifierKey,
  type Leaf,
  type LeafContent,
  parsePolicy,
} from '../../log/src/index.js';
import { createSigner } from '../../log/test/support/signers.js';
import { runMonitor } from '../src/log/monitor/monitor.js';
import { type LogSource, openLog, openLogSource } from '../src/log/source.js';
import { createWitness, serveWitness } from '../src/log/witness.js';
import { openWitnessState } from '../src/log/witnessState.js';
import { listen, type Source, startSource } from './support/logSources.js';
import { Machine, main } from './support/machine.js';
import { PlantedLog } from './support/plantedLog.js';

const signer = createSigner('registry.example/log', 'log', 'followed');
const key = ['--log-key', formatVerifierKey(signer.key)];
const mark = randomUUID();
const Run = Type.Object({
  size: Type.Integer(),
  leaves: Type.Integer(),
  marks: Type.Array(Type.Object({ index: Type.Integer() })),
  findings: Type.Array(Type.Object({ kind: Type.String(), evidence: Type.String() })),
  unchecked: Type.Array(Type.String()),
});
let machine: Machine;

beforeAll(async () => {
  machine = await Machine.create();
});

function leafAt(time: number, of: string = randomUUID()): Leaf {
  const content: LeafContent<'artifact'> = {
    ...{ fingerprint: newFingerprint(), manifest: newFingerprint(), metadata: newFingerprint() },
    ...{ id: randomUUID(), mark: of, ai: [0, 0, 0, 0], license: 'NONE_SPECIFIED' },
    time: new Date(time).toISOString(),
  };
  return { kind: 'artifact', content };
}

const leavesAt = (time: number, count: number, of?: string) => Array.from({ length: count }, () => leafAt(time, of));

async function makeLog(count: number): Promise<PlantedLog> {
  const log = new PlantedLog(signer);
  await log.publish(leavesAt(Date.now(), count), Date.now());
  return log;
}

const fileOf = (log: PlantedLog, path: string) => log.files.get(path.replace(/^log\//, ''));
const serve = (log: PlantedLog): Promise<Source> => startSource((path) => fileOf(log, path));

/** The arguments for a monitor of a log, which remembers in a folder of that name. */
const watch = ({ url }: Source, folder: string, ...more: readonly string[]) => [
  ...['log', 'monitor', '--from', url, '--folder', folder, ...key, ...more],
];

async function runOnce(source: Source, folder: string, ...more: readonly string[]) {
  const { code, result } = await machine.json(watch(source, folder, '--once', ...more));
  return { code, ...Value.Parse(Run, result) };
}

/** Receives what webhooks send; `respond: false` leaves them without a response. */
async function startReceiver(respond = true) {
  const received: unknown[] = [];
  let arrived = () => {};
  const next = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    received.push(JSON.parse(Buffer.concat(chunks).toString()));
    arrived();
    if (respond) response.writeHead(204).end();
  });
  return { url: `${await listen(server)}/hook`, received, next };
}

describe('the command', () => {
  it('asks witnesses to sign what it sees: a refusal is a contradiction, and no response is none', async () => {
    const log = await makeLog(300);
    const source = await serve(log);
    const end = new AbortController();
    onTestFinished(() => end.abort());
    const quiet = () => {};
    const state = await openWitnessState(join(machine.home, 'w1'), 'w1.example', [signer.key.name]);
    const witness = createWitness({ state, logKeys: [signer.key], log: quiet });
    const { url } = await serveWitness(witness, { host: '127.0.0.1', port: 0, signal: end.signal, log: quiet });
    expect(await runOnce(source, 'asks', '--witness-url', url)).toMatchObject({ code: 0, findings: [], unchecked: [] });
    expect(state.read(signer.key.name)?.size).toBe(300);

    const other = await makeLog(300);
    const refused = await runOnce(await serve(other), 'refused', '--witness-url', url);
    expect([refused.code, refused.findings.map(({ kind }) => kind), refused.unchecked]).toEqual([1, ['fork'], []]);
    const names = await readdir(refused.findings[0]?.evidence ?? '');
    expect(names).toEqual(expect.arrayContaining(['checkpoint-1.txt', 'keys.txt', 'request.txt', 'response.txt']));

    const gone = `http://127.0.0.1:${await freePort()}`;
    const unasked = await runOnce(source, 'asks', '--witness-url', gone);
    expect([unasked.code, unasked.findings, unasked.unchecked]).toEqual([3, [], [expect.stringContaining(gone)]]);
  });

  it('goes on until Ctrl-C, and sends a webhook each run that lists something', async () => {
    const log = await makeLog(10);
    const source = await serve(log);
    const receiver = await startReceiver();
    const running = machine.start(
      watch(source, 'followed', '--every', '1', '--json-lines', '--mark', mark, '--webhook', receiver.url),
    );
    await running.waitForOutput('"size":10,');
    await log.publish(leavesAt(Date.now(), 2, mark), Date.now());
    await running.waitForOutput('"size":12,');
    await receiver.next;
    await running.waitForOutput('"leaves":0,');
    running.interrupt();
    expect((await running.end).code).toBe(0);
    const lines = running.output().trim().split('\n');
    const runs = lines.map((line) => Value.Parse(Run, JSON.parse(line)));
    const listed = runs.filter(({ marks }) => marks.length > 0);
    expect(listed.map(({ marks }) => marks.map(({ index }) => index))).toEqual([[10, 11]]);
    expect(receiver.received.map((body) => Value.Parse(Run, body))).toEqual(listed);
  });

  it('tells after a kill what it had not told, once, and keeps each contradiction once', async () => {
    const log = await makeLog(20);
    await runOnce(await serve(log), 'killed');
    await log.publish([...leavesAt(Date.now(), 3, mark), leafAt(Date.now() - 3_600_000)], Date.now());
    const source = await serve(log);
    const options = ['--once', '--mark', mark];
    const silent = await startReceiver(false);
    const spawn = (more: readonly string[]) =>
      machine.spawn(process.execPath, [main, ...watch(source, 'killed', ...options, ...more)]);

    // While it reads.
    let stalled = () => {};
    const isStalled = new Promise<void>((resolve) => {
      stalled = resolve;
    });
    const hanging = await startSource((path) => {
      if (!path.includes('/entries/')) return fileOf(log, path);
      stalled();
      return new Promise(() => {});
    });
    const reading = machine.spawn(process.execPath, [main, ...watch(hanging, 'killed', ...options)]);
    await isStalled;
    reading.process.kill('SIGKILL');
    await reading.end;

    // While it tells.
    const telling = spawn(['--webhook', silent.url]);
    await silent.next;
    telling.process.kill('SIGKILL');
    await telling.end;

    const told = await runOnce(source, 'killed', '--mark', mark);
    expect(told).toMatchObject({ code: 1, leaves: 0, findings: [{ kind: 'back-dated' }] });
    expect(told.marks.map(({ index }) => index)).toEqual([20, 21, 22]);
    expect(await readdir(join(machine.home, 'killed', 'evidence'))).toHaveLength(1);
    expect(await runOnce(source, 'killed', '--mark', mark)).toMatchObject({ code: 0, marks: [], findings: [] });
  });

  it('finds a contradiction again as long as it lasts, and keeps what proves it once', async () => {
    const log = await makeLog(300);
    await runOnce(await serve(log), 'lasting');
    const fork = await serve(await log.rewrite((entries) => entries.with(7, encodeLeaf(leafAt(0))), Date.now()));
    const found = [await runOnce(fork, 'lasting'), await runOnce(fork, 'lasting')];
    expect(found.map(({ code }) => code)).toEqual([1, 1]);
    expect(await readdir(join(machine.home, 'lasting', 'evidence'))).toHaveLength(1);
  });
});

const MINUTE_MS = 60_000;
const START = Date.parse('2026-11-17T00:00:00.000Z');
/** In a day, one a minute. */
const CHECKPOINTS = 1_440;

/** The log of an honest registry by a clock of its own: with bursts, with leaves that are late, and behind a cache. */
class HonestLog {
  readonly #log = new PlantedLog(signer, [createSigner('witness.example', 'cosignature', 'w')]);
  readonly #mirrored = new PlantedLog(signer, this.#log.witnesses);
  /** Leaves under the Mark. */
  readonly own: number[] = [];
  /** What a cache shows once more. */
  #stale: Uint8Array | undefined;
  #readsUntilKill = Number.POSITIVE_INFINITY;
  #kill = new AbortController();

  readonly #source: LogSource = {
    address: 'registry.example/log',
    read: async (path) => {
      this.#readsUntilKill -= 1;
      if (this.#readsUntilKill === 0) this.#kill.abort();
      const shown = (path === 'checkpoint' && this.#stale) || this.#log.files.get(path);
      if (path === 'checkpoint') this.#stale = undefined;
      return shown;
    },
  };

  async publish(minute: number): Promise<void> {
    const now = START + minute * MINUTE_MS;
    // A registry that was killed publishes what it had recorded when it is back.
    const recordedAt = now - (randomInt(20) === 0 ? 50_000 : 1_000);
    const count = randomInt(60) === 0 ? 300 : randomInt(8);
    const ownCount = Number(randomInt(40) === 0);
    if (ownCount > 0) this.own.push(this.#log.head.size + count);
    if (minute % 400 === 100) this.#stale = this.#log.files.get('checkpoint');
    await this.#log.publish([...leavesAt(recordedAt, count), ...leavesAt(recordedAt, ownCount, mark)], now);
    if (minute % 60 === 0) await this.#mirrored.publish(this.#log.entries.slice(this.#mirrored.head.size), now);
  }

  /** Rejects if it is killed when it has read so many files. */
  async monitor(minute: number, readsUntilKill = Number.POSITIVE_INFINITY) {
    [this.#kill, this.#readsUntilKill] = [new AbortController(), readsUntilKill];
    const mirror: LogSource = { address: 'mirror.example', read: async (path) => this.#mirrored.files.get(path) };
    return runMonitor({
      ...{ folder: join(machine.home, 'day'), source: this.#source, policy: this.#log.policy, witnessUrls: [] },
      mirrors: minute % 60 === 32 ? [mirror] : [],
      ...{ service: undefined, chain: undefined, marks: new Set([mark]), signal: this.#kill.signal },
      now: () => START + minute * MINUTE_MS + 2_000,
    });
  }
}

describe('an honest registry', () => {
  it('raises no alarm in a day of load, delays, stale caches and killed runs, and each registration is listed once', async () => {
    const log = new HonestLog();
    const listed: number[] = [];
    let killedRuns = 0;
    for (let minute = 0; minute < CHECKPOINTS; minute += 1) {
      await log.publish(minute);
      // Each run costs some milliseconds of the disk.
      if (minute % 4 !== 0) continue;
      const isKilled = randomInt(5) === 0;
      const results = isKilled ? [await log.monitor(minute, 1 + randomInt(6)).catch(() => undefined)] : [];
      killedRuns += Number(isKilled && results[0] === undefined);
      for (const result of [...results, await log.monitor(minute)]) {
        expect([result?.findings ?? [], result?.unchecked ?? []], `minute ${minute}`).toEqual([[], []]);
        listed.push(...(result?.marks ?? []).map(({ index }) => index));
      }
    }
    expect(listed).toEqual(log.own);
    expect([log.own.length > 10, killedRuns > 10]).toEqual([true, true]);
  });

  it('raises no alarm when it is killed again and again while it registers', async () => {
    const settings = {
      PORT: String(await freePort()),
      DATABASE_URL: await createMigratedDatabase(),
      DATA_DIR: await newDataFolder(),
      DOWNLOADS_SECONDS: '1',
    };
    let service = await startServiceProcess(settings);
    const { url } = service;
    const { client, markId } = await createRegistrant(url, { maxAttempts: 30 });
    const options = { cwd: '/', signal: new AbortController().signal };
    const monitor = async () => {
      const { log, signerRoots } = await client.getRegistryIdentity();
      const rootsPem = signerRoots.map(({ pem }) => pem).join('\n');
      return runMonitor({
        ...{ folder: join(machine.home, 'restarts'), source: openLog(url, options), mirrors: [], witnessUrls: [] },
        ...{ policy: parsePolicy(formatPolicy([log?.vkey ?? ''])), chain: undefined, marks: new Set([markId]) },
        signal: options.signal,
        service: {
          client,
          trust: { rootsPem, registry: url, chainId: undefined, contract: undefined, now: new Date() },
          openFiles: (address) => openLogSource(address, options),
        },
      });
    };
    const registered = new Set<Fingerprint>();
    const listed: string[] = [];
    for (let round = 0; round < 2; round += 1) {
      const registering = Array.from({ length: 40 }, async () => {
        const fingerprint = newFingerprint();
        await client.createArtifact({ markId, fingerprint, filename: 'a.txt' });
        registered.add(fingerprint);
      });
      await Promise.race(registering);
      await service.end('SIGKILL');
      service = await startServiceProcess(settings);
      await Promise.all(registering);
      for (const fingerprint of registered) await client.getReceipt({ fingerprint, wait: 20 });
      const { findings, unchecked, marks } = await monitor();
      expect([findings, unchecked]).toEqual([[], []]);
      listed.push(...marks.map(({ fingerprint }) => fingerprint));
    }
    expect(listed.toSorted()).toEqual([...registered].toSorted());
  });
});
