// Files that are dropped, anywhere on the page. Folders among them are walked through.

import { useEffect, useState } from 'react';

/** What systems leave in folders. Nobody means these, and registering is for good. */
const LITTER = /^(\..*|Thumbs\.db|desktop\.ini)$/i;
/** More than any list takes: it can then say how many are left, without walking through a whole disk. */
const MAX_FILES = 10_000;

export interface FoundFile {
  readonly file: File;
  /** Where it was found, such as `holiday/day 1`; empty when it came by itself. */
  readonly folder: string;
}

/** Answers whether files are held over the page. Keep `take` still with useCallback. */
export function useDrops(take: (found: readonly FoundFile[]) => void): boolean {
  const [isDragging, setIsDragging] = useState(false);
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      // Without this the browser would leave the page and open the file.
      event.preventDefault();
      setIsDragging(true);
    };
    const leave = ({ relatedTarget }: DragEvent) => {
      if (relatedTarget === null) setIsDragging(false);
    };
    const drop = async (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      setIsDragging(false);
      take(await filesIn(event.dataTransfer));
    };
    addEventListener('dragover', over);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, [take]);
  return isDragging;
}

/** Those that were chosen, by themselves or with a folder. */
export function filesOf(chosen: Iterable<File>): FoundFile[] {
  return [...chosen]
    .filter(({ name, webkitRelativePath }) => webkitRelativePath === '' || !LITTER.test(name))
    .map((file) => ({ file, folder: folderOf(file.webkitRelativePath) }));
}

async function filesIn(transfer: DataTransfer): Promise<FoundFile[]> {
  // All at once: the items are gone after the first wait. What comes from another page may be a file without an entry.
  const items = [...transfer.items].map((item) => item.webkitGetAsEntry() ?? item.getAsFile());
  const found: FoundFile[] = [];
  for (const item of items) {
    if (item instanceof File) found.push({ file: item, folder: '' });
    else if (item) await walk(item, found, false);
  }
  return found;
}

async function walk(entry: FileSystemEntry, found: FoundFile[], isInFolder: boolean): Promise<void> {
  if (found.length >= MAX_FILES || (isInFolder && LITTER.test(entry.name))) return;
  if (isFile(entry)) {
    const file = await fileOf(entry);
    if (file) found.push({ file, folder: folderOf(entry.fullPath) });
  }
  if (isFolder(entry)) for (const inside of await entriesOf(entry)) await walk(inside, found, true);
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

/** What may not be read, or is gone already, is left out. */
function fileOf(entry: FileSystemFileEntry): Promise<File | undefined> {
  return new Promise((resolve) => entry.file(resolve, () => resolve(undefined)));
}

async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  // A hundred at a time, until there are none left.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve) => reader.readEntries(resolve, () => resolve([])));
    if (some.length === 0) return all;
    all.push(...some);
  }
}

/** Of a path such as `holiday/day 1/a.jpg` or `/a.jpg`. */
function folderOf(path: string): string {
  return path.split('/').slice(0, -1).filter(Boolean).join('/');
}
