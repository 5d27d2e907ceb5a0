// A test run that is told to stop ends everything that it started: browsers, databases and services too.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { endRunProcesses, findRunProcesses } from '../scripts/runProcesses.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Test files, and what they start, by a part of the command line. */
const browser = { file: 'packages/web/test/layout.test.ts', parts: ['chromium-headless-shell'] };
const service = {
  file: 'packages/server/test/database/embedded',
  parts: ['bundle/main.js', 'postgres-15-', 'registry-test-'],
};
/** A busy machine takes minutes until all of them have been seen. */
const HANG_TIMEOUT_MS = 1_800_000;

it.each([
  { signal: 'SIGTERM', command: 'bash', args: ['.ci/run'], code: 143, started: [browser, service] },
  { signal: 'SIGINT', command: 'npm', args: ['run', 'test:all', '--'], code: 130, started: [service] },
] as const)(
  '$signal to $command $args.0 leaves no process and no file behind',
  { timeout: HANG_TIMEOUT_MS },
  async (run) => {
    const folder = await runFolder();
    const files = run.started.map(({ file }) => file);
    const parts = run.started.flatMap((started) => started.parts);
    const { child, ended } = startRun(folder, root, run.command, [...run.args, ...files]);
    const commands = () => listCommands(folder);
    const seen = new Set<string>();
    const lookForParts = () => {
      for (const part of parts) if (commands().some((command) => command.includes(part))) seen.add(part);
      return child.exitCode ?? seen.size;
    };
    await expect.poll(lookForParts, { interval: 200, timeout: HANG_TIMEOUT_MS }).toBe(parts.length);

    child.kill(run.signal);
    expect(await ended).toEqual([run.code, expect.stringContaining('Stopping the test run')]);
    expect(commands()).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
  },
);

it('SIGTERM while packages are installed leaves no process and no file behind', async () => {
  const folder = await runFolder();
  const clone = await mkdtemp(join(tmpdir(), 'clone-'));
  for (const name of ['package.json', 'package-lock.json', 'scripts']) {
    await cp(join(root, name), join(clone, name), { recursive: true });
  }
  // Installs until it is stopped, with a file system like that of the chaos test where mounting is allowed.
  const install = ['#!/bin/sh', 'mkdir "$TMPDIR/disk"', 'mount -t tmpfs disk "$TMPDIR/disk"', 'sleep 3600'].join('\n');
  await writeFile(join(clone, 'npm'), install, { mode: 0o755 });
  const { child, ended } = startRun(folder, clone, process.execPath, ['scripts/test.mjs']);
  const isInstalling = () => listCommands(folder).includes('sleep 3600');
  await expect.poll(isInstalling, { timeout: HANG_TIMEOUT_MS }).toBe(true);
  child.kill('SIGTERM');
  expect(await ended).toEqual([143, expect.stringContaining('Stopping the test run')]);
  expect(listCommands(folder)).toEqual([]);
  expect(await readdir(folder)).toEqual([]);
  await rm(clone, { recursive: true });
});

/** The temporary folder of a run. What is left of the run is removed after the test. */
async function runFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'stopped-run-'));
  // PostgreSQL's own user must reach it.
  await chmod(folder, 0o755);
  onTestFinished(async () => {
    await endRunProcesses(folder);
    await rm(folder, { recursive: true, force: true });
  });
  return folder;
}

function startRun(folder: string, cwd: string, command: string, args: readonly string[]) {
  const env = { PATH: `${cwd}:${process.env['PATH']}`, HOME: process.env['HOME'], TMPDIR: folder };
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  return { child, ended: once(child, 'exit').then(([code]) => [code, output]) };
}

function listCommands(folder: string): string[] {
  return findRunProcesses(folder).map(({ command }) => command);
}
