// File system paths of any bytes: names need not be UTF-8, so each character of a BytePath stands for one byte.

/** A latin1 string: it can be joined, compared and stored as text without loss. */
export type BytePath = string;

export function toBytePath(text: string): BytePath {
  return Buffer.from(text).toString('latin1');
}

/** Converts a path for file system calls. */
export function toBytes(path: BytePath): Buffer {
  return Buffer.from(path, 'latin1');
}

/** Converts a path for display and for the service; invalid UTF-8 becomes U+FFFD. */
export function toText(path: BytePath): string {
  return toBytes(path).toString();
}

export function joinPath(folder: BytePath, name: BytePath): BytePath {
  return folder.endsWith('/') ? folder + name : `${folder}/${name}`;
}

export function parentFolder(path: BytePath): BytePath {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

export function baseName(path: BytePath): BytePath {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The deepest folder that contains all of these folders. */
export function commonFolder([first = '/', ...others]: readonly BytePath[]): BytePath {
  let common = first;
  while (common !== '/' && !others.every((folder) => isWithin(folder, common))) common = parentFolder(common);
  return common;
}

export function isWithin(path: BytePath, folder: BytePath): boolean {
  return path === folder || path.startsWith(joinPath(folder, ''));
}
