// Signing from the settings: certificate, time-stamp authorities, and the issuer of identities.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createIdentityIssuer, generateIssuerKey, type IdentityIssuer } from '../c2pa/signing/identityIssuer.js';
import { expiryWarning } from '../c2pa/signing/signingCertificate.js';
import { UnusableTimestampsError } from '../c2pa/signing/signingProbe.js';
import { type PreparedSigning, prepareSigning } from '../c2pa/signing/signingSetup.js';
import { type Config, ConfigError } from '../config/config.js';
import type { Clock } from '../domain/ports/index.js';
import { readVersion } from '../paths.js';
import { readOrCreateSecret } from '../secretFile.js';
import type { Host } from './host.js';

export interface ConfiguredSigning extends PreparedSigning {
  /** Issuer of identities in manifests. */
  readonly issuer: IdentityIssuer;
}

/**
 * A certificate or a time-stamp authority that readers would refuse is reported as a bad setting.
 * @param warn with it, both are tried out; receives what could not be
 */
export async function prepareConfiguredSigning(
  config: Config,
  clock: () => Date,
  warn?: (message: string) => void,
): Promise<ConfiguredSigning> {
  const { dataDir, signing: source, timestampUrls, signingRoots, timestampRoots } = config;
  const options = { dataDir, version: readVersion(), source, timestampUrls, signingRoots, timestampRoots, clock, warn };
  const prepared = await prepareSigning(options).catch((error: Error) => {
    if (!source) throw error;
    const setting = error instanceof UnusableTimestampsError ? 'TSA_URL' : 'SIGNING_CERT_FILE';
    throw new ConfigError([`${setting}: ${error.message}`]);
  });
  const issuer = await openIssuer(config);
  return { ...prepared, signing: { ...prepared.signing, issuer }, issuer };
}

/** Tells the operator what may be wrong with the certificate and its roots. */
export async function openSigning(config: Config, { logger, notify }: Host, clock: Clock): Promise<ConfiguredSigning> {
  const warn = (message: string) => {
    logger.warn(message);
    notify(message);
  };
  const signing = await prepareConfiguredSigning(config, clock, warn);
  for (const warning of signingWarnings(signing, clock())) warn(warning);
  return signing;
}

/** What the operator should know about the signing certificate and its roots. */
function signingWarnings({ certificate, publishedRoots }: PreparedSigning, now: Date): string[] {
  const { signerRoots, timestampRoots } = publishedRoots;
  const warnings = [
    expiryWarning(certificate, now),
    signerRoots.length === 0 &&
      'The root of the signing certificate is not published: SIGNING_ROOTS_FILE is not set, and SIGNING_CERT_FILE has no root.',
    timestampRoots.length === 0 &&
      'The roots of the time-stamp authorities are not published: TSA_ROOTS_FILE is not set.',
  ];
  return warnings.filter((warning) => typeof warning === 'string');
}

async function openIssuer({ dataDir, identityKeyFile, baseUrl, registryName: name }: Config): Promise<IdentityIssuer> {
  const keysPem =
    identityKeyFile === undefined
      ? await readOrCreateSecret(join(dataDir, 'identity-key.pem'), generateIssuerKey)
      : await readFile(identityKeyFile, 'utf8');
  try {
    return createIdentityIssuer({ keysPem, baseUrl, name });
  } catch (error) {
    if (identityKeyFile === undefined) throw error;
    throw new ConfigError([`IDENTITY_KEY_FILE: ${error instanceof Error ? error.message : String(error)}`]);
  }
}
