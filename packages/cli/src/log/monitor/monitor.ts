// One run of the monitor: follows the log, compares it with what others say, and remembers where it ended.

import { setTimeout as sleep } from 'node:timers/promises';
import type { RegistryClient } from '@provenance-registry/client';
import {
  decodeUtf8,
  encodeUtf8,
  type FollowedBatch,
  type LeafKind,
  LogFileError,
  type LogPolicy,
  ProvenTree,
  parseLeaf,
} from '@provenance-registry/log';
import { CommandError } from '../../errors.js';
import type { IndexTrust } from '../../filter/signedIndex.js';
import type { MonitorRunOutput } from '../../outputSchemas/monitor.js';
import { readCheckpoint, type SignedCheckpoint } from '../checkpoints.js';
import { type Finding, FoundError, saveFinding } from '../findings.js';
import { treeHasher } from '../hasher.js';
import { listRegistrations, type RegisteredLeaf, registrationOf } from '../registrations.js';
import type { LogSource } from '../source.js';
import { type ChainToCheck, checkChain } from './chainChecks.js';
import { LeafIndex } from './leafIndex.js';
import { ManifestChecks } from './manifestChecks.js';
import { type CheckedLog, compareMirror, compareWitness } from './otherViews.js';
import { PictureWatch, type PictureWatchOptions } from './pictureWatch.js';
import { ServiceChecks } from './serviceChecks.js';
import { type MonitorState, type Reported, readState, writeState } from './state.js';
import { SETTLE_MS, Suspects } from './suspects.js';
import { WatchedLog } from './watchedLog.js';

/** Between two looks at a log that shows an old checkpoint: caches may keep it for five seconds. */
const STALE_LOOK_MS = 1_000;
/** Of registrations under one's Marks that a run lists. */
const MAX_LISTED = 10_000;

/** Leaves after which the service may show more files than before. */
const showsFiles: ReadonlySet<LeafKind> = new Set<LeafKind>(['artifact', 'rendition', 'mark', 'content']);

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
  /** Undefined: no look-alikes are searched for. */
  readonly pictures?: Pick<PictureWatchOptions, 'folder' | 'hash'> | undefined;
  readonly signal: AbortSignal;
  readonly now?: () => number;
  /** How long a contradiction is looked at again. */
  readonly settleMs?: number;
  readonly onProgress?: (done: number, total: number) => void;
}

type MarkRegistration = MonitorRunOutput['marks'][number];

export interface MonitorResult extends Omit<MonitorRunOutput, 'log' | 'size' | 'root' | 'checkedAt'> {
  /** Undefined: no checkpoint could be checked. */
  readonly checkpoint: SignedCheckpoint | undefined;
}

/**
 * Runs once, and reports what it found. What a run that was killed had found and not reported is in the next report, so that
 * nothing is lost; a run that is killed while it reports is reported again.
 */
export async function runMonitor(
  options: MonitorOptions,
  report: (result: MonitorResult) => Promise<void> = async () => {},
): Promise<MonitorResult> {
  const { folder } = options;
  const { unreported, ...before } = await readState(folder);
  const { state, result: found } = await new MonitorRun(options, before).run();
  const result = { ...found, ...addReport(unreported, found) };
  if (isNews(result)) await writeState(folder, { ...state, unreported: pickReported(result) });
  else await writeState(folder, state);
  await report(result);
  if (isNews(result)) await writeState(folder, state);
  return result;
}

/** Whether there is anything to tell. */
export function isNews({ marks, lookalikes, findings, omitted }: Reported): boolean {
  return marks.length + lookalikes.length + findings.length + omitted > 0;
}

function pickReported({ marks, lookalikes, findings, omitted }: Reported): Reported {
  return { marks, lookalikes, findings, omitted };
}

/** A contradiction that is found again has the same evidence. */
function addReport(before: MonitorState['unreported'], found: MonitorResult) {
  if (!before) return {};
  const isFoundAgain = ({ evidence }: { readonly evidence: string }) =>
    found.findings.some((finding) => finding.evidence === evidence);
  return {
    marks: [...before.marks, ...found.marks],
    lookalikes: [...before.lookalikes, ...found.lookalikes],
    findings: [...before.findings.filter((finding) => !isFoundAgain(finding)), ...found.findings],
    omitted: before.omitted + found.omitted,
  };
}

class MonitorRun {
  readonly #findings: Finding[] = [];
  readonly #unchecked: string[] = [];
  readonly #marks: MarkRegistration[] = [];
  readonly #suspects = new Suspects();
  readonly #failed: Set<number>;
  readonly #index: LeafIndex;
  readonly #service: ServiceChecks | undefined;
  readonly #manifests: ManifestChecks | undefined;
  readonly #pictures: PictureWatch | undefined;
  #log: WatchedLog | undefined;
  #changedTo: number;

  constructor(
    private readonly options: MonitorOptions,
    private readonly state: MonitorState,
  ) {
    this.#failed = new Set(state.failed);
    this.#changedTo = state.changedTo ?? 0;
    this.#index = new LeafIndex(options.folder);
    const shared = { index: this.#index, suspects: this.#suspects, failed: this.#failed };
    this.#service = options.service && new ServiceChecks({ ...options.service, ...shared });
    this.#manifests = options.service && this.#openManifests(options.service);
    const { pictures, service, signal, marks: ownMarks } = options;
    this.#pictures =
      pictures && service && new PictureWatch({ ...pictures, client: service.client, ownMarks, signal }, state);
  }

  async run(): Promise<{ readonly state: MonitorState; readonly result: MonitorResult }> {
    const state = { ...this.state };
    await this.#guard(async () => {
      const log = await this.#openLog();
      const ahead = await this.#readLargestCopy();
      await this.#catchUp(log, ahead);
      await this.#compareOthers(log, state);
      if (this.#service) await this.#compareService(log, this.#service, state);
    });
    // Also of leaves that were read before a contradiction ended the rest.
    await this.#guard(async () => this.#log && this.#settle(this.#log));
    await this.#index.flush();
    const unpublished = this.#manifests?.unpublished ?? [];
    return {
      state: {
        ...state,
        ...this.#log?.remembered,
        ...this.#pictures?.remembered,
        failed: [...this.#failed],
        changedTo: this.#changedTo,
        unpublished: unpublished.map(({ index, entry }) => ({ index, entry: decodeUtf8(entry) })),
      },
      result: {
        checkpoint: this.#log?.checkpoint,
        leaves: this.#log?.leafCount ?? 0,
        manifests: this.#manifests?.comparedCount ?? 0,
        unpublished: unpublished.length,
        marks: this.#marks,
        searched: this.#pictures?.searchedCount ?? 0,
        lookalikes: this.#pictures?.found ?? [],
        findings: await this.#saveFindings(),
        omitted: (this.#log?.omittedCount ?? 0) + this.#suspects.omittedCount,
        unchecked: [...new Set(this.#unchecked)],
      },
    };
  }

  async #saveFindings(): Promise<MonitorResult['findings']> {
    const { folder, now = Date.now } = this.options;
    const saved = new Map<string, MonitorResult['findings'][number]>();
    for (const finding of [...(this.#log?.findings ?? []), ...this.#findings]) {
      const evidence = await saveFinding(folder, finding, new Date(now()));
      saved.set(evidence, { kind: finding.kind, message: finding.message, evidence });
    }
    return [...saved.values()];
  }

  #openManifests(service: NonNullable<MonitorOptions['service']>): ManifestChecks {
    const unpublished = (this.state.unpublished ?? []).flatMap(({ index, entry: text }) => {
      const entry = encodeUtf8(text);
      const content = registrationOf(parseLeaf(entry));
      return content ? [{ index, entry, content }] : [];
    });
    const { now = Date.now } = this.options;
    return new ManifestChecks({ ...service, suspects: this.#suspects, failed: this.#failed, now, unpublished });
  }

  async #openLog(): Promise<WatchedLog> {
    const { source, policy, now = Date.now } = this.options;
    const onBatch = (batch: FollowedBatch, total: number) => this.#readBatch(batch, total);
    this.#log = await WatchedLog.open({ source, policy, now, onBatch }, this.state);
    return this.#log;
  }

  async #readBatch(batch: FollowedBatch, total: number): Promise<void> {
    this.options.signal.throwIfAborted();
    for (const { index, leaf } of batch.leaves) {
      if (leaf?.kind === 'failed') this.#failed.add(leaf.content.index);
      if (leaf && showsFiles.has(leaf.kind)) this.#changedTo = index + 1;
    }
    const registered = listRegistrations(batch.leaves);
    await this.#index.add(registered.map(({ content }) => content));
    for (const one of registered) this.#listMark(one);
    this.#manifests?.add(registered);
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
      await this.#manifests?.run((leaf, finding) => this.#addLeafFinding(log, finding, leaf));
    });
    const trust = this.options.service?.trust;
    await this.#guard(async () => {
      if (trust) state.pieces = await service.checkDownloads(trust, state.pieces);
    });
    await this.#guard(async () => this.#pictures?.search({ before: this.state.changedTo ?? 0, now: this.#changedTo }));
    await this.#guard(() => service.checkLookalikes(this.#pictures?.found ?? []));
  }

  async #settle(log: WatchedLog): Promise<void> {
    const { settleMs = SETTLE_MS, signal } = this.options;
    const look = () => this.#guard(() => log.advance());
    for (const { finding, leaf } of await this.#suspects.settle(look, settleMs, signal)) {
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
  async #guard(work: () => Promise<unknown>): Promise<void> {
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
