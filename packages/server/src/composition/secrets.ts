// The secrets of a service, one for each purpose: from the settings, or made on first start.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config, SecretPurpose } from '../config/config.js';
import { readOrCreateSecret } from '../secretFile.js';

export type Secrets = Readonly<Record<SecretPurpose, string>>;

const fileNames: Readonly<Record<SecretPurpose, string>> = {
  tokens: 'jwt-secret',
  pseudonyms: 'pseudonym-secret',
  links: 'link-secret',
  secondFactors: 'second-factor-secret',
  webhooks: 'webhook-secret',
  domains: 'domain-secret',
  mailStops: 'mail-stop-secret',
};

/** Releases up to 0.2.0 had one secret for several purposes: what it made must stay valid. */
const predecessors: Readonly<Partial<Record<SecretPurpose, 'tokens' | 'pseudonyms'>>> = {
  links: 'tokens',
  secondFactors: 'pseudonyms',
  webhooks: 'pseudonyms',
  domains: 'pseudonyms',
  mailStops: 'pseudonyms',
};

type SecretConfig = Pick<Config, 'secrets' | 'dataDir'>;

export async function readSecrets(config: SecretConfig): Promise<Secrets> {
  return {
    // Those with a predecessor first: if its file exists by then, an earlier release has made it.
    links: await readSecret(config, 'links'),
    secondFactors: await readSecret(config, 'secondFactors'),
    webhooks: await readSecret(config, 'webhooks'),
    domains: await readSecret(config, 'domains'),
    mailStops: await readSecret(config, 'mailStops'),
    tokens: await readSecret(config, 'tokens'),
    pseudonyms: await readSecret(config, 'pseudonyms'),
  };
}

/**
 * The setting; or that of the predecessor, which processes without a common folder share; or the file. A new file beside that
 * of a predecessor is a copy of it, and from then on independent.
 */
export async function readSecret({ secrets, dataDir }: SecretConfig, purpose: SecretPurpose): Promise<string> {
  const predecessor = predecessors[purpose];
  const setting = secrets[purpose] ?? (predecessor && secrets[predecessor]);
  if (setting !== undefined) return setting;
  const earlier = predecessor && (await readIfExists(join(dataDir, fileNames[predecessor])));
  return readOrCreateSecret(join(dataDir, fileNames[purpose]), earlier === undefined ? undefined : () => earlier);
}

async function readIfExists(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}
