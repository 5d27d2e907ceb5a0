// Which decoder reads which kind of sound. AAC has none with a licence that fits: see fpcalc.ts.

import { FLACDecoder } from '@wasm-audio-decoders/flac';
import { OggVorbisDecoder } from '@wasm-audio-decoders/ogg-vorbis';
import { MPEGDecoder } from 'mpg123-decoder';
import { OggOpusDecoder } from 'ogg-opus-decoder';
import { MAX_CHANNELS, readWav, type Sound, toSample } from './sound.js';

/** Silence packs well: even of the tightest a piece this size unpacks to minutes and not to hours. */
const PIECE_BYTES = 1024;

/** In the first page of an Ogg file, where the name of the codec stands. */
const OGG_FIRST_PAGE = 64;

interface Decoded {
  readonly channelData: readonly Float32Array[];
  readonly samplesDecoded: number;
  readonly sampleRate: number;
}

/** What the four libraries have in common. */
interface Decoder {
  readonly ready: Promise<void>;
  decode(piece: Uint8Array): Decoded | Promise<Decoded>;
  flush?(): Promise<Decoded>;
  free(): void;
}

/** The sound of a file, stretch by stretch. Throws on what it cannot read. */
export async function* decodeSound(bytes: Uint8Array): AsyncGenerator<Sound> {
  const begin = Buffer.from(bytes.subarray(0, OGG_FIRST_PAGE)).toString('latin1');
  if (begin.startsWith('RIFF') || begin.startsWith('RF64')) yield* readWav(bytes);
  else yield* decodePieces(bytes, decoderFor(begin));
}

/** MPEG is what is left: its files may begin with a tag, a frame, or rubbish. */
function decoderFor(begin: string): Decoder {
  if (begin.startsWith('fLaC')) return new FLACDecoder();
  if (!begin.startsWith('OggS')) return new MPEGDecoder();
  if (begin.includes('OpusHead')) return new OggOpusDecoder();
  if (begin.includes('\x7fFLAC')) return new FLACDecoder();
  return new OggVorbisDecoder();
}

async function* decodePieces(bytes: Uint8Array, decoder: Decoder): AsyncGenerator<Sound> {
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

function* interleave({ channelData, samplesDecoded, sampleRate }: Decoded): Generator<Sound> {
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
