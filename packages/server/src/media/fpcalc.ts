// Sound that no decoder of ours reads, by the `fpcalc` program where it is installed. FFmpeg is inside: the program is
// told which one of its many demuxers to use, as some others open what a stranger's file names. It gets bytes and never
// a file (from a pipe, FFmpeg follows no address either), and little time, memory and knowledge of its surroundings.

import { execFile } from 'node:child_process';
import { MAX_SECONDS } from './sound.js';

/** FFmpeg's names for what it may read, by the media type that the first bytes show. None of these follows addresses. */
const demuxers = new Map([
  ['audio/aac', 'aac'],
  ['audio/aiff', 'aiff'],
  ['audio/mp4', 'mov'],
  ['audio/x-m4a', 'mov'],
]);

/** In Debian 12 it works with 200 MB, nearly all of them the addresses of its libraries, which grow. */
const MAX_MEMORY_KIB = 1024 * 1024;
/** Of computing. Counts only when the service was killed and cannot end it: more than the service would wait. */
const MAX_CPU_SECONDS = 60;
/** Two minutes are some 950 items, each at most 15 bytes when compressed, and a third more as text. */
const MAX_OUTPUT_BYTES = 32 * 1024;

/** Node has no such limits for a program, shells do. The text is constant: the rest are arguments. */
const LIMITED = `ulimit -v ${MAX_MEMORY_KIB} && ulimit -t ${MAX_CPU_SECONDS} && exec "$0" "$@"`;
/** What the shell ends with when there is no such program, or it lacks a library: it will not be there next time. */
const NOT_FOUND = 127;
/** A fingerprint up to where the file broke off. In Debian 12, every file that is read to its end counts as such. */
const PARTLY_READ = 3;

/** One line. The algorithm and the number of items come first; the third letter changes with 16,384 of them. */
const FINGERPRINT = /^(AQA[\w-]+)\n$/;

export interface Fpcalc {
  /** Undefined when the program is known to be absent, or is not to read such a file. */
  demuxerFor(mediaType: string | undefined): string | undefined;
  /** As the program prints it. Throws on what it cannot read. */
  fingerprint(bytes: Uint8Array, demuxer: string): Promise<string>;
  /** Ends those that are running. */
  close(): void;
}

export function createFpcalc(program: string, timeMs: number): Fpcalc {
  const end = new AbortController();
  let absent = false;

  return {
    demuxerFor: (mediaType = '') => (absent ? undefined : demuxers.get(mediaType)),
    fingerprint(bytes, demuxer) {
      return new Promise((resolve, reject) => {
        if (absent) throw new Error('there is no fpcalc');
        const child = execFile(
          '/bin/sh',
          ['-c', LIMITED, program, '-format', demuxer, '-length', String(MAX_SECONDS), '-plain', '-'],
          {
            env: { PATH: process.env['PATH'] },
            timeout: timeMs,
            killSignal: 'SIGKILL',
            maxBuffer: MAX_OUTPUT_BYTES,
            signal: end.signal,
          },
          (error, output) => {
            absent ||= error?.code === NOT_FOUND || error?.code === 'ENOENT';
            const text = FINGERPRINT.exec(output)?.[1];
            if (error && error.code !== PARTLY_READ) reject(error);
            else if (text === undefined) reject(new Error('fpcalc printed something else'));
            else resolve(text);
          },
        );
        // Once it has heard enough it reads no further; that is no fault.
        child.stdin?.on('error', () => undefined);
        child.stdin?.end(bytes);
      });
    },
    close: () => end.abort(),
  };
}
