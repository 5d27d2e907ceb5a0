// Files that no Artifact has, and no creation under way. A creation is written down before its first file is published:
// whatever is found in the store first, and in the database afterwards not, belongs to nobody.

import type { AuditRecords, FileStore, ListedFile } from '../domain/ports/index.js';
import type { Divergence, DivergenceCode } from './divergence.js';
import { type Found, someAtOnce, type Walk } from './walking.js';

/** Who gave a creation up removes its files, and tries for less than this. */
const STRAY_AFTER_MS = 120_000;
/** Writing takes seconds; after an hour, whoever wrote was killed. */
const DRAFT_LEFT_AFTER_MS = 3_600_000;
const READ_AT_ONCE = 16;

export interface StrayParts {
  readonly records: AuditRecords;
  readonly files: FileStore;
  readonly clock: () => Date;
}

export function strayFileWalk({ records, files, clock }: StrayParts): Walk<ListedFile> {
  const isOlder = ({ modifiedAt }: ListedFile, ms: number) => clock().getTime() - modifiedAt.getTime() > ms;
  const isDraft = ({ name }: ListedFile) => name.endsWith('.draft');

  function fault(code: DivergenceCode, file: ListedFile, reason: string): Found<ListedFile> {
    const { name } = file;
    const repair = async () => {
      await files.remove(name);
      return true;
    };
    const divergence: Divergence = { code, about: { file: name }, message: `${name}: ${reason}`, repair };
    return { subject: file, divergence };
  }

  return {
    what: 'files',
    batches: () => files.list(),
    async judge(listed) {
      const left = listed.filter((file) => isDraft(file) && isOlder(file, DRAFT_LEFT_AFTER_MS));
      const old = listed.filter((file) => !isDraft(file) && isOlder(file, STRAY_AFTER_MS));
      const known = await records.known([...new Set(old.map(idOf))]);
      const unknown = old.filter((file) => !known.has(idOf(file)));
      const stray = await someAtOnce(unknown, READ_AT_ONCE, async (file) => {
        const isThere = (await files.read(file.name)) !== undefined;
        return isThere ? [fault('file-stray', file, 'no Artifact has this file')] : [];
      });
      return [...stray, ...left.map((file) => fault('draft-left', file, 'nobody finished writing this file'))];
    },
  };
}

function idOf({ name }: ListedFile): string {
  return name.slice(0, name.indexOf('.'));
}
