// One run of the monitor: follows the log, compares it with what others say, and remembers where it ended.

import { setTimeout as sleep } from 'node:timers/promises';
import type { RegistryClient } from '@provenance-registry/client';
import {
  type FollowedBatch,
  type LeafContent,
  LogFileError,
  type LogPolicy,
  ProvenTree,
} from '@provenance-registry/log';
import { CommandError } from '../../errors.js';
import type { IndexTrust } from '../../filter/signedIndex.js';
import { treeHasher } from '../hasher.js';
import type { LogSource } from '../source.js';
import { type ChainToCheck, checkChain } from './chainChecks.js';
import { FoundError, readCheckpoint, type SignedCheckpoint } from './checkpoints.js';
import { type Finding, type SavedFinding, saveFindings } from './findings.js';
import { LeafIndex } from './leafIndex.js';
import { type CheckedLog, compareMirror, compareWitness } from './otherViews.js';
import { listRegistrations, type RegisteredLeaf, ServiceChecks } from './serviceChecks.js';
import { type MonitorState, readState, writeState } from './state.js';
import { SETTLE_MS, Suspects } from './suspects.js';
import { WatchedLog } from './watchedLog.js';

/** Between two looks at a log that shows an old checkpoint: caches may keep it for five seconds. */
const STALE_LOOK_MS = 1_000;
/** Of registrations under one's Marks that a run lists. */
const MAX_LISTED = 10_000;

export interface MonitorOptions {
  readonly folder: string;
  readonly source: LogSource;
  readonly policy: LogPolicy;
  readonly mirrors: readonly LogSource[];
  readonly witnessUrls: readonly string[];
  /** Undefined: nothing that a service says is compared. */
  readonly service:
    | { readonly client: RegistryClient; readonly trust: IndexTrust; readonly openFiles: (url: string) => LogSource }
    | undefined;
  /** Undefined: no node was named. */
  readonly chain: ChainToCheck | undefined;
  readonly marks: ReadonlySet<string>;
  readonly signal: AbortSignal;
  readonly now?: () => number;
  /** How long a contradiction is looked at again. */
  readonly settleMs?: number;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface MarkRegistration extends Pick<LeafContent<'artifact'>, 'fingerprint' | 'id' | 'time'> {
  readonly index: number;
  readonly mark: string;
}

export interface MonitorResult {
  /** Undefined: no checkpoint could be checked. */
  readonly checkpoint: SignedCheckpoint | undefined;
  readonly leaves: number;
  readonly manifests: number;
  readonly marks: readonly MarkRegistration[];
  readonly findings: readonly SavedFinding[];
  /** Findings without evidence, since there were too many. */
  readonly omitted: number;
  /** Why something could not be checked. */
  readonly unchecked: readonly string[];
}

export async function runMonitor(options: MonitorOptions): Promise<MonitorResult> {
  const state = await readState(options.folder);
  return new MonitorRun(options, state).run();
}

class MonitorRun {
  readonly #findings: Finding[] = [];
  readonly #unchecked: string[] = [];
  readonly #marks: MarkRegistration[] = [];
  readonly #suspects = new Suspects();
  readonly #failed: Set<number>;
  readonly #index: LeafIndex;
  readonly #service: ServiceChecks | undefined;
  #log: WatchedLog | undefined;

  constructor(
    private readonly options: MonitorOptions,
    private readonly state: MonitorState,
  ) {
    this.#failed = new Set(state.failed);
    this.#index = new LeafIndex(options.folder);
    const shared = { index: this.#index, suspects: this.#suspects, failed: this.#failed };
    this.#service = options.service && new ServiceChecks({ ...options.service, ...shared });
  }

  async run(): Promise<MonitorResult> {
    const state = { ...this.state };
    await this.#guard(async () => {
      const log = await this.#openLog();
      const ahead = await this.#readLargestCopy();
      await this.#catchUp(log, ahead);
      await this.#compareOthers(log, state);
      if (this.#service) await this.#compareService(log, this.#service, state);
      await this.#settle(log);
    });
    await this.#index.flush();
    const { folder, now = Date.now } = this.options;
    const findings = [...(this.#log?.findings ?? []), ...this.#findings];
    const saved = await saveFindings(folder, findings, new Date(now()));
    await writeState(folder, { ...state, ...this.#log?.remembered, failed: [...this.#failed] });
    return {
      checkpoint: this.#log?.checkpoint,
      leaves: this.#log?.leafCount ?? 0,
      manifests: this.#service?.manifestCount ?? 0,
      marks: this.#marks,
      findings: saved,
      omitted: (this.#log?.omittedCount ?? 0) + this.#suspects.omittedCount,
      unchecked: this.#unchecked,
    };
  }

  async #openLog(): Promise<WatchedLog> {
    const { source, policy, now = Date.now } = this.options;
    const onBatch = (batch: FollowedBatch, total: number) => this.#readBatch(batch, total);
    this.#log = await WatchedLog.open({ source, policy, now, onBatch }, this.state);
    return this.#log;
  }

  async #readBatch(batch: FollowedBatch, total: number): Promise<void> {
    this.options.signal.throwIfAborted();
    for (const { leaf } of batch.leaves) if (leaf?.kind === 'failed') this.#failed.add(leaf.content.index);
    const registered = listRegistrations(batch);
    await this.#index.add(registered.map(({ content }) => content));
    for (const one of registered) this.#listMark(one);
    await this.#guard(async () => this.#service?.checkLeaves(registered));
    this.options.onProgress?.(batch.head.size, total);
  }

  #listMark({ index, content }: RegisteredLeaf): void {
    if (!('mark' in content) || !this.options.marks.has(content.mark) || this.#marks.length >= MAX_LISTED) return;
    const { fingerprint, id, time, mark } = content;
    this.#marks.push({ index, mark, fingerprint, id, time });
  }

  /** The mirror that has the most leaves, read before the log, which must not have fewer afterwards. */
  async #readLargestCopy(): Promise<SignedCheckpoint | undefined> {
    let largest: SignedCheckpoint | undefined;
    for (const mirror of this.options.mirrors) {
      await this.#guard(async () => {
        const copy = await readCheckpoint(mirror, this.options.policy);
        if (copy.size > (largest?.size ?? 0)) largest = copy;
      });
    }
    return largest;
  }

  async #catchUp(log: WatchedLog, copy: SignedCheckpoint | undefined): Promise<void> {
    const { settleMs = SETTLE_MS, signal } = this.options;
    const endsAt = performance.now() + settleMs;
    for (;;) {
      const isAdvanced = await log.advance();
      const size = log.checkpoint?.size ?? 0;
      if (isAdvanced && size >= (copy?.size ?? 0)) return;
      if (performance.now() >= endsAt) {
        const newer = isAdvanced ? copy : log.checkpoint;
        if (newer) throw new FoundError(await log.describeWithheld(newer));
      }
      await sleep(Math.min(STALE_LOOK_MS, settleMs), undefined, { signal });
    }
  }

  async #compareOthers(log: WatchedLog, state: MonitorState): Promise<void> {
    const { mirrors, witnessUrls, source, policy } = this.options;
    const { checkpoint } = log;
    if (!checkpoint) return;
    const tree = await ProvenTree.open(checkpoint, source.read, treeHasher);
    const checked: CheckedLog = { tree, checkpoint, policy };
    for (const mirror of mirrors) {
      await this.#guard(async () => {
        const copy = await compareMirror(checked, mirror, state.mirrors[mirror.address]);
        state.mirrors = { ...state.mirrors, [mirror.address]: copy.note };
      });
    }
    for (const url of witnessUrls) {
      await this.#guard(async () => {
        const finding = await compareWitness(checked, url);
        if (finding) this.#findings.push(finding);
      });
    }
    const { chain } = this.options;
    await this.#guard(async () => {
      if (!chain) return;
      const shared = { index: this.#index, suspects: this.#suspects };
      const { nextBlock, findings, ahead } = await checkChain(chain, checked, state.nextBlock, shared);
      state.nextBlock = nextBlock;
      this.#findings.push(...findings);
      for (const { size, finding } of ahead) {
        this.#suspects.add({ finding, isExplained: async () => (log.checkpoint?.size ?? 0) >= size });
      }
    });
  }

  async #compareService(log: WatchedLog, service: ServiceChecks, state: MonitorState): Promise<void> {
    await this.#guard(async () => {
      for (const { leaf, finding } of await service.findBadManifests()) await this.#addLeafFinding(log, finding, leaf);
    });
    const trust = this.options.service?.trust;
    await this.#guard(async () => {
      if (trust) state.pieces = await service.checkDownloads(trust, state.pieces);
    });
  }

  async #settle(log: WatchedLog): Promise<void> {
    const { settleMs = SETTLE_MS, signal } = this.options;
    for (const { finding, leaf } of await this.#suspects.settle(() => log.advance(), settleMs, signal)) {
      if (leaf) await this.#addLeafFinding(log, finding, leaf);
      else this.#findings.push({ ...finding, files: { ...finding.files, ...this.#describeCheckpoint(log) } });
    }
  }

  #describeCheckpoint({ checkpoint }: WatchedLog): Finding['files'] {
    return checkpoint ? { 'checkpoint.txt': checkpoint.note } : {};
  }

  async #addLeafFinding(
    log: WatchedLog,
    finding: Finding,
    leaf: Pick<RegisteredLeaf, 'index' | 'entry'>,
  ): Promise<void> {
    const { checkpoint } = log;
    if (checkpoint) await log.addLeafFinding(finding, leaf, checkpoint);
  }

  /** What is found ends this part alone, and so does what could not be found out. */
  async #guard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.options.signal.throwIfAborted();
      if (error instanceof FoundError) this.#findings.push(error.finding);
      else if (error instanceof LogFileError)
        this.#findings.push({ kind: 'bad-file', message: error.message, files: {} });
      else if (error instanceof CommandError && error.exitCode === 1) {
        this.#findings.push({ kind: 'bad-downloads', message: error.message, files: {} });
      } else if (error instanceof Error && isExpected(error)) this.#unchecked.push(error.message);
      else throw error;
    }
  }
}

/** Of the command or the SDK: the other side could not be asked. */
function isExpected(error: Error): boolean {
  return (
    error instanceof CommandError ||
    ['ApiError', 'ServiceUnreachableError', 'InvalidResponseError'].includes(error.name)
  );
}
