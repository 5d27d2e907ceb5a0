// Programs that are started again whenever they end, as a supervisor of services does it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** @typedef {Awaited<ReturnType<typeof supervise>>} Supervised */
/** @typedef {import('node:child_process').ChildProcess} ChildProcess */

const LONGEST_START_MS = 180_000;
/** What ends by itself would only end again at once. */
const RESTART_AFTER_MS = 300;
const WORDS_KEPT = 2_000;

export const serviceProgram = fileURLToPath(new URL('../packages/server/bundle/main.js', import.meta.url));

/**
 * @typedef {object} Program
 * @property {string} name
 * @property {string} command
 * @property {readonly string[]} args
 * @property {import('node:child_process').SpawnOptions} [options]
 * @property {string} [saysReady] written once it works; it counts as ready at once without
 * @property {(line: string) => void} [onLine] told of each line on standard output
 */

/**
 * A process of the service.
 * @param {string} name
 * @param {Record<string, string>} environment
 * @param {(line: string) => void} onLine
 */
export function superviseService(name, environment, onLine) {
  return supervise({
    name,
    command: process.execPath,
    args: [serviceProgram],
    options: { env: { PATH: process.env['PATH'] ?? '', ...environment } },
    saysReady: 'is ready',
    onLine,
  });
}

/** Answers when it works for the first time. @param {Program} program */
export async function supervise({ name, command, args, options = {}, saysReady, onLine }) {
  /** @type {string[]} */
  const endings = [];
  let isWanted = true;
  let life = begin();

  function begin() {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let words = '';
    let rest = '';
    /** Done before the next life, when this one is to end. @type {(() => Promise<unknown>) | undefined} */
    let between;
    /** @type {() => void} */
    let works = () => {};
    /** @type {Promise<void>} */
    const ready = new Promise((resolve) => {
      works = resolve;
    });
    if (saysReady === undefined) works();
    /** @param {unknown} chunk */
    function hear(chunk) {
      words = `${words}${chunk}`.slice(-WORDS_KEPT);
      if (saysReady !== undefined && words.includes(saysReady)) works();
    }
    child.stderr?.on('data', hear);
    child.stdout?.on('data', (chunk) => {
      if (!onLine) return hear(chunk);
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      lines.forEach(onLine);
    });
    const ended = once(child, 'close').then(async () => {
      if (between) await between();
      else if (isWanted) {
        endings.push(`${name} ended by itself (${child.exitCode ?? child.signalCode}): ${lastWords(words)}`);
        await delay(RESTART_AFTER_MS);
      }
      if (isWanted) life = begin();
    });
    return {
      child,
      ready,
      ended,
      /** @param {() => Promise<unknown>} work */
      expectEnd(work) {
        between = work;
      },
    };
  }

  async function untilReady() {
    const deadline = Date.now() + LONGEST_START_MS;
    for (let one = life; ; one = life) {
      const timer = AbortSignal.timeout(Math.max(1, deadline - Date.now()));
      const late = once(timer, 'abort').then(() => 'late');
      const what = await Promise.race([one.ready.then(() => 'ready'), one.ended.then(() => 'ended'), late]);
      if (what === 'ready' && one === life) return;
      if (what === 'late') throw new Error(`${name} does not start: ${endings.at(-1) ?? 'it says nothing'}`);
      if (what === 'ended' && !isWanted) throw new Error(`${name} was stopped`);
    }
  }

  /** For good. @param {NodeJS.Signals} [signal] */
  async function stop(signal = 'SIGTERM') {
    isWanted = false;
    const { child, ended } = life;
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGCONT');
      child.kill(signal);
    }
    await ended;
  }

  await untilReady().catch(async (error) => {
    await stop('SIGKILL');
    throw error;
  });
  return {
    name,
    stop,
    untilReady,
    pid: () => life.child.pid,
    /** How lives ended that nobody had asked to end. */
    endings,
    /**
     * The next life begins when that is done.
     * @param {NodeJS.Signals} [signal]
     * @param {() => Promise<unknown>} [between]
     */
    async kill(signal = 'SIGKILL', between = async () => {}) {
      const { child, ended, expectEnd } = life;
      expectEnd(between);
      child.kill(signal);
      await ended;
    },
    /** @param {NodeJS.Signals} signal */
    signal(signal) {
      life.child.kill(signal);
    },
  };
}

/** The line that says what went wrong, when there is one. @param {string} words */
function lastWords(words) {
  const lines = words.trim().split('\n');
  return lines.findLast((line) => /Error|FATAL|PANIC/.test(line)) ?? lines.at(-1) ?? '';
}

/** Below those that the system gives to connections: one of them could take the port of a server that was killed. */
const FIRST_PORT = 20_000;
const PORTS = 6_000;
/** For a run of one layout beside one of the other: a port that is free may be meant for what has not started yet. */
export const OTHER_PORTS = FIRST_PORT + PORTS;
/** @type {Set<number>} */
const given = new Set();

/** A port on which nothing listens, and that nobody else of this run gets. @returns {Promise<number>} */
export async function freePort(first = FIRST_PORT) {
  for (;;) {
    const port = first + Math.floor(Math.random() * PORTS);
    if (given.has(port)) continue;
    given.add(port);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
