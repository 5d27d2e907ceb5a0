// A copy of a registry's log and manifests, and how it follows its source.

import { setTimeout as delay } from 'node:timers/promises';
import type { MirrorSource } from '@provenance-registry/client';
import { registryFingerprint } from '@provenance-registry/core';
import { copyPaths, type LogPolicy } from '@provenance-registry/log';
import { CommandError } from '../../errors.js';
import type { Progress } from '../../progress.js';
import { openCopyFolder } from './copyFolder.js';
import { createLogCopier } from './copyLog.js';
import { saveEvidence } from './evidence.js';
import { parseIdentity, readStatedPolicy, saveIdentity } from './identity.js';
import { createLeafReader } from './leaves.js';
import { createManifestCopier } from './manifestCopier.js';
import { withSourceErrors } from './source.js';

export interface MirrorOptions {
  readonly folder: string;
  readonly source: MirrorSource;
  /** What the user named or pinned; else what the registry states. */
  readonly policy: LogPolicy | undefined;
  readonly isLogOnly: boolean;
  readonly signal: AbortSignal;
  readonly note: (line: string) => void;
  readonly startProgress: (label: string) => Progress;
}

export interface CopyState {
  readonly origin: string | null;
  readonly size: number;
  /** SHA-256 in base64, as in the checkpoint. */
  readonly root: string | null;
  readonly witnesses: readonly string[];
  /** Null: only the log is copied. */
  readonly manifests: { readonly present: number; readonly missing: number } | null;
  /** Of the registry that the copy is of. */
  readonly fingerprint: string | null;
}

export async function openMirrorFolder(options: MirrorOptions) {
  const { signal, note, startProgress, isLogOnly } = options;
  const folder = await openCopyFolder(options.folder);
  const source = withSourceErrors(options.source);
  const refused: number[] = [];
  const manifests = isLogOnly ? undefined : createManifestCopier({ folder, source, signal, onRefused: refuseManifest });
  let progress: Progress | undefined;
  const log = createLogCopier({
    ...{ folder, source, signal, manifests, note },
    onProgress: (done, total) => progress?.update({ done, total }),
  });
  let isChecked = false;

  async function refuseManifest(leaf: number, bytes: Uint8Array): Promise<void> {
    const reason = `${source.name} has another manifest than leaf ${leaf} says.`;
    const files = { 'reason.txt': `${reason}\n`, 'manifest.c2pa': bytes, known: log.head()?.note };
    note(`${reason} It was not copied; the evidence is in ${await saveEvidence(folder, files)}.`);
    refused.push(leaf);
  }

  /** While the source does not respond, what the copy knows of it. */
  async function findPolicy(): Promise<LogPolicy> {
    const stored = await folder.read(copyPaths.identity);
    const bytes = await source.readFile(copyPaths.identity, signal).catch((error: unknown) => {
      if (signal.aborted || !stored) throw error;
      return undefined;
    });
    const known = parseIdentity(stored);
    const policy = options.policy ?? (await readStatedPolicy(parseIdentity(bytes) ?? known, known));
    if (parseIdentity(bytes) && bytes) await saveIdentity(folder, bytes);
    return policy;
  }

  async function showProgress<T>(label: string, work: () => Promise<T>): Promise<T> {
    progress = startProgress(label);
    try {
      return await work();
    } finally {
      progress.end();
    }
  }

  /** Returns whether the copy has more than before. Throws when the source cannot be used, or contradicts what is known. */
  async function copyRound(): Promise<boolean> {
    const policy = await findPolicy();
    if (!isChecked) await showProgress('Checking the copy', () => log.checkOwn(policy));
    isChecked = true;
    const isGrown = await showProgress('Copying the log', () => log.copyNew(policy));
    const before = manifests?.counts();
    await copyManifests();
    return isGrown || manifests?.counts().present !== before?.present;
  }

  async function copyManifests(): Promise<void> {
    const size = log.head()?.size ?? 0;
    if (!manifests) return;
    refused.length = 0;
    await showProgress('Copying manifests', () =>
      manifests.run(createLeafReader(folder, size), (done, total) => progress?.update({ done, total })),
    );
    if (refused.length === 0) return;
    const leaves = `${refused.length === 1 ? 'leaf' : 'leaves'} ${refused.join(', ')}`;
    throw new CommandError('CONTRADICTION', 1, `${source.name} has other manifests than the log says: ${leaves}.`);
  }

  async function readState(): Promise<CopyState> {
    const head = log.head();
    const identity = parseIdentity(await folder.read(copyPaths.identity));
    return {
      origin: head?.origin ?? null,
      size: head?.size ?? 0,
      root: head ? Buffer.from(head.root).toString('base64') : null,
      witnesses: head?.cosignatures.map(({ name }) => name) ?? [],
      manifests: manifests?.counts() ?? null,
      fingerprint: identity ? registryFingerprint(identity) : null,
    };
  }

  /** Until the signal. What fails for now is tried again; a contradiction ends it. */
  async function follow(everyMs: number, onRound: (state: CopyState, isGrown: boolean) => void): Promise<void> {
    while (!signal.aborted) {
      try {
        const isGrown = await copyRound();
        onRound(await readState(), isGrown);
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof CommandError) || error.code !== 'SOURCE_UNUSABLE') throw error;
        note(`${error.message} Trying again in ${everyMs / 1000} s.`);
      }
      await delay(everyMs, undefined, { signal }).catch(() => {});
    }
  }

  return { copyRound, readState, follow };
}
