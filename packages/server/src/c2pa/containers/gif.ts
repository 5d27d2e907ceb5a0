// GIF: the manifest store is in an application extension before the first image, in blocks of up to 255 bytes.

import { ContainerError, cutRanges, fixedPlacement, type WritableContainer } from './container.js';

const EXTENSION = 0x21;
const APPLICATION = 0xff;
const IMAGE = 0x2c;
const TRAILER = 0x3b;
/** Header and logical screen descriptor. */
const SCREEN_END = 13;
const IDENTIFIER = Buffer.from('C2PA_GIF\x01\x00\x00', 'latin1');
/** The extension's first bytes, up to its identifier. */
const EXTENSION_START = Buffer.from([EXTENSION, APPLICATION, IDENTIFIER.length]);
const MAX_BLOCK_BYTES = 255;

interface Extension {
  readonly start: number;
  readonly end: number;
}

export const gif: WritableContainer = {
  binding: 'data',
  extract(file) {
    const { manifests } = readStructure(file);
    const [manifest] = manifests;
    if (!manifest || manifests.length > 1) return undefined;
    // Byte by byte: blocks can be very short, and a list of them would need more memory than the file.
    const store = Buffer.alloc(manifest.end - manifest.start);
    let length = 0;
    let at = manifest.start + EXTENSION_START.length + IDENTIFIER.length;
    for (let size = file.readUInt8(at); size > 0; size = file.readUInt8(at)) {
      for (const end = at + size; at < end; length += 1) store[length] = file[++at] ?? 0;
      at += 1;
    }
    return store.subarray(0, length);
  },
  prepare(file) {
    const { manifests, insertAt, hasImage } = readStructure(file);
    if (!hasImage) throw new ContainerError('The GIF is not complete.');
    if (manifests.length > 1) throw new ContainerError('The GIF has several manifests.');
    // Extensions exist since version 89a.
    const header = Buffer.from(file.subarray(0, insertAt));
    header.write('GIF89a', 'latin1');
    return fixedPlacement({ before: [header], after: cutRanges(file, manifests, insertAt), wrap: wrapStore });
  },
};

/** Reads up to the end of the first image. Keeps two manifests at most. */
function readStructure(file: Buffer): { manifests: Extension[]; insertAt: number; hasImage: boolean } {
  const version = file.toString('latin1', 0, 6);
  if (version !== 'GIF87a' && version !== 'GIF89a') throw new ContainerError('The file is not a GIF.');
  const insertAt = SCREEN_END + colorTableBytes(file.readUInt8(10));
  const manifests: Extension[] = [];
  for (let at = insertAt; ; ) {
    const kind = file.readUInt8(at);
    if (kind === TRAILER) return { manifests, insertAt, hasImage: false };
    if (kind === IMAGE) {
      const data = at + 10 + colorTableBytes(file.readUInt8(at + 9)) + 1;
      skipBlocks(file, data);
      return { manifests, insertAt, hasImage: true };
    }
    if (kind !== EXTENSION) throw new ContainerError('The GIF is not valid.');
    const end = skipBlocks(file, at + 2);
    if (isManifest(file, at) && manifests.length < 2) manifests.push({ start: at, end });
    at = end;
  }
}

function isManifest(file: Buffer, start: number): boolean {
  const identifierAt = start + EXTENSION_START.length;
  return (
    file.subarray(start, identifierAt).equals(EXTENSION_START) &&
    file.subarray(identifierAt, identifierAt + IDENTIFIER.length).equals(IDENTIFIER)
  );
}

function colorTableBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

/** The place after the empty block that ends the blocks. */
function skipBlocks(file: Buffer, start: number): number {
  let at = start;
  for (let size = file.readUInt8(at); size > 0; size = file.readUInt8(at)) at += 1 + size;
  return at + 1;
}

function wrapStore(store: Uint8Array): Buffer {
  const parts: Uint8Array[] = [EXTENSION_START, IDENTIFIER];
  for (let at = 0; at < store.length; at += MAX_BLOCK_BYTES) {
    const block = store.subarray(at, at + MAX_BLOCK_BYTES);
    parts.push(Buffer.from([block.length]), block);
  }
  return Buffer.concat([...parts, Buffer.from([0])]);
}
