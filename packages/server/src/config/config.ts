// Every setting of the service: its name, default, meaning and check. All problems are found in one pass.

import { resolve } from 'node:path';
import { defaultTiers, type TierTable } from '@provenance-registry/core';
import { type SigningSource, signingSource } from '../c2pa/signing/signers.js';
import { readTrustRoots, type TrustRoots } from '../c2pa/signing/trustRoots.js';
import type { DomainCheckerOptions } from '../domainVerification/checker.js';
import { type ClaimTrust, noTrust, readClaimTrust } from '../evidence/claimTrust.js';
import type { TargetOptions } from '../webhooks/targets.js';
import { findContradictions } from './contradictions.js';
import {
  addressRanges,
  anything,
  bucketAddress,
  commandLine,
  displayName,
  dnsServers,
  fraction,
  hex,
  hostName,
  integer,
  type MailServer,
  mailServer,
  oneOf,
  postgresAddress,
  readableFile,
  readSecretFiles,
  type SenderAddress,
  secretOf32Characters,
  senderAddress,
  settingsOf,
  tierTable,
  tokenText,
  webAddress,
} from './parsers.js';

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly baseUrl: string;
  readonly registryName: string;
  readonly cdnUrl: string;
  /** Addresses and address ranges whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  readonly storage: StorageConfig | undefined;
  readonly rpcUrl: string | undefined;
  readonly publicRpcUrl: string | undefined;
  /** Without a trailing slash. */
  readonly explorerUrl: string | undefined;
  readonly chainPort: number;
  readonly registryAddress: `0x${string}` | undefined;
  readonly chainPrivateKey: `0x${string}` | undefined;
  readonly chainConfirmations: number;
  readonly chainId: number | undefined;
  readonly chainRetry: { readonly attempts: number; readonly ms: number };
  readonly signing: SigningSource | undefined;
  /** In the order in which they are asked; empty: the built-in authority. */
  readonly timestampUrls: readonly string[];
  readonly identityKeyFile: string | undefined;
  readonly signingRoots: TrustRoots | undefined;
  readonly timestampRoots: TrustRoots | undefined;
  /** Of certificates; undefined: made on first start. */
  readonly documentKey: { readonly certificateFile: string; readonly keyFile: string } | undefined;
  readonly claimTrust: ClaimTrust;
  readonly jwtSecret: string | undefined;
  readonly pseudonymSecret: string | undefined;
  readonly provider: { readonly jwksUrl: URL; readonly issuer: string; readonly audience: string } | undefined;
  readonly billing: 'self-serve' | 'operator';
  /** Undefined: no mail is sent. */
  readonly mail: { readonly server: MailServer; readonly from: SenderAddress } | undefined;
  readonly domains: DomainCheckerOptions;
  readonly webhooks: TargetOptions;
  /** Between two versions of the signed downloads; 0: none are made. */
  readonly downloadsMs: number;
  readonly operatorToken: string | undefined;
  readonly tiers: TierTable;
  readonly maxUploadBytes: number;
  readonly role: 'all' | 'api' | 'worker';
  readonly logLevel: (typeof logLevels)[number];
  /** The part of successful reads that is logged. */
  readonly logReadsSample: number;
  /** Undefined: no traces. */
  readonly tracing: { readonly endpoint: string; readonly serviceName: string; readonly ratio: number } | undefined;
}

interface StorageConfig {
  readonly bucket: string;
  readonly prefix: string;
  /** The AWS_ settings. */
  readonly environment: Environment;
}

/** The names of pino. */
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** Every setting with its default and meaning, in the order of `--help`. */
export const settings = {
  PORT: ['8080', 'port of the HTTP server'],
  HOST: ['127.0.0.1', 'address the HTTP server listens on'],
  BASE_URL: ['http://HOST:PORT', 'public URL of the service, used in responses and on chain'],
  REGISTRY_NAME: ['Provenance registry', 'name of the registry, as clients and visitors see it'],
  CDN_URL: ['BASE_URL/cdn', 'public URL of published files'],
  TRUSTED_PROXIES: [
    'none',
    'addresses and CIDR ranges of reverse proxies whose X-Forwarded-For is believed, separated by commas',
  ],
  DATA_DIR: ['./data', 'folder of the embedded default: database, published files, keys, chain state'],
  DATABASE_URL: ['an embedded PostgreSQL in DATA_DIR', 'URL of a PostgreSQL server (version 15 or newer)'],
  STORAGE_URL: ['DATA_DIR/public', 's3://bucket/prefix of an S3-compatible store'],
  AWS_ENDPOINT_URL: ["Amazon's", 'URL of a store that is not Amazon S3'],
  AWS_REGION: ['us-east-1', 'region of the store'],
  AWS_ACCESS_KEY_ID: ['none', 'access key of the store'],
  AWS_SECRET_ACCESS_KEY: ['none', 'secret of the access key'],
  AWS_SESSION_TOKEN: ['none', 'token of temporary credentials of the store'],
  RPC_URL: ['a development chain in DATA_DIR', 'JSON-RPC URL of an EVM chain'],
  PUBLIC_RPC_URL: [
    'the development chain; none with RPC_URL',
    'JSON-RPC URL that clients are given; must contain no secret',
  ],
  EXPLORER_URL: ['none', 'address of an explorer of the chain, for links to transactions, blocks and the contract'],
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
  SIGNING_ROOTS_FILE: [
    'the root in SIGNING_CERT_FILE, if it has one',
    'roots of the signing certificate and its predecessors, and cross-certificates (PEM); published to clients',
  ],
  IDENTITY_KEY_FILE: [
    'generated on first start in DATA_DIR',
    'Ed25519 key (PEM) that signs identities in manifests, then the keys before it',
  ],
  TSA_URL: ['a built-in authority', 'RFC 3161 time-stamp authority'],
  TSA_FALLBACK_URL: ['none', 'a second authority, used when the first one fails'],
  TSA_ROOTS_FILE: ['none', 'roots of the time-stamp authorities, and cross-certificates (PEM); published to clients'],
  DOCUMENT_CERT_FILE: [
    'a development certificate, generated on first start',
    'RSA certificate chain (PEM) that signs PDF certificates; processes on several machines need the same one',
  ],
  DOCUMENT_KEY_FILE: ['a development key, generated on first start', 'RSA key (PEM) of DOCUMENT_CERT_FILE'],
  CLAIM_TRUST_FILE: [
    'none: no such time-stamp is trusted',
    'roots of the time-stamp authorities that count as evidence of claims, and revocation lists (PEM)',
  ],
  JWT_SECRET: [
    'generated on first start in DATA_DIR',
    'HS256 key of tokens issued by the service, 32 or more characters',
  ],
  PSEUDONYM_SECRET: [
    'generated on first start in DATA_DIR',
    'keys the pseudonyms of users under private Marks on chain and encrypts secrets of second factors, 32 or more characters',
  ],
  AUTH_JWKS_URL: ['none', 'JWKS URL of an OpenID provider whose RS256, ES256 and EdDSA tokens are also accepted'],
  AUTH_ISSUER: ['none', 'required `iss` of those tokens'],
  AUTH_AUDIENCE: ['none', 'required `aud` of those tokens'],
  BILLING: [
    'self-serve if BASE_URL is a loopback address; otherwise required',
    '`self-serve`: users set their own tier; `operator`: only the operator does',
  ],
  SMTP_URL: [
    'none: no mail is sent',
    'mail server: `smtps://user:password@host:465`, or `smtp://user:password@host:587` (STARTTLS, required except on loopback addresses)',
  ],
  MAIL_FROM: ['none', 'sender of mails: an address, or `Name <address>`; required with SMTP_URL'],
  DOMAIN_DNS_SERVERS: [
    'those of the system',
    'DNS servers for domains of Marks and receivers of webhooks: IP addresses with an optional port, separated by commas',
  ],
  DOMAIN_LOOPBACK_PORT: [
    'none: loopback addresses are refused',
    'for development: domains may be on this machine, with their web server at this port',
  ],
  WEBHOOK_LOOPBACK: [
    'false: loopback addresses are refused',
    '`true`, for development: receivers of webhooks may be on this machine, at any port and without TLS',
  ],
  DOWNLOADS_SECONDS: ['3600', 'time between two versions of the signed downloads; 0: none are made'],
  OPERATOR_TOKEN: ['none: operator endpoints return 404', 'bearer token of the operator endpoints'],
  TIERS_FILE: ['the built-in table', 'JSON file that overrides parts of the tier table'],
  MAX_UPLOAD_BYTES: ['268435456', 'largest file in an upload'],
  ROLE: ['all', '`api`, `worker` or `all`: which part of the service this process runs'],
  LOG_LEVEL: ['info', 'lowest level that is logged: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`'],
  LOG_READS_SAMPLE: ['1', 'part of successful reads that is logged, from 0 to 1'],
  OTEL_EXPORTER_OTLP_ENDPOINT: ['none: no traces', 'URL of an OpenTelemetry collector (OTLP over HTTP)'],
  OTEL_SERVICE_NAME: ['provenance-registry', 'name of the service in traces'],
  OTEL_TRACES_SAMPLER_ARG: ['1', 'part of requests that is traced, from 0 to 1'],
} as const satisfies Record<string, readonly [fallback: string, meaning: string]>;

export type SettingName = keyof typeof settings;

/** Each can also be read from the file that the setting with `_FILE` at its end names. */
export const secretSettings = [
  'DATABASE_URL',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'RPC_URL',
  'CHAIN_PRIVATE_KEY',
  'JWT_SECRET',
  'PSEUDONYM_SECRET',
  'SMTP_URL',
  'OPERATOR_TOKEN',
] as const satisfies readonly SettingName[];

/** Settings that cannot be used: one line for each problem, none of which shows a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

export function loadConfig(variables: Environment): Config {
  const { environment, problems } = readSecretFiles(secretSettings, variables);

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
  const bucket = read('STORAGE_URL', bucketAddress);

  const config: Config = {
    host,
    port,
    baseUrl,
    registryName: read('REGISTRY_NAME', displayName) ?? 'Provenance registry',
    cdnUrl: read('CDN_URL', webAddress) ?? `${baseUrl}/cdn`,
    trustedProxies: read('TRUSTED_PROXIES', addressRanges) ?? [],
    dataDir: resolve(read('DATA_DIR', anything) ?? './data'),
    databaseUrl: read('DATABASE_URL', postgresAddress),
    storage: bucket && { ...bucket, environment: settingsOf('AWS_', environment) },
    ...chainSettings(read),
    ...signingSettings(read),
    claimTrust: read('CLAIM_TRUST_FILE', (path) => readClaimTrust(readableFile(path))) ?? noTrust,
    jwtSecret: read('JWT_SECRET', secretOf32Characters),
    pseudonymSecret: read('PSEUDONYM_SECRET', secretOf32Characters),
    provider: openIdProvider(read),
    billing: read('BILLING', oneOf('self-serve', 'operator')) ?? 'self-serve',
    mail: mailSettings(read),
    ...outboundSettings(read),
    operatorToken: read('OPERATOR_TOKEN', tokenText),
    tiers: read('TIERS_FILE', tierTable) ?? defaultTiers,
    role: read('ROLE', oneOf('all', 'api', 'worker')) ?? 'all',
    ...fileSettings(read),
    ...monitoringSettings(read),
  };

  problems.push(...findContradictions((name) => Boolean(environment[name]?.trim()), config));
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

type Read = <T>(name: SettingName, parse: (text: string) => T) => T | undefined;

function chainSettings(read: Read) {
  return {
    rpcUrl: read('RPC_URL', webAddress),
    publicRpcUrl: read('PUBLIC_RPC_URL', webAddress),
    explorerUrl: read('EXPLORER_URL', webAddress),
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

function signingSettings(read: Read) {
  const roots = (path: string) => readTrustRoots(readableFile(path));
  return {
    signing: signingSource(
      read('SIGNING_CERT_FILE', readableFile),
      read('SIGNING_KEY_FILE', readableFile),
      read('SIGNING_COMMAND', commandLine),
      read('SIGNING_URL', webAddress),
    ),
    identityKeyFile: read('IDENTITY_KEY_FILE', readableFile),
    signingRoots: read('SIGNING_ROOTS_FILE', roots),
    timestampUrls: [read('TSA_URL', webAddress), read('TSA_FALLBACK_URL', webAddress)].filter(
      (url) => url !== undefined,
    ),
    timestampRoots: read('TSA_ROOTS_FILE', roots),
    documentKey: documentKey(read),
  };
}

function documentKey(read: Read): Config['documentKey'] {
  const certificateFile = read('DOCUMENT_CERT_FILE', readableFile);
  const keyFile = read('DOCUMENT_KEY_FILE', readableFile);
  return certificateFile !== undefined && keyFile !== undefined ? { certificateFile, keyFile } : undefined;
}

function openIdProvider(read: Read): Config['provider'] {
  const jwksUrl = read('AUTH_JWKS_URL', (text) => new URL(webAddress(text)));
  const issuer = read('AUTH_ISSUER', anything);
  const audience = read('AUTH_AUDIENCE', anything);
  return jwksUrl && issuer && audience ? { jwksUrl, issuer, audience } : undefined;
}

function mailSettings(read: Read): Config['mail'] {
  const server = read('SMTP_URL', mailServer);
  const from = read('MAIL_FROM', senderAddress);
  return server && from && { server, from };
}

function outboundSettings(read: Read): Pick<Config, 'domains' | 'webhooks'> {
  const servers = read('DOMAIN_DNS_SERVERS', dnsServers);
  return {
    domains: { dnsServers: servers, loopbackPort: read('DOMAIN_LOOPBACK_PORT', integer(1, 65_535)) },
    webhooks: {
      dnsServers: servers,
      allowsLoopback: read('WEBHOOK_LOOPBACK', oneOf('true', 'false')) === 'true',
    },
  };
}

function fileSettings(read: Read) {
  return {
    maxUploadBytes: read('MAX_UPLOAD_BYTES', integer(1, Number.MAX_SAFE_INTEGER)) ?? 268_435_456,
    downloadsMs: 1_000 * (read('DOWNLOADS_SECONDS', integer(0, 31_536_000)) ?? 3_600),
  };
}

function monitoringSettings(read: Read) {
  const endpoint = read('OTEL_EXPORTER_OTLP_ENDPOINT', webAddress);
  const serviceName = read('OTEL_SERVICE_NAME', anything) ?? 'provenance-registry';
  const ratio = read('OTEL_TRACES_SAMPLER_ARG', fraction) ?? 1;
  return {
    logLevel: read('LOG_LEVEL', oneOf(...logLevels)) ?? 'info',
    logReadsSample: read('LOG_READS_SAMPLE', fraction) ?? 1,
    tracing: endpoint === undefined ? undefined : { endpoint, serviceName, ratio },
  };
}
