// A test run that is told to stop ends everything that it started: browsers, databases and services too.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
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
    const folder = await mkdtemp(join(tmpdir(), 'stopped-run-'));
    // PostgreSQL's own user must reach it.
    await chmod(folder, 0o755);
    onTestFinished(async () => {
      await endRunProcesses(folder);
      await rm(folder, { recursive: true, force: true });
    });
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], TMPDIR: folder };
    const files = run.started.map(({ file }) => file);
    const parts = run.started.flatMap((started) => started.parts);
    const child = spawn(run.command, [...run.args, ...files], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    const exited = once(child, 'exit');
    const commands = () => findRunProcesses(folder).map(({ command }) => command);
    const seen = new Set<string>();
    const lookForParts = () => {
      for (const part of parts) if (commands().some((command) => command.includes(part))) seen.add(part);
      return child.exitCode ?? seen.size;
    };
    await expect.poll(lookForParts, { interval: 200, timeout: HANG_TIMEOUT_MS }).toBe(parts.length);

    child.kill(run.signal);
    expect([await exited, output]).toEqual([[run.code, null], expect.stringContaining('Stopping the test run')]);
    expect(commands()).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
  },
);
