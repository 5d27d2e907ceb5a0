// Prevents two processes from doing the same work, such as using the same journal. The lock is a local socket address, which
// the system releases when the process ends for any reason, so that a killed run leaves nothing to clean up.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { unlink } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandError, errorCode } from '../errors.js';

/** Returns a function that releases the lock. `inUseMessage` is the error when another process holds it. */
export async function acquireLock(lockedPath: string, inUseMessage: string): Promise<() => Promise<void>> {
  const address = lockAddress(lockedPath);
  const server =
    (await tryListen(address)) ?? ((await removeStaleSocket(address)) ? await tryListen(address) : undefined);
  if (!server) throw new CommandError('IN_USE', 3, inUseMessage);
  // The lock must not keep the process alive.
  server.unref();
  return async () => {
    server.close();
    await once(server, 'close');
  };
}

/** Whether a process holds the lock. */
export async function isLocked(lockedPath: string): Promise<boolean> {
  const socket = connect({ path: lockAddress(lockedPath) });
  try {
    await once(socket, 'connect');
    return true;
  } catch (error) {
    if (errorCode(error) === 'ECONNREFUSED' || errorCode(error) === 'ENOENT') return false;
    throw error;
  } finally {
    socket.destroy();
  }
}

function lockAddress(lockedPath: string): string {
  const name = createHash('sha256').update(lockedPath).digest('hex').slice(0, 32);
  if (process.platform === 'linux') return `\0provenance/register/${name}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\provenance-register-${name}`;
  return join(tmpdir(), `provenance-${name}`);
}

/** Undefined when the address is in use. */
async function tryListen(address: string): Promise<Server | undefined> {
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

/** Only where addresses are files can one outlive its process. Returns whether one was removed. */
async function removeStaleSocket(address: string): Promise<boolean> {
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
