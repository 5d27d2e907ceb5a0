// SVG: the manifest store is the base64 content of the element `c2pa:manifest` in `svg/metadata`.

import { type Carrier, ContainerError } from './container.js';
import type { FileBytes } from './fileBytes.js';

/** Without their prefixes, which a document may choose. */
const MANIFEST_PATH = ['svg', 'metadata', 'manifest'];
const BASE64 = /^[ \t\r\n]*([A-Za-z0-9+/]+={0,2})[ \t\r\n]*$/;
/** Depth that XML parsers allow. */
const MAX_DEPTH = 256;

export function readSvg(file: FileBytes): Carrier | undefined {
  const carriers: Carrier[] = [];
  let contentStart = 0;
  for (const { tag, path } of walkSvg(file)) {
    const isManifest = path.length === MANIFEST_PATH.length && path.map(localName).join() === MANIFEST_PATH.join();
    if (!isManifest || tag.kind === 'empty') continue;
    if (tag.kind === 'start') contentStart = tag.end;
    else {
      const ranges = [{ start: contentStart, end: tag.start }];
      const content = decodeBase64(file.text(contentStart, tag.start));
      if (!content || carriers.length > 0) return undefined;
      carriers.push({ content, ranges });
    }
  }
  return carriers[0];
}

/** Undefined unless nothing else is there, in the one way to write it. */
function decodeBase64(content: string): Uint8Array | undefined {
  const [, text] = BASE64.exec(content) ?? [];
  if (text === undefined || text.length % 4 !== 0) return undefined;
  const binary = atob(text);
  return btoa(binary) === text ? Uint8Array.from(binary, (char) => char.charCodeAt(0)) : undefined;
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

export interface SvgTag {
  readonly kind: 'start' | 'end' | 'empty';
  /** Not read for an empty one. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Each tag with the names of the elements that it is in, its own included. Reads the structure of the document alone: no
 * entities, no namespaces. Throws unless elements are closed in order.
 */
export function* walkSvg(file: FileBytes): Generator<{ tag: SvgTag; path: readonly string[] }> {
  const path: string[] = [];
  let hasRoot = false;
  for (const tag of listTags(file)) {
    if (path.length === 0) requireRoot(tag, hasRoot);
    hasRoot = true;
    if (tag.kind === 'start') path.push(tag.name);
    if (path.length > MAX_DEPTH) throw new ContainerError('The SVG has too many nested elements.');
    yield { tag, path };
    if (tag.kind === 'end' && path.pop() !== tag.name) throw new ContainerError('The SVG is not well-formed.');
  }
  if (path.length > 0) throw new ContainerError('The SVG is not complete.');
}

/** There is one root, with content. */
function requireRoot({ kind, name }: SvgTag, hasRoot: boolean): void {
  if (hasRoot || kind !== 'start' || localName(name) !== 'svg') {
    throw new ContainerError('The SVG has no content, or its root is not called svg.');
  }
}

function* listTags(file: FileBytes): Generator<SvgTag> {
  for (let start = file.indexOf(OPENING, 0); start >= 0; ) {
    const second = file.u8(start + 1);
    const isTag = second !== EXCLAMATION && second !== QUESTION;
    const end = isTag ? findTagEnd(file, start + 1) : findMarkupEnd(file, start);
    if (second === SLASH) yield { kind: 'end', name: elementName(file, start + 2, end - 1), start, end };
    else if (isTag && file.u8(end - 2) === SLASH) yield { kind: 'empty', name: '', start, end };
    else if (isTag) yield { kind: 'start', name: elementName(file, start + 1, end - 1), start, end };
    start = file.indexOf(OPENING, end);
  }
}

const OPENING = 0x3c;
const SLASH = 0x2f;
const EXCLAMATION = 0x21;
const QUESTION = 0x3f;

function elementName(file: FileBytes, start: number, end: number): string {
  let at = start;
  while (at < end && !NAME_END.has(file.u8(at))) at += 1;
  return file.text(start, at);
}

/** White space and the slash of an empty element. */
const NAME_END = new Set([0x20, 0x09, 0x0a, 0x0d, SLASH]);

/** The place after the comment, character data, instruction or declaration that starts here. */
function findMarkupEnd(file: FileBytes, start: number): number {
  if (file.hasText(start, '<!--')) return findEnd(file, '-->', start + 4);
  if (file.hasText(start, '<![CDATA[')) return findEnd(file, ']]>', start + 9);
  if (file.hasText(start, '<?')) return findEnd(file, '?>', start + 2);
  return findTagEnd(file, start + 1);
}

function findEnd(file: FileBytes, text: string, from: number): number {
  const at = file.find(text, from);
  if (at < 0) throw new ContainerError('The SVG is not complete.');
  return at + text.length;
}

/** `>` outside quotes, and outside the brackets of a document type. */
function findTagEnd(file: FileBytes, from: number): number {
  let depth = 0;
  for (let at = from; at < file.size; at += 1) {
    const byte = file.u8(at);
    if (byte === 0x22 || byte === 0x27) at = findByte(file, byte, at + 1);
    else if (byte === 0x5b) depth += 1;
    else if (byte === 0x5d) depth -= 1;
    else if (byte === 0x3e && depth <= 0) return at + 1;
  }
  throw new ContainerError('The SVG is not complete.');
}

function findByte(file: FileBytes, byte: number, from: number): number {
  const at = file.indexOf(byte, from);
  if (at < 0) throw new ContainerError('The SVG is not complete.');
  return at;
}
