// Files named by the user, and the user's folders for settings and state.

import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { orFileError } from './errors.js';
import type { Environment } from './processIo.js';

export function readTextFile(cwd: string, path: string): Promise<string> {
  return orFileError(path, readFile(resolve(cwd, path), 'utf8'));
}

/** The folder by the XDG specification, which ignores relative paths. */
export function userFolder(env: Environment, variable: string, fallback: string): string {
  const folder = env[variable];
  return folder && isAbsolute(folder) ? folder : join(env['HOME'] || homedir(), fallback);
}
