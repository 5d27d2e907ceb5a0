// Starts programs and restarts them whenever they exit, as a service supervisor does.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** @typedef {Awaited<ReturnType<typeof supervise>>} Supervised */
/** @typedef {import('node:child_process').ChildProcess} ChildProcess */

/** Ends a start that hangs; a busy machine may need minutes. */
const START_TIMEOUT_MS = 1_800_000;
/** A program that exits by itself would probably exit again at once. */
const RESTART_DELAY_MS = 300;
const OUTPUT_TAIL_CHARACTERS = 2_000;

export const serviceProgram = fileURLToPath(new URL('../packages/server/bundle/main.js', import.meta.url));

/**
 * @typedef {object} Program
 * @property {string} name
 * @property {string} command
 * @property {readonly string[]} args
 * @property {import('node:child_process').SpawnOptions} [options]
 * @property {string} [readyMessage] output that means it is ready; without it, ready at once
 * @property {(line: string) => void} [onLine] called with each line on standard output
 * @property {NodeJS.Signals} [stopSignal] default: SIGTERM
 */

/** All that run, so that none is left behind. @type {Set<{ stopSignal: string, stop: () => Promise<void> }>} */
const running = new Set();
let isOver = false;

/** From now on no program is started. */
export function refuseStarts() {
  isOver = true;
}

/** Stops every program: the service first, then what it depends on. */
export async function stopAll() {
  const [services, others] = [true, false].map((isService) =>
    [...running].filter(({ stopSignal }) => (stopSignal === 'SIGTERM') === isService),
  );
  for (const group of [services, others]) await Promise.all((group ?? []).map(({ stop }) => stop()));
}

/**
 * Supervises a process of the service.
 * @param {string} name
 * @param {Record<string, string>} environment
 * @param {(line: string) => void} onLine
 */
export function superviseService(name, environment, onLine) {
  return supervise({
    name,
    command: process.execPath,
    // Options of Node that this process has, such as a module to load before the program.
    args: [...process.execArgv, serviceProgram],
    options: { env: { PATH: process.env['PATH'] ?? '', ...environment } },
    readyMessage: 'is ready',
    onLine,
  });
}

/** Resolves when the program is ready for the first time. @param {Program} program */
export async function supervise({ name, command, args, options = {}, readyMessage, onLine, stopSignal = 'SIGTERM' }) {
  if (isOver) throw new Error(`${name} is not started: the run is over`);
  /** @type {string[]} */
  const unexpectedExits = [];
  let isRunning = true;
  let current = spawnProgram();

  function spawnProgram() {
    // In a process group of its own: Ctrl-C is for this process, which stops the others in order.
    const child = spawn(command, args, { ...options, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let incompleteLine = '';
    /** Set when the exit is expected; runs before the restart. @type {(() => Promise<unknown>) | undefined} */
    let beforeRestart;
    /** @type {() => void} */
    let markReady = () => {};
    /** @type {Promise<void>} */
    const ready = new Promise((resolve) => {
      markReady = resolve;
    });
    if (readyMessage === undefined) markReady();
    /** @param {unknown} chunk */
    function readOutput(chunk) {
      output = `${output}${chunk}`.slice(-OUTPUT_TAIL_CHARACTERS);
      if (readyMessage !== undefined && output.includes(readyMessage)) markReady();
    }
    child.stderr?.on('data', readOutput);
    child.stdout?.on('data', (chunk) => {
      if (!onLine) return readOutput(chunk);
      const lines = `${incompleteLine}${chunk}`.split('\n');
      incompleteLine = lines.pop() ?? '';
      lines.forEach(onLine);
    });
    const closed = once(child, 'close');
    const exited = closed.then(async () => {
      if (beforeRestart) await beforeRestart();
      else if (isRunning) {
        unexpectedExits.push(
          `${name} exited unexpectedly (${child.exitCode ?? child.signalCode}): ${findErrorLine(output)}`,
        );
        await delay(RESTART_DELAY_MS);
      }
      if (isRunning) current = spawnProgram();
    });
    return {
      child,
      ready,
      /** It has ended. */
      closed,
      /** It has ended and is restarted. */
      exited,
      /** @param {() => Promise<unknown>} work */
      expectExit(work) {
        beforeRestart = work;
      },
    };
  }

  async function waitUntilReady() {
    const deadline = Date.now() + START_TIMEOUT_MS;
    for (let attempt = current; ; attempt = current) {
      const timer = AbortSignal.timeout(Math.max(1, deadline - Date.now()));
      const timeout = once(timer, 'abort').then(() => 'timeout');
      const event = await Promise.race([
        attempt.ready.then(() => 'ready'),
        attempt.exited.then(() => 'exited'),
        timeout,
      ]);
      if (event === 'ready' && attempt === current) return;
      if (event === 'timeout') throw new Error(`${name} does not start: ${unexpectedExits.at(-1) ?? 'no output'}`);
      if (event === 'exited' && !isRunning) throw new Error(`${name} was stopped`);
    }
  }

  /** Ends the program without a restart. @param {NodeJS.Signals} [signal] */
  async function stop(signal = stopSignal) {
    isRunning = false;
    running.delete(entry);
    const { child, closed } = current;
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGCONT');
      child.kill(signal);
    }
    await closed;
  }

  const entry = { stopSignal, stop };
  running.add(entry);
  await waitUntilReady().catch(async (error) => {
    await stop('SIGKILL');
    throw error;
  });
  return {
    name,
    stop,
    waitUntilReady,
    pid: () => current.child.pid,
    /** Exits that neither `kill` nor `stop` caused. */
    unexpectedExits,
    /**
     * Restarts once `beforeRestart` is done.
     * @param {NodeJS.Signals} [signal]
     * @param {() => Promise<unknown>} [beforeRestart]
     */
    async kill(signal = 'SIGKILL', beforeRestart = async () => {}) {
      const { child, exited, expectExit } = current;
      expectExit(beforeRestart);
      child.kill(signal);
      await exited;
    },
    /** @param {NodeJS.Signals} signal */
    signal(signal) {
      current.child.kill(signal);
    },
  };
}

/** The last line that names an error, otherwise the last line. @param {string} output */
function findErrorLine(output) {
  const lines = output.trim().split('\n');
  return lines.findLast((line) => /Error|FATAL|PANIC/.test(line)) ?? lines.at(-1) ?? '';
}

/** Below the ephemeral range: an outgoing connection could take the port of a server that was killed. */
const FIRST_PORT = 20_000;
const PORT_COUNT = 6_000;
/** A range of its own for the other layout, which may run at the same time with servers that are down for a moment. */
export const SINGLE_PROCESS_FIRST_PORT = FIRST_PORT + PORT_COUNT;
/** Another start in each process avoids the ports of another run. */
let nextPort = (process.pid * 7) % PORT_COUNT;

/** Finds a port on which nothing listens and that this run has not assigned yet. @returns {Promise<number>} */
export async function findFreePort(first = FIRST_PORT) {
  for (;;) {
    const port = first + nextPort;
    nextPort = (nextPort + 1) % PORT_COUNT;
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
