// Copies the manifests that leaves name, each only if it is the one of its leaf. What the source does not have is asked for again.

import { hash } from 'node:crypto';
import type { MirrorSource } from '@provenance-registry/client';
import { copyPaths } from '@provenance-registry/log';
import { mapInOrder } from '../../inputs/mapInOrder.js';
import type { CopyFolder } from './copyFolder.js';
import { type LeafReader, type LoggedRegistration, registrationOf } from './leaves.js';

/** What a registry gives a single reader without waiting. */
const MAX_RUNNING = 8;
/** A registry that has lost them all is not asked for all of them every minute. */
const MAX_REPEATED = 1_000;

export interface ManifestOptions {
  readonly folder: CopyFolder;
  readonly source: MirrorSource;
  readonly signal: AbortSignal;
  /** Another manifest than that of its leaf. */
  readonly onRefused: (leaf: number, manifest: Uint8Array) => Promise<void>;
}

export type ManifestCopier = ReturnType<typeof createManifestCopier>;

export function createManifestCopier({ folder, source, signal, onRefused }: ManifestOptions) {
  /** Indexes of leaves whose manifest was not asked for yet. */
  let wanted: number[] = [];
  /** Those whose manifest the source did not have. */
  const missing: number[] = [];
  const failed = new Set<number>();
  let present = 0;

  async function copy(leaf: number, { id, manifest }: LoggedRegistration): Promise<boolean> {
    const path = copyPaths.manifest(id);
    if (await folder.has(path)) return true;
    const bytes = await source.readFile(path, signal);
    if (!bytes) return false;
    if (`0x${hash('sha256', bytes, 'hex')}` !== manifest) {
      await onRefused(leaf, bytes);
      return false;
    }
    await folder.add(path, bytes);
    return true;
  }

  async function* leavesOf(indexes: readonly number[], readLeaf: LeafReader) {
    for (const index of indexes) {
      const registered = registrationOf(await readLeaf(index));
      if (registered) yield { index, registered };
    }
  }

  return {
    add(index: number): void {
      wanted.push(index);
    },
    /** The registration failed: its manifest is not published. */
    drop(index: number): void {
      failed.add(index);
    },
    /** Stops at the first failure of the source; what was not asked for then is asked for the next time. */
    async run(readLeaf: LeafReader, onProgress: (done: number, total: number) => void): Promise<void> {
      const asked = [...missing.splice(0, MAX_REPEATED), ...wanted].filter((index) => !failed.has(index));
      wanted = [];
      let done = 0;
      try {
        for await (const { index, isCopied } of mapInOrder(leavesOf(asked, readLeaf), MAX_RUNNING, async (leaf) => ({
          index: leaf.index,
          isCopied: await copy(leaf.index, leaf.registered),
        }))) {
          done += 1;
          if (isCopied) present += 1;
          else missing.push(index);
          onProgress(done, asked.length);
        }
      } finally {
        for (const index of asked.slice(done)) wanted.push(index);
      }
    },
    /** Leaves with their manifest, and those without. */
    counts: () => ({ present, missing: missing.filter((index) => !failed.has(index)).length + wanted.length }),
  };
}
