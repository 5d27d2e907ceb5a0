// Names and media types of published files. A valid name is safe in a path and in a URL.

/** The content of a published file never changes. */
export const CACHE_CONTROL = 'public, max-age=31536000, immutable';

/** Media types of the files of Artifacts, whose names are ids. */
const artifactTypes = { c2pa: 'application/c2pa', json: 'application/json', png: 'image/png' };
/** Media types of downloads, whose names are the hashes of their content. */
const downloadTypes = { filter: 'application/octet-stream', snapshot: 'application/octet-stream' };
const mediaTypes: Readonly<Record<string, string>> = { ...artifactTypes, ...downloadTypes };

/** Lower case only: on a case-insensitive disk, two names could be the same file. */
const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const artifactPattern = new RegExp(`^${uuid}\\.(${Object.keys(artifactTypes).join('|')})$`);
const downloadPattern = new RegExp(`^([0-9a-f]{64})\\.(${Object.keys(downloadTypes).join('|')})$`);

/** Ending of files that are being written, or whose writer was killed. */
export const DRAFT_SUFFIX = '.draft';
const draftPattern = new RegExp(`^${uuid}\\${DRAFT_SUFFIX}$`);

export function isDraftName(name: string): boolean {
  return draftPattern.test(name);
}

/** Undefined if the name is not that of a published file. */
export function mediaTypeOf(name: string): string | undefined {
  return mediaTypes[artifactPattern.exec(name)?.[1] ?? downloadPattern.exec(name)?.[2] ?? ''];
}

/** The SHA-256 of a download, in hex; undefined if the name is not that of a download. */
export function downloadHashOf(name: string): string | undefined {
  return downloadPattern.exec(name)?.[1];
}

/** Throws on other names: the service creates all names itself, so that would be a bug or an attack. */
export function requireMediaType(name: string): string {
  const type = mediaTypeOf(name);
  if (type === undefined) throw new TypeError('not the name of a published file');
  return type;
}

/** Where the files of the log are, below the address of the service and in a bucket. */
export const LOG_FOLDER = 'log';
/** The only file of the log that changes and is read by others. */
export const CHECKPOINT_PATH = 'checkpoint';
/** A tile or bundle of c2sp.org/tlog-tiles, or the checkpoint: safe in a path. */
const logPattern = /^(checkpoint|tile\/(entries|[0-9]{1,2})\/(x[0-9]{3}\/)*[0-9]{3}(\.p\/[0-9]{1,3})?)$/;

export function isLogPath(path: string): boolean {
  return logPattern.test(path);
}

/** Short against what an observer does with a checkpoint, and long enough for caches in front of many readers. */
const CHECKPOINT_MAX_AGE_SECONDS = 5;

export function logFileHeaders(path: string) {
  return path === CHECKPOINT_PATH
    ? {
        'content-type': 'text/plain; charset=utf-8',
        'cache-control': `public, max-age=${CHECKPOINT_MAX_AGE_SECONDS}`,
      }
    : { 'content-type': 'application/octet-stream', 'cache-control': CACHE_CONTROL };
}
