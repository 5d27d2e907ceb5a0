// Small real files of every kind that the service decodes.

import { embeddableImages } from '../support/embeddableImages.js';
import { aiff, chirp, encodedMelody, flac, wav } from '../support/sounds.js';

export async function images(): Promise<Record<string, Buffer<ArrayBuffer>>> {
  return embeddableImages();
}

export function sounds(): Record<string, Buffer<ArrayBuffer>> {
  const wave = chirp(4);
  return Object.fromEntries(
    Object.entries({
      wav: wav(wave, 's16'),
      float: wav(wave, 'f32', { channels: 2, extensible: true }),
      aiff: aiff(wave),
      flac: flac(wave),
      mp3: encodedMelody('mp3'),
      vorbis: encodedMelody('vorbis'),
      opus: encodedMelody('opus'),
      aac: encodedMelody('aac'),
      m4a: encodedMelody('m4a'),
    }).map(([name, bytes]) => [name, Buffer.from(bytes)]),
  );
}

/** Those sent over HTTP. */
export async function fuzzFiles(): Promise<Buffer[]> {
  const { mp3, opus, m4a } = sounds();
  const heard = [mp3, opus, m4a].filter((file) => file !== undefined);
  return [...Object.values(await images()), ...heard, Buffer.from('%PDF-1.7\n'), Buffer.from('hello')];
}
