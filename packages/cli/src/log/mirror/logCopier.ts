// Copies a log: every file is proven to be in the tree of a signed checkpoint before the copy has it, and the checkpoint comes last.

import {
  copyPaths,
  decodeUtf8,
  type FollowedBatch,
  followLog,
  LogFileError,
  LogFormatError,
  type LogPolicy,
  ProvenTree,
  parseNote,
  type ReadLogFile,
  TILE_WIDTH,
  type TreeHead,
  WitnessesMissingError,
} from '@provenance-registry/log';
import { describeBadFile, findFork, openCheckpoint, readCheckpoint, type SignedCheckpoint } from '../checkpoints.js';
import { type Finding, FoundError } from '../findings.js';
import { EMPTY_TREE, treeHasher } from '../hasher.js';
import { registrationOf } from '../registrations.js';
import { type LogSource, SourceError } from '../source.js';
import type { CopyFolder } from './copyFolder.js';
import { IndexWriter } from './indexWriter.js';
import { LeafReader } from './leafReader.js';
import type { ManifestCopier } from './manifestCopier.js';

const LOG_FOLDER = 'log/';

export interface LogCopyOptions {
  readonly folder: CopyFolder;
  /** The log alone. */
  readonly source: LogSource;
  readonly signal: AbortSignal;
  /** Undefined: only the log is copied. */
  readonly manifests: ManifestCopier | undefined;
  readonly onProgress: (done: number, total: number) => void;
  readonly note: (line: string) => void;
  /** Keeps the evidence, and makes the error that ends the command. */
  readonly refuse: (finding: Finding) => Promise<Error>;
}

export class LogCopier {
  #head: SignedCheckpoint | undefined;

  constructor(private readonly options: LogCopyOptions) {}

  /** The checkpoint of the copy; undefined before the first one. */
  get head(): SignedCheckpoint | undefined {
    return this.#head;
  }

  /** Checks the copy from its first leaf on, and restores what was lost or damaged. */
  async checkOwn(policy: LogPolicy): Promise<void> {
    const { folder } = this.options;
    const bytes = await folder.read(copyPaths.checkpoint);
    if (!bytes) return;
    const own = await this.#requireSigned(openCheckpoint(decodeUtf8(bytes), `the copy ${folder.path}`, policy));
    await this.#withRepairs(own, policy, () => this.#follow(EMPTY_TREE, own));
    this.#head = own;
  }

  /** Copies what the source has now. Returns whether that is more than before. */
  async copyNew(policy: LogPolicy): Promise<boolean> {
    const { folder, source } = this.options;
    const next = await this.#requireSigned(readCheckpoint(source, policy));
    const own = this.#head;
    if (own) await this.#requireSameHistory(own, next, policy);
    if (own && next.size <= own.size) {
      // More witnesses have signed it since.
      if (next.size < own.size || countSignatures(next) <= countSignatures(own)) return false;
    } else {
      await this.#withRepairs(next, policy, () => this.#follow(own ?? EMPTY_TREE, next));
    }
    await folder.replace(copyPaths.checkpoint, next.note);
    this.#head = next;
    await removeIncomplete(folder, own?.size ?? 0, next.size);
    return true;
  }

  /** A source may be late, such as another copy. */
  async #requireSameHistory(own: SignedCheckpoint, next: SignedCheckpoint, policy: LogPolicy): Promise<void> {
    const { source, refuse } = this.options;
    const isLate = next.size <= own.size;
    const fork = isLate
      ? await this.#withRepairs(own, policy, () => findFork(() => openTree(own, this.#readFile), own, next, policy))
      : // By the files of the source alone: those of the copy are right, and must not be taken for damaged.
        await findFork(() => openTree(next, source.read), next, own, policy).catch(async (error: unknown) => {
          throw error instanceof LogFileError ? await this.#refuseBadFile(error, next, policy) : error;
        });
    if (fork) throw await refuse(fork);
  }

  /** Every leaf from one tree on is proven to be in the other, whether the copy has it or not. */
  async #follow(from: TreeHead, to: SignedCheckpoint): Promise<void> {
    const leaves = new LeafReader(this.options.folder, to.size);
    const index = new IndexWriter(this.options.folder, leaves);
    for await (const batch of followLog({ from, to, readFile: this.#readFile, hasher: treeHasher })) {
      await this.#add(batch, index, to.size);
    }
    await index.flush();
  }

  async #add(batch: FollowedBatch, index: IndexWriter, total: number): Promise<void> {
    const { folder, manifests, onProgress } = this.options;
    await Promise.all(batch.files.map(({ path, bytes }) => folder.add(LOG_FOLDER + path, bytes)));
    for (const { index: place, leaf } of batch.leaves) {
      await index.add({ index: place, leaf });
      if (registrationOf(leaf)) manifests?.add(place);
      if (leaf?.kind === 'failed') manifests?.drop(leaf.content.index);
    }
    onProgress(batch.head.size, total);
  }

  /** From the copy, or else from the source. */
  readonly #readFile: ReadLogFile = async (path, maxBytes) => {
    const { folder, source, signal } = this.options;
    signal.throwIfAborted();
    return (await folder.read(LOG_FOLDER + path)) ?? source.read(path, maxBytes);
  };

  /** False: the copy has none of these files, and the source is to blame. */
  async #setAsideDamaged({ path }: LogFileError): Promise<boolean> {
    const { folder, note } = this.options;
    const damaged: string[] = [];
    for (const name of path.split(', ')) if (await folder.has(LOG_FOLDER + name)) damaged.push(LOG_FOLDER + name);
    for (const name of damaged) await folder.setAside(name);
    if (damaged.length > 0) note(`The copy had a damaged ${damaged.join(' and ')}, which is in damaged/ now.`);
    return damaged.length > 0;
  }

  /** Files of the copy that were damaged are set aside, and read from the source again. */
  async #withRepairs<T>(checkpoint: SignedCheckpoint, policy: LogPolicy, work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof LogFileError)) throw error;
        if (!(await this.#setAsideDamaged(error))) throw await this.#refuseBadFile(error, checkpoint, policy);
      }
    }
  }

  /** What the source has in place of a file of the tree is refused; what it does not have may come. */
  async #refuseBadFile(error: LogFileError, checkpoint: SignedCheckpoint, policy: LogPolicy): Promise<Error> {
    const { source, refuse } = this.options;
    if (error.flaw === 'missing') return new SourceError(`${source.address} does not have ${error.path}.`);
    return refuse(await describeBadFile(source, error, checkpoint, policy));
  }

  /** Witnesses may sign later, and what is no checkpoint may become one. */
  async #requireSigned(work: Promise<SignedCheckpoint>): Promise<SignedCheckpoint> {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof FoundError)) throw error;
      const { cause, message, finding } = error;
      if (cause instanceof WitnessesMissingError || cause instanceof LogFormatError) throw new SourceError(message);
      throw await this.options.refuse(finding);
    }
  }
}

function openTree(head: TreeHead, readFile: ReadLogFile): Promise<ProvenTree> {
  return ProvenTree.open(head, readFile, treeHasher);
}

function countSignatures({ note }: SignedCheckpoint): number {
  return parseNote(note).signatures.length;
}

/** Removes incomplete tiles that were completed since: readers of an earlier checkpoint read the complete ones. */
async function removeIncomplete(folder: CopyFolder, from: number, to: number): Promise<void> {
  for (let width = TILE_WIDTH, level = 0; width <= to; width *= TILE_WIDTH, level += 1) {
    const last = Math.floor(from / width);
    if (Math.floor(to / width) === last) continue;
    for (const kind of level === 0 ? ([0, 'entries'] as const) : ([level] as const)) {
      await folder.remove(`${copyPaths.tile({ level: kind, index: last, width: TILE_WIDTH })}.p`);
    }
  }
}
