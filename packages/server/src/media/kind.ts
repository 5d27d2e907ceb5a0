// The kind of a file, by its first bytes; if they are inconclusive, by the stated media type.

import { fileTypeFromBuffer } from 'file-type';
import type { MediaFacts } from '../domain/ports/index.js';

export type Kind = Pick<MediaFacts, 'kind' | 'mediaType'>;

/** Contains the header of any format, and limits the time of detection, which runs in the event loop. */
const HEAD_BYTES = 64 * 1024;
/** Before an SVG's root element: at most some comments and a document type. */
const SVG_PROLOGUE_BYTES = 16 * 1024;

/** With the maximum length of both names (RFC 6838, 4.2). */
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;

/** Documents: text, PDF, office files, books, page descriptions. */
const DOCUMENT =
  /^text\/|^application\/(pdf|rtf|msword|postscript|eps|xml|epub\+zip|json|x-cfb|x-indesign|x-mobipocket-ebook|vnd\.(ms-(word|excel|powerpoint|htmlhelp)|visio|openxmlformats-officedocument|oasis\.opendocument))/;

/** Video containers that are not registered under `video`. */
const VIDEO = /^application\/(vnd\.ms-asf|vnd\.rn-realmedia|mxf)$/;

/** Undefined if the bytes are inconclusive. */
export async function detectKind(bytes: Uint8Array): Promise<Kind | undefined> {
  const head = bytes.subarray(0, HEAD_BYTES);
  // First, because an SVG with an XML declaration would be detected as XML.
  if (isSvg(head)) return { kind: 'image', mediaType: 'image/svg+xml' };
  // Throws on a file that ends within its magic number, and on a TIFF whose directory is behind the head.
  const detected = await fileTypeFromBuffer(head).catch(() => undefined);
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
  if (!MEDIA_TYPE.test(name)) return { kind: 'other', mediaType: undefined };
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
