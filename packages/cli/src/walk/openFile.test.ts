// Files whose paths lead elsewhere by the time they are opened. The swap happens inside the system calls, between the check and
// the opening or right after it, not by chance.

import fs from 'node:fs';
import files, { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileChangedError, hashFile } from '@provenance-registry/client/node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAllowedFolders } from '../mcp/allowedFolders.js';
import { openRealFile } from './openFile.js';
import { toBytePath } from './paths.js';

/** What happens right before a file is opened, and whether the system tells the paths of handles. */
const system = { beforeOpen: async () => {}, hasProc: true };
beforeAll(() => {
  const { open } = files;
  vi.spyOn(files, 'open').mockImplementation(async (...args) => {
    await system.beforeOpen();
    return open(...args);
  });
  const { readlinkSync } = fs;
  vi.spyOn(fs, 'readlinkSync').mockImplementation((path: fs.PathLike) => {
    if (!system.hasProc) throw new Error('there is no /proc');
    return readlinkSync(path);
  });
  syncBuiltinESMExports();
});
afterAll(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

const SECRET = 'a secret outside of the folder';
const PHOTO = 'a photo in the folder';

let base: string;
let file: string;
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'provenance-open-')));
  await mkdir(join(base, 'folder', 'inner'), { recursive: true });
  await mkdir(join(base, 'elsewhere'));
  file = join(base, 'folder', 'inner', 'photo.jpg');
  await writeFile(file, PHOTO);
  await writeFile(join(base, 'elsewhere', 'photo.jpg'), SECRET);
});
afterEach(async () => {
  system.beforeOpen = async () => {};
  system.hasProc = true;
  await rm(base, { recursive: true });
});

/** Each puts something else where the file was. */
const swaps: Record<string, () => Promise<unknown>> = {
  'a link that takes the place of the file': async () => {
    await rm(file);
    await symlink(join(base, 'elsewhere', 'photo.jpg'), file);
  },
  'a link that takes the place of its folder': async () => {
    await rename(join(base, 'folder', 'inner'), join(base, 'folder', 'away'));
    await symlink(join(base, 'elsewhere'), join(base, 'folder', 'inner'));
  },
  'a link within the folder': async () => {
    await rename(file, join(base, 'folder', '.hidden'));
    await symlink(join(base, 'folder', '.hidden'), file);
  },
};

describe.each([
  ['where the system tells the path of a handle', true],
  ['where it does not', false],
])('%s', (_, hasProc) => {
  it.each(Object.entries(swaps))('%s before it is opened is not followed', async (_name, swap) => {
    system.hasProc = hasProc;
    system.beforeOpen = once(swap);
    await expect(openRealFile(toBytePath(file))).rejects.toBeInstanceOf(FileChangedError);
  });

  it.each(Object.entries(swaps))('after %s, what was opened is read', async (_name, swap) => {
    system.hasProc = hasProc;
    const { handle } = await openRealFile(toBytePath(file));
    await swap();
    expect(await hashFile(handle)).toEqual(await hashOf(PHOTO));
    await handle.close();
  });

  it.each(Object.entries(swaps))('%s is not followed for an agent, before or after its check', async (_name, swap) => {
    system.hasProc = hasProc;
    const folders = await createAllowedFolders({ cwd: base, env: { HOME: '/' } }, ['folder']);
    const { handle } = await folders.open('inner/photo.jpg');
    system.beforeOpen = once(swap);
    // Allowed a moment before.
    await expect(folders.open('inner/photo.jpg')).rejects.toMatchObject({ code: 'PATH_NOT_ALLOWED' });
    expect(await hashFile(handle)).toEqual(await hashOf(PHOTO));
    await handle.close();
  });
});

it('A pipe that takes the place of the file does not keep the program waiting', async () => {
  const { execFileSync } = await import('node:child_process');
  system.beforeOpen = once(async () => {
    await rm(file);
    execFileSync('mkfifo', [file]);
  });
  await expect(openRealFile(toBytePath(file))).rejects.toBeInstanceOf(FileChangedError);
});

function once(work: () => Promise<unknown>): () => Promise<void> {
  return async () => {
    system.beforeOpen = async () => {};
    await work();
  };
}

async function hashOf(text: string) {
  const path = join(base, 'copy');
  await writeFile(path, text);
  return hashFile(path);
}
