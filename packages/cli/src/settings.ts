// Reads the settings from flags, the environment, the profile in the configuration file and defaults, in this order.
// Each setting carries its origin.

import { resolve } from 'node:path';
import { configPath, readConfig } from './configFile.js';
import type { Profile } from './configSchema.js';
import { UsageError } from './errors.js';
import { readTextFile } from './files.js';
import { flagName, type Value, type Values } from './options.js';
import type { Environment } from './processIo.js';
import { DEFAULT_PROFILE, DEFAULT_URL, isProfileOf } from './profiles.js';

/** `trustAnchors` is the path of a file, `mark` the Mark to register under by default. */
export type SettingName =
  | ListName
  | 'url'
  | 'token'
  | 'chainId'
  | 'contract'
  | 'trustAnchors'
  | 'logKey'
  | 'logContract'
  | 'mark';

/** Settings with several values. */
export type ListName = (typeof listNames)[number];
export const listNames = ['rpcUrl', 'witness'] as const;

export interface Setting<Value = string> {
  readonly value: Value;
  /** The origin, for display: `--url`, `PROVENANCE_URL`, `profile default`, `default`. */
  readonly from: string;
}

export interface Settings extends Readonly<Record<Exclude<SettingName, ListName>, Setting | undefined>> {
  readonly profile: Setting;
  /** The profile was named on the command line or in the environment. */
  readonly isProfileChosen: boolean;
  /** The requested profile is not in the configuration, perhaps because of a typing error. */
  readonly isProfileMissing: boolean;
  readonly url: Setting;
  /** Nodes of the chain, at least one. */
  readonly rpcUrl: Setting<readonly string[]> | undefined;
  /** Keys of witnesses, all of which have to sign. */
  readonly witness: Setting<readonly string[]> | undefined;
  /** The service that issued the profile's token, if it is another one than `url`: the token is not used then. */
  readonly otherServiceUrl: string | undefined;
  /** When the profile's token expires, if known. */
  readonly tokenExpiresAt: string | undefined;
  /** The longest wait for the service or a node, if the user set one. */
  readonly timeoutMs: number | undefined;
  /** Warnings for the user, such as that other users can read the configuration file. */
  readonly warnings: readonly string[];
}

interface SettingSource {
  readonly variable: string;
  /** Returns what is wrong with a value. */
  readonly check: (value: string) => string | undefined;
}

export const settingSources = {
  url: { variable: 'PROVENANCE_URL', check: findUrlProblem },
  token: {
    variable: 'PROVENANCE_TOKEN',
    check: (value) =>
      /^[\x21-\x7e]+$/.test(value) ? undefined : 'is not a valid token: it contains spaces or other characters',
  },
  rpcUrl: { variable: 'PROVENANCE_RPC_URL', check: findUrlProblem },
  chainId: {
    variable: 'PROVENANCE_CHAIN_ID',
    // As many digits as a number holds exactly.
    check: (value) => (/^[1-9]\d{0,14}$/.test(value) ? undefined : 'is not a chain id (a whole number)'),
  },
  contract: { variable: 'PROVENANCE_CONTRACT', check: findAddressProblem },
  trustAnchors: { variable: 'PROVENANCE_TRUST_ANCHORS', check: (value) => (value === '' ? 'is empty' : undefined) },
  logKey: { variable: 'PROVENANCE_LOG_KEY', check: checkVerifierKey('a log') },
  logContract: { variable: 'PROVENANCE_LOG_CONTRACT', check: findAddressProblem },
  witness: { variable: 'PROVENANCE_WITNESS', check: checkVerifierKey('a witness') },
  mark: {
    variable: 'PROVENANCE_MARK',
    check: (value) => (value.trim() === '' ? 'is empty' : undefined),
  },
} as const satisfies Record<SettingName, SettingSource>;

export async function readSettings(values: Values, env: Environment, cwd: string): Promise<Settings> {
  const { config, warnings } = await readConfig(configPath(env));
  const chosen =
    toSetting(values['profile'], '--profile') ?? toSetting(env['PROVENANCE_PROFILE'], 'PROVENANCE_PROFILE');
  const profile = chosen ?? toSetting(config.profile, 'configuration') ?? { value: DEFAULT_PROFILE, from: 'default' };
  const stored: Profile = config.profiles[profile.value] ?? {};
  const profileOrigin = `profile ${profile.value}`;

  function findSetting(name: Exclude<SettingName, ListName>): Setting | undefined {
    const { variable } = settingSources[name];
    // The token's flag names a file, and `--mark` belongs to single commands.
    const hasFlag = name !== 'token' && name !== 'mark';
    const setting =
      (hasFlag ? toSetting(values[name], `--${flagName(name)}`) : undefined) ??
      toSetting(env[variable], variable) ??
      toSetting(stored[name], profileOrigin);
    if (setting) checkSetting(name, setting);
    return setting;
  }

  function findList(name: ListName): Setting<readonly string[]> | undefined {
    const { variable } = settingSources[name];
    const setting =
      toListSetting(values[name], `--${flagName(name)}`) ??
      toListSetting(splitList(env[variable] ?? ''), variable) ??
      toListSetting([stored[name] ?? []].flat(), profileOrigin);
    for (const value of setting?.value ?? []) checkSetting(name, { value, from: setting?.from ?? '' });
    return setting;
  }

  const url = findSetting('url') ?? { value: DEFAULT_URL, from: 'default' };
  const configured = (await readTokenFile(values['tokenFile'], cwd)) ?? findSetting('token');
  const isStored = configured?.from === profileOrigin;
  // A stored token is only sent to the service that issued it.
  const isOtherService = isStored && !isProfileOf(stored, url.value);
  const token = isOtherService ? undefined : configured;
  const [rpcUrl, witness] = [findList('rpcUrl'), findList('witness')];
  const [chainId, contract, anchors] = [findSetting('chainId'), findSetting('contract'), findSetting('trustAnchors')];
  const [logKey, logContract, mark] = [findSetting('logKey'), findSetting('logContract'), findSetting('mark')];
  return {
    profile,
    isProfileChosen: chosen !== undefined,
    isProfileMissing: profile.from !== 'default' && !Object.hasOwn(config.profiles, profile.value),
    url,
    token,
    otherServiceUrl: isOtherService ? (stored.url ?? DEFAULT_URL) : undefined,
    tokenExpiresAt: token && isStored ? stored.tokenExpiresAt : undefined,
    rpcUrl,
    chainId,
    contract,
    trustAnchors: anchors && { ...anchors, value: resolve(cwd, anchors.value) },
    logKey,
    logContract,
    witness,
    mark,
    timeoutMs: Number(values['timeout'] ?? 0) * 1000 || undefined,
    warnings,
  };
}

function toSetting(value: unknown, from: string): Setting | undefined {
  return typeof value === 'string' && value !== '' ? { value, from } : undefined;
}

function toListSetting(values: Value, from: string): Setting<readonly string[]> | undefined {
  return Array.isArray(values) && values.length > 0 ? { value: values.map(String), from } : undefined;
}

/** The values of a list in one text, separated by spaces or commas. */
export function splitList(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}

function checkSetting(name: SettingName, { value, from }: Setting): void {
  const problem = settingSources[name].check(value);
  // A token must not appear in messages.
  if (problem) throw new UsageError(`${from}: ${name === 'token' ? 'the value' : `'${value}'`} ${problem}.`);
}

/** The form of a registry's URL by which the configuration knows it. */
export function toRegistryKey(url: string): string {
  return URL.canParse(url) ? new URL(url).href.replace(/\/+$/, '') : url;
}

async function readTokenFile(path: unknown, cwd: string): Promise<Setting | undefined> {
  if (typeof path !== 'string') return undefined;
  return { value: (await readTextFile(cwd, path)).trim(), from: '--token-file' };
}

function checkVerifierKey(owner: string) {
  return (value: string) =>
    /^[^+\s]+\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}$/.test(value)
      ? undefined
      : `is not the verifier key of ${owner} (name+id+key)`;
}

function findAddressProblem(value: string): string | undefined {
  const isAddress = /^0x[0-9a-fA-F]{40}$/.test(value);
  return isAddress ? undefined : 'is not a contract address (0x and 40 hexadecimal digits)';
}

function findUrlProblem(value: string): string | undefined {
  if (!URL.canParse(value)) return 'is not a URL';
  const { protocol, username, password } = new URL(value);
  if (protocol !== 'http:' && protocol !== 'https:') return 'is not an http or https URL';
  if (username || password) return 'contains a user name or password';
  return undefined;
}
