// PNG, also animated: the manifest store is the chunk `caBX`.

import { type ByteRange, type Carrier, ContainerError } from './container.js';
import type { FileBytes } from './fileBytes.js';

export const PNG_SIGNATURE = '\x89PNG\r\n\x1a\n';
export const PNG_MANIFEST_TYPE = 'caBX';
/** A chunk's length, type and checksum. */
export const PNG_CHUNK_OVERHEAD_BYTES = 12;
const TYPE_OFFSET = 4;
const DATA_OFFSET = 8;
const CHECKSUM_BYTES = 4;
const typeNumber = (type: string) => [...type].reduce((sum, char) => sum * 256 + char.charCodeAt(0), 0);
/** Types as numbers: a file can have millions of chunks. */
const [MANIFEST, HEADER, END] = [PNG_MANIFEST_TYPE, 'IHDR', 'IEND'].map(typeNumber);

interface PngStructure {
  /** Two at most. */
  readonly manifests: readonly ByteRange[];
  readonly hasHeader: boolean;
  readonly hasEnd: boolean;
}

/** Reads all chunks; bytes after the end of the image are none. */
export function readPngStructure(file: FileBytes): PngStructure {
  const manifests: ByteRange[] = [];
  const hasHeader = file.size >= 16 && file.u32(PNG_SIGNATURE.length + TYPE_OFFSET) === HEADER;
  for (const chunk of listPngChunks(file)) {
    const type = file.u32(chunk.start + TYPE_OFFSET);
    if (type === END) return { manifests, hasHeader, hasEnd: true };
    if (type === MANIFEST && manifests.length < 2) manifests.push(chunk);
  }
  return { manifests, hasHeader, hasEnd: false };
}

/** Throws unless all of the file are chunks, but for what is after the end of the image. */
export function* listPngChunks(file: FileBytes): Generator<ByteRange> {
  if (!file.hasText(0, PNG_SIGNATURE)) throw new ContainerError('The file is not a PNG.');
  for (let start = PNG_SIGNATURE.length; start < file.size; ) {
    const end = start + PNG_CHUNK_OVERHEAD_BYTES + file.u32(start);
    if (end > file.size) throw new RangeError('a chunk is longer than the file');
    yield { start, end };
    if (file.u32(start + TYPE_OFFSET) === END) return;
    start = end;
  }
}

export function pngChunkType(file: FileBytes, { start }: ByteRange): string {
  return file.text(start + TYPE_OFFSET, start + DATA_OFFSET);
}

export function readPng(file: FileBytes): Carrier | undefined {
  const [chunk, ...others] = readPngStructure(file).manifests;
  if (!chunk || others.length > 0) return undefined;
  return { content: file.slice(chunk.start + DATA_OFFSET, chunk.end - CHECKSUM_BYTES), ranges: [chunk] };
}
