// Sound as the fingerprint wants it, and the reader for WAV, which needs no library.

/** A stretch of sound: 16-bit samples, the channels of each moment side by side. */
export interface Sound {
  readonly sampleRate: number;
  readonly channels: number;
  readonly samples: Int16Array;
}

/** As much as `fpcalc` takes unless told otherwise, and databases of fingerprints hold. */
export const MAX_SECONDS = 120;

/** Surround sound has eight channels; more are a trick to fill the memory. */
export const MAX_CHANNELS = 8;

/** A stretch is small, so that a file of hours is read only as far as it is needed. */
const FRAMES_AT_ONCE = 16 * 1024;

/** Rounded and cut off at full scale, as the common tools do it. */
export function toSample(value: number): number {
  return Math.max(-32768, Math.min(32767, Math.round(value * 32768)));
}

interface Format {
  readonly channels: number;
  readonly sampleRate: number;
  readonly bytesPerSample: number;
  readonly read: (view: DataView, at: number) => number;
}

const PCM = 1;
const FLOAT = 3;
/** The real number of the format is in the first two bytes of the identifier at the end of the chunk. */
const EXTENSIBLE = 0xfffe;
const EXTENSIBLE_NUMBER_AT = 24;

/** How a sample is read, by the number of the format and the bits of a sample. */
const readers: Readonly<Record<string, Format['read']>> = {
  [`${PCM}/8`]: (view, at) => (view.getUint8(at) - 128) << 8,
  [`${PCM}/16`]: (view, at) => view.getInt16(at, true),
  // The lower bits are dropped: 16 are what the fingerprint takes.
  [`${PCM}/24`]: (view, at) => view.getInt16(at + 1, true),
  [`${PCM}/32`]: (view, at) => view.getInt16(at + 2, true),
  [`${FLOAT}/32`]: (view, at) => toSample(view.getFloat32(at, true)),
  [`${FLOAT}/64`]: (view, at) => toSample(view.getFloat64(at, true)),
};

/** The sound of a WAV file. A file that breaks off has sound up to there. */
export function* readWav(bytes: Uint8Array): Generator<Sound> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let format: Format | undefined;
  for (const { name, start, end } of chunks(view)) {
    if (name === 'fmt ') format = readFormat(view, start, end);
    if (name !== 'data') continue;
    if (!format) throw new Error('sound before its format');
    yield* readSamples(view, start, end, format);
    return;
  }
}

function* chunks(view: DataView): Generator<{ name: string; start: number; end: number }> {
  const HEADER = 8;
  let at = 12;
  while (at + HEADER <= view.byteLength) {
    const name = String.fromCharCode(...[0, 1, 2, 3].map((offset) => view.getUint8(at + offset)));
    const size = view.getUint32(at + 4, true);
    const start = at + HEADER;
    // Writers to a pipe claim the largest size there is: the end of the file is the end then.
    yield { name, start, end: Math.min(start + size, view.byteLength) };
    at = start + size + (size % 2);
  }
}

function readFormat(view: DataView, start: number, end: number): Format {
  const number = view.getUint16(start, true);
  const extended = number === EXTENSIBLE && start + EXTENSIBLE_NUMBER_AT + 2 <= end;
  const channels = view.getUint16(start + 2, true);
  const bits = view.getUint16(start + 14, true);
  const read = readers[`${extended ? view.getUint16(start + EXTENSIBLE_NUMBER_AT, true) : number}/${bits}`];
  if (!read || channels === 0 || channels > MAX_CHANNELS) throw new Error('not a format of sound that is read here');
  return { channels, sampleRate: view.getUint32(start + 4, true), bytesPerSample: bits / 8, read };
}

function* readSamples(view: DataView, start: number, end: number, format: Format): Generator<Sound> {
  const { channels, sampleRate, bytesPerSample, read } = format;
  let left = Math.floor((end - start) / (bytesPerSample * channels));
  let at = start;
  while (left > 0) {
    const frames = Math.min(left, FRAMES_AT_ONCE);
    const samples = new Int16Array(frames * channels);
    for (let index = 0; index < samples.length; index += 1, at += bytesPerSample) samples[index] = read(view, at);
    yield { sampleRate, channels, samples };
    left -= frames;
  }
}
