// Copies a log: every file is proven to be in the tree of a signed checkpoint before the copy has it, and the checkpoint comes last.

import type { MirrorSource } from '@provenance-registry/client';
import {
  copyPaths,
  decodeUtf8,
  followLog,
  LogFileError,
  LogForkError,
  LogFormatError,
  type LogPolicy,
  LogProofError,
  ProvenTree,
  parseNote,
  type TreeHead,
  type VerifiedCheckpoint,
  verifyCheckpoint,
  WitnessesMissingError,
} from '@provenance-registry/log';
import { CommandError } from '../../errors.js';
import { treeHasher } from '../hasher.js';
import type { CopyFolder } from './copyFolder.js';
import { saveEvidence } from './evidence.js';
import { createIndexWriter } from './indexWriter.js';
import { createLeafReader, registrationOf } from './leaves.js';
import type { ManifestCopier } from './manifestCopier.js';
import { sourceError } from './source.js';

const EMPTY: TreeHead = { size: 0, root: treeHasher.emptyRoot };
const LOG_FOLDER = 'log/';

export interface LogCopyOptions {
  readonly folder: CopyFolder;
  readonly source: MirrorSource;
  readonly signal: AbortSignal;
  /** Undefined: only the log is copied. */
  readonly manifests: ManifestCopier | undefined;
  readonly onProgress: (done: number, total: number) => void;
  readonly note: (line: string) => void;
}

/** A checkpoint with its note, as it was published. */
interface SignedHead extends VerifiedCheckpoint {
  readonly note: string;
}

export function createLogCopier(options: LogCopyOptions) {
  const { folder, source, signal, manifests, onProgress, note } = options;
  let head: SignedHead | undefined;

  /** From the copy, or else from the source. */
  async function readFile(path: string): Promise<Uint8Array | undefined> {
    signal.throwIfAborted();
    return (await folder.read(LOG_FOLDER + path)) ?? source.readFile(LOG_FOLDER + path, signal);
  }

  /** Every leaf from one tree on is proven to be in the other, whether the copy has it or not. */
  async function follow(from: TreeHead, to: TreeHead): Promise<void> {
    const readLeaf = createLeafReader(folder, to.size);
    const index = createIndexWriter(folder, readLeaf);
    for await (const batch of followLog({ from, to, readFile, hasher: treeHasher })) {
      await Promise.all(batch.files.map(({ path, bytes }) => folder.add(LOG_FOLDER + path, bytes)));
      for (const { index: place, leaf } of batch.leaves) {
        await index.add({ index: place, leaf });
        if (registrationOf(leaf)) manifests?.add(place);
        if (leaf?.kind === 'failed') manifests?.drop(leaf.content.index);
      }
      onProgress(batch.head.size, to.size);
    }
    await index.flush();
  }

  /** Files of the copy that were damaged are set aside, and read from the source again. */
  async function followRepaired(from: TreeHead, to: SignedHead): Promise<void> {
    try {
      await follow(from, to);
    } catch (error) {
      if (!(error instanceof LogFileError && (await setAsideDamaged(error)))) throw await describe(error, to);
      await followRepaired(from, to);
    }
  }

  /** False: the copy has none of these files, and the source is to blame. */
  async function setAsideDamaged({ path }: LogFileError): Promise<boolean> {
    const damaged: string[] = [];
    for (const name of path.split(', ')) if (await folder.has(LOG_FOLDER + name)) damaged.push(LOG_FOLDER + name);
    for (const name of damaged) await folder.setAside(name);
    if (damaged.length > 0) note(`The copy had a damaged ${damaged.join(' and ')}, which is in damaged/ now.`);
    return damaged.length > 0;
  }

  async function describe(error: unknown, to: SignedHead): Promise<unknown> {
    if (error instanceof LogForkError) {
      return refuse(`${source.name} shows another history than this copy: ${error.message}`, { other: to.note });
    }
    if (!(error instanceof LogFileError)) return error;
    if (error.flaw === 'missing')
      return sourceError(`${source.name} does not have ${error.path}, and the copy neither.`);
    const files = await Promise.all(error.path.split(', ').map((path) => source.readFile(LOG_FOLDER + path, signal)));
    const served = Object.fromEntries(files.map((bytes, place) => [`file-${place + 1}`, bytes]));
    return refuse(`${source.name} has other files than its checkpoint says: ${error.message}`, {
      other: to.note,
      ...served,
    });
  }

  async function refuse(reason: string, files: Readonly<Record<string, Uint8Array | string | undefined>>) {
    const place = await saveEvidence(folder, { 'reason.txt': `${reason}\n`, known: head?.note, ...files });
    return new CommandError('CONTRADICTION', 1, `${reason} Nothing of it was copied; the evidence is in ${place}.`);
  }

  /** Checks the copy from its first leaf on. False: there is none yet. */
  async function checkOwn(policy: LogPolicy): Promise<boolean> {
    const bytes = await folder.read(copyPaths.checkpoint);
    if (!bytes) return false;
    const own = await verify(decodeUtf8(bytes), policy, `The checkpoint in ${folder.folder}`);
    await followRepaired(EMPTY, own);
    head = own;
    return true;
  }

  async function verify(text: string, policy: LogPolicy, where: string): Promise<SignedHead> {
    try {
      return { ...(await verifyCheckpoint(text, policy)), note: text };
    } catch (error) {
      if (error instanceof WitnessesMissingError) throw sourceError(`${where}: ${error.message}`);
      if (error instanceof LogFormatError) throw sourceError(`${where} cannot be read: ${error.message}`);
      if (!(error instanceof LogProofError)) throw error;
      throw await refuse(`${where} does not hold: ${error.message}`, { other: text });
    }
  }

  /** Copies what the source has now. Returns whether that is more than before. */
  async function copyNew(policy: LogPolicy): Promise<boolean> {
    const bytes = await source.readFile(copyPaths.checkpoint, signal);
    if (!bytes) throw sourceError(`${source.name} has no checkpoint of a log.`);
    const next = await verify(decodeUtf8(bytes), policy, `The checkpoint of ${source.name}`);
    const from = head;
    if (from && next.size <= from.size) {
      await requireBeginning(from, next);
      // More witnesses have signed it since.
      if (next.size < from.size || countSignatures(next) <= countSignatures(from)) return false;
    } else {
      await followRepaired(from ?? EMPTY, next);
    }
    await folder.replace(copyPaths.checkpoint, next.note);
    head = next;
    await removeIncomplete(folder, from?.size ?? 0, next.size);
    return true;
  }

  /** A source may be late, such as another copy. */
  async function requireBeginning(own: SignedHead, older: SignedHead): Promise<void> {
    const tree = await ProvenTree.open(own, readFile, treeHasher);
    const root = await tree.readRoot(older.size);
    if (Buffer.compare(root, older.root) === 0) return;
    throw await refuse(`${source.name} shows another history than this copy of ${older.size} leaves.`, {
      other: older.note,
    });
  }

  return { checkOwn, copyNew, head: () => head };
}

function countSignatures({ note }: SignedHead): number {
  return parseNote(note).signatures.length;
}

/** Incomplete tiles that were completed since: whoever follows an earlier checkpoint reads the complete ones. */
async function removeIncomplete(folder: CopyFolder, from: number, to: number): Promise<void> {
  for (let width = 256, level = 0; width <= to; width *= 256, level += 1) {
    const last = Math.floor(from / width);
    if (Math.floor(to / width) === last) continue;
    for (const kind of level === 0 ? ([0, 'entries'] as const) : ([level] as const)) {
      await folder.remove(`${copyPaths.tile({ level: kind, index: last, width: 256 })}.p`);
    }
  }
}
