// Sounds made from formulas, and writers for the formats that need no library.

import { readFileSync } from 'node:fs';

const RATE = 16_000;

const NOTES = [262, 294, 330, 349, 392, 440, 494, 523] as const;

/** Values from -1 to 1. */
export type Wave = Float64Array;

/** Three notes a second, with an overtone. */
export function melody(seconds: number): Wave {
  return Float64Array.from({ length: seconds * RATE }, (_, index) => {
    const time = index / RATE;
    const note = NOTES[(Math.floor(time * 3) * 5) % NOTES.length] ?? 0;
    return 0.4 * Math.sin(2 * Math.PI * note * time) + 0.2 * Math.sin(4 * Math.PI * note * time);
  });
}

/** Notes at random: a different piece for each seed. */
export function song(seconds: number, seed: number): Wave {
  const random = randomNumbers(seed);
  // A quarter tone above the notes of a piano: those are the limits of Chromaprint's bands, so 1 % less changes all of them.
  const key = 27.5 * 2 ** ((33.5 + Math.floor(random() * 12)) / 12);
  const wave = new Float64Array(seconds * RATE);
  for (const [notesPerSecond, octave] of [
    [0.9, 1],
    [1.3, 2],
    [2 + random() * 2, 4],
  ] as const) {
    const length = Math.floor(RATE / notesPerSecond);
    for (let start = 0; start < wave.length; start += length) {
      const frequency = key * octave * 2 ** (Math.floor(random() * 12) / 12);
      for (let at = 0; at < Math.min(length, wave.length - start); at += 1) {
        const turn = (2 * Math.PI * frequency * at) / RATE;
        const level = 0.15 * (1 - at / length);
        wave[start + at] =
          (wave[start + at] ?? 0) + level * (Math.sin(turn) + 0.5 * Math.sin(2 * turn) + 0.3 * Math.sin(3 * turn));
      }
    }
  }
  return wave;
}

/** A part of a sound. */
export function excerpt(wave: Wave, start: number, seconds: number): Wave {
  return wave.subarray(start * RATE, (start + seconds) * RATE);
}

/** Played faster, and so higher: 1.01 is 1 %. */
export function changeSpeed(wave: Wave, speed: number): Wave {
  return Float64Array.from({ length: Math.floor(wave.length / speed) - 1 }, (_, index) => {
    const [low, share] = [Math.floor(index * speed), (index * speed) % 1];
    return (wave[low] ?? 0) * (1 - share) + (wave[low + 1] ?? 0) * share;
  });
}

/** A tone that climbs from 200 to 3,200 Hz. */
export function chirp(seconds: number): Wave {
  return Float64Array.from({ length: seconds * RATE }, (_, index) => {
    const time = index / RATE;
    return 0.5 * Math.sin(2 * Math.PI * (200 * time + (1500 * time * time) / seconds));
  });
}

export function noise(seconds: number, seed: number): Wave {
  const random = randomNumbers(seed);
  return Float64Array.from({ length: seconds * RATE }, () => random() - 0.5);
}

/** From 0 up to 1, the same for the same seed on every machine. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

type Writer = (view: DataView, at: number, value: number) => void;

const int24: Writer = (view, at, value) => {
  const whole = Math.round(value * 0x7fffff);
  view.setUint8(at, whole & 0xff);
  view.setInt16(at + 1, whole >> 8, true);
};

const wavFormats = {
  u8: [1, 1, (view, at, value) => view.setUint8(at, Math.round(value * 127) + 128)],
  s16: [1, 2, (view, at, value) => view.setInt16(at, Math.round(value * 0x7fff), true)],
  s24: [1, 3, int24],
  s32: [1, 4, (view, at, value) => view.setInt32(at, Math.round(value * 0x7fffffff), true)],
  f32: [3, 4, (view, at, value) => view.setFloat32(at, value, true)],
  f64: [3, 8, (view, at, value) => view.setFloat64(at, value, true)],
} satisfies Record<string, [number, number, Writer]>;

export type WavFormat = keyof typeof wavFormats;

export interface WavOptions {
  readonly channels?: number;
  /** Says the format in the longer way that files with many bits or channels use. */
  readonly extensible?: boolean;
}

/** Every channel has the same sound. */
export function wav(wave: Wave, format: WavFormat, { channels = 1, extensible = false }: WavOptions = {}): Uint8Array {
  const [number, bytes, write] = wavFormats[format];
  const formatBytes = extensible ? 40 : 16;
  const dataAt = 28 + formatBytes;
  const file = new Uint8Array(dataAt + wave.length * channels * bytes);
  const view = new DataView(file.buffer);
  const text = (at: number, value: string) => file.set(Buffer.from(value), at);
  text(0, 'RIFF');
  view.setUint32(4, file.length - 8, true);
  text(8, 'WAVEfmt ');
  view.setUint32(16, formatBytes, true);
  view.setUint16(20, extensible ? 0xfffe : number, true);
  view.setUint16(22, channels, true);
  view.setUint32(24, RATE, true);
  view.setUint32(28, RATE * channels * bytes, true);
  view.setUint16(32, channels * bytes, true);
  view.setUint16(34, bytes * 8, true);
  if (extensible) view.setUint16(44, number, true);
  text(dataAt - 8, 'data');
  view.setUint32(dataAt - 4, file.length - dataAt, true);
  for (let at = dataAt, index = 0; at < file.length; at += bytes, index += 1) {
    write(view, at, wave[Math.floor(index / channels)] ?? 0);
  }
  return file;
}

/** 16 bits, one channel. */
export function aiff(wave: Wave): Uint8Array {
  const file = Buffer.alloc(54 + wave.length * 2);
  file.write('FORM');
  file.writeUInt32BE(file.length - 8, 4);
  file.write('AIFFCOMM', 8);
  file.writeUInt32BE(18, 16);
  file.writeUInt16BE(1, 20);
  file.writeUInt32BE(wave.length, 22);
  file.writeUInt16BE(16, 26);
  // The rate is a number of 80 bits: the power of two below it, and a fraction whose first bit counts one.
  const power = Math.floor(Math.log2(RATE));
  file.writeUInt16BE(0x3fff + power, 28);
  file.writeUInt32BE((RATE / 2 ** power) * 2 ** 31, 30);
  file.write('SSND', 38);
  file.writeUInt32BE(8 + wave.length * 2, 42);
  for (const [index, value] of wave.entries()) file.writeInt16BE(Math.round(value * 0x7fff), 54 + index * 2);
  return new Uint8Array(file);
}

/** Without any compression, which the format allows. */
export function flac(wave: Wave): Uint8Array {
  const BLOCK = 4096;
  const info = Buffer.alloc(42);
  info.write('fLaC');
  // The last block of metadata, of 34 bytes.
  info.writeUInt32BE(0x80000022, 4);
  info.writeUInt16BE(BLOCK, 8);
  info.writeUInt16BE(BLOCK, 10);
  info.writeBigUInt64BE((BigInt(RATE) << 44n) | (15n << 36n) | BigInt(wave.length), 18);
  const frames = [];
  for (let start = 0; start < wave.length; start += BLOCK) {
    const samples = wave.subarray(start, start + BLOCK);
    // 16 kHz, one channel, 16 bits; the number of the frame; how many samples.
    const size = samples.length - 1;
    const header = [0xff, 0xf8, 0x75, 0x08, start / BLOCK, size >> 8, size & 0xff];
    const body = Buffer.alloc(samples.length * 2);
    for (const [index, value] of samples.entries()) body.writeInt16BE(Math.round(value * 0x7fff), index * 2);
    const frame = Buffer.from([...header, crc(header, 8, 0x07), 0x02, ...body]);
    const check = crc(frame, 16, 0x8005);
    frames.push(frame, Buffer.from([check >> 8, check & 0xff]));
  }
  return new Uint8Array(Buffer.concat([info, ...frames]));
}

function crc(bytes: Iterable<number>, bits: 8 | 16, polynomial: number): number {
  const top = 1 << (bits - 1);
  let value = 0;
  for (const byte of bytes) {
    value ^= byte << (bits - 8);
    for (let bit = 0; bit < 8; bit += 1) value = value & top ? (value << 1) ^ polynomial : value << 1;
    value &= top * 2 - 1;
  }
  return value;
}

const encoded = JSON.parse(readFileSync(new URL('../references/audio.json', import.meta.url), 'utf8')) as Record<
  'mp3' | 'vorbis' | 'opus' | 'aac' | 'm4a',
  string
>;

/** Eight seconds of the melody. */
export function encodedMelody(format: keyof typeof encoded): Uint8Array {
  return new Uint8Array(Buffer.from(encoded[format], 'base64'));
}
