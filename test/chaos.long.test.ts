// A short chaos run: clients work while processes, databases and chain node are killed, a standby takes over, connections
// degrade, the chain is reorganized and the disk fills up. Its length is a number of faults, not a time. `npm run chaos` runs
// it for longer.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { findRunProcesses } from '../scripts/runProcesses.mjs';
import { seed } from './support/random.js';

const program = fileURLToPath(new URL('../chaos/index.mjs', import.meta.url));
/** Ends a run that hangs. An idle machine needs a minute and a half, most of it waiting until abandoned drafts expire. */
const HANG_TIMEOUT_MS = 3_000_000;
/** Kills of each kind of process. */
const KILLS = 1;

interface ChaosRun {
  readonly code: number | string | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

function runChaos(args: readonly string[]): Promise<ChaosRun> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, '--json', ...args], { timeout: HANG_TIMEOUT_MS }, (error, stdout, stderr) =>
      resolve({ code: error ? (error.code ?? error.signal) : 0, stdout, stderr }),
    );
  });
}

it.concurrent.each([
  { layout: 'one', kinds: ['service', 'database'], others: ['fill the disk'] },
  {
    layout: 'stack',
    kinds: ['api', 'worker', 'database', 'chain node'],
    others: ['fill the disk', 'fail over to the standby'],
  },
])(
  'layout $layout loses, duplicates and strands nothing while faults are injected',
  async ({ layout, kinds, others }) => {
    const options = ['--layout', layout, '--minutes', '0', '--kills', KILLS, '--clients', 2, '--seed', seed];
    const { code, stdout, stderr } = await runChaos(options.map(String));
    expect(stdout, stderr).not.toBe('');
    const [result] = JSON.parse(stdout);
    console.log(result);
    expect(result).toMatchObject({ lost: 0, duplicated: 0, stuck: 0, unexpected: 0, violations: [], audit: 'clean' });
    for (const kind of kinds) expect(result.faults[`kill ${kind}`]).toBeGreaterThanOrEqual(KILLS);
    for (const name of others) expect(result.faults[name]).toBeGreaterThan(0);
    expect(result.creations).toBeGreaterThan(0);
    expect(code).toBe(0);
  },
  HANG_TIMEOUT_MS,
);

it.concurrent('a canceled run leaves no process and no file behind', { timeout: HANG_TIMEOUT_MS }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'chaos-canceled-'));
  // PostgreSQL's own user must reach it.
  await chmod(folder, 0o755);
  const child = spawn(process.execPath, [program, '--layout', 'stack'], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit');
  for await (const line of createInterface(child.stderr)) if (line.includes('clients start')) break;
  expect(findRunProcesses(folder).length).toBeGreaterThan(6);
  child.kill('SIGINT');
  // Another signal: two of the same kind at once would count as one.
  child.kill('SIGTERM');
  expect((await exited)[0]).toBe(130);
  // The process that was started here had it in its environment, and has ended.
  expect(findRunProcesses(folder)).toEqual([]);
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
});
