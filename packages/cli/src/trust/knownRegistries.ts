// The registries that the configuration knows by their URL: pinned after a comparison, or remembered at first contact.

import { changeProfile, configPath, readConfig, writeConfig } from '../configFile.js';
import type { Config, Profile, RegistryRecord } from '../configSchema.js';
import type { Environment } from '../processIo.js';
import { toRegistryKey } from '../settings.js';
import { toCommandError } from '../toCommandError.js';

export interface KnownRegistry {
  readonly record: RegistryRecord;
  /** Whether it is pinned in the profile: the user compared its fingerprint. */
  readonly isCompared: boolean;
  /** The profile that has the record. */
  readonly profile: string;
}

/** Lists what the profile has pinned, and what any profile remembers. */
export async function listKnownRegistries(env: Environment, profile: string): Promise<[string, KnownRegistry][]> {
  const { config } = await readConfig(configPath(env));
  const { pins } = config.profiles[profile] ?? {};
  const remembered = Object.values(config.profiles).flatMap((one) => Object.keys(one.remembered ?? {}));
  const keys = new Set([...Object.keys(pins ?? {}), ...remembered]);
  return [...keys].flatMap((key) => {
    const known = findKnownRegistry(config, profile, key);
    return known ? [[key, known] as [string, KnownRegistry]] : [];
  });
}

/** Reads the configuration again, since another command, or this one, may have met the registry meanwhile. */
export async function readKnownRegistry(
  env: Environment,
  profile: string,
  url: string,
): Promise<KnownRegistry | undefined> {
  const { config } = await readConfig(configPath(env));
  return findKnownRegistry(config, profile, url);
}

/** A registry that another profile knows is not met for the first time, either. */
export function findKnownRegistry({ profiles }: Config, profile: string, url: string): KnownRegistry | undefined {
  const key = toRegistryKey(url);
  const pin = profiles[profile]?.pins?.[key];
  if (pin) return { record: pin, isCompared: true, profile };
  const others = Object.keys(profiles).filter((name) => name !== profile);
  for (const name of [profile, ...others]) {
    const { remembered, pins } = profiles[name] ?? {};
    const record = remembered?.[key] ?? pins?.[key];
    if (record) return { record, isCompared: false, profile: name };
  }
  return undefined;
}

/** Replaces the record of a registry that a known root has renewed. Returns why that failed, if it did. */
export function saveRenewedRecord(
  env: Environment,
  profile: string,
  url: string,
  record: RegistryRecord,
): Promise<string | undefined> {
  const key = toRegistryKey(url);
  return trySave(env, profile, (before) => ({
    ...before,
    ...(before.pins?.[key] && { pins: { ...before.pins, [key]: record } }),
    ...(before.remembered?.[key] && { remembered: { ...before.remembered, [key]: record } }),
  }));
}

/** Keeps what another command has saved meanwhile. Returns why the registry could not be remembered, if it could not. */
export function rememberRecord(
  env: Environment,
  profile: string,
  url: string,
  record: RegistryRecord,
): Promise<string | undefined> {
  const key = toRegistryKey(url);
  return trySave(env, profile, (before) =>
    before.pins?.[key] || before.remembered?.[key]
      ? before
      : { ...before, remembered: { ...before.remembered, [key]: record } },
  );
}

/** Pins a registry in place of remembering it. */
export function pinRecord(env: Environment, profile: string, url: string, record: RegistryRecord): Promise<void> {
  const key = toRegistryKey(url);
  return changeProfile(env, profile, ({ remembered, ...before }) => ({
    ...before,
    ...(remembered && { remembered: without(remembered, key) }),
    pins: { ...before.pins, [key]: record },
  }));
}

/** Forgets a registry: the pin of the profile, and whatever is remembered. Returns whether there was anything. */
export async function forgetRegistry(env: Environment, profile: string, url: string): Promise<boolean> {
  const path = configPath(env);
  const { config } = await readConfig(path);
  const key = toRegistryKey(url);
  const isKnown = ([name, { pins, remembered }]: [string, Profile]) =>
    remembered?.[key] !== undefined || (name === profile && pins?.[key] !== undefined);
  if (!Object.entries(config.profiles).some(isKnown)) return false;
  const profiles = Object.entries(config.profiles).map(([name, { remembered, ...rest }]): [string, Profile] => {
    const kept = name === profile && rest.pins ? { ...rest, pins: without(rest.pins, key) } : rest;
    return [name, remembered ? { ...kept, remembered: without(remembered, key) } : kept];
  });
  await writeConfig(path, { ...config, profiles: Object.fromEntries(profiles) });
  return true;
}

function without<T>(records: Readonly<Record<string, T>>, key: string): Record<string, T> {
  return Object.fromEntries(Object.entries(records).filter(([name]) => name !== key));
}

async function trySave(
  env: Environment,
  profile: string,
  change: (before: Profile) => Profile,
): Promise<string | undefined> {
  try {
    await changeProfile(env, profile, change);
    return undefined;
  } catch (error) {
    return (await toCommandError(error)).message;
  }
}
