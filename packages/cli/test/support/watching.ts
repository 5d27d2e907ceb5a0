// Runs `provenance watch run`, and reads what `provenance watch status` tells about it.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Value } from 'typebox/value';
import { afterAll, expect } from 'vitest';
import { WatcherStatus } from '../../src/watch/status.js';
import type { Machine, RunningCommand, RunningProcess } from './machine.js';
import type { Registrant } from './registration.js';

/** Files are registered when they have been quiet for a while. */
export const POLL = { interval: 500 };

export async function readStatus({ machine }: Registrant) {
  const { code, result } = await machine.json(['watch', 'status']);
  if (!Value.Check(WatcherStatus, result)) throw new Error(`not a status: ${JSON.stringify(result)}`);
  const [first] = result.folders;
  if (!first) throw new Error('no folder');
  return { ...result, code, first };
}

/** Adds these folders to those that are watched. */
export async function addFolders(user: Registrant, ...folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    await mkdir(join(user.machine.home, folder), { recursive: true });
    const { code } = await user.machine.json(['watch', 'add', folder, '--mark', user.markId]);
    expect(code).toBe(0);
  }
}

/** Ended also when a test fails. */
const stopFunctions: (() => Promise<unknown>)[] = [];
afterAll(() => Promise.all(stopFunctions.map((stop) => stop())));

export function startWatcher(machine: Machine): RunningCommand {
  const running = machine.start(['watch', 'run', '--json']);
  stopFunctions.push(() => {
    running.interrupt();
    return running.end;
  });
  return running;
}

/** Adds these folders and starts the service in the process of the test. */
export async function watch(user: Registrant, ...folders: readonly string[]): Promise<RunningCommand> {
  await addFolders(user, ...folders);
  const running = startWatcher(user.machine);
  await running.waitForOutput('Watching ');
  return running;
}

export async function startWatcherProcess({ machine }: Registrant): Promise<RunningProcess> {
  const running = machine.spawn('bash', ['-c', 'exec provenance watch run --json']);
  stopFunctions.push(() => {
    running.process.kill('SIGKILL');
    return running.end;
  });
  await running.waitForOutput('Watching ');
  return running;
}

/** Returns the log. */
export async function stopWatching({ interrupt, end }: RunningCommand): Promise<string> {
  interrupt();
  const { stdout, stderr } = await end;
  expect(JSON.parse(stdout)).toEqual({ profile: 'default', status: 'stopped' });
  return stderr;
}
