// Keeps a second process off a folder. The lock is a name among Linux' abstract sockets, made from the folder's own
// identity: the kernel takes it back when the process ends in any way, so that a kill leaves nothing to clean up.

import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:net';

export class FolderInUseError extends Error {}

/** Answers with what gives the folder back. */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const { dev, ino } = await stat(folder, { bigint: true });
  const server = createServer((socket) => socket.destroy());
  const listening = once(server, 'listening');
  server.listen({ path: `\0provenance-registry/chain/${dev}/${ino}` });
  try {
    await listening;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    throw new FolderInUseError(`The folder ${folder} is in use by another process that runs a development chain.`);
  }
  // The lock is no reason for a process to stay.
  server.unref();
  return async () => {
    server.close();
    await once(server, 'close');
  };
}
