// Follows the log itself: every checkpoint has to extend the one before, and every leaf has to be as old as it says.

import {
  type FollowedBatch,
  type FollowedLeaf,
  followLog,
  formatReceipt,
  LogFileError,
  type LogPolicy,
  ProvenTree,
  proveInclusion,
  type TreeHead,
} from '@provenance-registry/log';
import {
  describeBadFile,
  describeKeys,
  findFork,
  openCheckpoint,
  readCheckpoint,
  type SignedCheckpoint,
  witnessedAt,
} from '../checkpoints.js';
import { type Finding, FoundError } from '../findings.js';
import { EMPTY_TREE, treeHasher } from '../hasher.js';
import type { LogSource } from '../source.js';
import type { MonitorState } from './state.js';

/** A leaf is published within a second; this is the promise. */
const LATE_MS = 60_000;
const BACK_DATED_MS = 5 * 60_000;
/** Of findings about leaves with files; more of the same kind are counted. */
const MAX_LEAF_FINDINGS = 20;

export interface WatchedLogOptions {
  readonly source: LogSource;
  readonly policy: LogPolicy;
  readonly now: () => number;
  readonly onBatch: (batch: FollowedBatch, total: number) => Promise<void>;
}

export class WatchedLog {
  readonly findings: Finding[] = [];
  /** Leaves that were read. */
  leafCount = 0;
  #leafFindings = 0;
  #checkpoint: SignedCheckpoint | undefined;
  #newestUntil: number;

  private constructor(
    private readonly options: WatchedLogOptions,
    { newestUntil }: MonitorState,
    checkpoint: SignedCheckpoint | undefined,
  ) {
    this.#newestUntil = newestUntil;
    this.#checkpoint = checkpoint;
  }

  static async open(options: WatchedLogOptions, state: MonitorState): Promise<WatchedLog> {
    const { checkpoint } = state;
    const own = 'the checkpoint that this monitor saw before';
    const known = checkpoint === undefined ? undefined : await openCheckpoint(checkpoint, own, options.policy);
    return new WatchedLog(options, state, known);
  }

  /** The last one of which everything was read. */
  get checkpoint(): SignedCheckpoint | undefined {
    return this.#checkpoint;
  }

  get remembered(): Pick<MonitorState, 'checkpoint' | 'newestUntil'> {
    return { ...(this.#checkpoint && { checkpoint: this.#checkpoint.note }), newestUntil: this.#newestUntil };
  }

  /**
   * Reads the newest checkpoint, and all leaves up to it. False if the log shows fewer leaves than it has shown before, which a
   * cache may do for a while.
   * @throws FoundError
   */
  async advance(): Promise<boolean> {
    const { source, policy, now } = this.options;
    const askedAt = now();
    const next = await readCheckpoint(source, policy);
    const known = this.#checkpoint;
    if (known && next.size < known.size) return false;
    const openTree = () => ProvenTree.open(next, source.read, treeHasher);
    await this.#guardFiles(next, async () => {
      const fork = known && (await findFork(openTree, next, known, policy));
      if (fork) throw new FoundError(fork);
      await this.#read(known ?? EMPTY_TREE, next);
    });
    this.#newestUntil = Math.max(askedAt, witnessedAt(next));
    this.#checkpoint = { ...next, from: source.address };
    return true;
  }

  /** Of a checkpoint that `advance` refused. */
  async describeWithheld(newer: SignedCheckpoint): Promise<Finding> {
    const { source, policy } = this.options;
    const shown = await readCheckpoint(source, policy);
    return {
      kind: 'withheld',
      message: `${source.address} shows ${shown.size} leaves, and signed ${newer.size}: ${newer.from}.`,
      files: { 'checkpoint-1.txt': newer.note, 'checkpoint-2.txt': shown.note, 'keys.txt': describeKeys(policy) },
    };
  }

  async #read(from: TreeHead, next: SignedCheckpoint): Promise<void> {
    const { source, onBatch } = this.options;
    for await (const batch of followLog({ from, to: next, readFile: source.read, hasher: treeHasher })) {
      for (const leaf of batch.leaves) {
        const problem = this.#findProblem(leaf);
        if (problem) await this.addLeafFinding({ ...problem, files: this.#earlierCheckpoint() }, leaf, next);
      }
      this.leafCount += batch.leaves.length;
      await onBatch(batch, next.size);
    }
  }

  /** The newest checkpoint without the leaf was shown at that time, when the leaf says that it had been recorded. */
  #findProblem({ index, leaf, problem }: FollowedLeaf): Pick<Finding, 'kind' | 'message'> | undefined {
    if (problem !== undefined) return { kind: 'bad-leaf', message: `Entry ${index} of the log is no leaf: ${problem}` };
    if (!leaf || !this.#checkpoint || ('imported' in leaf.content && leaf.content.imported)) return undefined;
    const { time } = leaf.content;
    const lateMs = this.#newestUntil - Date.parse(time);
    if (lateMs <= LATE_MS) return undefined;
    const shown = `at ${new Date(this.#newestUntil).toISOString()}, the log had ${this.#checkpoint.size} leaves without it`;
    return lateMs > BACK_DATED_MS
      ? { kind: 'back-dated', message: `Leaf ${index} says ${time}, but ${shown}.` }
      : { kind: 'late', message: `Leaf ${index} of ${time} was published late: ${shown}.` };
  }

  #earlierCheckpoint(): Finding['files'] {
    return this.#checkpoint ? { 'earlier-checkpoint.txt': this.#checkpoint.note } : {};
  }

  /** With the receipt of the leaf. */
  async addLeafFinding(
    finding: Finding,
    { index, entry }: Pick<FollowedLeaf, 'index' | 'entry'>,
    checkpoint: SignedCheckpoint,
  ): Promise<void> {
    this.#leafFindings += 1;
    if (this.#leafFindings > MAX_LEAF_FINDINGS) return;
    const tree = await ProvenTree.open(checkpoint, this.options.source.read, treeHasher);
    const hashes = await proveInclusion(tree.asTree(), index);
    const receipt = formatReceipt({ index, hashes, checkpoint: checkpoint.note });
    const keys = describeKeys(this.options.policy);
    const files = { 'leaf.txt': entry, 'receipt.txt': receipt, 'keys.txt': keys, ...finding.files };
    this.findings.push({ ...finding, files });
  }

  /** Findings about leaves that were left out because there were so many. */
  get omittedCount(): number {
    return Math.max(0, this.#leafFindings - MAX_LEAF_FINDINGS);
  }

  async #guardFiles<T>(checkpoint: SignedCheckpoint, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof LogFileError)) throw error;
      throw new FoundError(await describeBadFile(this.options.source, error, checkpoint, this.options.policy));
    }
  }
}
