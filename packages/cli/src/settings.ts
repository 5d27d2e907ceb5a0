// The settings: from flags, then the environment, then the profile in the configuration file, then defaults; each with
// where it comes from.

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { flagName, type Values } from './command.js';
import { configPath, readConfig } from './configFile.js';
import type { Profile } from './configSchema.js';
import type { Environment } from './context.js';
import { FileProblem, systemReason, UsageError } from './errors.js';

export type SettingName = 'url' | 'token' | 'rpcUrl' | 'contract' | 'trustAnchors' | 'mark';

export interface Setting {
  readonly value: string;
  /** For people: `--url`, `PROVENANCE_URL`, `profile default`, `default`. */
  readonly from: string;
}

export interface Settings {
  readonly profile: Setting;
  /** Somebody asks for a profile that the configuration does not have: perhaps they mistyped it. */
  readonly isProfileMissing: boolean;
  readonly url: Setting;
  readonly token?: Setting;
  readonly rpcUrl?: Setting;
  readonly contract?: Setting;
  /** Path of a file. */
  readonly trustAnchors?: Setting;
  /** The Mark to register under, unless another one is named. */
  readonly mark?: Setting;
  /** When the profile's token stops working, if that is known. */
  readonly tokenExpiresAt?: string;
  /** What the user should know about the settings, such as a file that others can read. */
  readonly warnings: readonly string[];
}

interface Source {
  readonly flag: string;
  readonly variable: string;
  readonly meaning: string;
  readonly check: (value: string) => string | undefined;
}

export const DEFAULT_URL = 'http://127.0.0.1:8080';
export const DEFAULT_PROFILE = 'default';

/** Every setting: where it is read from, what it means, and what is wrong with a value. */
export const settingSources = {
  url: { flag: 'url', variable: 'PROVENANCE_URL', meaning: 'where the service is', check: webAddressProblem },
  token: {
    flag: 'tokenFile',
    variable: 'PROVENANCE_TOKEN',
    meaning: 'token or API key',
    check: (value) => (/^[\x21-\x7e]+$/.test(value) ? undefined : 'is no token: it has blanks or other characters'),
  },
  rpcUrl: {
    flag: 'rpcUrl',
    variable: 'PROVENANCE_RPC_URL',
    meaning: 'JSON-RPC node of the chain',
    check: webAddressProblem,
  },
  contract: {
    flag: 'contract',
    variable: 'PROVENANCE_CONTRACT',
    meaning: 'the registry contract on the chain',
    check: (value) => (/^0x[0-9a-fA-F]{40}$/.test(value) ? undefined : 'is no contract address: 0x and 40 digits'),
  },
  trustAnchors: {
    flag: 'trustAnchors',
    variable: 'PROVENANCE_TRUST_ANCHORS',
    meaning: 'file with the certificates (PEM) of those whom you trust to sign',
    check: (value) => (value === '' ? 'is empty' : undefined),
  },
  mark: {
    flag: 'mark',
    variable: 'PROVENANCE_MARK',
    meaning: 'id of the Mark to register under',
    check: (value) => (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value) ? undefined : 'is no id of a Mark'),
  },
} as const satisfies Record<SettingName, Source>;

export async function readSettings(given: Values, env: Environment, cwd: string): Promise<Settings> {
  const { config, warnings } = await readConfig(configPath(env));
  const profile = named(given['profile'], '--profile') ??
    named(env['PROVENANCE_PROFILE'], 'PROVENANCE_PROFILE') ??
    named(config.profile, 'configuration') ?? { value: DEFAULT_PROFILE, from: 'default' };
  const stored: Profile = config.profiles[profile.value] ?? {};
  const profileName = `profile ${profile.value}`;

  function find(name: SettingName): Setting | undefined {
    const { flag, variable, check } = settingSources[name];
    // A file has the token; and what is called `mark` means different things to different commands.
    const isFlag = name !== 'token' && name !== 'mark';
    const found =
      (isFlag ? named(given[flag], `--${flagName(flag)}`) : undefined) ??
      named(env[variable], variable) ??
      named(stored[name], profileName);
    const problem = found && check(found.value);
    if (problem) throw new UsageError(`${found.from}: ${name === 'token' ? 'it' : `'${found.value}'`} ${problem}.`);
    return found;
  }

  const url = find('url') ?? { value: DEFAULT_URL, from: 'default' };
  const told = (await tokenOfFile(given['tokenFile'], cwd)) ?? find('token');
  const isStored = told?.from === profileName;
  // A token goes to nobody but the service that gave it.
  const token = isStored && !sameService(url.value, stored.url ?? DEFAULT_URL) ? undefined : told;
  const [rpcUrl, contract, anchors] = [find('rpcUrl'), find('contract'), find('trustAnchors')];
  const mark = find('mark');
  return {
    profile,
    isProfileMissing: profile.from !== 'default' && !Object.hasOwn(config.profiles, profile.value),
    url,
    warnings,
    ...(token && { token }),
    ...(token && isStored && stored.tokenExpiresAt !== undefined && { tokenExpiresAt: stored.tokenExpiresAt }),
    ...(rpcUrl && { rpcUrl }),
    ...(contract && { contract }),
    ...(mark && { mark }),
    ...(anchors && { trustAnchors: { ...anchors, value: resolve(cwd, anchors.value) } }),
  };
}

function named(value: unknown, from: string): Setting | undefined {
  return typeof value === 'string' && value !== '' ? { value, from } : undefined;
}

async function tokenOfFile(path: unknown, cwd: string): Promise<Setting | undefined> {
  if (typeof path !== 'string') return undefined;
  try {
    return { value: (await readFile(resolve(cwd, path), 'utf8')).trim(), from: '--token-file' };
  } catch (error) {
    throw new FileProblem(`${path}: ${systemReason(error)}.`, { cause: error });
  }
}

function sameService(one: string, two: string): boolean {
  return URL.canParse(one) && URL.canParse(two) && new URL(one).href === new URL(two).href;
}

function webAddressProblem(value: string): string | undefined {
  if (!URL.canParse(value)) return 'is no web address';
  const { protocol, username, password } = new URL(value);
  if (protocol !== 'http:' && protocol !== 'https:') return 'is no http or https address';
  if (username || password) return 'has a name or password in it';
  return undefined;
}
