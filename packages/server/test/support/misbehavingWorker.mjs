// In the place of the process that hashes: does what the file tells it to, as a decoder might on a hostile file.

import { serveJobs } from '../../dist/workers/jobs.js';

function misbehave({ bytes }) {
  const text = Buffer.from(bytes).toString();
  if (text.includes('spin')) for (;;);
  if (text.includes('throw')) throw new TypeError('not a function');
  if (text.includes('trap')) new WebAssembly.Instance(new WebAssembly.Module(unreachable));
  if (text.includes('exit')) process.exit(1);
  if (text.includes('hoard')) for (const hoard = []; ; ) hoard.push(Array.from({ length: 1000 }, () => ({})));
  if (text.includes('fill')) for (const blocks = []; ; ) blocks.push(Buffer.alloc(10_000_000, 1));
  if (text.includes('lie')) return { codes: { pHash: '<script>', dHash: '0x0123456789abcdef' } };
  return { codes: { pHash: '0x0123456789abcdef', dHash: '0x0123456789abcdef' } };
}

/** A module whose start function is the instruction `unreachable`. */
const unreachable = Uint8Array.from([
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...[1, 4, 1, 0x60, 0, 0],
  ...[3, 2, 1, 0],
  ...[8, 1, 0],
  ...[10, 5, 1, 3, 0, 0, 0x0b],
]);

serveJobs({ hash: misbehave });
