// The places in a signed file in which bytes can be hidden, or changed, without a change of what its hash covers: one row for
// each. Nothing of what is put there is the signer's.

import { pngChunk } from '../../../packages/server/src/c2pa/containers/png.js';
import { mp4Box } from '../../../packages/server/test/support/mp4.js';
import { appSegment, c2paBox, carriers, gifExtension, jpegSegment, riffChunk } from './carriers.js';
import type { SignedFile } from './signedFiles.js';
import { addManifest, fillPadding, hideInStore, type StorePlace, shrinkStore } from './stores.js';

/** Returns the changed file. */
type Change = (file: SignedFile) => Buffer;
export type HidingPlaces = Readonly<Record<string, Change>>;

const TEXT = 'hidden content of somebody else';
const text = (length: number) => Buffer.from(TEXT.repeat(Math.ceil(length / TEXT.length)).slice(0, length));

/** The rows of a file: those of its format, and those of all. */
export function hidingPlacesOf({ format, mediaType, signer }: SignedFile): HidingPlaces {
  return {
    ...everywhere,
    ...byFormat[format],
    ...(format === 'bmff' && signer !== 'other' ? fittingFileTypes : {}),
    ...(mediaType === 'image/tiff' || mediaType === 'image/x-adobe-dng' ? tiffPlaces : {}),
    ...(signer === 'parts' && format === 'jpeg' ? jpegPartPlaces : {}),
  };
}

/** The excluded bytes, in their length, with something else before or behind the structure of the store. */
function beside(foreign: Buffer, place: 'before' | 'behind'): Change {
  return ({ carried: { before, store, after, wrap } }) => {
    const { length } = wrap(store);
    // Formats write the store in different lengths.
    for (let by = foreign.length; by >= foreign.length / 2; by -= 1) {
      const shorter = wrap(shrinkStore(store, by));
      if (shorter.length + foreign.length !== length) continue;
      const pieces = place === 'before' ? [foreign, shorter] : [shorter, foreign];
      return Buffer.concat([before, ...pieces, after]);
    }
    throw new Error('no length fits');
  };
}

/** In the structure of the store, behind it. */
const behindTheStore =
  (content: Buffer): Change =>
  ({ carried: { before, store, after, wrap } }) =>
    Buffer.concat([before, wrap(Buffer.concat([shrinkStore(store, content.length), content])), after]);

const inTheStore =
  (place: StorePlace): Change =>
  ({ carried: { before, store, after, wrap } }) =>
    Buffer.concat([before, wrap(hideInStore(store, text(30), place)), after]);

const everywhere: HidingPlaces = {
  'behind the store, in what carries it': behindTheStore(text(30)),
  'a box in the store': inTheStore('store'),
  'a box in the manifest': inTheStore('manifest'),
  'a box beside the claim': inTheStore('claim'),
  'a box in the description of the claim': inTheStore('description'),
  'a box beside the signature': inTheStore('signature'),
  'a box beside the assertions': inTheStore('assertions'),
  'a box beside the content of an assertion': inTheStore('assertion'),
  'a manifest that is not part of the history': ({ carried: { before, store, after, wrap } }) =>
    Buffer.concat([before, wrap(addManifest(store)), after]),
  'behind the end': ({ bytes }) => Buffer.concat([bytes, text(30)]),
  'before the start': ({ bytes }) => Buffer.concat([text(30), bytes]),
  'where the manifest starts': ({ carried: { before, store, after, wrap } }) =>
    Buffer.concat([before, text(30), wrap(store), after]),
  'the store at the end': ({ carried: { before, store, after, wrap } }) => Buffer.concat([before, after, wrap(store)]),
};

/** Exif that turns the picture by 90 degrees. */
const orientation = Buffer.from('4d4d002a0000000800010112000300000001000600000000000000', 'hex');
const exif = appSegment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), orientation]));
const colors = appSegment(0xe2, Buffer.concat([Buffer.from('ICC_PROFILE\0\x01\x01'), text(40)]));
/** Says that the colors are red, green and blue. */
const adobe = appSegment(0xee, Buffer.from('Adobe\0\x64\0\0\0\0\0'));
const quantization = appSegment(0xdb, Buffer.concat([Buffer.from([0]), Buffer.alloc(64, 1)]));

const jpegPlaces: HidingPlaces = {
  'Exif before the store': beside(exif, 'before'),
  'Exif behind the store': beside(exif, 'behind'),
  'a color profile behind the store': beside(colors, 'behind'),
  'a color transform behind the store': beside(adobe, 'behind'),
  'a quantization table behind the store': beside(quantization, 'behind'),
  'a comment behind the store': beside(appSegment(0xfe, text(20)), 'behind'),
  'fill bytes behind the store': beside(Buffer.alloc(9, 0xff), 'behind'),
  'a short APP11 segment behind the store': beside(appSegment(0xeb, text(12)), 'behind'),
  'another JPEG XT box behind the store': beside(jpegSegment(text(30), 1, undefined, 7), 'behind'),
  'a second store': beside(jpegSegment(emptyStore()), 'behind'),
  'Exif between two parts of the store': betweenParts(exif),
  'a color profile between two parts of the store': betweenParts(colors),
  'Exif and a color profile between two parts of the store': betweenParts(Buffer.concat([exif, colors])),
  'fill bytes between two parts of the store': betweenParts(Buffer.alloc(9, 0xff)),
  'parts of the store in reverse numbers': betweenParts(Buffer.alloc(0), [2, 1]),
  'a part of the store with a number left out': betweenParts(Buffer.alloc(0), [1, 3]),
  'the header of the box in a later part': betweenParts(Buffer.alloc(0), [1, 2], text(8)),
};

/** The store in two segments, with something between them. */
function betweenParts(foreign: Buffer, numbers: readonly [number, number] = [1, 2], repeated?: Buffer): Change {
  return ({ carried: { before, store, after } }) => {
    // The header of the second segment needs room too.
    const shorter = shrinkStore(store, 20 + foreign.length);
    const [first, second] = [shorter.subarray(0, 1000), shorter.subarray(1000)];
    const boxHeader = repeated ?? shorter.subarray(0, 8);
    const pieces = [jpegSegment(first, numbers[0]), foreign, jpegSegment(second, numbers[1], boxHeader)];
    return Buffer.concat([before, ...pieces, after]);
  };
}

/** A signed JPEG with 2,000 bytes of room, in which Exif between two parts of the store turns the picture by 90 degrees. */
export function turnPicture(bytes: Buffer): Buffer {
  const carried = carriers.jpeg(bytes);
  return betweenParts(exif)({ name: '', format: 'jpeg', mediaType: 'image/jpeg', signer: 'other', bytes, carried });
}

/** A superbox called `c2pa` with nothing in it. */
function emptyStore(): Buffer {
  const kind = Buffer.from('6332706100110010800000aa00389b7103', 'hex');
  return mp4Box('jumb', mp4Box('jumd', kind, Buffer.from('c2pa\0')));
}

const pngPlaces: HidingPlaces = {
  'Exif before the store': beside(pngChunk('eXIf', orientation), 'before'),
  'Exif behind the store': beside(pngChunk('eXIf', orientation), 'behind'),
  'a text behind the store': beside(pngChunk('tEXt', Buffer.from('Author\0Somebody')), 'behind'),
  'a brightness behind the store': beside(pngChunk('gAMA', Buffer.from([0, 0, 0, 9])), 'behind'),
  'a color profile behind the store': beside(pngChunk('iCCP', text(40)), 'behind'),
  'a second store': beside(pngChunk('caBX', emptyStore()), 'behind'),
  'a text between two parts of the store': ({ carried: { before, store, after } }) => {
    const foreign = pngChunk('tEXt', Buffer.from('Author\0Somebody'));
    const shorter = shrinkStore(store, foreign.length + 12);
    const parts = [shorter.subarray(0, 1000), shorter.subarray(1000)].map((part) => pngChunk('caBX', part));
    return Buffer.concat([before, parts[0] ?? foreign, foreign, parts[1] ?? foreign, after]);
  },
};

const riffPlaces: HidingPlaces = {
  'Exif before the store': beside(riffChunk('EXIF', orientation), 'before'),
  'Exif behind the store': beside(riffChunk('EXIF', Buffer.concat([orientation, Buffer.alloc(1)])), 'behind'),
  'XMP behind the store': beside(riffChunk('XMP ', text(40)), 'behind'),
  'a list of facts behind the store': beside(
    riffChunk('LIST', Buffer.from('INFOIART\x04\0\0\0Eve\0', 'latin1')),
    'behind',
  ),
  'a second store': beside(riffChunk('C2PA', emptyStore()), 'behind'),
};

const pixel = Buffer.from('\x2c\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0', 'latin1');
const gifPlaces: HidingPlaces = {
  'a comment before the store': beside(gifExtension('\xfe', text(20)), 'before'),
  'a comment behind the store': beside(gifExtension('\xfe', text(20)), 'behind'),
  'a delay behind the store': beside(Buffer.from('\x21\xf9\x04\x09\xff\xff\x01\0', 'latin1'), 'behind'),
  'a picture before the store': beside(pixel, 'before'),
  'a picture behind the store': beside(pixel, 'behind'),
  'a second store': beside(gifExtension('\xff\x0bC2PA_GIF\x01\x00\x00', emptyStore()), 'behind'),
};

/** A multiple of four bytes, as the base64 beside it. */
const markup = (content: string) => Buffer.from(content.padEnd(Math.ceil(content.length / 4) * 4));
const svgPlaces: HidingPlaces = {
  'a shape behind the store': beside(
    markup('</c2pa:manifest></metadata><rect width="90" height="90" fill="red"/><metadata><c2pa:manifest>'),
    'behind',
  ),
  'a shape before the store': beside(
    markup('</c2pa:manifest></metadata><rect width="9" height="9"/><metadata><c2pa:manifest>'),
    'before',
  ),
  'a comment behind the store': beside(markup('<!-- hidden -->'), 'behind'),
  'a comment before the store': beside(markup('<!-- hidden -->'), 'before'),
  'character data behind the store': beside(markup('<![CDATA[hidden]]>'), 'behind'),
  'an element behind the store': beside(markup('<a xlink:href="http://eve.example"/>'), 'behind'),
};

const bmffPlaces: HidingPlaces = {
  'a file type behind the store': beside(mp4Box('ftyp', Buffer.from('avis\0\0\0\0avis')), 'behind'),
  'a file type before the store': beside(mp4Box('ftyp', Buffer.from('avis\0\0\0\0avis')), 'before'),
  'a filling behind the store': beside(mp4Box('free', text(40)), 'behind'),
  'an index of fragments behind the store': beside(mp4Box('mfra', mp4Box('free', text(40))), 'behind'),
  'an item table behind the store': beside(mp4Box('meta', text(40)), 'behind'),
  'a hash tree behind the store': beside(c2paBox('merkle', text(20)), 'behind'),
  'another box of C2PA before the store': beside(c2paBox('unknown', text(20)), 'before'),
  'a second store': beside(c2paBox('manifest', emptyStore()), 'behind'),
  'an index of fragments behind the end': ({ bytes }) =>
    Buffer.concat([bytes, mp4Box('mfra', mp4Box('free', text(40)))]),
  'a file type behind the end': ({ bytes }) => Buffer.concat([bytes, mp4Box('ftyp', Buffer.from('avis\0\0\0\0avis'))]),
  'another box of C2PA behind the end': ({ bytes }) => Buffer.concat([bytes, c2paBox('unknown', text(40))]),
  'the store before the file type': ({ carried: { before, store, wrap, after } }) =>
    Buffer.concat([wrap(store), before, after]),
  'the major brand': changeFileType((fileType) => fileType.write('avis', 8)),
  'the minor version': changeFileType((fileType) => fileType.write('Eve!', 12)),
  'a compatible brand': changeFileType((fileType) => fileType.write('Eve!', 16)),
  'all brands': changeFileType((fileType) => fileType.fill('qt  ', 8)),
  'a longer file type': ({ carried: { before, store, after, wrap } }) => {
    const longer = Buffer.concat([before, Buffer.from('Eve!Eve?')]);
    longer.writeUInt32BE(before.length + 8);
    return Buffer.concat([longer, wrap(shrinkStore(store, 8)), after]);
  },
  'a shorter file type with a filling': ({ carried: { before, store, after, wrap } }) => {
    const shorter = Buffer.from(before.subarray(0, before.length - 4));
    shorter.writeUInt32BE(shorter.length);
    const foreign = mp4Box('free', text(40));
    return Buffer.concat([shorter, wrap(shrinkStore(store, foreign.length - 4)), foreign, after]);
  },
};

function changeFileType(change: (fileType: Buffer) => void): Change {
  return ({ bytes }) => {
    const changed = Buffer.from(bytes);
    change(changed.subarray(0, changed.readUInt32BE(0)));
    return changed;
  };
}

/** The first box of MP4, AVIF and HEIC. */
interface FileType {
  readonly major: string;
  readonly minor: number;
  readonly compatible: readonly string[];
}

/**
 * File types that fit the content as well, in files of the same length: nothing but a hash of the file type tells them apart.
 * Signers that leave it out of the hash, as C2PA wants it, leave these open.
 */
export const fittingFileTypes: HidingPlaces = {
  'another major brand that fits': exchangeFileType(({ major, compatible, ...others }) => ({
    ...others,
    major: compatible.find((brand) => brand !== major) ?? '',
    compatible,
  })),
  'another minor version that is in use': exchangeFileType((fileType) => ({ ...fileType, minor: 1 })),
  'one more compatible brand that fits': exchangeFileType(({ compatible, ...others }) => {
    const more = ['mif1', 'miaf', 'MiPr', 'iso2', 'iso6'].find((brand) => !compatible.includes(brand)) ?? '';
    return { ...others, compatible: [...compatible, /mif1|miaf/.test(compatible.join()) ? more : 'iso6'] };
  }),
  'one compatible brand fewer': exchangeFileType(({ major, compatible, ...others }) => ({
    ...others,
    major,
    compatible: compatible.toSpliced(
      compatible.findLastIndex((brand) => brand !== major),
      1,
    ),
  })),
  'compatible brands in another order': exchangeFileType(({ compatible, ...others }) => ({
    ...others,
    compatible: compatible.toReversed(),
  })),
};

function exchangeFileType(change: (fileType: FileType) => FileType): Change {
  return ({ carried: { before, store, after, wrap } }) => {
    const end = before.readUInt32BE(0);
    const brands = before.toString('latin1', 8, end).match(/.{4}/gs) ?? [];
    const old = { major: brands[0] ?? '', minor: before.readUInt32BE(12), compatible: brands.slice(2) };
    const { major, minor, compatible } = change(old);
    const text = (list: readonly string[]) => Buffer.from(list.join(''), 'latin1');
    const fileType = mp4Box('ftyp', text([major]), minor, text(compatible));
    const rest = before.subarray(end);
    return Buffer.concat([fileType, rest, wrap(shrinkStore(store, fileType.length - end)), after]);
  };
}

const rawPlaces: HidingPlaces = {
  'an object behind the store': behindTheStore(
    Buffer.from('\nendstream\nendobj\n1 0 obj\n<</Type/Catalog/Pages 9 0 R>>\nendobj\n'),
  ),
  'a frame of ID3 behind the store': behindTheStore(Buffer.from('TIT2\0\0\0\x07\0\0\0Eve\0 ', 'latin1')),
  'a directory of TIFF behind the store': behindTheStore(orientation.subarray(8)),
  'a second store behind the store': behindTheStore(emptyStore()),
  'a longer store than there is': ({ carried: { before, store, after } }) =>
    Buffer.concat([before, withLength(shrinkStore(store, 24), store.length), Buffer.alloc(24), after]),
  'a shorter store than there is': ({ carried: { before, store, after } }) =>
    Buffer.concat([before, withLength(store, store.length - 8), after]),
};

function withLength(store: Buffer, length: number): Buffer {
  const changed = Buffer.from(store);
  changed.writeUInt32BE(length);
  return changed;
}

const tiffPlaces: HidingPlaces = {
  'a longer value than there is': changeCount(8),
  'a shorter value than there is': changeCount(-8),
};

/** Of the tag with the manifest: its number, its type, and then the count. */
function changeCount(by: number): Change {
  return ({ bytes }) => {
    const changed = Buffer.from(bytes);
    const at = changed.indexOf(Buffer.from('41cd0700', 'hex')) + 4;
    changed.writeUInt32LE(changed.readUInt32LE(at) + by, at);
    return changed;
  };
}

/** Between parts with hashes of their own. */
const jpegPartPlaces: HidingPlaces = {
  'fill bytes before the scan': beforeTheScan(Buffer.alloc(9, 0xff)),
  'a short APP11 segment before the scan': beforeTheScan(appSegment(0xeb, text(12))),
  'another part of the store before the scan': beforeTheScan(jpegSegment(text(40), 2, emptyStore().subarray(0, 8))),
  'Exif before the scan': beforeTheScan(exif),
};

function beforeTheScan(foreign: Buffer): Change {
  return ({ bytes }) => {
    const at = bytes.lastIndexOf(Buffer.from('ffda', 'hex'));
    return Buffer.concat([bytes.subarray(0, at), foreign, bytes.subarray(at)]);
  };
}

const byFormat: Readonly<Record<SignedFile['format'], HidingPlaces>> = {
  jpeg: jpegPlaces,
  png: pngPlaces,
  riff: riffPlaces,
  gif: gifPlaces,
  svg: svgPlaces,
  bmff: bmffPlaces,
  raw: rawPlaces,
};

/** What no program shows may differ: nothing of the file changes, and nothing that is said about it. */
export function harmlessChangesOf({ format }: SignedFile): HidingPlaces {
  return { 'the padding of the signature': wrapped(fillPadding), ...harmless[format] };
}

const wrapped =
  (change: (store: Buffer) => Buffer): Change =>
  ({ carried: { before, store, after, wrap } }) =>
    Buffer.concat([before, wrap(change(store)), after]);

const harmless: Partial<Record<SignedFile['format'], HidingPlaces>> = {
  jpeg: {
    'the number of the box': ({ carried: { before, store, after } }) =>
      Buffer.concat([before, jpegSegment(store, 1, undefined, 77), after]),
  },
  png: {
    'the checksum of the chunk': ({ carried: { before, store, after } }) =>
      Buffer.concat([before, pngChunk('caBX', store).subarray(0, -4), Buffer.alloc(4, 7), after]),
  },
};
