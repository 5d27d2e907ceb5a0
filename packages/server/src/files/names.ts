// What a published file may be called, and what is in it. A name that passes here is safe in a path and in an address.

/** How every published file may be cached, wherever it is served from: its name never gets another content. */
export const CACHE_CONTROL = 'public, max-age=31536000, immutable';

const mediaTypes: Readonly<Record<string, string>> = {
  c2pa: 'application/c2pa',
  json: 'application/json',
  png: 'image/png',
};

/** Lower case only: on a disk that ignores case, two names would be one file. */
const id = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const pattern = new RegExp(`^${id}\\.(${Object.keys(mediaTypes).join('|')})$`);

/** No published file is called so: it is still being written, or was when its writer was killed. */
export const DRAFT_SUFFIX = '.draft';
const draftPattern = new RegExp(`^${id}\\${DRAFT_SUFFIX}$`);

export function isDraftName(name: string): boolean {
  return draftPattern.test(name);
}

/** The media type of a published file; undefined when no published file can have that name. */
export function mediaTypeOf(name: string): string | undefined {
  return mediaTypes[pattern.exec(name)?.[1] ?? ''];
}

/** The media type of a published file. Names are made by the service: another one is a fault of ours, or an attack. */
export function requireMediaType(name: string): string {
  const type = mediaTypeOf(name);
  if (type === undefined) throw new TypeError('not the name of a published file');
  return type;
}
