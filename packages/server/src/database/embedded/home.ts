// Chooses the folder of the embedded PostgreSQL, and the user that it runs as.
//
// PostgreSQL refuses to run as root, and checks by access() that it may reach its folder, so that no capability
// helps. When the service runs as root, the server runs as an unprivileged user; if that user cannot reach
// DATA_DIR (for example below a home directory of mode 0700), the server's folder is kept under /var/lib instead and
// DATA_DIR holds a link to it.

import { createHash } from 'node:crypto';
import { chown, mkdir, readlink, rename, stat, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { passwordFileOf } from './password.js';
import { findServer, type ServerHome, stopServer } from './server.js';

/** `nobody` and `nogroup` on Debian, and reserved for that purpose nearly everywhere. */
const UNPRIVILEGED = { uid: 65_534, gid: 65_534 };

const SYSTEM_FOLDER = '/var/lib/provenance-registry';

export async function prepareHome(dataDir: string, notify: (message: string) => void): Promise<ServerHome> {
  const folder = join(dataDir, 'postgresql');
  const passwordFile = passwordFileOf(dataDir);
  if (process.getuid?.() !== 0) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return { folder, user: undefined, passwordFile, usesTcp: process.platform === 'win32' };
  }

  await mkdir(dataDir, { recursive: true, mode: 0o711 });
  const link = await readlink(folder).catch(() => undefined);
  const current = link ?? folder;
  const owner = await readOwner(current);
  if (owner && owner.uid !== 0) {
    if (await canReach(owner, dirname(current))) return { folder: current, user: owner, passwordFile, usesTcp: false };
    throw new Error(
      `The database in ${current} belongs to user ${owner.uid}, who has no access to it there. ` +
        'Give others access to the folders above it (chmod o+x), or move the data folder.',
    );
  }
  // Also completes what an interrupted start left unfinished.
  if (link || owner || (await canReach(UNPRIVILEGED, dataDir))) return createHome(current, passwordFile);

  const systemHome = join(SYSTEM_FOLDER, createHash('sha256').update(dataDir).digest('hex').slice(0, 16));
  await mkdir(SYSTEM_FOLDER, { recursive: true, mode: 0o755 });
  // Of two services that start at once, only the one that creates the link moves an earlier database out of the way.
  if (await createLink(systemHome, folder)) await keepEarlierDatabase(systemHome, notify);
  return createHome(systemHome, passwordFile);
}

async function createHome(folder: string, passwordFile: string): Promise<ServerHome> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chown(folder, UNPRIVILEGED.uid, UNPRIVILEGED.gid);
  return { folder, user: UNPRIVILEGED, passwordFile, usesTcp: false };
}

async function createLink(target: string, path: string): Promise<boolean> {
  try {
    await symlink(target, path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

async function readOwner(folder: string) {
  const stats = await stat(folder).catch(() => undefined);
  return stats && { uid: stats.uid, gid: stats.gid };
}

/** A database of an earlier DATA_DIR with the same name is kept under another name, and not used. */
async function keepEarlierDatabase(folder: string, notify: (message: string) => void): Promise<void> {
  if (!(await readOwner(folder))) return;
  const server = await findServer({ folder });
  if (server) await stopServer({ folder }, server);
  const keptAs = `${folder}.${new Date().toISOString().replace(/\D/g, '')}`;
  await rename(folder, keptAs);
  notify(`An earlier database of this data folder was kept in ${keptAs}`);
}

async function canReach(user: { uid: number; gid: number }, folder: string): Promise<boolean> {
  const { uid, gid, mode } = await stat(folder);
  const needed = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
  if ((mode & needed) === 0) return false;
  const parent = dirname(folder);
  return parent === folder || canReach(user, parent);
}
