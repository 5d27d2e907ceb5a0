// The file type of BMFF, whose brands decide how viewers read the file. C2PA wants it left out of the hash: such a file is
// accepted only if its brands are known ones that fit its content, so that no other one shows it differently. One of them can
// still stand in place of another. Signed copies of registries hash their file type, and need no such rule.

import { type BmffBox, listBmffBoxes } from '../containers/bmff.js';
import type { FileBytes } from '../containers/fileBytes.js';

const VERSION_AND_FLAGS_BYTES = 4;
/** Before the type of a handler: version, flags and four unused bytes. */
const HANDLER_OFFSET = 8;
const BRAND_BYTES = 4;
/** Of those that we have seen, none has more than eight. */
const MAX_BRANDS = 16;
/** Of sound and films, by the encoders in use: most write 0, FFmpeg 512, some 1, and QuickTime the date of its format. */
const MINOR_VERSIONS = [0, 1, 0x200, 0x20050300];
const PICTURE_MINOR_VERSIONS = [0];

/** Brands of pictures, by what an item or a track must contain for them: ISO/IEC 23008-12, the AVIF specification. */
const pictureBrands: Readonly<Record<string, readonly string[]>> = {
  av01: ['avif', 'avio', 'avis', 'MA1A', 'MA1B'],
  hvc1: ['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs', 'MiHB', 'MiHE'],
};
const anyPictureBrands = ['mif1', 'mif2', 'miaf', 'MiPr', 'tmap'];
/** With one of them as the first, viewers show the sequence and not the picture. */
const sequenceBrands = ['msf1', 'avis', 'hevc', 'hevx', 'hevm', 'hevs'];
/** The empty one is what iTunes fills the list with. */
const anyFileBrands = [
  '\0\0\0\0',
  'isom',
  'iso2',
  'iso3',
  'iso4',
  'iso5',
  'iso6',
  'iso7',
  'iso8',
  'iso9',
  'mp41',
  'mp42',
  'dash',
];
const movieBrands = [...anyFileBrands, 'avc1', 'hvc1', 'M4V ', 'qt  ', 'MSNV', '3gp4', '3gp5', '3gp6'];
/** Players show no picture with these. */
const soundBrands = [...anyFileBrands, 'M4A ', 'M4B '];

/** Whether the first box is a file type whose brands all fit the content. */
export function hasFittingFileType(file: FileBytes, boxes: readonly BmffBox[]): boolean {
  const [fileType, ...others] = boxes;
  if (fileType?.type !== 'ftyp' || others.some(({ type }) => type === 'ftyp')) return false;
  const { contentStart, end } = fileType;
  const count = (end - contentStart) / BRAND_BYTES - 2;
  if (!Number.isInteger(count) || count < 1 || count > MAX_BRANDS) return false;
  const brandAt = (index: number) =>
    file.text(contentStart + index * BRAND_BYTES, contentStart + (index + 1) * BRAND_BYTES);
  const compatible = Array.from({ length: count }, (_, index) => brandAt(index + 2));
  const major = brandAt(0);
  const allowed = allowedBrands(file, boxes);
  return (
    allowed.minorVersions.includes(file.u32(contentStart + BRAND_BYTES)) &&
    new Set(compatible).size === count &&
    compatible.includes(major) &&
    allowed.first.includes(major) &&
    compatible.every((brand) => allowed.all.includes(brand)) &&
    (allowed.oneOf.length === 0 || compatible.some((brand) => allowed.oneOf.includes(brand)))
  );
}

interface AllowedBrands {
  readonly first: readonly string[];
  readonly all: readonly string[];
  /** Without one of them, viewers cannot tell what decodes the picture. */
  readonly oneOf: readonly string[];
  readonly minorVersions: readonly number[];
}

/** By what the file contains. A picture with a film beside it has none, because viewers choose between them by the brands. */
function allowedBrands(file: FileBytes, boxes: readonly BmffBox[]): AllowedBrands {
  const meta = boxes.find((box) => box.type === 'meta' && handlersIn(file, box).includes('pict'));
  const handlers = boxes.filter(({ type }) => type === 'moov').flatMap((box) => trackHandlers(file, box));
  const codecs = codecBrands(file, boxes);
  const pictures = [...anyPictureBrands, ...codecs];
  const picture = { oneOf: codecs, minorVersions: PICTURE_MINOR_VERSIONS };
  const still = pictures.filter((brand) => !sequenceBrands.includes(brand));
  if (handlers.length === 0) return meta ? { first: still, all: still, ...picture } : NONE;
  if (handlers.includes('pict')) {
    const all = [...pictures, ...sequenceBrands, ...anyFileBrands];
    return { first: sequenceBrands.filter((brand) => all.includes(brand)), all, ...picture };
  }
  if (meta) return NONE;
  const brands = handlers.includes('vide') ? movieBrands : soundBrands;
  return { first: brands, all: brands, oneOf: [], minorVersions: MINOR_VERSIONS };
}

const NONE: AllowedBrands = { first: [], all: [], oneOf: [], minorVersions: [] };

function codecBrands(file: FileBytes, boxes: readonly BmffBox[]): string[] {
  const described = boxes.filter(({ type }) => type === 'meta' || type === 'moov');
  return Object.entries(pictureBrands).flatMap(([codec, brands]) =>
    described.some(({ start, end }) => file.find(codec, start, end) >= 0) ? brands : [],
  );
}

function trackHandlers(file: FileBytes, movie: BmffBox): string[] {
  const inside = (outer: BmffBox, type: string) =>
    listBmffBoxes(file, outer.contentStart, outer.end).filter((box) => box.type === type);
  return inside(movie, 'trak').flatMap((track) => inside(track, 'mdia').flatMap((media) => handlersIn(file, media, 0)));
}

function handlersIn(file: FileBytes, { contentStart, end }: BmffBox, prefix = VERSION_AND_FLAGS_BYTES): string[] {
  return listBmffBoxes(file, contentStart + prefix, end)
    .filter((box) => box.type === 'hdlr')
    .map((box) => file.text(box.contentStart + HANDLER_OFFSET, box.contentStart + HANDLER_OFFSET + BRAND_BYTES));
}
