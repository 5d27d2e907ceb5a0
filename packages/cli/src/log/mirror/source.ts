// Where the files of a log and its manifests are read from: a registry or another copy, at an address or in a folder.

import type { MirrorSource } from '@provenance-registry/client';
import type { Context } from '../../context.js';
import { CommandError } from '../../errors.js';
import { text } from '../../text.js';
import { openLogSource } from '../source.js';

/** Many times the largest manifest. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** A registry has manifests as JSON under the same address. */
const ACCEPT = 'application/c2pa, */*;q=0.1';

export function openSource({ cwd, signal: interrupt, printHint }: Context, place: string): MirrorSource {
  const onRetry = (reason: string, delayMs: number) =>
    printHint(text`${reason} Trying again in ${Math.ceil(delayMs / 1_000)} s`);
  return {
    name: place,
    readFile: (path, signal = interrupt) =>
      openLogSource(place, { cwd, signal, onRetry, accept: ACCEPT }).read(path, MAX_FILE_BYTES),
  };
}

/** What fails for now, and is tried again. */
export function sourceError(message: string): CommandError {
  return new CommandError('SOURCE_UNUSABLE', 3, message);
}

/** Whatever a source fails with is its failure, and not that of the copy. */
export function withSourceErrors({ name, readFile }: MirrorSource): MirrorSource {
  return {
    name,
    async readFile(path, signal) {
      try {
        return await readFile(path, signal);
      } catch (error) {
        throw error instanceof CommandError && error.exitCode === 3 ? sourceError(error.message) : error;
      }
    },
  };
}
