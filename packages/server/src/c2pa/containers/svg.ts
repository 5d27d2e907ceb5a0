// SVG: the manifest store is the base64 content of the element `c2pa:manifest` in `svg/metadata`.

import { ContainerError, fixedPlacement, type WritableContainer } from './container.js';

const METADATA_START = Buffer.from('<metadata>');
const MANIFEST_START = Buffer.from('<c2pa:manifest xmlns:c2pa="http://c2pa.org/manifest">');
const MANIFEST_END = Buffer.from('</c2pa:manifest>');
const METADATA_END = Buffer.from('</metadata>');
const MANIFEST_PATH = ['svg', 'metadata', 'c2pa:manifest'];

/** Depth that XML parsers allow. */
const MAX_DEPTH = 256;

interface ManifestElement {
  readonly start: number;
  readonly end: number;
  readonly content: Buffer;
}

export const svg: WritableContainer = {
  binding: 'data',
  extract(file) {
    const { manifest } = readElements(file);
    if (!manifest) return undefined;
    const text = manifest.content.toString('latin1').trim();
    const store = Buffer.from(text, 'base64');
    return store.length > 0 && store.toString('base64') === text ? store : undefined;
  },
  prepare(file) {
    const { manifest, contentStart } = readElements(file);
    const start = manifest?.start ?? contentStart;
    const end = manifest?.end ?? contentStart;
    return fixedPlacement({
      before: [file.subarray(0, start), ...(manifest ? [] : [METADATA_START]), MANIFEST_START],
      after: [MANIFEST_END, ...(manifest ? [] : [METADATA_END]), file.subarray(end)],
      wrap: (store) => Buffer.from(Buffer.from(store).toString('base64')),
    });
  },
};

/** Reads the structure of the document alone: no entities, no namespaces. */
function readElements(file: Buffer): { manifest: ManifestElement | undefined; contentStart: number } {
  let contentStart: number | undefined;
  let open = { start: 0, contentStart: 0 };
  let manifest: ManifestElement | undefined;
  for (const { tag, path } of walk(file)) {
    const { kind, start, end } = tag;
    if (kind === 'start' && path.length === 1) contentStart = end;
    if (kind === 'empty' || !isManifest(path)) continue;
    if (kind === 'start') open = { start, contentStart: end };
    else if (manifest) throw new ContainerError('The SVG has several manifests.');
    else manifest = { ...open, end, content: file.subarray(open.contentStart, start) };
  }
  if (contentStart === undefined) throw new ContainerError('The SVG is not complete.');
  return { manifest, contentStart };
}

/** Each tag with the names of the elements that it is in, its own included. Throws unless elements are closed in order. */
function* walk(file: Buffer): Generator<{ tag: Tag; path: readonly string[] }> {
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
function requireRoot({ kind, name }: Tag, hasRoot: boolean): void {
  if (hasRoot || kind !== 'start' || name !== 'svg') {
    throw new ContainerError('The SVG has no content, or its root is not called svg.');
  }
}

interface Tag {
  readonly kind: 'start' | 'end' | 'empty';
  /** Not read for an empty one. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

function* listTags(file: Buffer): Generator<Tag> {
  for (let start = file.indexOf(OPENING); start >= 0; ) {
    const second = file[start + 1];
    const isTag = second !== EXCLAMATION && second !== QUESTION;
    const end = isTag ? findTagEnd(file, start + 1) : findMarkupEnd(file, start);
    if (second === SLASH) yield { kind: 'end', name: elementName(file, start + 2, end - 1), start, end };
    else if (isTag && file[end - 2] === SLASH) yield { kind: 'empty', name: '', start, end };
    else if (isTag) yield { kind: 'start', name: elementName(file, start + 1, end - 1), start, end };
    start = file.indexOf(OPENING, end);
  }
}

const OPENING = 0x3c;
const SLASH = 0x2f;
const EXCLAMATION = 0x21;
const QUESTION = 0x3f;

function isManifest(path: readonly string[]): boolean {
  return path.length === MANIFEST_PATH.length && MANIFEST_PATH.every((name, index) => path[index] === name);
}

function elementName(file: Buffer, start: number, end: number): string {
  let at = start;
  while (at < end && !NAME_END.has(file[at] ?? 0)) at += 1;
  return file.toString('latin1', start, at);
}

/** White space and the slash of an empty element. */
const NAME_END = new Set([0x20, 0x09, 0x0a, 0x0d, SLASH]);

/** The place after the comment, character data, instruction or declaration that starts here. */
function findMarkupEnd(file: Buffer, start: number): number {
  const head = file.toString('latin1', start, start + 9);
  if (head.startsWith('<!--')) return findEnd(file, '-->', start + 4);
  if (head.startsWith('<![CDATA[')) return findEnd(file, ']]>', start + 9);
  if (head.startsWith('<?')) return findEnd(file, '?>', start + 2);
  return findTagEnd(file, start + 1);
}

function findEnd(file: Buffer, text: string, from: number): number {
  const at = file.indexOf(text, from);
  if (at < 0) throw new ContainerError('The SVG is not complete.');
  return at + text.length;
}

/** `>` outside quotes, and outside the brackets of a document type. */
function findTagEnd(file: Buffer, from: number): number {
  let depth = 0;
  for (let at = from; at < file.length; at += 1) {
    const byte = file[at];
    if (byte === 0x22 || byte === 0x27) at = findByte(file, byte, at + 1);
    else if (byte === 0x5b) depth += 1;
    else if (byte === 0x5d) depth -= 1;
    else if (byte === 0x3e && depth <= 0) return at + 1;
  }
  throw new ContainerError('The SVG is not complete.');
}

function findByte(file: Buffer, byte: number, from: number): number {
  const at = file.indexOf(byte, from);
  if (at < 0) throw new ContainerError('The SVG is not complete.');
  return at;
}
