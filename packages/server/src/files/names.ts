// Names and media types of published files. A valid name is safe in a path and in a URL.

/** The content of a published file never changes. */
export const CACHE_CONTROL = 'public, max-age=31536000, immutable';

const mediaTypes: Readonly<Record<string, string>> = {
  c2pa: 'application/c2pa',
  json: 'application/json',
  png: 'image/png',
};

/** Lower case only: on a case-insensitive disk, two names could be the same file. */
const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const namePattern = new RegExp(`^${uuid}\\.(${Object.keys(mediaTypes).join('|')})$`);

/** Of files that are being written, or whose writer was killed. */
export const DRAFT_SUFFIX = '.draft';
const draftPattern = new RegExp(`^${uuid}\\${DRAFT_SUFFIX}$`);

export function isDraftName(name: string): boolean {
  return draftPattern.test(name);
}

/** Undefined if the name is not that of a published file. */
export function mediaTypeOf(name: string): string | undefined {
  return mediaTypes[namePattern.exec(name)?.[1] ?? ''];
}

/** Throws on other names: the service creates all names itself, so that would be a bug or an attack. */
export function requireMediaType(name: string): string {
  const type = mediaTypeOf(name);
  if (type === undefined) throw new TypeError('not the name of a published file');
  return type;
}
