// Small files that cost a decoder much time or memory, made by hand.

import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { blackAndWhitePng, chunk, pngHeader } from './pictures.js';
import { encodedMelody, flac, melody, wav } from './sounds.js';

/** By name. */
export async function makeBombs(): Promise<Record<string, Uint8Array>> {
  return {
    'an SVG with an expensive filter': svg(
      '<filter id="f"><feMorphology operator="dilate" radius="900"/></filter><rect width="2000" height="2000" filter="url(#f)"/>',
    ),
    'an SVG of nested references': svg(
      Array.from({ length: 30 }, (_, n) => `<g id="g${n + 1}">${`<use href="#g${n}"/>`.repeat(2)}</g>`).join(''),
    ),
    'an SVG that is called a PNG': svg('<text>x</text>'),
    'a PNG of 900 megapixels': pngHeader(30_000),
    'a PNG of 98 megapixels': blackAndWhitePng(9_900),
    'a PNG with a compressed text of 200 MB': withTextChunk(blackAndWhitePng(64), 200_000_000),
    'a PNG of a hundred thousand chunks': withEmptyChunks(blackAndWhitePng(64), 100_000),
    'a JPEG of 98 megapixels with 90 empty scans': slowJpeg(),
    'a JPEG of fifty thousand segments': segments(50_000),
    'a TIFF of 10 gigapixels': tiff({ width: 100_000, height: 100_000 }),
    'a TIFF in one strip of 98 megapixels': tiff({ width: 9_900, height: 9_900 }),
    'a TIFF whose directories form a loop': tiff({ width: 8, height: 8, nextDirectory: 8 }),
    'an AVIF with a false size': resizedAvif(await gray.clone().avif({ effort: 0 }).toBuffer()),
    'a GIF of fifty thousand frames': gif(50_000),
    'a WebP with a false size': webp(),
    'a WAV with a false size and rate': falseWav(),
    'a FLAC with a false header': patched(flac(melody(1)), 18, Buffer.alloc(8, 0xff)),
    'an MP3 of silent frames only': Buffer.concat(Array.from({ length: 40_000 }, () => silentMp3Frame)),
    'an MP3 with a false tag': Buffer.concat([Buffer.from('494433040000007f7f7f7f', 'hex'), encodedMelody('mp3')]),
    'an Ogg with false page sizes': patched(encodedMelody('vorbis'), 26, Buffer.alloc(64, 0xff)),
    'an Opus with a false gain and channels': patched(encodedMelody('opus'), 37, Buffer.alloc(9, 0xff)),
  };
}

/** Without changing its meaning, so that another copy can be registered. */
export function withAppendedLines(file: Uint8Array, count: number): Buffer {
  return Buffer.concat([file, Buffer.alloc(count, '\n')]);
}

function svg(content: string): Uint8Array {
  const start = '<svg xmlns="http://www.w3.org/2000/svg" width="2000" height="2000">';
  return Buffer.from(`${start}<g id="g0"><rect width="9" height="9"/></g>${content}</svg>`);
}

const gray = sharp({ create: { width: 64, height: 64, channels: 3, background: '#777' } });

function withChunks(png: Buffer, chunks: readonly Buffer[]): Buffer {
  const header = 8 + 25;
  return Buffer.concat([png.subarray(0, header), ...chunks, png.subarray(header)]);
}

function withTextChunk(png: Buffer, size: number): Buffer {
  return withChunks(png, [chunk('zTXt', Buffer.concat([Buffer.from('a\0\0'), deflateSync(Buffer.alloc(size))]))]);
}

function withEmptyChunks(png: Buffer, count: number): Buffer {
  return withChunks(
    png,
    Array.from({ length: count }, () => chunk('prVt', Buffer.alloc(0))),
  );
}

function segment(marker: number, content: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
}

const [startOfImage, endOfImage] = [Buffer.from('ffd8', 'hex'), Buffer.from('ffd9', 'hex')];

/** Progressive: a decoder goes over all coefficients in each scan, even if the scan is empty. */
export function slowJpeg(count = 90): Buffer {
  const side = Buffer.alloc(2);
  side.writeUInt16BE(9_900);
  const component = Buffer.from([1, 0x11, 0]);
  const table = (kind: number) => segment(0xc4, Buffer.concat([Buffer.from([kind, 1]), Buffer.alloc(16)]));
  return Buffer.concat([
    startOfImage,
    segment(0xdb, Buffer.concat([Buffer.from([0]), Buffer.alloc(64, 1)])),
    segment(0xc2, Buffer.concat([Buffer.from([8]), side, side, Buffer.from([1]), component])),
    table(0x00),
    table(0x10),
    segment(0xda, Buffer.from([1, 1, 0, 0, 0, 0])),
    ...Array.from({ length: count }, () => segment(0xda, Buffer.from([1, 1, 0, 1, 63, 0]))),
    endOfImage,
  ]);
}

function segments(count: number): Buffer {
  const many = Array.from({ length: count }, () => segment(0xe1, Buffer.from('aaaa', 'hex')));
  return Buffer.concat([startOfImage, ...many, endOfImage]);
}

/** Gray, compressed by deflate, in one strip that is too short. */
function tiff({ width, height, nextDirectory = 0 }: { width: number; height: number; nextDirectory?: number }): Buffer {
  const strip = deflateSync(Buffer.alloc(1_000_000));
  const entries = [
    [256, 4, width],
    [257, 4, height],
    [258, 3, 8],
    [259, 3, 8],
    [262, 3, 1],
    [273, 4, 8 + 2 + 9 * 12 + 4],
    [277, 3, 1],
    [278, 4, height],
    [279, 4, strip.length],
  ] as const;
  const directory = Buffer.alloc(2 + entries.length * 12 + 4);
  directory.writeUInt16LE(entries.length);
  for (const [index, [tag, type, value]] of entries.entries()) {
    const at = 2 + index * 12;
    directory.writeUInt16LE(tag, at);
    directory.writeUInt16LE(type, at + 2);
    directory.writeUInt32LE(1, at + 4);
    directory.writeUInt32LE(value, at + 8);
  }
  directory.writeUInt32LE(nextDirectory, directory.length - 4);
  return Buffer.concat([Buffer.from('49492a0008000000', 'hex'), directory, strip]);
}

function resizedAvif(avif: Buffer): Buffer {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(9_900, 0);
  size.writeUInt32BE(9_900, 4);
  return patched(avif, avif.indexOf('ispe') + 8, size);
}

function gif(frames: number): Buffer {
  const header = Buffer.from('47494638396110271027800000000000ffffff', 'hex');
  const frame = Buffer.from('2c0000000001000100000202440100', 'hex');
  return Buffer.concat([header, ...Array.from({ length: frames }, () => frame), Buffer.from(';')]);
}

/** The extended header states 16,384 × 16,384 pixels. */
function webp(): Buffer {
  const canvas = Buffer.from('565038580a00000000000000ff3f00ff3f00', 'hex');
  const body = Buffer.concat([
    Buffer.from('WEBP'),
    canvas,
    Buffer.from('VP8L'),
    Buffer.from('ffffff7f2fffffff', 'hex'),
  ]);
  const head = Buffer.from('RIFF\0\0\0\0', 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
}

function falseWav(): Buffer {
  const bytes = Buffer.from(wav(melody(4), 's16'));
  bytes.writeUInt32LE(0xffffffff, 24);
  bytes.writeUInt32LE(0xffffffff, 40);
  return bytes;
}

/** MPEG 1, layer III, 32 kbit/s at 44.1 kHz, mono. */
const silentMp3Frame = Buffer.concat([Buffer.from('fffb10c4', 'hex'), Buffer.alloc(100)]);

function patched(bytes: Uint8Array, at: number, change: Uint8Array): Buffer {
  const copy = Buffer.from(bytes);
  copy.set(change, at);
  return copy;
}
