// Compares manifests with their leaves: those of a sample of the new leaves, and those that were not published before.

import { hash, randomInt } from 'node:crypto';
import type { RegistryClient } from '@provenance-registry/client';
import type { Finding } from '../findings.js';
import type { RegisteredLeaf } from '../registrations.js';
import { type LogSource, MAX_MANIFEST_BYTES } from '../source.js';
import type { Suspects } from './suspects.js';

/** In one run: each is some tens of kilobytes. */
const MAX_MANIFESTS = 500;
/** A manifest is published when the registration is on chain, which may be out of order for hours. */
const MAX_UNPUBLISHED_MS = 24 * 3_600_000;

export interface ManifestCheckOptions {
  readonly client: RegistryClient;
  readonly openFiles: (url: string) => LogSource;
  readonly suspects: Suspects;
  readonly failed: ReadonlySet<number>;
  readonly now: () => number;
  /** Leaves whose manifest an earlier run did not find. */
  readonly unpublished: readonly RegisteredLeaf[];
}

export class ManifestChecks {
  #waiting: RegisteredLeaf[];
  /** Leaves of which the sample is taken, each as likely as any other. */
  #seen = 0;
  #sample: RegisteredLeaf[] = [];
  comparedCount = 0;

  constructor(private readonly options: ManifestCheckOptions) {
    this.#waiting = [...options.unpublished];
  }

  /** Leaves whose manifest is to be asked for again. */
  get unpublished(): readonly RegisteredLeaf[] {
    return this.#waiting;
  }

  add(leaves: readonly RegisteredLeaf[]): void {
    for (const leaf of leaves) {
      this.#seen += 1;
      const place = this.#sample.length < MAX_MANIFESTS ? this.#sample.length : randomInt(this.#seen);
      if (place < MAX_MANIFESTS) this.#sample[place] = leaf;
    }
  }

  /** Stops at the first failure of the service; what was not asked for then is asked for the next time. */
  async run(onFinding: (leaf: RegisteredLeaf, finding: Finding) => Promise<void>): Promise<void> {
    const asked = [...this.#waiting, ...this.#sample].slice(0, MAX_MANIFESTS);
    this.#sample = [];
    this.#waiting = asked;
    for (const leaf of asked) {
      const manifest = this.options.failed.has(leaf.index) ? undefined : await this.#read(leaf);
      if (manifest === 'unpublished') continue;
      if (manifest === 'missing') this.#suspect(leaf);
      else if (manifest) await this.#compare(leaf, manifest, onFinding);
      this.#waiting = this.#waiting.filter((one) => one !== leaf);
    }
  }

  async #compare(
    leaf: RegisteredLeaf,
    manifest: Uint8Array,
    onFinding: (leaf: RegisteredLeaf, finding: Finding) => Promise<void>,
  ): Promise<void> {
    const { id, manifest: expected } = leaf.content;
    this.comparedCount += 1;
    if (`0x${hash('sha256', manifest)}` === expected) return;
    const message = `The manifest of ${id} is not the one whose hash is in leaf ${leaf.index}.`;
    await onFinding(leaf, { kind: 'bad-manifest', message, files: { 'manifest.c2pa': manifest } });
  }

  #suspect(leaf: RegisteredLeaf): void {
    const { suspects, failed } = this.options;
    const { index, content } = leaf;
    const message = `The service does not have the manifest of ${content.id}, whose hash is in leaf ${index} of ${content.time}.`;
    suspects.add({
      finding: { kind: 'missing-manifest', message, files: {} },
      leaf,
      isExplained: async () => failed.has(index) || (await this.#read(leaf)) instanceof Uint8Array,
    });
  }

  /** `missing`: the service says where it is, and it is not there; or it has said for a day that there is none. */
  async #read({ content }: RegisteredLeaf): Promise<Uint8Array | 'unpublished' | 'missing'> {
    const { client, openFiles, now } = this.options;
    const { ApiError } = await import('@provenance-registry/client');
    try {
      const { manifestBinaryUrl } = await client.getManifest({ manifestId: content.id });
      const [, base = '', name = ''] = /^(.*\/)([^/]+)$/.exec(manifestBinaryUrl ?? '') ?? [];
      return (name && (await openFiles(base).read(name, MAX_MANIFEST_BYTES))) || 'missing';
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error;
      return now() - Date.parse(content.time) <= MAX_UNPUBLISHED_MS ? 'unpublished' : 'missing';
    }
  }
}
