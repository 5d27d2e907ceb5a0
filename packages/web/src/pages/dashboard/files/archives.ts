// Downloads many files as ZIP archives.

import { saveFile } from '../../../ui/file/saveFile.js';
import { createZip, takeFitting, type ZipEntry } from '../../../ui/file/zip.js';

/** One archive, or several where one would be too large. None without a file. */
export async function saveArchives(entries: readonly ZipEntry[], filename: string): Promise<void> {
  let rest = entries.map(({ path, content }) => ({ path: toSafeName(path), content }));
  while (rest.length > 0) {
    const fitting = takeFitting(rest);
    saveFile(await createZip(fitting, new Date()), filename);
    rest = rest.filter((entry) => !fitting.includes(entry));
  }
}

/** File names come from users: no paths, and nothing that file systems refuse. */
function toSafeName(name: string): string {
  return name
    .replaceAll(/[/\\:*?"<>|\p{Cc}\p{Cf}]/gu, '_')
    .replace(/^\.+/, '_')
    .slice(-200);
}
