// Reads the settings from flags, the environment, the profile in the configuration file and defaults, in this order.
// Each setting carries its origin.

import { resolve } from 'node:path';
import { configPath, readConfig } from './configFile.js';
import type { Profile } from './configSchema.js';
import { UsageError } from './errors.js';
import { readTextFile } from './files.js';
import { flagName, type Values } from './options.js';
import type { Environment } from './processIo.js';

/** `trustAnchors` is the path of a file, `mark` the Mark to register under by default. */
export type SettingName = 'url' | 'token' | 'rpcUrl' | 'contract' | 'trustAnchors' | 'mark';

export interface Setting {
  readonly value: string;
  /** The origin, for display: `--url`, `PROVENANCE_URL`, `profile default`, `default`. */
  readonly from: string;
}

export interface Settings extends Readonly<Record<SettingName, Setting | undefined>> {
  readonly profile: Setting;
  /** The requested profile is not in the configuration, perhaps because of a typing error. */
  readonly isProfileMissing: boolean;
  readonly url: Setting;
  /** When the profile's token expires, if known. */
  readonly tokenExpiresAt: string | undefined;
  /** For the user, such as that other users can read the configuration file. */
  readonly warnings: readonly string[];
}

interface SettingSource {
  readonly variable: string;
  /** Returns what is wrong with a value. */
  readonly check: (value: string) => string | undefined;
}

const DEFAULT_URL = 'http://127.0.0.1:8080';
export const DEFAULT_PROFILE = 'default';

export const settingSources = {
  url: { variable: 'PROVENANCE_URL', check: findUrlProblem },
  token: {
    variable: 'PROVENANCE_TOKEN',
    check: (value) =>
      /^[\x21-\x7e]+$/.test(value) ? undefined : 'is not a valid token: it contains spaces or other characters',
  },
  rpcUrl: { variable: 'PROVENANCE_RPC_URL', check: findUrlProblem },
  contract: {
    variable: 'PROVENANCE_CONTRACT',
    check: (value) =>
      /^0x[0-9a-fA-F]{40}$/.test(value) ? undefined : 'is not a contract address (0x and 40 hexadecimal digits)',
  },
  trustAnchors: { variable: 'PROVENANCE_TRUST_ANCHORS', check: (value) => (value === '' ? 'is empty' : undefined) },
  mark: {
    variable: 'PROVENANCE_MARK',
    check: (value) => (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value) ? undefined : 'is not a Mark ID'),
  },
} as const satisfies Record<SettingName, SettingSource>;

export async function readSettings(values: Values, env: Environment, cwd: string): Promise<Settings> {
  const { config, warnings } = await readConfig(configPath(env));
  const profile = toSetting(values['profile'], '--profile') ??
    toSetting(env['PROVENANCE_PROFILE'], 'PROVENANCE_PROFILE') ??
    toSetting(config.profile, 'configuration') ?? { value: DEFAULT_PROFILE, from: 'default' };
  const stored: Profile = config.profiles[profile.value] ?? {};
  const profileOrigin = `profile ${profile.value}`;

  function findSetting(name: SettingName): Setting | undefined {
    const { variable, check } = settingSources[name];
    // The token's flag names a file, and `--mark` belongs to single commands.
    const hasFlag = name !== 'token' && name !== 'mark';
    const setting =
      (hasFlag ? toSetting(values[name], `--${flagName(name)}`) : undefined) ??
      toSetting(env[variable], variable) ??
      toSetting(stored[name], profileOrigin);
    const problem = setting && check(setting.value);
    // A token must not appear in messages.
    if (problem) {
      throw new UsageError(`${setting.from}: ${name === 'token' ? 'the value' : `'${setting.value}'`} ${problem}.`);
    }
    return setting;
  }

  const url = findSetting('url') ?? { value: DEFAULT_URL, from: 'default' };
  const configured = (await readTokenFile(values['tokenFile'], cwd)) ?? findSetting('token');
  const isStored = configured?.from === profileOrigin;
  // A stored token is only sent to the service that issued it.
  const token = isStored && !isSameUrl(url.value, stored.url ?? DEFAULT_URL) ? undefined : configured;
  const [rpcUrl, contract, anchors] = [findSetting('rpcUrl'), findSetting('contract'), findSetting('trustAnchors')];
  const mark = findSetting('mark');
  return {
    profile,
    isProfileMissing: profile.from !== 'default' && !Object.hasOwn(config.profiles, profile.value),
    url,
    token,
    tokenExpiresAt: token && isStored ? stored.tokenExpiresAt : undefined,
    rpcUrl,
    contract,
    trustAnchors: anchors && { ...anchors, value: resolve(cwd, anchors.value) },
    mark,
    warnings,
  };
}

function toSetting(value: unknown, from: string): Setting | undefined {
  return typeof value === 'string' && value !== '' ? { value, from } : undefined;
}

async function readTokenFile(path: unknown, cwd: string): Promise<Setting | undefined> {
  if (typeof path !== 'string') return undefined;
  return { value: (await readTextFile(cwd, path)).trim(), from: '--token-file' };
}

function isSameUrl(one: string, two: string): boolean {
  return URL.canParse(one) && URL.canParse(two) && new URL(one).href === new URL(two).href;
}

function findUrlProblem(value: string): string | undefined {
  if (!URL.canParse(value)) return 'is not a URL';
  const { protocol, username, password } = new URL(value);
  if (protocol !== 'http:' && protocol !== 'https:') return 'is not an http or https URL';
  if (username || password) return 'contains a user name or password';
  return undefined;
}
