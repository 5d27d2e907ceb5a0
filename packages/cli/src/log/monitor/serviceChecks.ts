// Compares what the service says with the log: records, manifests and the signed downloads.

import { hash, randomInt } from 'node:crypto';
import type { RegistryClient } from '@provenance-registry/client';
import { MAX_PIECE_BYTES, parsePiece } from '@provenance-registry/core';
import type { FollowedBatch, LeafContent } from '@provenance-registry/log';
import { CommandError } from '../../errors.js';
import { type IndexTrust, verifyIndex } from '../../filter/signedIndex.js';
import type { LogSource } from '../source.js';
import type { Finding } from './findings.js';
import type { LeafIndex } from './leafIndex.js';
import type { Suspects } from './suspects.js';

/** Of new leaves, in one run: each is some tens of kilobytes. */
const MAX_MANIFESTS = 500;
const MAX_MANIFEST_BYTES = 16 * 1024 * 1024;
const MAX_LOOKUPS = 5_000;

export interface RegisteredLeaf {
  readonly index: number;
  readonly entry: Uint8Array;
  readonly content: LeafContent<'artifact'>;
}

export interface ServiceCheckOptions {
  readonly client: RegistryClient;
  readonly openFiles: (url: string) => LogSource;
  readonly index: LeafIndex;
  readonly suspects: Suspects;
  readonly failed: ReadonlySet<number>;
}

export function listRegistrations({ leaves }: FollowedBatch): RegisteredLeaf[] {
  return leaves.flatMap(({ index, entry, leaf }) =>
    leaf?.kind === 'artifact' || leaf?.kind === 'rendition' ? [{ index, entry, content: leaf.content }] : [],
  );
}

export class ServiceChecks {
  /** A sample of the new leaves, each as likely as any other. */
  readonly #sample: RegisteredLeaf[] = [];
  #seen = 0;
  manifestCount = 0;

  constructor(private readonly options: ServiceCheckOptions) {}

  get registrationCount(): number {
    return this.#seen;
  }

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
    for (const leaf of registered) this.#addToSample(leaf);
  }

  #addToSample(leaf: RegisteredLeaf): void {
    this.#seen += 1;
    if (this.#sample.length < MAX_MANIFESTS) this.#sample.push(leaf);
    else {
      const place = randomInt(this.#seen);
      if (place < MAX_MANIFESTS) this.#sample[place] = leaf;
    }
  }

  /** Manifests that are not those of their leaves. One that is not there yet is none. */
  async findBadManifests(): Promise<{ readonly leaf: RegisteredLeaf; readonly finding: Finding }[]> {
    const found: { leaf: RegisteredLeaf; finding: Finding }[] = [];
    for (const leaf of this.#sample.splice(0)) {
      if (this.options.failed.has(leaf.index)) continue;
      const manifest = await this.#readManifest(leaf.content.id);
      if (!manifest) continue;
      this.manifestCount += 1;
      const { id, manifest: expected } = leaf.content;
      if (`0x${hash('sha256', manifest)}` === expected) continue;
      const message = `The manifest of ${id} is not the one whose hash is in leaf ${leaf.index}.`;
      found.push({ leaf, finding: { kind: 'bad-manifest', message, files: { 'manifest.c2pa': manifest } } });
    }
    return found;
  }

  async #readManifest(id: string): Promise<Uint8Array | undefined> {
    const { client, openFiles } = this.options;
    const { ApiError } = await import('@provenance-registry/client');
    try {
      const { manifestBinaryUrl } = await client.getManifest({ manifestId: id });
      if (manifestBinaryUrl === undefined) return undefined;
      const [, base = '', name = ''] = /^(.*\/)([^/]+)$/.exec(manifestBinaryUrl) ?? [];
      return await openFiles(base).read(name, MAX_MANIFEST_BYTES);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'NOT_FOUND') return undefined;
      throw error;
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
      await this.#addUnlogged(missing.slice(start, start + MAX_LOOKUPS), jws);
    }
  }

  /** The snapshot also has what others wrote on chain, which the log does not have. */
  async #addUnlogged(missing: readonly { readonly fingerprint: `0x${string}` }[], jws: string): Promise<void> {
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
          files: { 'record.json': `${JSON.stringify(record, undefined, 2)}\n`, 'downloads.jws': jws },
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
