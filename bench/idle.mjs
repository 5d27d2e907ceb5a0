// What the service costs while nobody uses it: the time of a later start, CPU time and memory of its processes afterwards;
// beside a server of Node that does nothing and the embedded PostgreSQL alone.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findFreePort, serviceProgram } from '../chaos/supervisor.mjs';
import { report } from './report.mjs';
import { createFolder, measureRounds } from './support.mjs';

const ROUNDS = 5;
/** Until what a start has begun is done, and the loops of the service look seldom. */
const SETTLE_MS = 40_000;
const IDLE_MS = 120_000;
const TICKS_PER_SECOND = 100;
const FLOOR = `
import { createServer } from 'node:http';
const { startEmbeddedDatabase } = await import(process.argv[1]);
const database = await startEmbeddedDatabase({ dataDir: process.env.DATA_DIR, notify: () => {}, onLost: () => {} });
createServer().listen(Number(process.env.PORT), '127.0.0.1', () => console.error('is ready'));
process.once('SIGTERM', () => database.stop().then(() => process.exit()));`;
const floor = [
  '--input-type=module',
  '-e',
  FLOOR,
  import.meta.resolve('../packages/server/dist/database/embedded/index.js'),
];

const folder = await createFolder();
const port = await findFreePort();
const env = {
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  DATA_DIR: join(folder, 'data'),
  PORT: String(port),
  CHAIN_PORT: String(await findFreePort()),
};
try {
  // The first start makes the data, and `npm start` builds what has changed.
  await measureStart('npm', ['start', '--silent']);
  const rounds = await measureRounds(ROUNDS, {
    npm: () => measureStart('npm', ['start', '--silent']),
    program: () => measureStart(process.execPath, [serviceProgram]),
    floor: () => measureStart(process.execPath, floor),
  });
  const against = `Node and the embedded PostgreSQL alone, ${rounds.median('floor', 's').toFixed(2)} s`;
  for (const [name, what] of /** @type {const} */ ([
    ['npm', 'a later start by `npm start`, seconds'],
    ['program', 'a later start of the packed service, seconds'],
  ])) {
    const value = rounds.median(name, 's');
    const cpu = rounds.median(name, 'cpu').toFixed(2);
    report({ what, measured: `${value.toFixed(2)} s (${cpu} s CPU; ${against})`, value, target: ['at most', 2] });
  }
  const service = await measureIdle([serviceProgram]);
  const least = await measureIdle(floor);
  report({
    what: 'CPU of the idle service with its database and chain, % of a core',
    measured: `${service.cpu.toFixed(2)} % (alone: ${service.ownCpu.toFixed(2)} %; Node and PostgreSQL ${least.cpu.toFixed(2)} %)`,
    value: service.cpu,
    target: ['at most', 1],
  });
  report({
    what: 'memory of these processes, MB',
    measured: `${service.memory.toFixed(0)} MB (alone: ${service.ownMemory.toFixed(0)} MB; Node and PostgreSQL ${least.memory.toFixed(0)} MB)`,
    value: service.memory,
    target: ['at most', 220],
  });
} finally {
  await rm(folder, { recursive: true });
}

/** Seconds until it is ready, and CPU time of all its processes. @param {string} command @param {readonly string[]} args */
async function measureStart(command, args) {
  const startedAt = performance.now();
  const program = await start(command, args);
  const s = (performance.now() - startedAt) / 1000;
  const { cpu } = await measureProcesses(program.pid);
  await program.stop();
  return { s, cpu };
}

/** Share of a core in per cent, and memory in MB. @param {readonly string[]} args */
async function measureIdle(args) {
  const program = await start(process.execPath, args);
  await delay(SETTLE_MS);
  const before = await measureProcesses(program.pid);
  const startedAt = performance.now();
  await delay(IDLE_MS);
  const after = await measureProcesses(program.pid);
  const seconds = (performance.now() - startedAt) / 1000;
  await program.stop();
  return {
    cpu: (100 * (after.cpu - before.cpu)) / seconds,
    ownCpu: (100 * (after.ownCpu - before.ownCpu)) / seconds,
    memory: after.memory,
    ownMemory: after.ownMemory,
  };
}

/** Starts a program from the repository, and waits until it says that it is ready. @param {string} command @param {readonly string[]} args */
async function start(command, args) {
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  await new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(output)));
    child.stderr.on('data', (chunk) => {
      output += chunk;
      if (output.includes('is ready')) resolve(undefined);
    });
  });
  const { pid = 0 } = child;
  return {
    pid,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** CPU time in seconds and memory in MB of a process alone, and with all that it has started. @param {number} root */
async function measureProcesses(root) {
  const processes = await listProcesses();
  const family = new Set([root]);
  // A set that grows is iterated to its end.
  for (const pid of family) for (const [child, { parent }] of processes) if (parent === pid) family.add(child);
  const seconds = [...family].map((pid) => processes.get(pid)?.seconds ?? 0);
  const memory = await Promise.all([...family].map(readMemory));
  const sum = (/** @type {number[]} */ values) => values.reduce((total, value) => total + value, 0);
  return { cpu: sum(seconds), ownCpu: seconds[0] ?? 0, memory: sum(memory), ownMemory: memory[0] ?? 0 };
}

/** By process id. */
async function listProcesses() {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const entries = await Promise.all(
    pids.map(async (pid) => {
      const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      // After the name, which may contain spaces: state, parent, and so on (proc_pid_stat(5)).
      const fields = text
        .slice(text.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number);
      const [, parent = 0] = fields;
      // Its own, and of children that have ended.
      const ticks = fields.slice(11, 15).reduce((total, value) => total + value, 0);
      return /** @type {const} */ ([Number(pid), { parent, seconds: ticks / TICKS_PER_SECOND }]);
    }),
  );
  return new Map(entries);
}

/** What several processes share counts for each in part. @param {number} pid */
async function readMemory(pid) {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  const [, kilobytes = '0'] = /^Pss: +(\d+) kB$/m.exec(text) ?? [];
  return Number(kilobytes) / 1024;
}
