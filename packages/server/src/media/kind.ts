// The kind of a file, by its first bytes; if they are inconclusive, by the stated media type unless they contradict it.

import { fileTypeFromBuffer, supportedMimeTypes } from 'file-type';
import type { MediaFacts } from '../domain/ports/index.js';

export type Kind = Pick<MediaFacts, 'kind' | 'mediaType'>;

/** Contains the header of any format, and limits the time of detection, which runs in the event loop. */
const HEAD_BYTES = 64 * 1024;
/** Before an SVG's root element: at most some comments and a document type. */
const SVG_PROLOGUE_BYTES = 16 * 1024;

/** A media type with the maximum length of both names (RFC 6838, 4.2). */
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;

/** Documents: text, PDF, office files, books, page descriptions. */
const DOCUMENT =
  /^text\/|^application\/(pdf|rtf|msword|postscript|eps|xml|epub\+zip|json|x-cfb|x-indesign|x-mobipocket-ebook|vnd\.(ms-(word|excel|powerpoint|htmlhelp)|visio|openxmlformats-officedocument|oasis\.opendocument))/;

/** Video containers that are not registered under `video`. */
const VIDEO = /^application\/(vnd\.ms-asf|vnd\.rn-realmedia|mxf)$/;

/** XML needs no declaration, without which it has no magic bytes. */
const XML = /^(?:application|text)\/xml$|\+xml$/;
const JSON_TYPE = /\/json$|\+json$/;
/** Other formats of text, beside `text`. */
const TEXT =
  /^text\/|^application\/(?:(?:java|ecma)script|(?:x-)?yaml|toml|sql|graphql|(?:x-)?sh|(?:x-)?ndjson|x-tex)$|\+yaml$/;

/** What no text contains: the "binary data bytes" of the WHATWG MIME Sniffing Standard. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
const BINARY = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/;

/** Marked by two bytes, with which a text may start too: `BM`, `MZ`, and the byte order mark of UTF-16. */
const weaklyMarkedTypes: ReadonlySet<string> = new Set(['image/bmp', 'application/x-msdownload', 'audio/mpeg']);

const unknownKind: Kind = { kind: 'other', mediaType: undefined };

/** The kind that the bytes tell; else the stated one, if it is consistent with them. */
export async function findKind(bytes: Uint8Array, mediaType: string | undefined): Promise<Kind> {
  const head = bytes.subarray(0, HEAD_BYTES);
  const detected = await detectKind(head);
  if (detected) return detected;
  const stated = kindOfMediaType(mediaType);
  return isConsistent(head, stated) ? stated : unknownKind;
}

/** Whether the stated kind fits bytes without the magic bytes of any format that we know. */
function isConsistent(head: Uint8Array, { kind, mediaType = '' }: Kind): boolean {
  if (kind === 'image' || kind === 'audio' || kind === 'video') return false;
  const text = readText(head);
  if (XML.test(mediaType)) return text !== undefined && /^\s*</.test(text);
  // Its magic bytes are missing.
  if (supportedMimeTypes.has(mediaType)) return false;
  if (JSON_TYPE.test(mediaType)) return text !== undefined && /^\s*(?:[[{"]|-?\d|true|false|null)/.test(text);
  if (TEXT.test(mediaType)) return text !== undefined;
  // Documents that are not text all have magic bytes. Whatever else there is cannot be checked.
  return kind === 'other';
}

/** Reads text without its byte order mark, a character a byte, whatever its encoding. Undefined if it is not text. */
function readText(head: Uint8Array): string | undefined {
  const mark = Buffer.from(head.subarray(0, 2)).toString('hex');
  const encoding = { fffe: 'utf-16le', feff: 'utf-16be' }[mark] ?? 'latin1';
  const text = new TextDecoder(encoding).decode(head).replace(/^ï»¿/, '');
  return BINARY.test(text) ? undefined : text;
}

/** Undefined if the bytes are inconclusive. */
async function detectKind(head: Uint8Array): Promise<Kind | undefined> {
  // First, because an SVG with an XML declaration would be detected as XML.
  if (isSvg(head)) return { kind: 'image', mediaType: 'image/svg+xml' };
  // Throws on a file that ends within its magic number, and on a TIFF whose directory is behind the head.
  const detected = await fileTypeFromBuffer(head).catch(() => undefined);
  if (detected && weaklyMarkedTypes.has(detected.mime) && readText(head) !== undefined) return undefined;
  if (detected) return kindOfMediaType(detected.mime);
  return isTiff(head) ? { kind: 'image', mediaType: 'image/tiff' } : undefined;
}

function isTiff(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 4)).toString('latin1');
  return start === 'II*\0' || start === 'MM\0*';
}

/** An invalid media type is treated as missing. */
export function kindOfMediaType(mediaType: string | undefined): Kind {
  const name = mediaType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!MEDIA_TYPE.test(name)) return unknownKind;
  const family = name.slice(0, name.indexOf('/'));
  if (family === 'image' || family === 'audio' || family === 'video') return { kind: family, mediaType: name };
  if (VIDEO.test(name)) return { kind: 'video', mediaType: name };
  return { kind: DOCUMENT.test(name) ? 'document' : 'other', mediaType: name };
}

/** Start and end of what may precede the root element. */
const BEFORE_ROOT = [
  ['<?', '?>'],
  ['<!--', '-->'],
  ['<!DOCTYPE', '>'],
] as const;

function isSvg(bytes: Uint8Array): boolean {
  let rest = new TextDecoder().decode(bytes.subarray(0, SVG_PROLOGUE_BYTES)).trimStart();
  while (rest.startsWith('<')) {
    if (/^<(?:[\w-]+:)?svg[\s/>]/.test(rest)) return true;
    const skipped = BEFORE_ROOT.find(([begin]) => rest.startsWith(begin));
    if (!skipped) return false;
    // A document type may contain declarations in brackets, which contain `>` too.
    const subset = /^<!DOCTYPE[^[>]*\[/.test(rest) ? rest.indexOf(']') : 0;
    const end = subset < 0 ? -1 : rest.indexOf(skipped[1], subset);
    if (end < 0) return false;
    rest = rest.slice(end + skipped[1].length).trimStart();
  }
  return false;
}
