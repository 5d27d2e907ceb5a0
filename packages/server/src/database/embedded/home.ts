// Where the embedded PostgreSQL lives, and as which user it runs.
//
// PostgreSQL refuses to run as root, and checks by access() that it may reach its folder, so that no capability
// helps. When the service runs as root, the server runs as an unprivileged user; if that user cannot reach
// DATA_DIR (for example below a home directory of mode 0700), the server's folder is kept under /var/lib instead and
// DATA_DIR holds a link to it.

import { createHash } from 'node:crypto';
import { chown, mkdir, readlink, rename, stat, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findServer, type ServerHome, stopServer } from './server.js';

/** `nobody` and `nogroup` on Debian, and reserved for that purpose nearly everywhere. */
const UNPRIVILEGED = { uid: 65_534, gid: 65_534 };

const SYSTEM_FOLDER = '/var/lib/provenance-registry';

export async function prepareHome(dataDir: string, notify: (message: string) => void): Promise<ServerHome> {
  const folder = join(dataDir, 'postgresql');
  if (process.getuid?.() !== 0) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return { folder, user: undefined };
  }

  await mkdir(dataDir, { recursive: true, mode: 0o711 });
  const link = await readlink(folder).catch(() => undefined);
  const place = link ?? folder;
  const owner = await ownerOf(place);
  if (owner && owner.uid !== 0) {
    if (await canReach(owner, dirname(place))) return { folder: place, user: owner };
    throw new Error(
      `The database in ${place} belongs to user ${owner.uid}, who cannot reach it there. ` +
        'Let others enter the folders above it (chmod o+x), or move the data folder.',
    );
  }
  // What an earlier start began and did not finish is finished now.
  if (link || owner || (await canReach(UNPRIVILEGED, dataDir))) return makeHome(place);

  const elsewhere = join(SYSTEM_FOLDER, createHash('sha256').update(dataDir).digest('hex').slice(0, 16));
  await mkdir(SYSTEM_FOLDER, { recursive: true, mode: 0o755 });
  // Of two services that start at once, the one that makes the link clears the place; the other just uses it.
  if (await makeLink(elsewhere, folder)) await setAside(elsewhere, notify);
  return makeHome(elsewhere);
}

async function makeHome(folder: string): Promise<ServerHome> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chown(folder, UNPRIVILEGED.uid, UNPRIVILEGED.gid);
  return { folder, user: UNPRIVILEGED };
}

async function makeLink(target: string, path: string): Promise<boolean> {
  try {
    await symlink(target, path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

async function ownerOf(folder: string) {
  const found = await stat(folder).catch(() => undefined);
  return found && { uid: found.uid, gid: found.gid };
}

/** What an earlier DATA_DIR of the same name left there belongs to that one: kept, not used. */
async function setAside(folder: string, notify: (message: string) => void): Promise<void> {
  if (!(await ownerOf(folder))) return;
  const server = await findServer({ folder, user: UNPRIVILEGED });
  if (server) await stopServer(server);
  const aside = `${folder}.${new Date().toISOString().replace(/\D/g, '')}`;
  await rename(folder, aside);
  notify(`An earlier database of this data folder was kept in ${aside}`);
}

async function canReach(user: { uid: number; gid: number }, folder: string): Promise<boolean> {
  const { uid, gid, mode } = await stat(folder);
  const needed = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
  if ((mode & needed) === 0) return false;
  const parent = dirname(folder);
  return parent === folder || canReach(user, parent);
}
