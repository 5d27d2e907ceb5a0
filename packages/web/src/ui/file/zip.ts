// Packs files into a ZIP archive without compression: signed images are compressed already. The content stays in Blobs,
// so that only one file at a time is in memory.

/** Archives without the ZIP64 extension end at 4 GiB; browsers handle half of that well. */
export const MAX_ARCHIVE_BYTES = 2 * 1024 ** 3;
/** Size of the headers of an entry, generously. */
const ENTRY_OVERHEAD_BYTES = 4096;

export interface ZipEntry {
  /** Path with `/` between folders. Made unique where two entries have the same. */
  readonly path: string;
  readonly content: Blob;
}

/** The first entries that fit into one archive; at least one. */
export function takeFitting<E extends { readonly content: Blob }>(entries: readonly E[]): E[] {
  let size = 0;
  return entries.filter(({ content }, index) => {
    size += content.size + ENTRY_OVERHEAD_BYTES;
    return index === 0 || size <= MAX_ARCHIVE_BYTES;
  });
}

export async function createZip(entries: readonly ZipEntry[], modifiedAt: Date): Promise<Blob> {
  const parts: BlobPart[] = [];
  const directory: BlobPart[] = [];
  const paths = new Set<string>();
  let offset = 0;
  let directorySize = 0;
  for (const { path, content } of entries) {
    const name = new TextEncoder().encode(uniquePath(path, paths));
    const fields = entryFields(await checksum(content), content.size, name.length, modifiedAt);
    const local = concat(bytes(4, 0x04034b50), fields, name);
    const central = concat(
      bytes(4, 0x02014b50),
      bytes(2, VERSION),
      fields,
      bytes(2, 0, 0, 0),
      bytes(4, 0, offset),
      name,
    );
    parts.push(local, content);
    directory.push(central);
    offset += local.length + content.size;
    directorySize += central.length;
  }
  const counts = bytes(2, 0, 0, entries.length, entries.length);
  const end = concat(bytes(4, 0x06054b50), counts, bytes(4, directorySize, offset), bytes(2, 0));
  return new Blob([...parts, ...directory, end], { type: 'application/zip' });
}

const VERSION = 20;
/** Names are UTF-8. */
const UTF8_FLAG = 0x0800;

/** What the header of an entry and its line in the directory share. */
function entryFields(crc: number, size: number, nameLength: number, modifiedAt: Date): Uint8Array<ArrayBuffer> {
  const time = (modifiedAt.getHours() << 11) | (modifiedAt.getMinutes() << 5) | (modifiedAt.getSeconds() >> 1);
  const date = ((modifiedAt.getFullYear() - 1980) << 9) | ((modifiedAt.getMonth() + 1) << 5) | modifiedAt.getDate();
  return concat(bytes(2, VERSION, UTF8_FLAG, 0, time, date), bytes(4, crc, size, size), bytes(2, nameLength, 0));
}

/** Little-endian numbers of `width` bytes each. */
function bytes(width: 2 | 4, ...numbers: number[]): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(width * numbers.length));
  for (const [index, number] of numbers.entries()) {
    if (width === 2) view.setUint16(2 * index, number, true);
    else view.setUint32(4 * index, number, true);
  }
  return new Uint8Array(view.buffer);
}

function concat(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((size, { length }) => size + length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

/** `a.jpg`, `a (2).jpg`, … Systems that ignore case see one file in `a.jpg` and `A.JPG`. */
function uniquePath(path: string, taken: Set<string>): string {
  const dot = path.lastIndexOf('.');
  const [stem, extension] = dot > path.lastIndexOf('/') ? [path.slice(0, dot), path.slice(dot)] : [path, ''];
  let candidate = path;
  for (let number = 2; taken.has(candidate.toLowerCase()); number += 1) candidate = `${stem} (${number})${extension}`;
  taken.add(candidate.toLowerCase());
  return candidate;
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

/** CRC-32 as in ISO 3309. */
async function checksum(content: Blob): Promise<number> {
  let crc = 0xffffffff;
  for (const byte of new Uint8Array(await content.arrayBuffer())) {
    crc = (crcTable[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
