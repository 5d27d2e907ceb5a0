// Which files have perceptual hashes, by their first bytes: formats that the decoders read. The service recognizes the same.

export type MediaKind = 'image' | 'audio';

/** Contains the header of any format. */
export const HEAD_BYTES = 64 * 1024;

const BMP_HEADER_SIZES: readonly number[] = [12, 40, 52, 56, 64, 108, 124];
/** Brands of images in ISO base media files; sequences and videos have other ones. */
const IMAGE_BRANDS: readonly string[] = ['avif', 'avis', 'heic', 'heix', 'mif1'];
/** The first packet of an Ogg stream. */
const AUDIO_PACKETS: readonly string[] = ['OpusHead', '\x7fFLAC', 'Speex  ', '\x01vorbis'];
/** Tags of raw photos, which are no ordinary TIFF: of Sony and of Adobe. */
const RAW_TAGS: ReadonlySet<number> = new Set([50_341, 50_706]);
const TIFF_ENTRY_BYTES = 12;

/** Undefined if the file has none. */
export function findMediaKind(bytes: Uint8Array): MediaKind | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, HEAD_BYTES));
  if (isImage(head)) return 'image';
  return isAudio(head) ? 'audio' : undefined;
}

function isImage(head: Buffer): boolean {
  const start = head.toString('latin1', 0, 16);
  // The fourth byte of JPEG-LS, which is another format, is F7.
  if (start.startsWith('\xff\xd8\xff')) return head[3] !== 0xf7;
  if (start.startsWith('\x89PNG\r\n\x1a\n') || start.startsWith('GIF')) return true;
  if (start.startsWith('RIFF')) return start.startsWith('WEBP', 8);
  if (start.startsWith('ftyp', 4)) return IMAGE_BRANDS.includes(start.slice(8, 12));
  // Two bytes alone may be the start of a text.
  if (start.startsWith('BM')) return head.length >= 18 && BMP_HEADER_SIZES.includes(head.readUInt32LE(14));
  // BigTIFF.
  if (start.startsWith('II+\0') || start.startsWith('MM\0+')) return true;
  return (start.startsWith('II*\0') || start.startsWith('MM\0*')) && !isRawPhoto(head, start);
}

/** What libvips would show of them is a thumbnail at best. */
function isRawPhoto(head: Buffer, start: string): boolean {
  // Of Canon.
  if (start.startsWith('CR', 8)) return true;
  const isBigEndian = start.startsWith('M');
  const readShort = (at: number) =>
    at + 2 > head.length ? 0 : isBigEndian ? head.readUInt16BE(at) : head.readUInt16LE(at);
  const directory = head.length < 8 ? 0 : isBigEndian ? head.readUInt32BE(4) : head.readUInt32LE(4);
  const [first, second] = [readShort(8), readShort(10)];
  // Of Nikon.
  if (directory >= 8 && ((first === 0x1c && second === 0xfe) || (first === 0x1f && second === 0x0b))) return true;
  const tags = Array.from({ length: readShort(directory) }, (_, entry) =>
    readShort(directory + 2 + entry * TIFF_ENTRY_BYTES),
  );
  return tags.some((tag) => RAW_TAGS.has(tag));
}

function isAudio(head: Buffer): boolean {
  const start = head.toString('latin1', 0, 40);
  if (start.startsWith('ID3') || start.startsWith('fLaC')) return true;
  if (start.startsWith('RIFF')) return start.startsWith('WAVE', 8);
  if (start.startsWith('OggS')) return AUDIO_PACKETS.some((packet) => start.startsWith(packet, 28));
  return isMpegFrame(head);
}

/** The synchronization of a frame and its layer, which is 0 in AAC. FF FE also starts texts in UTF-16. */
function isMpegFrame([first = 0, second = 0]: Buffer): boolean {
  return first === 0xff && (second & 0xe0) === 0xe0 && (second & 0x06) !== 0 && second !== 0xfe;
}
