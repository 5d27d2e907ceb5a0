// SVG: the manifest store becomes the base64 content of the element `c2pa:manifest` in `svg/metadata`. Where there are several
// `metadata`, it is the first element of the last one: c2pa-rs takes the place after that tag for the manifest's, whatever it
// reads there. A signed copy has no byte order mark: c2pa-rs does not count it, and finds every place three bytes too early.

import { FileBytes, type SvgTag, walkSvg } from '@provenance-registry/c2pa';
import { ContainerError, cutRanges, fixedPlacement, type WritableContainer } from './container.js';

const METADATA_START = Buffer.from('<metadata>');
const MANIFEST_START = Buffer.from('<c2pa:manifest xmlns:c2pa="http://c2pa.org/manifest">');
const MANIFEST_END = Buffer.from('</c2pa:manifest>');
const METADATA_END = Buffer.from('</metadata>');
const ROOT = 'svg';
const METADATA_PATH = [ROOT, 'metadata'];
const MANIFEST_PATH = [...METADATA_PATH, 'c2pa:manifest'];

const BYTE_ORDER_MARK = Buffer.from('\ufeff');
/** The marks of UTF-16, and what it has in their place without one. */
const UTF_16_STARTS = ['fffe', 'feff', '3c00', '003c'];
const DECLARED_ENCODING = /^<\?xml\s[^>]*?\sencoding\s*=\s*["']([^"']*)/;
/** Of an XML declaration. */
const MAX_DECLARATION_BYTES = 256;

interface ManifestElement {
  readonly start: number;
  readonly end: number;
}

interface Elements {
  readonly manifest: ManifestElement | undefined;
  /** Where the content of the last `metadata` begins, or that of the root if there is none. */
  readonly place: number;
  readonly hasMetadata: boolean;
}

export const svg: WritableContainer = {
  binding: 'data',
  prepare(file) {
    const text = withoutByteOrderMark(file);
    const { manifest, place, hasMetadata } = readElements(text);
    const cut = manifest ? [manifest] : [];
    return fixedPlacement({
      before: [...cutRanges(text, cut, 0, place), ...(hasMetadata ? [] : [METADATA_START]), MANIFEST_START],
      after: [MANIFEST_END, ...(hasMetadata ? [] : [METADATA_END]), ...cutRanges(text, cut, place)],
      wrap: (store) => Buffer.from(Buffer.from(store).toString('base64')),
    });
  },
};

/** Throws unless the rest of the file means the same without the mark. */
function withoutByteOrderMark(file: Buffer): Buffer {
  if (UTF_16_STARTS.includes(file.toString('hex', 0, 2))) throw new ContainerError('The SVG is not in UTF-8.');
  if (!file.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)) return file;
  const text = file.subarray(BYTE_ORDER_MARK.length);
  const [, encoding = 'utf-8'] = DECLARED_ENCODING.exec(text.toString('latin1', 0, MAX_DECLARATION_BYTES)) ?? [];
  if (!/^utf-?8$/i.test(encoding))
    throw new ContainerError('The SVG states another encoding than its byte order mark.');
  return text;
}

/** Reads the structure of the document alone: no entities, no namespaces. */
function readElements(file: Buffer): Elements {
  let place: number | undefined;
  let hasMetadata = false;
  const manifestTags: SvgTag[] = [];
  for (const { tag, path } of walkSvg(new FileBytes(file))) {
    if (tag.kind === 'start' && isPlace(tag, path)) {
      place = tag.end;
      hasMetadata = path.length > 1;
    }
    if (tag.kind !== 'empty' && isAt(path, MANIFEST_PATH)) manifestTags.push(tag);
  }
  if (place === undefined) throw new ContainerError('The SVG is not complete.');
  return { manifest: toElement(manifestTags), place, hasMetadata };
}

/** Whether a manifest can be the first child of this element: the root, or its metadata. */
function isPlace({ name }: SvgTag, path: readonly string[]): boolean {
  // It is the parent of elements that are written without a prefix.
  if (path.length === 1 && name !== ROOT) throw new ContainerError('The SVG has a root that is not called svg.');
  return path.length === 1 || isAt(path, METADATA_PATH);
}

/** @param tags start and end */
function toElement([first, last, ...others]: readonly SvgTag[]): ManifestElement | undefined {
  if (others.length > 0) throw new ContainerError('The SVG has several manifests.');
  return first && last && { start: first.start, end: last.end };
}

function isAt(path: readonly string[], place: readonly string[]): boolean {
  return path.length === place.length && place.every((name, index) => path[index] === name);
}
