// Files that commands write: complete or not at all, and never in place of another file unless that is asked for.

import { constants, copyFile, link, open, rename, rm, stat } from 'node:fs/promises';
import { CommandError, errorCode, orFileError, systemReason } from './errors.js';
import { type BytePath, baseName, toBytes, toText } from './walk/paths.js';

/** A file that is written while it arrives. */
type FileParts = AsyncIterable<Uint8Array>;

/** The mode before the umask of the process is applied. */
const DEFAULT_MODE = 0o666;

export interface OutputFile {
  /** Writes the content under a hidden name, and gives it its own name once it is complete. */
  save(content: FileParts | string | Uint8Array): Promise<void>;
  /** Removes what was reserved; has no effect once the content is complete. */
  discard(): Promise<void>;
}

/** Fails before any work is done when the file exists or its folder cannot be written to. */
export async function reserveOutput(
  path: BytePath,
  displayName: string,
  force: boolean,
  mode = DEFAULT_MODE,
): Promise<OutputFile> {
  if (!force && (await exists(path))) throw existsError(displayName);
  // Hidden, so that `register` skips it.
  const name = baseName(path);
  const draft = `${path.slice(0, -name.length)}.${name}.${crypto.randomUUID()}.partial`;
  const file = await orFileError(displayName, open(toBytes(draft), 'wx', mode));
  let isComplete = false;
  const discard = async () => {
    if (isComplete) return;
    await file.close().catch(() => {});
    await rm(toBytes(draft), { force: true });
  };
  return {
    async save(content) {
      const parts = typeof content === 'string' || content instanceof Uint8Array ? [content] : content;
      try {
        // What fails while the content arrives is no problem of the file.
        for await (const part of parts) await orFileError(displayName, file.writeFile(part));
        await orFileError(displayName, file.sync());
        await orFileError(displayName, file.close());
        isComplete = true;
      } catch (error) {
        await discard();
        throw error;
      }
      try {
        await publish(draft, path, force);
      } catch (error) {
        const reason = `${displayName}: ${systemReason(error)}. The content is in ${toText(draft)}.`;
        throw new CommandError('FILE_PROBLEM', 3, reason, { cause: error });
      }
    },
    discard,
  };
}

async function exists(path: BytePath): Promise<boolean> {
  return stat(toBytes(path)).then(
    () => true,
    () => false,
  );
}

function existsError(displayName: string): CommandError {
  return new CommandError('FILE_EXISTS', 2, `${displayName} already exists. Use --force to overwrite it.`);
}

async function publish(draft: BytePath, path: BytePath, force: boolean): Promise<void> {
  const [from, to] = [toBytes(draft), toBytes(path)];
  if (force) return rename(from, to);
  try {
    await link(from, to);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw error;
    // Not every file system has hard links.
    await copyFile(from, to, constants.COPYFILE_EXCL);
  }
  await rm(from);
}
