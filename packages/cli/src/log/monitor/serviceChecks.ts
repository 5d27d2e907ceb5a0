// Compares what the service says with the log: records and the signed downloads.

import { hash } from 'node:crypto';
import type { RegistryClient } from '@provenance-registry/client';
import { type Fingerprint, MAX_PIECE_BYTES, parsePiece } from '@provenance-registry/core';
import { CommandError } from '../../errors.js';
import { type IndexTrust, verifyIndex } from '../../filter/signedIndex.js';
import type { Finding } from '../findings.js';
import type { RegisteredLeaf } from '../registrations.js';
import type { LogSource } from '../source.js';
import type { LeafIndex } from './leafIndex.js';
import type { Suspects } from './suspects.js';

const MAX_LOOKUPS = 5_000;

export interface ServiceCheckOptions {
  readonly client: RegistryClient;
  readonly openFiles: (url: string) => LogSource;
  readonly index: LeafIndex;
  readonly suspects: Suspects;
  readonly failed: ReadonlySet<number>;
}

export class ServiceChecks {
  constructor(private readonly options: ServiceCheckOptions) {}

  /** Each leaf needs an Artifact with its id, unless a later leaf says that it failed. */
  async checkLeaves(registered: readonly RegisteredLeaf[]): Promise<void> {
    const { client, suspects, failed } = this.options;
    for (let start = 0; start < registered.length; start += MAX_LOOKUPS) {
      const page = registered.slice(start, start + MAX_LOOKUPS);
      for (const leaf of await findUnknown(client, page)) {
        const { index, entry, content } = leaf;
        const { id, fingerprint } = content;
        suspects.add({
          finding: {
            kind: 'leaf-without-artifact',
            message: `Leaf ${index} is the registration ${id} of ${fingerprint}, which the service does not know.`,
            files: {},
          },
          leaf: { index, entry },
          isExplained: async () => failed.has(index) || (await findUnknown(client, [leaf])).length === 0,
        });
      }
    }
  }

  /** Fingerprints of the snapshot that the service has registered, and the log has not. Returns the parts that were compared. */
  async checkDownloads(trust: IndexTrust, checkedPieces: readonly string[]): Promise<string[]> {
    const { client, openFiles } = this.options;
    const { ApiError } = await import('@provenance-registry/client');
    const downloads = await client.getDownloads().catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'NOT_FOUND') return undefined;
      throw error;
    });
    if (!downloads) return [];
    const { pieces, filesUrl, createdAt } = verifyIndex(downloads.jws, trust);
    for (const { sha256 } of pieces) {
      if (checkedPieces.includes(sha256)) continue;
      const bytes = await openFiles(filesUrl).read(`${sha256}.snapshot`, MAX_PIECE_BYTES);
      if (!bytes || hash('sha256', bytes) !== sha256) {
        throw new CommandError(
          'UNTRUSTED_DOWNLOADS',
          1,
          `${sha256}.snapshot is not the file that the index of ${createdAt} names.`,
        );
      }
      await this.#checkPiece(bytes, downloads.jws);
    }
    return pieces.map(({ sha256 }) => sha256);
  }

  async #checkPiece(bytes: Uint8Array, jws: string): Promise<void> {
    const { index } = this.options;
    const piece = parsePiece(bytes);
    const fingerprints = Array.from({ length: piece.count }, (_, place) => ({
      fingerprint: `0x${Buffer.from(piece.fingerprintAt(place)).toString('hex')}` as const,
    }));
    const missing = await index.findMissing(fingerprints);
    for (let start = 0; start < missing.length; start += MAX_LOOKUPS) {
      await this.#addUnlogged(missing.slice(start, start + MAX_LOOKUPS), { 'downloads.jws': jws });
    }
  }

  /** Look-alikes are Artifacts, so each needs a leaf. */
  async checkLookalikes(found: readonly { readonly fingerprint: Fingerprint }[]): Promise<void> {
    const missing = await this.options.index.findMissing(found.map(({ fingerprint }) => ({ fingerprint })));
    if (missing.length > 0) await this.#addUnlogged(missing, {});
  }

  /** The snapshot also has what others wrote on chain, which the log does not have. */
  async #addUnlogged(
    missing: readonly { readonly fingerprint: Fingerprint }[],
    files: Finding['files'],
  ): Promise<void> {
    const { client, index, suspects } = this.options;
    const { results } = await client.lookUpFingerprints({
      fingerprints: missing.map(({ fingerprint }) => fingerprint),
    });
    for (const record of results.filter(({ match }) => match === 'artifact')) {
      const { fingerprint } = record;
      suspects.add({
        finding: {
          kind: 'artifact-without-leaf',
          message: `The service has registered ${fingerprint} as ${record.manifestId}, and the log has no leaf of it.`,
          files: { 'record.json': `${JSON.stringify(record, undefined, 2)}\n`, ...files },
        },
        isExplained: async () => (await index.findMissing([{ fingerprint }])).length === 0,
      });
    }
  }
}

async function findUnknown(client: RegistryClient, leaves: readonly RegisteredLeaf[]): Promise<RegisteredLeaf[]> {
  if (leaves.length === 0) return [];
  const { results } = await client.lookUpFingerprints({
    fingerprints: leaves.map(({ content }) => content.fingerprint),
  });
  return leaves.filter(({ content }, place) => {
    const record = results[place];
    return record?.match !== 'artifact' || record.manifestId !== content.id;
  });
}
