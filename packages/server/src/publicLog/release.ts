// When everybody may read what the log has signed: once its witnesses have signed too, or after a minute without them.

import { formatNote, type NoteSignature, parseCheckpoint, parseNote, type TreeHead } from '@provenance-registry/log';
import type { Clock, LogFiles, StoredCheckpoint } from '../domain/ports/index.js';
import type { AskedWitnesses } from './witnesses.js';

/** From then on the log goes on without enough of them, until they sign again. */
const MAX_UNWITNESSED_MS = 60_000;

export interface ReleaseOptions {
  readonly witnesses: AskedWitnesses;
  readonly files: LogFiles;
  readonly clock: Clock;
}

export class CheckpointRelease {
  /** The signed note that needs nothing more. */
  #done: string | undefined;
  #cosignatures: { readonly of: string; readonly signatures: readonly NoteSignature[] } | undefined;
  #lackingSince: Date | undefined;

  constructor(private readonly options: ReleaseOptions) {}

  /** Asks witnesses to sign what the log has signed. `published`: how many leaves the checkpoint has that everybody reads. */
  async run(
    note: string,
    head: TreeHead,
    whileLocked: (work: () => Promise<boolean>) => Promise<boolean>,
  ): Promise<{ readonly published: number; readonly unwitnessedMs: number | undefined }> {
    if (this.#done === note) return { published: head.size, unwitnessedMs: undefined };
    const { witnesses, files, clock } = this.options;
    const known = this.#cosignatures?.of === note ? this.#cosignatures.signatures : [];
    const signatures = [...known, ...(await witnesses.collect(note, head, known))];
    this.#cosignatures = { of: note, signatures };
    const isWitnessed = witnesses.isQuorum(signatures);
    this.#lackingSince = isWitnessed ? undefined : (this.#lackingSince ?? clock());
    const unwitnessedMs = this.#lackingSince && clock().getTime() - this.#lackingSince.getTime();
    const published = await files.readCheckpoint();
    if (unwitnessedMs !== undefined && unwitnessedMs < MAX_UNWITNESSED_MS) {
      return { published: sizeOf(published), unwitnessedMs };
    }
    const signed = parseNote(note);
    const text = formatNote({ text: signed.text, signatures: [...signed.signatures, ...signatures] });
    const isReplaced = published?.text === text || (await whileLocked(() => files.replaceCheckpoint(text, published)));
    if (!isReplaced) throw new Error('another process has published the log, or changed its head');
    if (isWitnessed) this.#done = note;
    return { published: head.size, unwitnessedMs };
  }
}

/** The one of the larger tree. */
export function newestOf(
  one: StoredCheckpoint | undefined,
  other: StoredCheckpoint | undefined,
): StoredCheckpoint | undefined {
  return sizeOf(other) > sizeOf(one) ? other : one;
}

/** Not verified here: what is no checkpoint of this log comes first, and stops the sequencer. */
function sizeOf(checkpoint: StoredCheckpoint | undefined): number {
  if (!checkpoint) return 0;
  try {
    return parseCheckpoint(parseNote(checkpoint.text).text).size;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
