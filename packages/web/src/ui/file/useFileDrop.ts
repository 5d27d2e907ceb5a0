// Files and folders that are dropped anywhere on the page.

import { useEffect, useState } from 'preact/compat';

/** Files that operating systems leave in folders. Registration is permanent, and these are never meant. */
const SYSTEM_FILE = /^(\..*|Thumbs\.db|desktop\.ini)$/i;
/** More than any list takes, so that the list can say how many are left over without reading a whole disk. */
const MAX_FILES = 10_000;

export interface PickedFile {
  readonly file: File;
  /** Path of its folder, such as `holiday/day 1`; empty for a file that was picked alone. */
  readonly folder: string;
}

/** Returns whether files are dragged over the page. Memoize `onFiles` with useCallback. */
export function useFileDrop(onFiles: (files: readonly PickedFile[]) => void): boolean {
  const [isDragging, setIsDragging] = useState(false);
  useEffect(() => {
    const onDragOver = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      // Otherwise the browser leaves the page and opens the file.
      event.preventDefault();
      setIsDragging(true);
    };
    const onDragLeave = ({ relatedTarget }: DragEvent) => {
      if (relatedTarget === null) setIsDragging(false);
    };
    const onDrop = async (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      setIsDragging(false);
      onFiles(await readDroppedFiles(event.dataTransfer));
    };
    const controller = new AbortController();
    const { signal } = controller;
    addEventListener('dragover', onDragOver, { signal });
    addEventListener('dragleave', onDragLeave, { signal });
    addEventListener('drop', onDrop, { signal });
    return () => controller.abort();
  }, [onFiles]);
  return isDragging;
}

/** The files of an `<input type="file">`, without system files when a folder was chosen. */
export function toPickedFiles(files: Iterable<File>): PickedFile[] {
  return [...files]
    .filter(({ name, webkitRelativePath }) => webkitRelativePath === '' || !SYSTEM_FILE.test(name))
    .map((file) => ({ file, folder: folderOf(file.webkitRelativePath) }));
}

async function readDroppedFiles(transfer: DataTransfer): Promise<PickedFile[]> {
  // All items before the first await, after which they are gone. Files from another page have no entry.
  const items = [...transfer.items].map((item) => item.webkitGetAsEntry() ?? item.getAsFile());
  const files: PickedFile[] = [];
  for (const item of items) {
    if (item instanceof File) files.push({ file: item, folder: '' });
    else if (item) await collectFiles(item, files, false);
  }
  return files;
}

async function collectFiles(entry: FileSystemEntry, files: PickedFile[], isInFolder: boolean): Promise<void> {
  if (files.length >= MAX_FILES || (isInFolder && SYSTEM_FILE.test(entry.name))) return;
  if (isFile(entry)) {
    const file = await readFile(entry);
    if (file) files.push({ file, folder: folderOf(entry.fullPath) });
  }
  if (isFolder(entry)) for (const child of await readFolder(entry)) await collectFiles(child, files, true);
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

/** Undefined when the file cannot be read. */
function readFile(entry: FileSystemFileEntry): Promise<File | undefined> {
  return new Promise((resolve) => entry.file(resolve, () => resolve(undefined)));
}

async function readFolder(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const entries: FileSystemEntry[] = [];
  // Browsers return at most a hundred entries at a time.
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve) => reader.readEntries(resolve, () => resolve([])));
    if (batch.length === 0) return entries;
    entries.push(...batch);
  }
}

/** The folder of a path such as `holiday/day 1/a.jpg` or `/a.jpg`. */
function folderOf(path: string): string {
  return path.split('/').slice(0, -1).filter(Boolean).join('/');
}
