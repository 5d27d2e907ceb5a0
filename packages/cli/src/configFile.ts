// The configuration file with its profiles. Only its owner can read it, because it holds tokens.

import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Config, Profile } from './configSchema.js';
import { errorCode, FileError } from './errors.js';
import { userFolder } from './files.js';
import type { Environment } from './processIo.js';
import { DEFAULT_PROFILE } from './profiles.js';

export function configPath(env: Environment): string {
  return join(userFolder(env, 'XDG_CONFIG_HOME', '.config'), 'provenance', 'config.json');
}

/** A missing file is an empty configuration. */
export async function readConfig(path: string): Promise<{ config: Config; warnings: string[] }> {
  let content: string;
  const warnings: string[] = [];
  try {
    content = await readFile(path, 'utf8');
    const othersMayRead = ((await stat(path)).mode & 0o077) !== 0;
    if (othersMayRead) warnings.push(`Other users can read ${path}, which may contain tokens. Run chmod 600 on it.`);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { config: { profiles: {} }, warnings };
    throw new FileError(path, error);
  }
  // Loaded on demand: the schema library takes longer to load than everything else.
  const { parseConfig } = await import('./configSchema.js');
  return { config: parseConfig(content, path), warnings };
}

/** Atomic: other processes see either the old file or the new one. */
export async function writeConfig(path: string, config: Config): Promise<void> {
  const draft = `${path}.${crypto.randomUUID()}`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const content = `${JSON.stringify(config, undefined, 2)}\n`;
    await writeFile(draft, content, { flag: 'wx', mode: 0o600, flush: true });
    await chmod(draft, 0o600);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw new FileError(path, error);
  }
}

/** Reads a profile; one that does not exist is empty. */
export async function readProfile(env: Environment, name: string): Promise<Profile> {
  const { config } = await readConfig(configPath(env));
  return config.profiles[name] ?? {};
}

export function removeToken({ token: _, tokenExpiresAt: _expires, ...rest }: Profile): Profile {
  return rest;
}

/** Changes a profile, and makes it the one that is used by default. */
export async function switchProfile(
  env: Environment,
  name: string,
  change: (before: Profile) => Profile,
): Promise<void> {
  await changeProfile(env, name, change);
  const path = configPath(env);
  const { config } = await readConfig(path);
  if ((config.profile ?? DEFAULT_PROFILE) !== name) await writeConfig(path, { ...config, profile: name });
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
