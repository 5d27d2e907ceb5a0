// The configuration file: profiles, each with settings of its own. Only its owner can read it, for it has tokens in it.

import { randomUUID } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import type { Config, Profile } from './configSchema.js';
import type { Environment } from './context.js';
import { errorCode, FileProblem, systemReason } from './errors.js';

export function configPath(env: Environment): string {
  const folder = env['XDG_CONFIG_HOME'];
  // The XDG specification says that a relative path is to be ignored.
  return join(
    folder && isAbsolute(folder) ? folder : join(env['HOME'] || homedir(), '.config'),
    'provenance',
    'config.json',
  );
}

/** An absent file is an empty configuration. */
export async function readConfig(path: string): Promise<{ config: Config; warnings: string[] }> {
  let content: string;
  const warnings: string[] = [];
  try {
    content = await readFile(path, 'utf8');
    const othersMayRead = ((await stat(path)).mode & 0o077) !== 0;
    if (othersMayRead) warnings.push(`Others can read ${path}, which may hold tokens: chmod 600 it.`);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { config: { profiles: {} }, warnings };
    throw new FileProblem(`${path}: ${systemReason(error)}.`, { cause: error });
  }
  // Loaded only now: the schema's library takes longer to start than all the rest.
  const { parseConfig } = await import('./configSchema.js');
  return { config: parseConfig(content, path), warnings };
}

/** Whole or not at all: another process sees the old file or the new one. */
export async function writeConfig(path: string, config: Config): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(config, undefined, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await chmod(draft, 0o600);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw new FileProblem(`${path}: ${systemReason(error)}.`, { cause: error });
  }
}

export async function changeProfile(
  env: Environment,
  name: string,
  change: (before: Profile) => Profile,
): Promise<void> {
  const path = configPath(env);
  const { config } = await readConfig(path);
  const profiles = { ...config.profiles, [name]: change(config.profiles[name] ?? {}) };
  await writeConfig(path, { ...config, profiles });
}
