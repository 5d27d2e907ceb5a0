// Keeps a second run off a journal. The lock is an address that one process can listen on: the system takes it back when
// the process ends in any way, so that a kill leaves nothing to clean up.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { unlink } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandError, errorCode } from '../errors.js';

/** Answers with what gives the journal back. `folder` is what it is about. */
export async function lock(journal: string, folder: string): Promise<() => Promise<void>> {
  const address = addressFor(createHash('sha256').update(journal).digest('hex').slice(0, 32));
  // Only where addresses are files does one outlive its process.
  const server = (await listen(address)) ?? ((await isAbandoned(address)) ? await listen(address) : undefined);
  if (!server) {
    throw new CommandError(
      'IN_USE',
      3,
      `Another run is registering ${folder} under this Mark. Wait for it, or end it.`,
    );
  }
  // The lock is no reason for a process to stay.
  server.unref();
  return async () => {
    server.close();
    await once(server, 'close');
  };
}

function addressFor(name: string): string {
  if (process.platform === 'linux') return `\0provenance/register/${name}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\provenance-register-${name}`;
  return join(tmpdir(), `provenance-${name}`);
}

/** Undefined when somebody listens there already. */
async function listen(address: string): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  const listening = once(server, 'listening');
  server.listen({ path: address });
  try {
    await listening;
    return server;
  } catch (error) {
    if (errorCode(error) !== 'EADDRINUSE') throw error;
    return undefined;
  }
}

/** Removes the file of a process that is gone. */
async function isAbandoned(address: string): Promise<boolean> {
  if (process.platform === 'linux' || process.platform === 'win32') return false;
  const socket = connect({ path: address });
  try {
    await once(socket, 'connect');
    return false;
  } catch (error) {
    if (errorCode(error) !== 'ECONNREFUSED') throw error;
    await unlink(address);
    return true;
  } finally {
    socket.destroy();
  }
}
