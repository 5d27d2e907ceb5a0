// What a copy refuses, kept so that others can check it.

import type { CopyFolder } from './copyFolder.js';

/** Returns the folder, below that of the copy. */
export async function saveEvidence(
  folder: CopyFolder,
  files: Readonly<Record<string, Uint8Array | string | undefined>>,
): Promise<string> {
  const name = `evidence/${new Date().toISOString().replaceAll(':', '-')}`;
  for (const [file, content] of Object.entries(files)) {
    if (content !== undefined) await folder.add(`${name}/${file}`, content);
  }
  return name;
}
