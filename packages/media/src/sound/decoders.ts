// Decoders for each audio format, as WebAssembly: they run in Node and browsers. For AAC none has a suitable license.

import { FLACDecoder } from '@wasm-audio-decoders/flac';
import { OggVorbisDecoder } from '@wasm-audio-decoders/ogg-vorbis';
import { MPEGDecoder } from 'mpg123-decoder';
import { OggOpusDecoder } from 'ogg-opus-decoder';
import { type AudioPiece, decodeWav, MAX_CHANNELS, readLatin1, toSample } from './audio.js';

/** Small, because silence compresses well: a piece this size decodes to minutes at most, not hours. */
const PIECE_BYTES = 1024;

/** Size of the first page of an Ogg file, with the name of the codec. */
const OGG_HEADER_BYTES = 64;

interface Decoded {
  readonly channelData: readonly Float32Array[];
  readonly samplesDecoded: number;
  readonly sampleRate: number;
}

/** Common to the four libraries. */
interface Decoder {
  readonly ready: Promise<void>;
  decode(piece: Uint8Array): Decoded | Promise<Decoded>;
  flush?(): Promise<Decoded>;
  free(): void;
}

/** Throws if the file is unreadable. */
export async function* decodeAudio(bytes: Uint8Array): AsyncGenerator<AudioPiece> {
  const start = readLatin1(bytes.subarray(0, OGG_HEADER_BYTES));
  if (start.startsWith('RIFF') || start.startsWith('RF64')) yield* decodeWav(bytes);
  else yield* decodePieces(bytes, createDecoder(start));
}

/** MPEG is the fallback: its files may start with a tag, a frame or garbage. */
function createDecoder(start: string): Decoder {
  if (start.startsWith('fLaC')) return new FLACDecoder();
  if (!start.startsWith('OggS')) return new MPEGDecoder();
  if (start.includes('OpusHead')) return new OggOpusDecoder();
  if (start.includes('\x7fFLAC')) return new FLACDecoder();
  return new OggVorbisDecoder();
}

async function* decodePieces(bytes: Uint8Array, decoder: Decoder): AsyncGenerator<AudioPiece> {
  await decoder.ready;
  try {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      yield* interleave(await decoder.decode(bytes.subarray(at, at + PIECE_BYTES)));
    }
    if (decoder.flush) yield* interleave(await decoder.flush());
  } finally {
    decoder.free();
  }
}

function* interleave({ channelData, samplesDecoded, sampleRate }: Decoded): Generator<AudioPiece> {
  const channels = channelData.length;
  if (channels === 0 || samplesDecoded <= 0) return;
  if (channels > MAX_CHANNELS) throw new Error('too many channels');
  const samples = new Int16Array(samplesDecoded * channels);
  for (const [channel, data] of channelData.entries()) {
    for (let frame = 0; frame < samplesDecoded; frame += 1) {
      samples[frame * channels + channel] = toSample(data[frame] ?? 0);
    }
  }
  yield { sampleRate, channels, samples };
}
