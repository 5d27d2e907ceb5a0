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

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));
/** Its services hash passwords with a lower cost. */
const program = ['--require', pathOf('support/quickPasswords.cjs'), pathOf('../chaos/index.mjs')];
/** Ends a run that hangs. An idle machine needs a minute and a half, most of it waiting until abandoned drafts expire. */
const HANG_TIMEOUT_MS = 3_000_000;
/** Kills of each kind of process. */
const KILLS = 1;

interface ChaosRun {
  readonly code: number | string | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

function runChaos(args: readonly string[], folder: string): Promise<ChaosRun> {
  const options = { timeout: HANG_TIMEOUT_MS, env: { ...process.env, TMPDIR: folder } };
  return new Promise((resolve) => {
    execFile(process.execPath, [...program, '--json', ...args], options, (error, stdout, stderr) =>
      resolve({ code: error ? (error.code ?? error.signal) : 0, stdout, stderr }),
    );
  });
}

/** For everything that a run creates. */
async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chaos-test-'));
  // PostgreSQL's own user must reach it.
  await chmod(folder, 0o755);
  return folder;
}

/** The run's own process had the folder in its environment, and has ended. */
async function expectNothingLeft(folder: string): Promise<void> {
  expect(findRunProcesses(folder)).toEqual([]);
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
}

it.concurrent.each([
  { layout: 'one', kinds: ['service', 'database'], others: ['fill the disk'] },
  {
    layout: 'stack',
    kinds: ['api', 'worker', 'database', 'chain node'],
    others: ['fill the disk', 'fail over to the standby'],
  },
])(
  'layout $layout loses, duplicates and strands nothing while faults are injected, and leaves nothing behind',
  async ({ layout, kinds, others }) => {
    const folder = await createFolder();
    const options = ['--layout', layout, '--minutes', '0', '--kills', KILLS, '--clients', 2, '--seed', seed];
    const { code, stdout, stderr } = await runChaos(options.map(String), folder);
    expect(stdout, stderr).not.toBe('');
    const [result] = JSON.parse(stdout);
    console.log(result);
    expect(result).toMatchObject({ lost: 0, duplicated: 0, stuck: 0, unexpected: 0, violations: [], audit: 'clean' });
    for (const kind of kinds) expect(result.faults[`kill ${kind}`]).toBeGreaterThanOrEqual(KILLS);
    for (const name of others) expect(result.faults[name]).toBeGreaterThan(0);
    expect(result.creations).toBeGreaterThan(0);
    expect(code).toBe(0);
    await expectNothingLeft(folder);
  },
  HANG_TIMEOUT_MS,
);

it.concurrent('a canceled run leaves no process and no file behind', { timeout: HANG_TIMEOUT_MS }, async () => {
  const folder = await createFolder();
  const child = spawn(process.execPath, [...program, '--layout', 'stack'], {
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
  await expectNothingLeft(folder);
});
