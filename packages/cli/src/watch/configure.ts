// `watch add` and `watch remove`: the watched folders in the configuration.

import { realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readAuthorship } from '../authorship.js';
import { changeProfile, readProfile } from '../configFile.js';
import type { WatchedFolder } from '../configSchema.js';
import { connectLoggedIn } from '../connect.js';
import type { Context } from '../context.js';
import { CommandError, orFileError, UsageError } from '../errors.js';
import { chooseMarkId } from '../names.js';
import { journalFolder } from '../register/journal.js';
import type { RegisterOptions } from '../register/options.js';
import { joinLines, text } from '../text.js';
import { createIgnoreRules } from '../walk/ignoreRules.js';
import { toBytePath } from '../walk/paths.js';
import { walk } from '../walk/walk.js';
import { findFolderRoot } from './folderRoot.js';

export interface AddOptions extends Pick<RegisterOptions, 'mark' | 'authorship' | 'ignore' | 'noCodes'> {
  readonly folder: string;
}

export async function addFolder(context: Context, options: AddOptions): Promise<void> {
  const folder = resolve(context.cwd, options.folder);
  await requireFolder(options.folder, folder);
  const { profile, folders, savedMark } = await readFolders(context);
  await requireNoAlias(folder, Object.keys(folders));
  const client = await connectLoggedIn(context);
  const marks = await client.listMarks();
  const mark = await chooseMarkId(marks, options.mark ?? savedMark);
  const known = marks.find(({ id }) => id === mark);
  if (!known) throw new CommandError('NOT_FOUND', 1, `You cannot register under the Mark ${mark}.`);
  const settings: WatchedFolder = {
    mark,
    authorshipStated: await readAuthorship(context, options.authorship),
    ignore: [...options.ignore],
    sendsCodes: !options.noCodes,
  };
  const files = await countFiles(context, folder, settings, Object.keys(folders));
  await changeProfile(context.env, profile, (before) => ({
    ...before,
    watchedFolders: { ...before.watchedFolders, [folder]: settings },
  }));
  const sendsCodes = settings.sendsCodes && known.visibility === 'public';
  context.printResult(
    { profile, folder, ...settings, files },
    joinLines([
      text`${folders[folder] ? 'Changed' : 'Added'} ${folder}: its files are registered under ${known.name}, also the ${files} that are there now.`,
      ...(sendsCodes
        ? ['Codes for finding look-alikes are sent with the fingerprints; --no-codes turns this off.']
        : []),
      "A running watcher follows within seconds. 'provenance watch install' starts one; 'provenance watch status' shows it.",
    ]),
  );
}

export async function removeFolder(context: Context, name: string): Promise<void> {
  const { profile, folders } = await readFolders(context);
  const folder = resolve(context.cwd, name);
  if (!folders[folder]) {
    const list = Object.keys(folders).join(', ') || 'none';
    throw new CommandError('NOT_FOUND', 1, `${folder} is not watched. Watched folders: ${list}.`);
  }
  const { [folder]: _, ...rest } = folders;
  await changeProfile(context.env, profile, (before) => ({ ...before, watchedFolders: rest }));
  context.printResult({ profile, folder }, text`Removed ${folder}. What is registered stays registered.`);
}

async function readFolders(context: Context) {
  const settings = await context.loadSettings();
  const profile = settings.profile.value;
  const { watchedFolders: folders = {} } = await readProfile(context.env, profile);
  return { profile, folders, savedMark: settings.mark?.value };
}

async function requireFolder(name: string, folder: string): Promise<void> {
  // The configuration is a text; such a name could not be found again.
  if (name.includes('\uFFFD')) throw new UsageError(`${name}: the name of the folder is not UTF-8.`);
  const stats = await orFileError(name, stat(folder));
  if (!stats.isDirectory()) throw new UsageError(`${name} is not a folder.`);
}

/** Links can give one folder two names, and each file belongs to one Mark. */
async function requireNoAlias(folder: string, folders: readonly string[]): Promise<void> {
  const root = await realpath(folder);
  for (const other of folders.filter((name) => name !== folder)) {
    const otherRoot = await realpath(other).catch(() => undefined);
    if (otherRoot === root)
      throw new CommandError('CONFLICT', 1, `${folder} is the same folder as ${other}, which is watched.`);
  }
}

async function countFiles(
  { env }: Context,
  folder: string,
  { ignore }: WatchedFolder,
  otherFolders: readonly string[],
): Promise<number> {
  const root = await findFolderRoot(folder, otherFolders);
  const innerFolders = typeof root === 'string' ? [] : root.innerFolders;
  const walkOptions = {
    paths: [{ path: folder, name: folder }],
    rules: createIgnoreRules(ignore),
    excludedFolders: [toBytePath(journalFolder(env)), ...innerFolders],
  };
  let files = 0;
  for await (const { kind } of walk(walkOptions)) if (kind === 'file') files += 1;
  return files;
}
