// What kind of file it is, by its first bytes; by what the caller says only when they say nothing.

import { fileTypeFromBuffer } from 'file-type';
import type { MediaFacts } from '../domain/ports/index.js';

export type Kind = Pick<MediaFacts, 'kind' | 'mediaType'>;

/** An SVG's root element comes after at most some comments and a document type: more than this is something else. */
const SVG_PROLOGUE_BYTES = 16 * 1024;

/** As long as the two names of a media type may be (RFC 6838, 4.2). */
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;

/** Types of the `application` family that people know as documents: PDF, office, books, page descriptions. */
const DOCUMENT =
  /^text\/|^application\/(pdf|rtf|msword|postscript|eps|xml|epub\+zip|json|x-cfb|x-indesign|x-mobipocket-ebook|vnd\.(ms-(word|excel|powerpoint|htmlhelp)|visio|openxmlformats-officedocument|oasis\.opendocument))/;

/** Containers of moving pictures that are not registered under `video`. */
const VIDEO = /^application\/(vnd\.ms-asf|vnd\.rn-realmedia|mxf)$/;

/** What the bytes say; undefined when they say nothing. */
export async function kindOfBytes(bytes: Uint8Array): Promise<Kind | undefined> {
  // First, because an SVG with an XML declaration would count as XML.
  if (isSvg(bytes)) return { kind: 'image', mediaType: 'image/svg+xml' };
  // A file that breaks off in the middle of its magic is a file that says nothing.
  const found = await fileTypeFromBuffer(bytes).catch(() => undefined);
  return found && kindOfMediaType(found.mime);
}

/** What a media type says; anything that is none counts as not said. */
export function kindOfMediaType(mediaType: string | undefined): Kind {
  const name = mediaType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!MEDIA_TYPE.test(name)) return { kind: 'other', mediaType: undefined };
  const family = name.slice(0, name.indexOf('/'));
  if (family === 'image' || family === 'audio' || family === 'video') return { kind: family, mediaType: name };
  if (VIDEO.test(name)) return { kind: 'video', mediaType: name };
  return { kind: DOCUMENT.test(name) ? 'document' : 'other', mediaType: name };
}

/** What may stand before the root element: how it begins, and how it ends. */
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
    // A document type may hold declarations in brackets, which have ends of their own.
    const subset = /^<!DOCTYPE[^[>]*\[/.test(rest) ? rest.indexOf(']') : 0;
    const end = subset < 0 ? -1 : rest.indexOf(skipped[1], subset);
    if (end < 0) return false;
    rest = rest.slice(end + skipped[1].length).trimStart();
  }
  return false;
}
