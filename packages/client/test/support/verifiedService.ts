// A service with a registrant, and what a verifier knows from elsewhere: the chain and the root of the signer.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Fingerprint } from '@provenance-registry/core';
import { newFile, toTestFile } from '../../../../test/support/files.js';
import { createRegistrant } from '../../../../test/support/registrants.js';
import { newDataFolder, startService } from '../../../../test/support/service.js';
import { newImage } from '../../../../test/support/signedImages.js';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import { createClient, type RegistryClient, type Verification, waitForStatus } from '../../src/index.js';

/** Far above what the log takes, on a slow machine. */
export const RECEIPT_WAIT_SECONDS = 20;

export async function startVerifiedService(settings: Readonly<Record<string, string>> = {}) {
  const dataDir = await newDataFolder();
  const service = await startService({ DATA_DIR: dataDir, ...settings });
  const stranger = createClient({ baseUrl: service.url });
  const { address, rpcUrl = '' } = await stranger.getContract();
  const ada = await createRegistrant(service.url);
  const trustAnchorsPem = await readFile(join(dataDir, 'keys', 'authority.pem'), 'utf8');

  async function registerFile(fields: { previousFingerprint?: `0x${string}` } = {}) {
    const file = newFile();
    const { fingerprint } = file;
    const { id } = await ada.client.createArtifact({
      markId: ada.markId,
      fingerprint,
      filename: 'sunrise.jpg',
      ...fields,
    });
    const { transactionHash } = await waitForStatus(ada.client, fingerprint);
    await ada.client.getReceipt({ fingerprint, wait: RECEIPT_WAIT_SECONDS });
    return { ...file, id, transactionHash };
  }

  /** Registers an image, and gives the fingerprint of its signed copy. */
  async function signImage(): Promise<Fingerprint> {
    const file = new File([await newImage('image/png')], 'sunrise.png', { type: 'image/png' });
    const { image } = await ada.client.signImage({ markId: ada.markId, file });
    const { fingerprint } = toTestFile(Buffer.from(image ?? []));
    await waitForStatus(ada.client, fingerprint);
    await ada.client.getReceipt({ fingerprint, wait: RECEIPT_WAIT_SECONDS });
    return fingerprint;
  }

  const known = { rpcUrl, address, chain: { rpcUrl, address }, trustAnchorsPem };
  return { service, stranger, ada, ...known, registerFile, signImage };
}

export function states({ verdict, checks }: Verification) {
  return [verdict, checks.registry.state, checks.chain.state, checks.manifest.state];
}

/** The value of each fact, and the evidence that carries it. */
export function factsOf({ facts }: Verification) {
  return Object.fromEntries(facts.map(({ name, value, evidence }) => [name, [value, evidence.join(' ')]]));
}

/** The key that the service states for its log, as the caller of a verification would know it from elsewhere. */
export async function readLogKey(client: RegistryClient): Promise<string> {
  let key: string | undefined;
  await waitUntil(async () => {
    key = (await client.getRegistryIdentity()).log?.vkey;
    return key !== undefined;
  }, 'the log has begun');
  return key ?? '';
}

/** The same service before it had a log. */
export function withoutLog(client: RegistryClient): RegistryClient {
  return {
    ...client,
    async getRegistryIdentity(options) {
      const { log: _, ...identity } = await client.getRegistryIdentity(options);
      return identity;
    },
  };
}
