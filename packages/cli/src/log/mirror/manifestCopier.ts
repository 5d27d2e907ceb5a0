// Copies the manifests that leaves name, each only if it is the one of its leaf. What the source does not have is asked for again.

import { hash } from 'node:crypto';
import { copyPaths } from '@provenance-registry/log';
import { mapInOrder } from '../../inputs/mapInOrder.js';
import type { Finding } from '../findings.js';
import { type LoggedRegistration, registrationOf } from '../registrations.js';
import { type LogSource, MAX_MANIFEST_BYTES } from '../source.js';
import type { CopyFolder } from './copyFolder.js';
import type { LeafReader } from './leafReader.js';

/** What a registry gives a single reader without waiting. */
const MAX_RUNNING = 8;
/** A registry that has lost them all is not asked for all of them every minute. */
const MAX_REPEATED = 1_000;

export interface ManifestOptions {
  readonly folder: CopyFolder;
  readonly source: LogSource;
  /** Another manifest than that of its leaf. */
  readonly onRefused: (leaf: number, finding: Finding) => Promise<void>;
}

export class ManifestCopier {
  /** Indexes of leaves whose manifest was not asked for yet. */
  #wanted: number[] = [];
  /** Those whose manifest the source did not have. */
  readonly #missing: number[] = [];
  readonly #failed = new Set<number>();
  #present = 0;

  constructor(private readonly options: ManifestOptions) {}

  add(leaf: number): void {
    this.#wanted.push(leaf);
  }

  /** The registration failed: its manifest is not published. */
  drop(leaf: number): void {
    this.#failed.add(leaf);
  }

  /** Leaves with their manifest, and those without. */
  get counts(): { readonly present: number; readonly missing: number } {
    const missing = this.#missing.filter((index) => !this.#failed.has(index));
    return { present: this.#present, missing: missing.length + this.#wanted.length };
  }

  /** Stops at the first failure of the source; what was not asked for then is asked for the next time. */
  async run(leaves: LeafReader, onProgress: (done: number, total: number) => void): Promise<void> {
    const asked = [...this.#missing.splice(0, MAX_REPEATED), ...this.#wanted].filter((leaf) => !this.#failed.has(leaf));
    this.#wanted = [];
    let done = 0;
    try {
      for await (const { index, isCopied } of mapInOrder(listRegistered(asked, leaves), MAX_RUNNING, async (leaf) => ({
        index: leaf.index,
        isCopied: await this.#copy(leaf.index, leaf.registered),
      }))) {
        done += 1;
        if (isCopied) this.#present += 1;
        else this.#missing.push(index);
        onProgress(done, asked.length);
      }
    } finally {
      for (const index of asked.slice(done)) this.#wanted.push(index);
    }
  }

  async #copy(leaf: number, { id, manifest }: LoggedRegistration): Promise<boolean> {
    const { folder, source, onRefused } = this.options;
    const path = copyPaths.manifest(id);
    if (await folder.has(path)) return true;
    const bytes = await source.read(path, MAX_MANIFEST_BYTES);
    if (!bytes) return false;
    if (`0x${hash('sha256', bytes)}` !== manifest) {
      const message = `${source.address} has another manifest than leaf ${leaf} says.`;
      await onRefused(leaf, { kind: 'bad-manifest', message, files: { 'manifest.c2pa': bytes } });
      return false;
    }
    await folder.add(path, bytes);
    return true;
  }
}

async function* listRegistered(indexes: readonly number[], leaves: LeafReader) {
  for (const index of indexes) {
    const registered = registrationOf(await leaves.read(index));
    if (registered) yield { index, registered };
  }
}
