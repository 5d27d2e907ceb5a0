// Decoded audio, and the decoder for WAV.

/** A piece of audio: interleaved 16-bit samples. */
export interface AudioPiece {
  readonly sampleRate: number;
  readonly channels: number;
  readonly samples: Int16Array;
}

/** The default of `fpcalc` and of fingerprint databases. */
export const MAX_SECONDS = 120;

/** Channels as in surround sound; limits the memory. */
export const MAX_CHANNELS = 8;

/** Small pieces, so that long files are decoded only as far as needed. */
const FRAMES_PER_PIECE = 16 * 1024;

/** Rounded and clipped at full scale. */
export function toSample(value: number): number {
  return Math.max(-32768, Math.min(32767, Math.round(value * 32768)));
}

/** Each byte is a character. */
export function readLatin1(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
}

interface Format {
  readonly channels: number;
  readonly sampleRate: number;
  readonly bytesPerSample: number;
  readonly read: (view: DataView, at: number) => number;
}

const PCM = 1;
const FLOAT = 3;
/** The actual format number is in the first two bytes of the identifier at the end of the chunk. */
const EXTENSIBLE = 0xfffe;
const EXTENSIBLE_FORMAT_OFFSET = 24;

/** Functions that read a sample, by format number and bits per sample. */
const sampleReaders: Readonly<Record<string, Format['read']>> = {
  [`${PCM}/8`]: (view, at) => (view.getUint8(at) - 128) << 8,
  [`${PCM}/16`]: (view, at) => view.getInt16(at, true),
  // Keeps the upper 16 bits.
  [`${PCM}/24`]: (view, at) => view.getInt16(at + 1, true),
  [`${PCM}/32`]: (view, at) => view.getInt16(at + 2, true),
  [`${FLOAT}/32`]: (view, at) => toSample(view.getFloat32(at, true)),
  [`${FLOAT}/64`]: (view, at) => toSample(view.getFloat64(at, true)),
};

/** A truncated file is decoded up to its end. */
export function* decodeWav(bytes: Uint8Array): Generator<AudioPiece> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let format: Format | undefined;
  for (const { name, start, end } of chunks(view)) {
    if (name === 'fmt ') format = readFormat(view, start, end);
    if (name !== 'data') continue;
    if (!format) throw new Error('audio data before its format');
    yield* readSamples(view, start, end, format);
    return;
  }
}

function* chunks(view: DataView): Generator<{ name: string; start: number; end: number }> {
  const HEADER = 8;
  let at = 12;
  while (at + HEADER <= view.byteLength) {
    const name = readLatin1(new Uint8Array(view.buffer, view.byteOffset + at, 4));
    const size = view.getUint32(at + 4, true);
    const start = at + HEADER;
    // Programs that write to a pipe state the maximum size; the data then extends to the end of the file.
    yield { name, start, end: Math.min(start + size, view.byteLength) };
    at = start + size + (size % 2);
  }
}

function readFormat(view: DataView, start: number, end: number): Format {
  const number = view.getUint16(start, true);
  const extended = number === EXTENSIBLE && start + EXTENSIBLE_FORMAT_OFFSET + 2 <= end;
  const channels = view.getUint16(start + 2, true);
  const bits = view.getUint16(start + 14, true);
  const read = sampleReaders[`${extended ? view.getUint16(start + EXTENSIBLE_FORMAT_OFFSET, true) : number}/${bits}`];
  if (!read || channels === 0 || channels > MAX_CHANNELS) throw new Error('unsupported audio format');
  return { channels, sampleRate: view.getUint32(start + 4, true), bytesPerSample: bits / 8, read };
}

function* readSamples(view: DataView, start: number, end: number, format: Format): Generator<AudioPiece> {
  const { channels, sampleRate, bytesPerSample, read } = format;
  let left = Math.floor((end - start) / (bytesPerSample * channels));
  let at = start;
  while (left > 0) {
    const frames = Math.min(left, FRAMES_PER_PIECE);
    const samples = new Int16Array(frames * channels);
    for (let index = 0; index < samples.length; index += 1, at += bytesPerSample) samples[index] = read(view, at);
    yield { sampleRate, channels, samples };
    left -= frames;
  }
}
