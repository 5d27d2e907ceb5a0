// RIFF, the format of WebP, WAV and AVI: the manifest store is the chunk `C2PA`.

import { type ByteRange, type Carrier, ContainerError } from './container.js';
import type { FileBytes } from './fileBytes.js';

export const RIFF_MANIFEST_TYPE = 'C2PA';
const toNumber = (type: string) => [...type].reduce((sum, char) => sum * 256 + char.charCodeAt(0), 0);
/** Types as numbers: a file can have millions of chunks. */
const MANIFEST = toNumber(RIFF_MANIFEST_TYPE);
export const RIFF_CHUNK_HEADER_BYTES = 8;
/** Still images and frames. */
const IMAGE_CHUNKS = ['VP8 ', 'VP8L', 'ANMF'].map(toNumber);
/** `RIFF`, the size of the rest, and the kind of file. */
export const RIFF_HEADER_BYTES = 12;

export interface RiffChunk extends ByteRange {
  readonly dataEnd: number;
  /** End with the byte that makes its size even. */
  readonly end: number;
}

export interface RiffStructure {
  /** Two at most. */
  readonly manifests: readonly RiffChunk[];
  readonly hasImage: boolean;
  /** End of the last chunk. */
  readonly contentEnd: number;
  /** End that the file states. */
  readonly end: number;
}

export function readRiffStructure(file: FileBytes): RiffStructure {
  if (!file.hasText(0, 'RIFF')) throw new ContainerError('The file is not in the RIFF format.');
  const end = RIFF_CHUNK_HEADER_BYTES + file.u32(4, true);
  const limit = Math.min(end, file.size);
  const manifests: RiffChunk[] = [];
  let hasImage = false;
  let at = RIFF_HEADER_BYTES;
  while (at + RIFF_CHUNK_HEADER_BYTES <= limit) {
    const dataEnd = at + RIFF_CHUNK_HEADER_BYTES + file.u32(at + 4, true);
    if (dataEnd > limit) throw new RangeError('a chunk is longer than the file');
    const next = dataEnd + (dataEnd % 2);
    const type = file.u32(at);
    hasImage ||= IMAGE_CHUNKS.includes(type);
    if (type === MANIFEST && manifests.length < 2) manifests.push({ start: at, dataEnd, end: next });
    at = next;
  }
  return { manifests, hasImage, contentEnd: at, end };
}

export function readRiff(file: FileBytes): Carrier | undefined {
  const [chunk, ...others] = readRiffStructure(file).manifests;
  if (!chunk || others.length > 0) return undefined;
  const { start, dataEnd } = chunk;
  return { content: file.slice(start + RIFF_CHUNK_HEADER_BYTES, dataEnd), ranges: [{ start, end: dataEnd }] };
}
