// Chooses the folder of the embedded PostgreSQL, and the user that it runs as.
//
// PostgreSQL refuses to run as root or as a user without a name, and checks by access() that it may reach its folder, so
// that no capability helps. When the service runs as root, the server runs as `nobody`, in a group of its own, the group of
// its folder: other programs that run as `nobody` cannot enter that. If the group cannot reach DATA_DIR (for example below
// a home directory of mode 0700), the server's folder is kept under /var/lib instead and DATA_DIR holds a link to it.

import { createHash, randomUUID } from 'node:crypto';
import { chmod, chown, mkdir, readFile, readlink, stat, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { passwordFileOf } from './password.js';
import { findServer, type Listener, type ServerHome, type ServerUser } from './server.js';

/** `nobody` on Debian, and reserved for that purpose nearly everywhere. */
const UNPRIVILEGED_UID = 65_534;
/** Neither Debian nor systemd gives these to groups, and containers have them. */
const GIDS = { first: 60_578, count: 606 };
const PAUSE_MS = 100;

const SYSTEM_FOLDER = '/var/lib/provenance-registry';

export async function prepareHome(dataDir: string): Promise<ServerHome> {
  const folder = join(dataDir, 'postgresql');
  const passwordFile = passwordFileOf(dataDir);
  if (process.getuid?.() !== 0) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return { folder, user: undefined, passwordFile, usesTcp: process.platform === 'win32' };
  }

  await mkdir(dataDir, { recursive: true, mode: 0o711 });
  const owner = await readOwner(folder);
  // After the owner: another service that starts on the folder may create the link at any moment.
  const link = await readlink(folder).catch(() => undefined);
  const current = link ?? folder;
  if (owner && owner.uid !== 0) {
    // An earlier release has created it, or the service has run as that user.
    if (await canReach(owner, dirname(current))) return { folder: current, user: owner, passwordFile, usesTcp: false };
    throw new Error(
      `The database in ${current} belongs to user ${owner.uid}, who has no access to it there. ` +
        'Give others access to the folders above it (chmod o+x), or move the data folder.',
    );
  }
  const user = await chooseUser(dataDir, owner);
  // Also completes what an interrupted start left unfinished.
  if (link || owner || (await canReach(user, dataDir))) return createHome(current, user, passwordFile);

  await mkdir(SYSTEM_FOLDER, { recursive: true, mode: 0o755 });
  // Of services that start at once, one creates the link; its name is new, so that no earlier database is there.
  await createLink(join(SYSTEM_FOLDER, randomUUID()), folder);
  return createHome(await readlink(folder), user, passwordFile);
}

async function createHome(folder: string, user: ServerUser, passwordFile: string): Promise<ServerHome> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await openToGroup(folder, user);
  return { folder, user, passwordFile, usesTcp: false };
}

/** Lets the server write into a folder, and no other program of its user enter it. */
export async function openToGroup(folder: string, { gid }: ServerUser): Promise<void> {
  await chown(folder, 0, gid);
  await chmod(folder, 0o770);
}

/**
 * Closes a folder of an earlier release to the other programs of its server's user. It stays as it is where the server could
 * not reach it any more.
 * @param stopUnused stops a server that is left running; throws when a service uses it
 */
export async function closeToUser(
  home: ServerHome,
  dataDir: string,
  stopUnused: (listener: Listener) => Promise<void>,
): Promise<ServerHome> {
  const { folder, user: earlier, passwordFile } = home;
  if (earlier?.uid !== UNPRIVILEGED_UID || isOwnGroup(earlier.gid)) return home;
  const user = await chooseUser(dataDir);
  if (!(await canReach(user, dirname(folder)))) return home;
  for (;;) {
    const running = await findServer(home);
    if (!running) return createHome(folder, user, passwordFile);
    if (running.listener) await stopUnused(running.listener);
    else await delay(PAUSE_MS);
  }
}

/** The group of the folder if it has one, otherwise the same for all that start on the folder, and another for most others. */
async function chooseUser(dataDir: string, owner?: ServerUser): Promise<ServerUser> {
  if (owner && isOwnGroup(owner.gid)) return { uid: UNPRIVILEGED_UID, gid: owner.gid };
  const taken = await listGroups();
  const place = createHash('sha256').update(dataDir).digest().readUInt32BE();
  for (let offset = 0; offset < GIDS.count; offset += 1) {
    const gid = GIDS.first + ((place + offset) % GIDS.count);
    if (!taken.has(gid)) return { uid: UNPRIVILEGED_UID, gid };
  }
  throw new Error(
    `All groups from ${GIDS.first} to ${GIDS.first + GIDS.count - 1} exist: none is left for the database.`,
  );
}

function isOwnGroup(gid: number): boolean {
  return gid >= GIDS.first && gid < GIDS.first + GIDS.count;
}

/** Those of the machine, also of its users. */
async function listGroups(): Promise<Set<number>> {
  const numbersIn = async (file: string, field: number) => {
    const text = await readFile(file, 'utf8').catch(() => '');
    return text.split('\n').map((line) => Number(line.split(':')[field]));
  };
  return new Set([...(await numbersIn('/etc/group', 2)), ...(await numbersIn('/etc/passwd', 3))]);
}

async function createLink(target: string, path: string): Promise<void> {
  try {
    await symlink(target, path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

async function readOwner(folder: string): Promise<ServerUser | undefined> {
  const stats = await stat(folder).catch(() => undefined);
  return stats && { uid: stats.uid, gid: stats.gid };
}

async function canReach(user: ServerUser, folder: string): Promise<boolean> {
  const { uid, gid, mode } = await stat(folder);
  const needed = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
  if ((mode & needed) === 0) return false;
  const parent = dirname(folder);
  return parent === folder || canReach(user, parent);
}
