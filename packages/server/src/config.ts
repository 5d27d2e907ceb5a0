// Every setting of the service: its name, default, meaning and check. All problems are found in one pass.

import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { defaultTiers, overrideTiers, TierOverrides, type TierTable } from '@provenance-registry/core';
import { Value } from 'typebox/value';
import type { SigningSource } from './c2pa/signingSetup.js';

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly baseUrl: string;
  readonly cdnUrl: string;
  /** Addresses and address ranges whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  readonly storage: { readonly bucket: string; readonly prefix: string } | undefined;
  readonly rpcUrl: string | undefined;
  readonly publicRpcUrl: string | undefined;
  readonly chainPort: number;
  readonly registryAddress: `0x${string}` | undefined;
  readonly chainPrivateKey: `0x${string}` | undefined;
  readonly chainConfirmations: number;
  readonly chainId: number | undefined;
  readonly chainRetry: { readonly attempts: number; readonly ms: number };
  readonly signing: SigningSource | undefined;
  /** In the order in which they are asked; empty: the built-in authority. */
  readonly timestampUrls: readonly string[];
  readonly jwtSecret: string | undefined;
  readonly pseudonymSecret: string | undefined;
  readonly provider: { readonly jwksUrl: URL; readonly issuer: string; readonly audience: string } | undefined;
  readonly billing: 'self-serve' | 'operator';
  readonly operatorToken: string | undefined;
  readonly tiers: TierTable;
  readonly maxUploadBytes: number;
  readonly role: 'all' | 'api' | 'worker';
}

/** Every setting with its default and meaning, in the order of `--help`. */
export const settings = {
  PORT: ['8080', 'port of the HTTP server'],
  HOST: ['127.0.0.1', 'address the HTTP server listens on'],
  BASE_URL: ['http://HOST:PORT', 'public URL of the service, used in responses and on chain'],
  CDN_URL: ['BASE_URL/cdn', 'public URL of published files'],
  TRUSTED_PROXIES: [
    'none',
    'addresses and CIDR ranges of reverse proxies whose X-Forwarded-For is believed, separated by commas',
  ],
  DATA_DIR: ['./data', 'folder of the embedded default: database, published files, keys, chain state'],
  DATABASE_URL: ['an embedded PostgreSQL in DATA_DIR', 'URL of a PostgreSQL server (version 15 or newer)'],
  STORAGE_URL: ['DATA_DIR/public', 's3://bucket/prefix of an S3-compatible store, with the usual AWS_ variables'],
  RPC_URL: ['a development chain in DATA_DIR', 'JSON-RPC URL of an EVM chain'],
  PUBLIC_RPC_URL: [
    'the development chain; none with RPC_URL',
    'JSON-RPC URL that clients are given; must contain no secret',
  ],
  CHAIN_PORT: ['8545', 'port of the development chain'],
  REGISTRY_ADDRESS: ['development chain: deployed on first start', 'address of the registry contract'],
  CHAIN_PRIVATE_KEY: ['development chain: generated on first start', 'key that writes the curated registry'],
  CHAIN_CONFIRMATIONS: ['1', 'blocks until a transaction counts as confirmed'],
  CHAIN_ID: ['any, fixed by the first registration', 'id of the chain behind RPC_URL; another one is refused'],
  CHAIN_MAX_ATTEMPTS: ['10', 'refusals before a registration fails, but not before CHAIN_RETRY_SECONDS'],
  CHAIN_RETRY_SECONDS: ['86400', 'minimum time before a registration fails'],
  SIGNING_CERT_FILE: ['a development certificate, generated on first start', 'C2PA signing certificate chain (PEM)'],
  SIGNING_KEY_FILE: ['a development key, generated on first start', 'C2PA signing key (PEM)'],
  SIGNING_COMMAND: ['none', 'instead of a key file: a program that signs its standard input, for a KMS or HSM'],
  SIGNING_URL: ['none', 'instead of a key file: a service that signs what is posted to it'],
  TSA_URL: ['a built-in authority', 'RFC 3161 time-stamp authority'],
  TSA_FALLBACK_URL: ['none', 'a second authority, used when the first one fails'],
  JWT_SECRET: [
    'generated on first start in DATA_DIR',
    'HS256 key of tokens issued by the service, 32 or more characters',
  ],
  PSEUDONYM_SECRET: [
    'generated on first start in DATA_DIR',
    'keys the pseudonyms of users under private Marks on chain, 32 or more characters',
  ],
  AUTH_JWKS_URL: ['none', 'JWKS URL of an OpenID provider whose RS256, ES256 and EdDSA tokens are also accepted'],
  AUTH_ISSUER: ['none', 'required `iss` of those tokens'],
  AUTH_AUDIENCE: ['none', 'required `aud` of those tokens'],
  BILLING: ['self-serve', '`self-serve`: users set their own tier; `operator`: only the operator does'],
  OPERATOR_TOKEN: ['none: operator endpoints return 404', 'bearer token of the operator endpoints'],
  TIERS_FILE: ['the built-in table', 'JSON file that overrides parts of the tier table'],
  MAX_UPLOAD_BYTES: ['268435456', 'largest file in an upload'],
  ROLE: ['all', '`api`, `worker` or `all`: which part of the service this process runs'],
} as const satisfies Record<string, readonly [fallback: string, meaning: string]>;

export type SettingName = keyof typeof settings;

/** Settings that cannot be used: one line for each problem, none of which shows a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

export function loadConfig(environment: Environment): Config {
  const problems: string[] = [];

  /** The parsed setting, or undefined when it is not set (an empty value is not set) or not usable. */
  function read<T>(name: SettingName, parse: (text: string) => T): T | undefined {
    const text = environment[name]?.trim();
    if (!text) return undefined;
    try {
      return parse(text);
    } catch (problem) {
      problems.push(`${name}: ${problem instanceof Error ? problem.message : String(problem)}`);
      return undefined;
    }
  }

  const host = read('HOST', hostName) ?? '127.0.0.1';
  const port = read('PORT', integer(1, 65_535)) ?? 8080;
  const baseUrl = read('BASE_URL', webAddress) ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const jwksUrl = read('AUTH_JWKS_URL', (text) => new URL(webAddress(text)));
  const issuer = read('AUTH_ISSUER', anything);
  const audience = read('AUTH_AUDIENCE', anything);

  const config: Config = {
    host,
    port,
    baseUrl,
    cdnUrl: read('CDN_URL', webAddress) ?? `${baseUrl}/cdn`,
    trustedProxies: read('TRUSTED_PROXIES', addressRanges) ?? [],
    dataDir: resolve(read('DATA_DIR', anything) ?? './data'),
    databaseUrl: read('DATABASE_URL', postgresAddress),
    storage: read('STORAGE_URL', bucketAddress),
    ...chainSettings(read),
    signing: signingSource(
      read('SIGNING_CERT_FILE', readableFile),
      read('SIGNING_KEY_FILE', readableFile),
      read('SIGNING_COMMAND', commandLine),
      read('SIGNING_URL', webAddress),
    ),
    timestampUrls: [read('TSA_URL', webAddress), read('TSA_FALLBACK_URL', webAddress)].filter(
      (url) => url !== undefined,
    ),
    jwtSecret: read('JWT_SECRET', secretOf32Characters),
    pseudonymSecret: read('PSEUDONYM_SECRET', secretOf32Characters),
    provider: jwksUrl && issuer && audience ? { jwksUrl, issuer, audience } : undefined,
    billing: read('BILLING', oneOf('self-serve', 'operator')) ?? 'self-serve',
    operatorToken: read('OPERATOR_TOKEN', tokenText),
    tiers: read('TIERS_FILE', tierTable) ?? defaultTiers,
    maxUploadBytes: read('MAX_UPLOAD_BYTES', integer(1, Number.MAX_SAFE_INTEGER)) ?? 268_435_456,
    role: read('ROLE', oneOf('all', 'api', 'worker')) ?? 'all',
  };

  problems.push(...findContradictions(environment, config));
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

type Read = <T>(name: SettingName, parse: (text: string) => T) => T | undefined;

function chainSettings(read: Read) {
  return {
    rpcUrl: read('RPC_URL', webAddress),
    publicRpcUrl: read('PUBLIC_RPC_URL', webAddress),
    chainPort: read('CHAIN_PORT', integer(1, 65_535)) ?? 8545,
    registryAddress: read('REGISTRY_ADDRESS', hex(20, 'a contract address')),
    chainPrivateKey: read('CHAIN_PRIVATE_KEY', hex(32, 'a private key')),
    chainConfirmations: read('CHAIN_CONFIRMATIONS', integer(1, 10_000)) ?? 1,
    chainId: read('CHAIN_ID', integer(1, Number.MAX_SAFE_INTEGER)),
    chainRetry: {
      attempts: read('CHAIN_MAX_ATTEMPTS', integer(1, 1_000_000)) ?? 10,
      ms: 1_000 * (read('CHAIN_RETRY_SECONDS', integer(0, 31_536_000)) ?? 86_400),
    },
  };
}

/** Settings that are valid by themselves, but not together. */
function findContradictions(environment: Environment, config: Config): string[] {
  const isSet = (name: SettingName) => Boolean(environment[name]?.trim());
  const found: [boolean, string][] = [
    [
      (['SIGNING_KEY_FILE', 'SIGNING_COMMAND', 'SIGNING_URL'] as const).filter(isSet).length !==
        (isSet('SIGNING_CERT_FILE') ? 1 : 0),
      'SIGNING_CERT_FILE requires exactly one of SIGNING_KEY_FILE, SIGNING_COMMAND and SIGNING_URL, and each of them requires it',
    ],
    [isSet('TSA_FALLBACK_URL') && !isSet('TSA_URL'), 'TSA_FALLBACK_URL requires TSA_URL'],
    [
      new Set([isSet('AUTH_JWKS_URL'), isSet('AUTH_ISSUER'), isSet('AUTH_AUDIENCE')]).size > 1,
      'AUTH_JWKS_URL, AUTH_ISSUER and AUTH_AUDIENCE must be set together',
    ],
    [
      isSet('RPC_URL') && !isSet('REGISTRY_ADDRESS'),
      'RPC_URL requires REGISTRY_ADDRESS: the registry is deployed automatically on the development chain only',
    ],
    [
      isSet('RPC_URL') && !isSet('CHAIN_PRIVATE_KEY') && config.role !== 'api',
      'RPC_URL requires CHAIN_PRIVATE_KEY, unless ROLE is api',
    ],
    [
      !isSet('RPC_URL') && isSet('REGISTRY_ADDRESS'),
      'REGISTRY_ADDRESS requires RPC_URL: the development chain has its own registry',
    ],
    [
      !isSet('RPC_URL') && config.chainPort === config.port,
      `PORT and CHAIN_PORT are both ${config.port}: the development chain needs its own port`,
    ],
    [!isSet('RPC_URL') && isSet('CHAIN_ID'), 'CHAIN_ID requires RPC_URL: the development chain has its own id'],
    [
      config.role !== 'all' && !isSet('DATABASE_URL'),
      `ROLE=${config.role} requires DATABASE_URL: only one process can use the embedded database`,
    ],
  ];
  return found.filter(([contradicts]) => contradicts).map(([, problem]) => problem);
}

function anything(text: string): string {
  return text;
}

function hostName(text: string): string {
  if (!/^[\w.:-]+$/.test(text)) throw new Error(`"${text}" is not an address to listen on`);
  return text;
}

function addressRanges(text: string): string[] {
  return text.split(',').map((item) => {
    const range = item.trim();
    const [address = '', prefix, ...rest] = range.split('/');
    const maximum = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
    const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= maximum);
    // A zone (fe80::1%eth0) names an interface, not a proxy.
    if (maximum < 0 || !isPrefix || rest.length > 0 || address.includes('%')) {
      throw new Error(`"${range}" is not an IP address or a CIDR range`);
    }
    return range;
  });
}

function integer(minimum: number, maximum: number) {
  return (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < minimum || value > maximum) {
      throw new Error(`"${text}" is not a whole number from ${minimum} to ${maximum}`);
    }
    return value;
  };
}

function oneOf<const T extends string>(...allowed: readonly T[]) {
  return (text: string): T => {
    const value = allowed.find((item) => item === text);
    if (value === undefined) throw new Error(`"${text}" is not one of ${allowed.join(', ')}`);
    return value;
  };
}

/** Without trailing slashes, so that paths can be appended. The error does not quote it: it may contain a password. */
function webAddress(text: string): string {
  if (!hasScheme(text, 'http:', 'https:')) throw new Error('not an http:// or https:// address');
  return text.replace(/\/+$/, '');
}

function postgresAddress(text: string): string {
  if (!hasScheme(text, 'postgres:', 'postgresql:')) throw new Error('not a postgres:// address');
  return text;
}

function hasScheme(text: string, ...schemes: string[]): boolean {
  return URL.canParse(text) && schemes.includes(new URL(text).protocol);
}

function bucketAddress(text: string) {
  const match = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*?))?\/?$/.exec(text);
  if (!match?.[1]) throw new Error(`"${text}" is not of the form s3://bucket/prefix`);
  const prefix = match[2] ?? '';
  // In a URL these refer to another folder.
  if (prefix.split('/').some((part) => part === '.' || part === '..')) throw new Error('"." or ".." in the prefix');
  return { bucket: match[1], prefix };
}

function hex(bytes: number, what: string) {
  return (text: string): `0x${string}` => {
    if (!new RegExp(`^0x[0-9a-fA-F]{${bytes * 2}}$`).test(text)) {
      throw new Error(`not ${what}: 0x and ${bytes * 2} hexadecimal digits`);
    }
    return `0x${text.slice(2)}`;
  };
}

function readableFile(text: string): string {
  try {
    readFileSync(text);
  } catch (error) {
    throw new Error(`"${text}" cannot be read (${error instanceof Error && 'code' in error ? error.code : error})`);
  }
  return resolve(text);
}

/** Split at spaces: no shell is involved. */
function commandLine(text: string): readonly [string, ...string[]] {
  const [program = '', ...args] = text.split(/\s+/);
  return [program, ...args];
}

function signingSource(
  certificateFile: string | undefined,
  keyFile: string | undefined,
  command: readonly [string, ...string[]] | undefined,
  url: string | undefined,
): SigningSource | undefined {
  if (!certificateFile) return undefined;
  if (keyFile) return { certificateFile, keyFile };
  if (command) return { certificateFile, command };
  return url ? { certificateFile, url } : undefined;
}

/** RFC 7518 requires an HS256 key to be as long as its hash; a shorter one can be guessed from any token. */
function secretOf32Characters(text: string): string {
  if (text.length < 32) throw new Error('shorter than 32 characters');
  return text;
}

function tokenText(text: string): string {
  if (!/^[\x21-\x7e]+$/.test(text)) throw new Error('has characters that cannot stand in a header');
  return text;
}

function tierTable(path: string): TierTable {
  const text = readFileSync(readableFile(path), 'utf8');
  let overrides: unknown;
  try {
    overrides = JSON.parse(text);
  } catch {
    throw new Error(`"${path}" is not JSON`);
  }
  if (!Value.Check(TierOverrides, overrides)) {
    const reasons = Value.Errors(TierOverrides, overrides).map(
      ({ instancePath, message }) => `${instancePath || '/'} ${message}`,
    );
    throw new Error(`"${path}" is not a tier table: ${reasons.join('; ')}`);
  }
  return overrideTiers(overrides);
}
