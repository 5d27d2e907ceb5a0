// Gives leaves their places in the public log, and publishes it. The order of the steps is what makes it safe: the published
// checkpoint is read before the head of the database, which has to extend it; the head is committed before its tiles are
// written, the tiles are written before the head is signed, and the checkpoint replaces exactly the one that was read.

import {
  appendEntries,
  decodeUtf8,
  encodeLeaf,
  encodeUtf8,
  formatCheckpoint,
  formatNote,
  formatPolicy,
  LogProofError,
  type NoteSigner,
  parsePolicy,
  readEdge,
  signNote,
  type TileFile,
  type TreeEdge,
  verifyCheckpoint,
} from '@provenance-registry/log';
import type {
  CheckpointName,
  ImportPage,
  Lease,
  LogFiles,
  LogHead,
  LogKeys,
  LogSequence,
  LogStep,
  NewLogEntry,
  SequencedLeaf,
  StoredCheckpoint,
  TreeSize,
} from '../domain/ports/index.js';
import { treeHasher } from './hasher.js';
import { describeSigner, formatKeysLeaf } from './keys.js';
import { completeLeaves, type LeafSources, makeImported } from './newLeaves.js';
import { CheckpointRelease, newestOf } from './release.js';
import { LogStoppedError } from './stops.js';
import type { AskedWitnesses } from './witnesses.js';

/** Two megabytes, hashed in 30 ms. */
const MAX_LEAVES = 5_000;
/** Leaves of an import in one transaction. */
const IMPORT_PAGE_SIZE = 5_000;

export interface SequencerOptions {
  readonly records: LogSequence;
  readonly files: LogFiles;
  readonly sources: Omit<LeafSources, 'records'>;
  readonly lease: Lease;
  /** Name of a log that begins. */
  readonly origin: string;
  /** Of the log of that name; the first one is the current one. Throws LogStoppedError unless `known` is among them. */
  readonly openSigners: (origin: string, known: LogKeys | undefined) => Promise<readonly NoteSigner[]>;
  /** Undefined: none is asked. */
  readonly witnesses?: AskedWitnesses | undefined;
  /** What the log begins with: facts of the registry, and the roots of its manifests. */
  readonly registry: () => Promise<{
    readonly chain: number;
    readonly contract: `0x${string}`;
    readonly since: Date;
    readonly signers: readonly `0x${string}`[];
  }>;
}

export interface RoundResult {
  /** Leaves that got their places. */
  readonly sequenced: number;
  /** Leaves that the published checkpoint covers. */
  readonly published: number;
  /** What is still to be imported. */
  readonly toImport: number;
  /** How long the log has waited for its witnesses; undefined while they sign, or if it has none. */
  readonly unwitnessedMs: number | undefined;
}

/** A tree that is known to be the one that is published, or the one of the database. */
interface KnownTree {
  readonly edge: TreeEdge;
  /** All of its files exist. */
  readonly isWritten: boolean;
}

interface MadePage {
  readonly page: ImportPage;
  readonly entries: readonly NewLogEntry[];
}

export class Sequencer {
  #published:
    | {
        readonly text: string | undefined;
        readonly edge: TreeEdge /** This process signed it. */;
        readonly isOwn: boolean;
      }
    | undefined;
  #committed: KnownTree | undefined;
  /** The page of an import that follows, read and made while the one before is recorded; for that tree alone. */
  #ahead: { readonly edge: TreeEdge; readonly made: Promise<MadePage> } | undefined;
  #keys: { readonly size: number; readonly keys: readonly LogKeys[] } | undefined;
  #signers: { readonly key: string; readonly signers: readonly NoteSigner[] } | undefined;

  readonly #release: CheckpointRelease | undefined;
  /** Where a head is signed first. */
  readonly #signedName: CheckpointName;

  constructor(private readonly options: SequencerOptions) {
    const { witnesses, files, sources } = options;
    this.#release = witnesses && new CheckpointRelease({ witnesses, files, clock: sources.clock });
    this.#signedName = witnesses ? 'signed-checkpoint' : 'checkpoint';
  }

  /** Does what is due, once. Throws LogStoppedError when it must not. */
  async runRound(): Promise<RoundResult> {
    const { records, files } = this.options;
    const { newest, previous } = await this.#readSigned(files);
    const head = await records.readHead();
    const keys = await this.#readKeys(head.size);
    if (head.origin === null) return this.#begin(newest);
    const signers = await this.#openSigners(head.origin, keys);
    const published = await this.#openPublished(newest, head.origin, keys);
    const committed = await this.#openCommitted(published, head);
    if (head.isImporting) return this.#importPage(committed.edge, published.size);
    const isAhead = head.size > published.size;
    const next = isAhead ? committed : await this.#extend(committed, head, signers, keys.at(-1));
    if (next.edge.size > published.size) await this.#publish(next, published, previous, head.origin, signers);
    const released = await this.#releaseSigned();
    return { sequenced: next.edge.size - head.size, toImport: 0, ...released };
  }

  /** What the log has signed last. At the start it may be in the other place: witnesses were added or removed since. */
  async #readSigned(files: LogFiles) {
    const previous = await files.readCheckpoint(this.#signedName);
    if (this.#published?.isOwn && this.#published.text === previous?.text) return { newest: previous, previous };
    const other = await files.readCheckpoint(this.#signedName === 'checkpoint' ? 'signed-checkpoint' : 'checkpoint');
    return { newest: newestOf(previous, other), previous };
  }

  /** Lets everybody read what is signed, as soon as its witnesses have signed too. */
  async #releaseSigned(): Promise<Pick<RoundResult, 'published' | 'unwitnessedMs'>> {
    const { text, edge } = this.#published ?? {};
    if (text === undefined || !edge || !this.#release) return { published: edge?.size ?? 0, unwitnessedMs: undefined };
    const { records, lease } = this.options;
    return this.#release.run(text, edge, (work) => records.whileLocked(lease, edge, work));
  }

  /** Each change of the keys is a leaf. */
  async #readKeys(size: number): Promise<readonly LogKeys[]> {
    if (this.#keys?.size !== size) this.#keys = { size, keys: await this.options.records.listKeys() };
    return this.#keys.keys;
  }

  async #begin(checkpoint: StoredCheckpoint | undefined): Promise<RoundResult> {
    if (checkpoint) {
      throw new LogStoppedError(
        'database-behind',
        'the files of a log are here, and the database has none: it was restored, or is another one',
      );
    }
    const { origin, openSigners, registry, sources } = this.options;
    const { chain, contract, since, signers } = await registry();
    const keys = { vkey: describeCurrent(await openSigners(origin, undefined)), signers };
    const now = sources.clock();
    const time = now.toISOString();
    const leaves: SequencedLeaf[] = [
      {
        kind: 'genesis',
        leaf: decodeUtf8(
          encodeLeaf({ kind: 'genesis', content: { origin, chain, contract, since: since.toISOString(), time } }),
        ),
      },
      { kind: 'keys', leaf: formatKeysLeaf(keys, now) },
    ];
    const empty = await openEmpty();
    await this.#advance(empty, { leaves, origin, keys });
    return { sequenced: leaves.length, published: 0, toImport: 0, unwitnessedMs: undefined };
  }

  /** The key in use must be the one that the log says, so that a rotation is in the log before anything it signs. */
  async #openSigners(origin: string, keys: readonly LogKeys[]): Promise<readonly NoteSigner[]> {
    const known = keys.at(-1);
    const key = `${origin} ${known?.vkey}`;
    if (this.#signers?.key !== key) this.#signers = { key, signers: await this.options.openSigners(origin, known) };
    return this.#signers.signers;
  }

  async #openPublished(
    checkpoint: StoredCheckpoint | undefined,
    origin: string,
    keys: readonly LogKeys[],
  ): Promise<TreeEdge> {
    if (this.#published && this.#published.text === checkpoint?.text) return this.#published.edge;
    this.#committed = undefined;
    const edge = checkpoint ? await this.#readPublished(checkpoint.text, origin, keys) : await openEmpty();
    this.#published = { text: checkpoint?.text, edge, isOwn: false };
    return edge;
  }

  async #readPublished(text: string, origin: string, keys: readonly LogKeys[]): Promise<TreeEdge> {
    const policy = parsePolicy(formatPolicy([...new Set(keys.map(({ vkey }) => vkey))]));
    const verified = await verifyCheckpoint(text, policy).catch((error: unknown) => {
      throw new LogStoppedError(
        'foreign-checkpoint',
        `the published checkpoint is not one of this log: ${String(error)}`,
      );
    });
    if (verified.origin !== origin) {
      throw new LogStoppedError('foreign-checkpoint', `the published checkpoint is one of ${verified.origin}`);
    }
    const { files } = this.options;
    const readFile = async (path: string) => {
      const bytes = await files.read(path);
      if (!bytes) throw new LogStoppedError('foreign-file', `the published file ${path} is missing`);
      return bytes;
    };
    return readEdge(verified, readFile, treeHasher).catch((error: unknown) => {
      if (!(error instanceof LogProofError)) throw error;
      throw new LogStoppedError('foreign-file', 'the published files are not those of the published checkpoint');
    });
  }

  /** The tree of the database, which must be the published one, or extend it. */
  async #openCommitted(published: TreeEdge, head: LogHead): Promise<KnownTree> {
    if (head.size < published.size) {
      throw new LogStoppedError(
        'database-behind',
        `the database has ${head.size} leaves and ${published.size} are published: it was restored from a backup, or is an ` +
          'old standby. Run `provenance-server log recover`',
      );
    }
    if (this.#committed && isSame(this.#committed.edge, head)) return this.#committed;
    const edge = await this.#fold(published, head.size, async () => {});
    if (!isSame(edge, head)) {
      throw new LogStoppedError(
        'diverged',
        `the ${head.size} leaves of the database do not extend the ${published.size} published ones: it is a copy that went on ` +
          'by itself, or was changed',
      );
    }
    this.#committed = { edge, isWritten: head.size === published.size };
    return this.#committed;
  }

  /** Appends the leaves of the database up to that size. */
  async #fold(from: TreeEdge, size: number, use: (files: readonly TileFile[]) => Promise<void>): Promise<TreeEdge> {
    let edge = from;
    while (edge.size < size) {
      const to = Math.min(size, edge.size + MAX_LEAVES);
      const leaves = await this.options.records.readLeaves(edge.size, to);
      if (leaves.length < to - edge.size) {
        throw new LogStoppedError('diverged', `the database lacks leaves between ${edge.size} and ${to}`);
      }
      const appended = appendEntries(edge, leaves.map(encodeUtf8), treeHasher);
      await use(appended.files);
      edge = appended.edge;
    }
    return edge;
  }

  async #extend(
    committed: KnownTree,
    { hasPending }: LogHead,
    signers: readonly NoteSigner[],
    known: LogKeys | undefined,
  ): Promise<KnownTree> {
    const current = { vkey: describeCurrent(signers), signers: (await this.options.registry()).signers };
    if (JSON.stringify(current) !== JSON.stringify(known)) {
      const leaves: SequencedLeaf[] = [{ kind: 'keys', leaf: formatKeysLeaf(current, this.options.sources.clock()) }];
      return this.#advance(committed.edge, { leaves, keys: current });
    }
    return hasPending ? this.#sequence(committed.edge) : committed;
  }

  /** Gives places to leaves that wait for one. */
  async #sequence(edge: TreeEdge): Promise<KnownTree> {
    const { records, sources } = this.options;
    const pending = await records.listPending(MAX_LEAVES);
    const { leaves, dropped } = await completeLeaves({ ...sources, records }, pending, edge.size);
    const known = new Map(pending.map(({ id, leaf }) => [id, leaf]));
    const texts = leaves.map(({ id, leaf }) => leaf ?? known.get(id ?? '') ?? '');
    return this.#advance(edge, { leaves, dropped }, texts);
  }

  async #importPage(edge: TreeEdge, published: number): Promise<RoundResult> {
    const ahead = this.#ahead;
    this.#ahead = undefined;
    const { page, entries } = await (ahead && isSame(ahead.edge, edge) ? ahead.made : this.#makeImports());
    const { isWritten } = this.#committed ?? { isWritten: false };
    if (!isWritten) await this.#writeFrom(await openEmpty(), edge);
    const importedUntil = page.position;
    const following = importedUntil === undefined ? undefined : this.#makeImports(importedUntil);
    // Thrown where it is used.
    following?.catch(() => {});
    const next = await this.#advance(edge, { leaves: entries, ...(importedUntil !== undefined && { importedUntil }) });
    const { files } = appendEntries(
      edge,
      entries.map(({ leaf }) => encodeUtf8(leaf)),
      treeHasher,
    );
    await this.#write(files);
    this.#committed = { edge: next.edge, isWritten: true };
    this.#ahead = following && { edge: next.edge, made: following };
    return { sequenced: entries.length, published, toImport: page.left, unwitnessedMs: undefined };
  }

  async #makeImports(after?: string): Promise<MadePage> {
    const { records, sources } = this.options;
    const page = await records.listImports(IMPORT_PAGE_SIZE, after);
    return { page, entries: await makeImported({ ...sources, records }, page) };
  }

  /** Commits the step. The tiles of its leaves are written afterwards: a tree that was not committed may never be published. */
  async #advance(
    edge: TreeEdge,
    step: Pick<LogStep, 'leaves' | 'dropped' | 'importedUntil' | 'origin' | 'keys'>,
    texts: readonly string[] = step.leaves.map(({ leaf = '' }) => leaf),
  ): Promise<KnownTree> {
    const { records, lease } = this.options;
    const appended = appendEntries(edge, texts.map(encodeUtf8), treeHasher);
    const isAdvanced = await records.advance(lease, { ...step, from: edge, to: appended.edge });
    if (!isAdvanced) throw new Error('another process has changed the head of the log');
    this.#committed = { edge: appended.edge, isWritten: false };
    return this.#committed;
  }

  async #publish(
    { edge, isWritten }: KnownTree,
    published: TreeEdge,
    previous: StoredCheckpoint | undefined,
    origin: string,
    signers: readonly NoteSigner[],
  ): Promise<void> {
    const { records, files, lease } = this.options;
    if (!isWritten) await this.#writeFrom(published, edge);
    this.#committed = { edge, isWritten: true };
    const text = formatCheckpoint({ origin, size: edge.size, root: edge.root });
    const sign = async () => {
      const note = formatNote({ text, signatures: await Promise.all(signers.map((signer) => signNote(text, signer))) });
      if (!(await files.replaceCheckpoint(note, previous, this.#signedName))) return false;
      this.#published = { text: note, edge, isOwn: true };
      return true;
    };
    if (!(await records.whileLocked(lease, edge, sign))) {
      throw new Error('another process has published the log, or changed its head');
    }
  }

  /** Writes the files of what is committed, as it is read again. */
  async #writeFrom(from: TreeEdge, to: TreeEdge): Promise<void> {
    const edge = await this.#fold(from, to.size, (files) => this.#write(files));
    if (!isSame(edge, to)) throw new LogStoppedError('diverged', 'leaves of the database have changed');
  }

  async #write(files: readonly TileFile[]): Promise<void> {
    const other = await this.options.files.writeOnce(files);
    if (other === undefined) return;
    throw new LogStoppedError(
      'foreign-file',
      `the file ${other} exists with other content: another log is written there`,
    );
  }
}

function describeCurrent([current]: readonly NoteSigner[]): string {
  if (!current) throw new Error('the log has no key');
  return describeSigner(current);
}

function openEmpty(): Promise<TreeEdge> {
  const readFile = () => Promise.reject(new Error('an empty tree has no files'));
  return readEdge({ size: 0, root: treeHasher.emptyRoot }, readFile, treeHasher);
}

function isSame(one: TreeSize, other: TreeSize): boolean {
  return one.size === other.size && Buffer.compare(one.root, other.root) === 0;
}
