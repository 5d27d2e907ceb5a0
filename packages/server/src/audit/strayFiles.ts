// Finds published files that belong to no Artifact, no draft and no download. A draft is written before its first file is
// published, so a file that is listed first and then not known to the database is stray. With a sidecar beside it, it belongs
// to an Artifact that another service or a lost database has: such files are reported and never removed.

import type { ListedFile } from '../domain/ports/index.js';
import type { AuditParts, DivergenceCode } from './divergence.js';
import { type Finding, mapConcurrently, type Walk } from './walk.js';

/** Longer than a process that abandons a draft tries to remove its files. */
const STRAY_AFTER_MS = 120_000;
/** Writing a file takes seconds: after an hour, its process is dead. */
const UNFINISHED_AFTER_MS = 3_600_000;
const MAX_CONCURRENT_READS = 16;

export function strayFileWalk({ records, files, clock }: AuditParts): Walk<ListedFile> {
  const isOlderThan = ({ modifiedAt }: ListedFile, ms: number) => clock().getTime() - modifiedAt.getTime() > ms;
  const isUnfinished = ({ name }: ListedFile) => name.endsWith('.draft');

  function toFinding(code: DivergenceCode, file: ListedFile, reason: string): Finding<ListedFile> {
    const { name } = file;
    const repair = async () => {
      await files.remove(name);
      return true;
    };
    return { subject: file, divergence: { code, about: { file: name }, message: `${name}: ${reason}`, repair } };
  }

  function toUnknownArtifact(file: ListedFile): Finding<ListedFile> {
    const message = `${file.name}: belongs to an Artifact that this database does not have`;
    return { subject: file, divergence: { code: 'artifact-unknown', about: { file: file.name }, message } };
  }

  return {
    name: 'files',
    batches: () => files.list(),
    async check(listed) {
      const unfinished = listed.filter((file) => isUnfinished(file) && isOlderThan(file, UNFINISHED_AFTER_MS));
      const finished = listed.filter((file) => !isUnfinished(file) && isOlderThan(file, STRAY_AFTER_MS));
      const downloads = finished.filter(isDownload);
      const old = finished.filter((file) => !isDownload(file));
      const knownDownloads = await records.findKnownDownloads(downloads.map(({ name }) => name));
      const strayDownloads = downloads.filter(({ name }) => !knownDownloads.has(name));
      const known = await records.findKnownIds([...new Set(old.map(artifactIdOf))]);
      const unknown = old.filter((file) => !known.has(artifactIdOf(file)));
      const stray = await mapConcurrently(unknown, MAX_CONCURRENT_READS, async (file) => {
        if ((await files.read(file.name)) === undefined) return [];
        const hasSidecar = (await files.read(`${artifactIdOf(file)}.c2pa`)) !== undefined;
        return [hasSidecar ? toUnknownArtifact(file) : toFinding('file-stray', file, 'belongs to no Artifact')];
      });
      return [
        ...stray,
        ...strayDownloads.map((file) => toFinding('file-stray', file, 'belongs to no download')),
        ...unfinished.map((file) => toFinding('draft-left', file, 'was never finished')),
      ];
    },
  };
}

/** Their names are hashes, and recorded before they are published. */
function isDownload({ name }: ListedFile): boolean {
  return name.endsWith('.filter') || name.endsWith('.snapshot');
}

function artifactIdOf({ name }: ListedFile): string {
  return name.slice(0, name.indexOf('.'));
}
