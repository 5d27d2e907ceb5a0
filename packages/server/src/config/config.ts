// The configuration from the settings: each is checked, and all problems are found in one pass.

import { resolve } from 'node:path';
import { defaultTiers, type TierTable } from '@provenance-registry/core';
import { type SigningSource, signingSource } from '../c2pa/signing/signers.js';
import { readTrustRoots, type TrustRoots } from '../c2pa/signing/trustRoots.js';
import type { DomainCheckerOptions } from '../domainVerification/checker.js';
import { type ClaimTrust, noTrust, readClaimTrust } from '../evidence/claimTrust.js';
import type { TargetOptions } from '../webhooks/targets.js';
import { findContradictions } from './contradictions.js';
import {
  type LogWitnesses,
  type MailServer,
  parseAddressRanges,
  parseBucketAddress,
  parseCommandLine,
  parseDisplayName,
  parseDnsServers,
  parseFraction,
  parseHex,
  parseHostName,
  parseInteger,
  parseMailServer,
  parseOneOf,
  parsePostgresAddress,
  parseSecret,
  parseSenderAddress,
  parseText,
  parseToken,
  parseWebAddress,
  readLogWitnesses,
  readSecretFiles,
  readTierTable,
  requireReadableFile,
  type SenderAddress,
  settingsOf,
} from './parsers.js';
import { type SettingName, secretSettings } from './settings.js';

/** What a secret is for: each has a setting and a file of its own. */
export type SecretPurpose = 'tokens' | 'pseudonyms' | 'links' | 'secondFactors' | 'webhooks' | 'domains' | 'mailStops';

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
  readonly databaseReadUrl: string | undefined;
  readonly storage: StorageConfig | undefined;
  readonly rpcUrl: string | undefined;
  readonly publicRpcUrl: string | undefined;
  /** URL without a trailing slash. */
  readonly explorerUrl: string | undefined;
  readonly chainPort: number;
  readonly registryAddress: `0x${string}` | undefined;
  readonly chainPrivateKey: `0x${string}` | undefined;
  readonly chainConfirmations: number;
  readonly chainId: number | undefined;
  readonly chainRetry: { readonly attempts: number; readonly ms: number };
  readonly signing: SigningSource | undefined;
  /** Time-stamp authorities in the order in which they are tried; empty: the built-in authority. */
  readonly timestampUrls: readonly string[];
  readonly identityKeyFile: string | undefined;
  readonly logKeyFile: string | undefined;
  /** Undefined: the log has no witnesses. */
  readonly logWitnesses: LogWitnesses | undefined;
  /** The contract that takes the anchors of the log; undefined: none on a public chain. */
  readonly logContract: `0x${string}` | undefined;
  readonly logAnchorIntervalMs: number;
  readonly signingRoots: TrustRoots | undefined;
  readonly timestampRoots: TrustRoots | undefined;
  /** Key that signs PDF certificates; undefined: made on first start. */
  readonly documentKey: { readonly certificateFile: string; readonly keyFile: string } | undefined;
  readonly claimTrust: ClaimTrust;
  /** Undefined: of another purpose in earlier releases, or made on first start. */
  readonly secrets: Readonly<Record<SecretPurpose, string | undefined>>;
  readonly provider: { readonly jwksUrl: URL; readonly issuer: string; readonly audience: string } | undefined;
  readonly billing: 'self-serve' | 'operator';
  /** Undefined: no mail is sent. */
  readonly mail: { readonly server: MailServer; readonly from: SenderAddress } | undefined;
  readonly domains: DomainCheckerOptions;
  readonly webhooks: TargetOptions;
  /** Time between two versions of the signed downloads; 0: none are made. */
  readonly downloadsMs: number;
  /** Events of Artifacts and claims are deleted when they are older. */
  readonly eventRetentionMonths: number;
  readonly operatorToken: string | undefined;
  readonly tiers: TierTable;
  readonly maxUploadBytes: number;
  /** Time from the start of a stop until the port is closed. */
  readonly drainMs: number;
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

  const host = read('HOST', parseHostName) ?? '127.0.0.1';
  const port = read('PORT', parseInteger(1, 65_535)) ?? 8080;
  const baseUrl = read('BASE_URL', parseWebAddress) ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const bucket = read('STORAGE_URL', parseBucketAddress);

  const config: Config = {
    host,
    port,
    baseUrl,
    registryName: read('REGISTRY_NAME', parseDisplayName) ?? 'Provenance registry',
    cdnUrl: read('CDN_URL', parseWebAddress) ?? `${baseUrl}/cdn`,
    trustedProxies: read('TRUSTED_PROXIES', parseAddressRanges) ?? [],
    dataDir: resolve(read('DATA_DIR', parseText) ?? './data'),
    databaseUrl: read('DATABASE_URL', parsePostgresAddress),
    databaseReadUrl: read('DATABASE_READ_URL', parsePostgresAddress),
    storage: bucket && { ...bucket, environment: settingsOf('AWS_', environment) },
    ...chainSettings(read),
    ...signingSettings(read),
    claimTrust: read('CLAIM_TRUST_FILE', (path) => readClaimTrust(requireReadableFile(path))) ?? noTrust,
    secrets: {
      tokens: read('JWT_SECRET', parseSecret),
      pseudonyms: read('PSEUDONYM_SECRET', parseSecret),
      links: read('LINK_SECRET', parseSecret),
      secondFactors: read('SECOND_FACTOR_SECRET', parseSecret),
      webhooks: read('WEBHOOK_SECRET', parseSecret),
      domains: read('DOMAIN_SECRET', parseSecret),
      mailStops: read('MAIL_STOP_SECRET', parseSecret),
    },
    provider: openIdProvider(read),
    billing: read('BILLING', parseOneOf('self-serve', 'operator')) ?? 'self-serve',
    mail: mailSettings(read),
    ...outboundSettings(read),
    operatorToken: read('OPERATOR_TOKEN', parseToken),
    tiers: read('TIERS_FILE', readTierTable) ?? defaultTiers,
    drainMs: 1_000 * (read('DRAIN_SECONDS', parseInteger(0, 4)) ?? 0),
    role: read('ROLE', parseOneOf('all', 'api', 'worker')) ?? 'all',
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
    rpcUrl: read('RPC_URL', parseWebAddress),
    publicRpcUrl: read('PUBLIC_RPC_URL', parseWebAddress),
    explorerUrl: read('EXPLORER_URL', parseWebAddress),
    chainPort: read('CHAIN_PORT', parseInteger(1, 65_535)) ?? 8545,
    registryAddress: read('REGISTRY_ADDRESS', parseHex(20, 'a contract address')),
    chainPrivateKey: read('CHAIN_PRIVATE_KEY', parseHex(32, 'a private key')),
    chainConfirmations: read('CHAIN_CONFIRMATIONS', parseInteger(1, 10_000)) ?? 1,
    chainId: read('CHAIN_ID', parseInteger(1, Number.MAX_SAFE_INTEGER)),
    logContract: read('LOG_CONTRACT', parseHex(20, 'a contract address')),
    logAnchorIntervalMs: 1_000 * (read('LOG_ANCHOR_SECONDS', parseInteger(1, 86_400)) ?? 60),
    chainRetry: {
      attempts: read('CHAIN_MAX_ATTEMPTS', parseInteger(1, 1_000_000)) ?? 10,
      ms: 1_000 * (read('CHAIN_RETRY_SECONDS', parseInteger(0, 31_536_000)) ?? 86_400),
    },
  };
}

function signingSettings(read: Read) {
  const roots = (path: string) => readTrustRoots(requireReadableFile(path));
  return {
    signing: signingSource(
      read('SIGNING_CERT_FILE', requireReadableFile),
      read('SIGNING_KEY_FILE', requireReadableFile),
      read('SIGNING_COMMAND', parseCommandLine),
      read('SIGNING_URL', parseWebAddress),
    ),
    identityKeyFile: read('IDENTITY_KEY_FILE', requireReadableFile),
    logKeyFile: read('LOG_KEY_FILE', requireReadableFile),
    logWitnesses: read('LOG_WITNESSES', readLogWitnesses),
    signingRoots: read('SIGNING_ROOTS_FILE', roots),
    timestampUrls: [read('TSA_URL', parseWebAddress), read('TSA_FALLBACK_URL', parseWebAddress)].filter(
      (url) => url !== undefined,
    ),
    timestampRoots: read('TSA_ROOTS_FILE', roots),
    documentKey: documentKey(read),
  };
}

function documentKey(read: Read): Config['documentKey'] {
  const certificateFile = read('DOCUMENT_CERT_FILE', requireReadableFile);
  const keyFile = read('DOCUMENT_KEY_FILE', requireReadableFile);
  return certificateFile !== undefined && keyFile !== undefined ? { certificateFile, keyFile } : undefined;
}

function openIdProvider(read: Read): Config['provider'] {
  const jwksUrl = read('AUTH_JWKS_URL', (text) => new URL(parseWebAddress(text)));
  const issuer = read('AUTH_ISSUER', parseText);
  const audience = read('AUTH_AUDIENCE', parseText);
  return jwksUrl && issuer && audience ? { jwksUrl, issuer, audience } : undefined;
}

function mailSettings(read: Read): Config['mail'] {
  const server = read('SMTP_URL', parseMailServer);
  const from = read('MAIL_FROM', parseSenderAddress);
  return server && from && { server, from };
}

function outboundSettings(read: Read): Pick<Config, 'domains' | 'webhooks'> {
  const servers = read('DOMAIN_DNS_SERVERS', parseDnsServers);
  return {
    domains: { dnsServers: servers, loopbackPort: read('DOMAIN_LOOPBACK_PORT', parseInteger(1, 65_535)) },
    webhooks: {
      dnsServers: servers,
      allowsLoopback: read('WEBHOOK_LOOPBACK', parseOneOf('true', 'false')) === 'true',
    },
  };
}

function fileSettings(read: Read) {
  return {
    maxUploadBytes: read('MAX_UPLOAD_BYTES', parseInteger(1, Number.MAX_SAFE_INTEGER)) ?? 268_435_456,
    downloadsMs: 1_000 * (read('DOWNLOADS_SECONDS', parseInteger(0, 31_536_000)) ?? 3_600),
    // Longer than the deliveries of webhooks are listed.
    eventRetentionMonths: read('EVENT_RETENTION_MONTHS', parseInteger(2, 1_200)) ?? 13,
  };
}

function monitoringSettings(read: Read) {
  const endpoint = read('OTEL_EXPORTER_OTLP_ENDPOINT', parseWebAddress);
  const serviceName = read('OTEL_SERVICE_NAME', parseText) ?? 'provenance-registry';
  const ratio = read('OTEL_TRACES_SAMPLER_ARG', parseFraction) ?? 1;
  return {
    logLevel: read('LOG_LEVEL', parseOneOf(...logLevels)) ?? 'info',
    logReadsSample: read('LOG_READS_SAMPLE', parseFraction) ?? 1,
    tracing: endpoint === undefined ? undefined : { endpoint, serviceName, ratio },
  };
}
