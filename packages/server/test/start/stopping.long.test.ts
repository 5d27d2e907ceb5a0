// Signals reach the whole process group from a terminal, `timeout` and others, and often twice. Whenever they arrive, no
// process and no lock is left.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod } from 'node:fs/promises';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../../../test/support/ports.js';
import { findDescendants, findProcesses } from '../../../../test/support/processes.js';
import { newDataFolder } from '../../../../test/support/service.js';

const main = fileURLToPath(new URL('../../bundle/main.js', import.meta.url));

interface GroupLeader {
  readonly process: ChildProcess;
  readonly port: number;
  /** Resolves when it has printed that text. */
  printed(text: string): Promise<void>;
  /** To every process of the group. */
  signal(signal: NodeJS.Signals): void;
}

async function launchInGroup(dataDir: string): Promise<GroupLeader> {
  const port = await freePort();
  const child = spawn(process.execPath, [main], {
    detached: true,
    env: {
      PATH: process.env['PATH'] ?? '',
      DATA_DIR: dataDir,
      PORT: String(port),
      CHAIN_PORT: String(await freePort()),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
      child.emit('printed');
    });
  }
  return {
    process: child,
    port,
    async printed(text) {
      while (!output.includes(text)) await once(child, 'printed');
    },
    signal: (signal) => void process.kill(-(child.pid ?? 0), signal),
  };
}

/** Of all tests, in their order: the start of each one shows that the stop before has left no lock. */
let dataDir: string;
let service: GroupLeader;
beforeAll(async () => {
  dataDir = await newDataFolder();
  await chmod(dataDir, 0o755);
});
// After a test that failed.
afterAll(() => void (service.process.exitCode === null && service.signal('SIGKILL')));

/** The service's processes that run now; later, those of them that are still running. */
async function observeProcesses({ process: { pid = 0 } }: GroupLeader) {
  const pids = await findDescendants(pid, 'Worker.js');
  return async () => (await findProcesses('Worker.js')).filter((running) => pids.includes(running));
}

it.each([
  ['a signal while the database is created', ['SIGINT'], 'Preparing the database'],
  ['one signal', ['SIGTERM'], 'is ready'],
  ['two signals at once, as npm causes them', ['SIGINT', 'SIGTERM'], 'is ready'],
] as const)('%s to the group leaves nothing behind', async (_, signals, text) => {
  service = await launchInGroup(dataDir);
  await service.printed(text);
  const findLeft = await observeProcesses(service);
  const exited = once(service.process, 'exit');
  for (const signal of signals) service.signal(signal);
  expect(await exited).toEqual([0, null]);
  expect(await findProcesses(dataDir)).toEqual([]);
  await expect.poll(findLeft).toEqual([]);
});

it('a later signal ends a service that waits for a client, and its database', async () => {
  service = await launchInGroup(dataDir);
  await service.printed('is ready');
  const findLeft = await observeProcesses(service);
  const client = connect(service.port, '127.0.0.1');
  client.on('error', () => {});
  client.write(
    'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n{',
  );
  // A second request on another connection is answered: the first one has arrived before it.
  await fetch(`http://127.0.0.1:${service.port}/healthz`);
  const exited = once(service.process, 'exit');
  service.signal('SIGINT');
  await service.printed('"msg":"stopping"');
  const repeat = setInterval(() => service.signal('SIGINT'), 100);
  await service.printed('stopping at once');
  clearInterval(repeat);
  expect(await exited).toEqual([1, null]);
  expect(await findProcesses(dataDir)).toEqual([]);
  await expect.poll(findLeft).toEqual([]);
});
