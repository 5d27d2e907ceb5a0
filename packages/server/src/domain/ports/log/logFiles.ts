// Port for the published files of the log.

/** Tiles and bundles, which never change, and the checkpoint. Rejects with UNAVAILABLE when the store cannot be used now. */
export interface LogFiles {
  /** Undefined: there is no such file. */
  read(path: string): Promise<Uint8Array | undefined>;
  /** Writes files that do not exist yet. Returns the path of one that exists with other bytes; undefined if there is none. */
  writeOnce(files: readonly LogFile[]): Promise<string | undefined>;
  /** Replaces a file that no checkpoint covers. */
  replace(file: LogFile): Promise<void>;
  readCheckpoint(name?: CheckpointName): Promise<StoredCheckpoint | undefined>;
  /** Replaces the checkpoint that was read before; undefined: there was none. False: there is another one by now. */
  replaceCheckpoint(text: string, previous: StoredCheckpoint | undefined, name?: CheckpointName): Promise<boolean>;
  /** Returns why files could be overwritten by others; undefined if the store keeps the conditions of writes. */
  findFlaw(): Promise<string | undefined>;
}

/** What everybody reads, and what the log has signed already and witnesses not yet, which nobody reads. */
export type CheckpointName = 'checkpoint' | 'signed-checkpoint';

export interface LogFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

export interface StoredCheckpoint {
  readonly text: string;
  /** Of the file, by which a write recognizes it. */
  readonly version: string;
}
