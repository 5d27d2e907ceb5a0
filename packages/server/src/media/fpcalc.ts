// Fingerprints of audio that our decoders cannot read, by the `fpcalc` program if it is installed. It uses FFmpeg, some of
// whose demuxers open addresses that a file contains. So the program gets a fixed demuxer, the bytes through a pipe (from
// which FFmpeg follows no addresses), limits of time and memory, and an almost empty environment.

import { execFile } from 'node:child_process';
import { MAX_SECONDS } from './audio.js';

/** FFmpeg's demuxers by detected media type. None of these follows addresses. */
const demuxers = new Map([
  ['audio/aac', 'aac'],
  ['audio/aiff', 'aiff'],
  ['audio/mp4', 'mov'],
  ['audio/x-m4a', 'mov'],
]);

/** Of address space. In Debian 12 it needs 200 MB, nearly all of it for its libraries, which grow. */
const MAX_MEMORY_KIB = 1024 * 1024;
/** Longer than the service waits: only needed if the service was killed and cannot end the program. */
const MAX_CPU_SECONDS = 60;
/** Two minutes are about 950 items of at most 15 bytes compressed, and a third more as base64. */
const MAX_OUTPUT_BYTES = 32 * 1024;

/** Node cannot set such limits, a shell can. The script is constant; everything else is passed as arguments. */
const LIMITING_SCRIPT = `ulimit -v ${MAX_MEMORY_KIB} && ulimit -t ${MAX_CPU_SECONDS} && exec "$0" "$@"`;
/** The shell's exit code if the program, or a library of it, is missing. */
const EXIT_NOT_FOUND = 127;
/** A fingerprint of a truncated file. Debian 12's version exits so for every file that it reads to its end. */
const EXIT_PARTLY_READ = 3;

/** One line that starts with the algorithm and the number of items, which is below 16,384. */
const FINGERPRINT = /^(AQA[\w-]+)\n$/;

export function createFpcalc(program: string, timeoutMs: number) {
  const abort = new AbortController();
  let isMissing = false;

  return {
    /** Undefined if the program is missing or must not read such a file. */
    demuxerFor: (mediaType = '') => (isMissing ? undefined : demuxers.get(mediaType)),
    /** As the program prints it. Throws if the file is unreadable. */
    fingerprint(bytes: Uint8Array, demuxer: string): Promise<string> {
      return new Promise((resolve, reject) => {
        if (isMissing) throw new Error('fpcalc is not installed');
        const child = execFile(
          '/bin/sh',
          ['-c', LIMITING_SCRIPT, program, '-format', demuxer, '-length', String(MAX_SECONDS), '-plain', '-'],
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
        // The program stops reading once it has enough.
        child.stdin?.on('error', () => undefined);
        child.stdin?.end(bytes);
      });
    },
    /** Ends running programs. */
    close: () => abort.abort(),
  };
}
