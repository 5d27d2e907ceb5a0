// Paths as the file system has them. Names need not be UTF-8: here each character of a path stands for one byte.

/** One character a byte: it can be joined, compared and kept as text without losing anything. */
export type BytePath = string;

export function bytePath(text: string): BytePath {
  return Buffer.from(text).toString('latin1');
}

/** What the file system is asked with. */
export function bytesOf(path: BytePath): Buffer {
  return Buffer.from(path, 'latin1');
}

/** For people and for the service; what is not UTF-8 becomes U+FFFD. */
export function textOf(path: BytePath): string {
  return bytesOf(path).toString();
}

export function join(folder: BytePath, name: BytePath): BytePath {
  return folder.endsWith('/') ? folder + name : `${folder}/${name}`;
}

export function folderOf(path: BytePath): BytePath {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

export function nameOf(path: BytePath): BytePath {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The deepest folder that all of these folders are in. */
export function commonFolder([first = '/', ...others]: readonly BytePath[]): BytePath {
  let common = first;
  while (common !== '/' && !others.every((folder) => isWithin(folder, common))) common = folderOf(common);
  return common;
}

function isWithin(path: BytePath, folder: BytePath): boolean {
  return path === folder || path.startsWith(join(folder, ''));
}
