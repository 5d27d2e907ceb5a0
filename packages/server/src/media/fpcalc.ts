// Fingerprints of audio that our decoders cannot read, by the `fpcalc` program if it is installed. It uses FFmpeg, some of
// whose demuxers open addresses that a file contains. So the program gets a fixed demuxer, the bytes through a pipe (from
// which FFmpeg follows no addresses), limits of time and memory, and an empty environment.

import { execFile } from 'node:child_process';
import { MAX_SECONDS } from '@provenance-registry/media/node';
import { hasShell, limitingScript, type ProcessLimits, SHELL } from '../workers/worker.js';
import { moveIndexToFront } from './mp4Index.js';

/** FFmpeg's demuxers by detected media type. None of these follows addresses. */
const demuxers = new Map([
  ['audio/aac', 'aac'],
  ['audio/aiff', 'aiff'],
  ['audio/mp4', 'mov'],
  ['audio/x-m4a', 'mov'],
]);

/** Two minutes are about 950 items of at most 15 bytes compressed, and a third more as base64. */
const MAX_OUTPUT_BYTES = 32 * 1024;

/** Finds the program by our PATH, which it does not get to see itself. */
const START_SCRIPT = 'exec env -i "$(command -v "$0")" "$@"';
/** The shell's exit code if the program, or a library of it, is missing. */
const EXIT_NOT_FOUND = 127;
/** A fingerprint of a truncated file. Debian 12's version exits so for every file that it reads to its end. */
const EXIT_PARTLY_READ = 3;

/** One line that starts with the algorithm and the number of items, which is below 16,384. */
const FINGERPRINT = /^(AQA[\w-]+)\n$/;

export function createFpcalc(program: string, timeoutMs: number, limits: ProcessLimits) {
  const abort = new AbortController();
  const ends = new Set<Promise<unknown>>();
  const script = `${limitingScript(limits)}; ${START_SCRIPT}`;
  let isMissing = !hasShell;

  return {
    /** Undefined if the program is missing or must not read such a file. */
    demuxerFor: (mediaType = '') => (isMissing ? undefined : demuxers.get(mediaType)),
    /** Returns the text that the program prints. Throws if the file is unreadable. */
    fingerprint(bytes: Uint8Array, demuxer: string): Promise<string> {
      return new Promise((resolve, reject) => {
        if (isMissing) throw new Error('fpcalc is not installed');
        const child = execFile(
          SHELL,
          ['-c', script, program, '-format', demuxer, '-length', String(MAX_SECONDS), '-plain', '-'],
          {
            env: { PATH: process.env['PATH'] },
            timeout: timeoutMs,
            killSignal: 'SIGKILL',
            maxBuffer: MAX_OUTPUT_BYTES,
            signal: abort.signal,
          },
          (error, output) => {
            isMissing ||= error?.code === EXIT_NOT_FOUND || error?.code === 'ENOENT';
            const text = FINGERPRINT.exec(output)?.[1];
            if (error && error.code !== EXIT_PARTLY_READ) reject(error);
            else if (text === undefined) reject(new Error('unexpected output of fpcalc'));
            else resolve(text);
          },
        );
        const ended = new Promise((resolve) => child.once('close', resolve));
        ends.add(ended);
        void ended.then(() => ends.delete(ended));
        // The program stops reading once it has enough.
        child.stdin?.on('error', () => undefined);
        for (const part of demuxer === 'mov' ? moveIndexToFront(bytes) : [bytes]) child.stdin?.write(part);
        child.stdin?.end();
      });
    },
    /** Ends running programs. */
    async close() {
      abort.abort();
      await Promise.all(ends);
    },
  };
}
