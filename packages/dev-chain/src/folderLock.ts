// Locks a folder against a second process. The lock is an abstract Linux socket, named by the folder's device and inode:
// the kernel releases it when the process ends in any way.

import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:net';

export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError';
}

/** Returns the function that releases the lock. */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const { dev, ino } = await stat(folder, { bigint: true });
  const server = createServer((socket) => socket.destroy());
  const listening = once(server, 'listening');
  server.listen({ path: `\0provenance-registry/chain/${dev}/${ino}` });
  try {
    await listening;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    throw new FolderInUseError(`Another process runs a development chain in ${folder}.`);
  }
  // The lock does not keep the process running.
  server.unref();
  return async () => {
    server.close();
    await once(server, 'close');
  };
}
