// Settings that are valid by themselves, but not together.

import { isLoopbackAddress } from './parsers.js';
import type { SettingName } from './settings.js';

type IsSet = (name: SettingName) => boolean;
/** A problem, and whether the settings have it. */
type Check = [contradicts: boolean, problem: string];

interface ComparedConfig {
  readonly baseUrl: string;
  readonly port: number;
  readonly chainPort: number;
  readonly role: string;
  readonly webhooks: { readonly allowsLoopback: boolean };
}

/** One line for each contradiction. */
export function findContradictions(isSet: IsSet, config: ComparedConfig): string[] {
  const checks = [
    ...checkSigning(isSet),
    ...checkPairs(isSet),
    ...checkChain(isSet, config),
    ...checkDeployment(isSet, config),
  ];
  return checks.filter(([contradicts]) => contradicts).map(([, problem]) => problem);
}

function checkSigning(isSet: IsSet): Check[] {
  return [
    [
      (['SIGNING_KEY_FILE', 'SIGNING_COMMAND', 'SIGNING_URL'] as const).filter(isSet).length !==
        (isSet('SIGNING_CERT_FILE') ? 1 : 0),
      'SIGNING_CERT_FILE requires exactly one of SIGNING_KEY_FILE, SIGNING_COMMAND and SIGNING_URL, and each of them requires it',
    ],
    [isSet('TSA_FALLBACK_URL') && !isSet('TSA_URL'), 'TSA_FALLBACK_URL requires TSA_URL'],
    [
      isSet('SIGNING_ROOTS_FILE') && !isSet('SIGNING_CERT_FILE'),
      'SIGNING_ROOTS_FILE requires SIGNING_CERT_FILE: the development certificate has its own root',
    ],
    [
      isSet('TSA_ROOTS_FILE') && !isSet('TSA_URL'),
      'TSA_ROOTS_FILE requires TSA_URL: the built-in authority has its own root',
    ],
  ];
}

/** Checks settings that must be set together. */
function checkPairs(isSet: IsSet): Check[] {
  return [
    [
      isSet('DATABASE_READ_URL') && !isSet('DATABASE_URL'),
      'DATABASE_READ_URL requires DATABASE_URL: the embedded database has no replica',
    ],
    [
      new Set([isSet('AUTH_JWKS_URL'), isSet('AUTH_ISSUER'), isSet('AUTH_AUDIENCE')]).size > 1,
      'AUTH_JWKS_URL, AUTH_ISSUER and AUTH_AUDIENCE must be set together',
    ],
    [
      isSet('DOCUMENT_CERT_FILE') !== isSet('DOCUMENT_KEY_FILE'),
      'DOCUMENT_CERT_FILE and DOCUMENT_KEY_FILE must be set together',
    ],
    [isSet('SMTP_URL') !== isSet('MAIL_FROM'), 'SMTP_URL and MAIL_FROM must be set together'],
  ];
}

function checkChain(isSet: IsSet, config: ComparedConfig): Check[] {
  return [
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
      !isSet('RPC_URL') && isSet('LOG_CONTRACT'),
      'LOG_CONTRACT requires RPC_URL: the development chain has its own contract',
    ],
    [
      !isSet('RPC_URL') && config.chainPort === config.port,
      `PORT and CHAIN_PORT are both ${config.port}: the development chain needs its own port`,
    ],
    [!isSet('RPC_URL') && isSet('CHAIN_ID'), 'CHAIN_ID requires RPC_URL: the development chain has its own id'],
  ];
}

function checkDeployment(isSet: IsSet, config: ComparedConfig): Check[] {
  const isPublic = !isLoopbackAddress(config.baseUrl);
  return [
    [
      !isSet('BILLING') && isPublic,
      'BILLING must be set, because BASE_URL is not a loopback address: `operator`, or `self-serve` for private use',
    ],
    [
      isSet('DOMAIN_LOOPBACK_PORT') && isPublic,
      'DOMAIN_LOOPBACK_PORT is for development: BASE_URL must be a loopback address',
    ],
    [
      config.webhooks.allowsLoopback && isPublic,
      'WEBHOOK_LOOPBACK is for development: BASE_URL must be a loopback address',
    ],
    [
      config.role !== 'all' && !isSet('DATABASE_URL'),
      `ROLE=${config.role} requires DATABASE_URL: only one process can use the embedded database`,
    ],
  ];
}
