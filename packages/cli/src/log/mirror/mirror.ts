// A copy of a registry's log and manifests, and how it follows its source.

import { setTimeout as delay } from 'node:timers/promises';
import { registryFingerprint } from '@provenance-registry/core';
import { copyPaths, encodeBase64, type LogPolicy } from '@provenance-registry/log';
import { CommandError } from '../../errors.js';
import type { Progress } from '../../progress.js';
import { type Finding, saveFinding } from '../findings.js';
import { type LogSource, SourceError } from '../source.js';
import { CopyFolder } from './copyFolder.js';
import { parseIdentity, requireStatedPolicy, saveIdentity } from './identity.js';
import { LeafReader } from './leafReader.js';
import { LogCopier } from './logCopier.js';
import { ManifestCopier } from './manifestCopier.js';

/** Many times what a registry says about itself. */
const MAX_IDENTITY_BYTES = 1024 * 1024;

export interface MirrorOptions {
  readonly folder: string;
  /** The log of the source. */
  readonly log: LogSource;
  /** All that the source has. */
  readonly source: LogSource;
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

export class Mirror {
  readonly #log: LogCopier;
  readonly #manifests: ManifestCopier | undefined;
  /** Leaves whose manifest was refused in this round. */
  #refused: number[] = [];
  #progress: Progress | undefined;
  #isChecked = false;

  private constructor(
    private readonly options: MirrorOptions,
    private readonly folder: CopyFolder,
  ) {
    const { source, log, signal, note, isLogOnly } = options;
    const onRefused = (leaf: number, finding: Finding) => this.#refuseManifest(leaf, finding);
    this.#manifests = isLogOnly ? undefined : new ManifestCopier({ folder, source, onRefused });
    this.#log = new LogCopier({
      ...{ folder, source: log, signal, note, manifests: this.#manifests },
      onProgress: (done, total) => this.#progress?.update({ done, total }),
      refuse: (finding) => this.#refuse(finding),
    });
  }

  static async open(options: MirrorOptions): Promise<Mirror> {
    return new Mirror(options, await CopyFolder.open(options.folder));
  }

  /** Returns whether the copy has more than before. Throws when the source cannot be used, or contradicts what is known. */
  async copyRound(): Promise<boolean> {
    const policy = await this.#findPolicy();
    if (!this.#isChecked) await this.#showProgress('Checking the copy', () => this.#log.checkOwn(policy));
    this.#isChecked = true;
    const isGrown = await this.#showProgress('Copying the log', () => this.#log.copyNew(policy));
    const before = this.#manifests?.counts.present;
    await this.#copyManifests();
    return isGrown || this.#manifests?.counts.present !== before;
  }

  async readState(): Promise<CopyState> {
    const { head } = this.#log;
    const identity = parseIdentity(await this.folder.read(copyPaths.identity));
    return {
      origin: head?.origin ?? null,
      size: head?.size ?? 0,
      root: head ? encodeBase64(head.root) : null,
      witnesses: head?.cosignatures.map(({ name }) => name) ?? [],
      manifests: this.#manifests?.counts ?? null,
      fingerprint: identity ? registryFingerprint(identity) : null,
    };
  }

  /** Copies until the signal. What fails for now is tried again; a contradiction ends it. */
  async follow(everyMs: number, onRound: (state: CopyState, isGrown: boolean) => void): Promise<void> {
    const { signal, note } = this.options;
    while (!signal.aborted) {
      try {
        const isGrown = await this.copyRound();
        onRound(await this.readState(), isGrown);
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof SourceError)) throw error;
        note(`${error.message} Trying again in ${everyMs / 1000} s.`);
      }
      await delay(everyMs, undefined, { signal }).catch(() => {});
    }
  }

  /** While the source does not respond, what the copy knows of it. */
  async #findPolicy(): Promise<LogPolicy> {
    const { source, signal, policy: named } = this.options;
    const stored = await this.folder.read(copyPaths.identity);
    const bytes = await source.read(copyPaths.identity, MAX_IDENTITY_BYTES).catch((error: unknown) => {
      if (signal.aborted || !stored) throw error;
      return undefined;
    });
    const known = parseIdentity(stored);
    const policy = named ?? (await requireStatedPolicy(parseIdentity(bytes) ?? known, known));
    if (parseIdentity(bytes) && bytes) await saveIdentity(this.folder, bytes);
    return policy;
  }

  async #copyManifests(): Promise<void> {
    const manifests = this.#manifests;
    if (!manifests) return;
    this.#refused = [];
    const leaves = new LeafReader(this.folder, this.#log.head?.size ?? 0);
    await this.#showProgress('Copying manifests', () =>
      manifests.run(leaves, (done, total) => this.#progress?.update({ done, total })),
    );
    await this.folder.sync();
    if (this.#refused.length === 0) return;
    const places = `${this.#refused.length === 1 ? 'leaf' : 'leaves'} ${this.#refused.join(', ')}`;
    const { address } = this.options.source;
    throw new CommandError('CONTRADICTION', 1, `${address} has other manifests than the log says: ${places}.`);
  }

  async #refuseManifest(leaf: number, finding: Finding): Promise<void> {
    const known = this.#log.head?.note;
    const files = { ...finding.files, ...(known !== undefined && { 'checkpoint.txt': known }) };
    const evidence = await saveFinding(this.options.folder, { ...finding, files });
    this.options.note(`${finding.message} It was not copied; the evidence is in ${evidence}.`);
    this.#refused.push(leaf);
  }

  async #refuse(finding: Finding): Promise<CommandError> {
    const evidence = await saveFinding(this.options.folder, finding);
    return new CommandError(
      'CONTRADICTION',
      1,
      `${finding.message} Nothing of it was copied; the evidence is in ${evidence}.`,
    );
  }

  async #showProgress<T>(label: string, work: () => Promise<T>): Promise<T> {
    const progress = this.options.startProgress(label);
    this.#progress = progress;
    try {
      return await work();
    } finally {
      progress.end();
    }
  }
}
