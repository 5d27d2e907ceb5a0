// Registrations that resemble pictures and recordings in a folder. Log and downloads hold no perceptual hashes, so the service is
// asked: it gets perceptual hashes, which are computed here, and no file.

import type { LookalikeSearch, RegistryClient } from '@provenance-registry/client';
import { type Fingerprint, MAX_LOOKALIKES } from '@provenance-registry/core';
import type { ArgumentPath } from '../../argumentPaths.js';
import { CommandError, orFileError } from '../../errors.js';
import { mapInOrder } from '../../inputs/mapInOrder.js';
import type { MonitorRunOutput } from '../../outputSchemas/monitor.js';
import { createIgnoreRules } from '../../walk/ignoreRules.js';
import { toBytes } from '../../walk/paths.js';
import { type FileEntry, walk } from '../../walk/walk.js';
import type { MonitorState } from './state.js';

/** Of one client, the service searches four at a time. */
const MAX_RUNNING = 4;
/** All are in the state of the monitor, with half a kilobyte each. */
const MAX_PICTURES = 10_000;
/** Of files that could not be searched for, in a line. */
const MAX_NAMED = 3;

type Pictures = NonNullable<MonitorState['pictures']>;
type Picture = Pictures[string];
type FoundLookalike = LookalikeSearch['lookalikes'][number];

export interface PictureWatchOptions {
  readonly client: RegistryClient;
  readonly folder: ArgumentPath;
  readonly hash: (path: Buffer) => Promise<Fingerprint>;
  /** Marks whose registrations are not listed. */
  readonly ownMarks: ReadonlySet<string>;
  readonly signal: AbortSignal;
}

/** Leaves up to the last one after which the service may show more files: when the last run ended, and now. */
interface LogSizes {
  readonly before: number;
  readonly now: number;
}

export class PictureWatch {
  readonly found: MonitorRunOutput['lookalikes'][number][] = [];
  searchedCount = 0;
  readonly #known: Pictures;
  #pictures: Pictures = {};
  readonly #reported: Set<string>;
  readonly #problems: string[] = [];

  constructor(
    private readonly options: PictureWatchOptions,
    { pictures = {}, resembling = [] }: MonitorState,
  ) {
    this.#known = pictures;
    this.#reported = new Set(resembling);
  }

  get remembered(): Pick<MonitorState, 'pictures' | 'resembling'> {
    return { pictures: this.#pictures, resembling: [...this.#reported] };
  }

  /**
   * Searches for pictures that are new, and for all when the log has registrations that are new. The service may find one some
   * moments after its leaf is published: the next run searches once more.
   * @throws CommandError for files that were not searched for, at the end
   */
  async search(sizes: LogSizes): Promise<void> {
    const { folder } = this.options;
    // In case the service fails in the middle.
    this.#pictures = { ...this.#known };
    const present = new Set<string>();
    const search = (file: FileEntry) => this.#searchFile(file, sizes);
    for await (const path of mapInOrder(this.#listFiles(), MAX_RUNNING, search)) present.add(path);
    this.#pictures = Object.fromEntries(Object.entries(this.#pictures).filter(([path]) => present.has(path)));
    const isAnyPicture = Object.values(this.#pictures).some(({ missing }) => missing === undefined);
    if (!isAnyPicture) this.#problems.push(`${folder.name} has no picture or recording that can be compared`);
    if (this.#problems.length > 0) throw new CommandError('NOT_SEARCHED', 3, describeProblems(this.#problems));
  }

  async *#listFiles(): AsyncGenerator<FileEntry> {
    const { folder } = this.options;
    const rules = createIgnoreRules([]);
    let count = 0;
    for await (const entry of walk({ paths: [folder], rules, excludedFolders: [] })) {
      if (entry.kind === 'unreadable') this.#problems.push(`${entry.displayPath}: ${entry.reason}`);
      if (entry.kind !== 'file') continue;
      count += 1;
      if (count > MAX_PICTURES)
        throw new CommandError('TOO_MANY_FILES', 3, `${folder.name} has more than ${MAX_PICTURES} files.`);
      yield entry;
    }
  }

  /** Returns the path. */
  async #searchFile(file: FileEntry, { before, now }: LogSizes): Promise<string> {
    const picture = await this.#describe(file);
    if (!picture) return file.path;
    this.#pictures[file.path] = picture;
    const { explanations, searchLookalikes } = await import('@provenance-registry/client');
    const { missing } = picture;
    // Most folders have other files, too.
    if (missing !== undefined && missing !== 'unsupported' && missing !== 'featureless') {
      this.#problems.push(`${file.displayPath}: ${explanations.missingHashes[missing]}`);
    }
    if (missing !== undefined || (picture.searchedSize ?? -1) >= now) return file.path;
    const { client, signal } = this.options;
    const { fingerprint, queryHashes, chromaprint } = picture;
    const query = { fingerprint, hashes: { queryHashes, chromaprint } };
    const { lookalikes } = await searchLookalikes(client, query, { limit: MAX_LOOKALIKES, signal });
    if (lookalikes.length === MAX_LOOKALIKES) {
      this.#problems.push(
        `${file.displayPath}: resembles more registrations than the ${MAX_LOOKALIKES} that are shown`,
      );
    }
    for (const one of lookalikes) this.#add(file.displayPath, one);
    this.searchedCount += 1;
    this.#pictures[file.path] = { ...picture, searchedSize: before };
    return file.path;
  }

  #add(picture: string, found: FoundLookalike): void {
    const { mark, manifestId } = found;
    if ((mark && this.options.ownMarks.has(mark.id)) || this.#reported.has(manifestId)) return;
    this.#reported.add(manifestId);
    this.found.push({ picture, ...found });
  }

  /** Its hashes, which are computed once for a file that does not change. Undefined: it cannot be read. */
  async #describe({ path, displayPath, identity }: FileEntry): Promise<Picture | undefined> {
    const [size, mtimeNs] = [identity.size, String(identity.mtimeNs)];
    const known = this.#known[path];
    if (known?.size === size && known.mtimeNs === mtimeNs) return known;
    const { computePerceptualHashes } = await import('../../perceptualHashes/computePerceptualHashes.js');
    const { signal, hash } = this.options;
    try {
      const file = { path: toBytes(path) };
      const hashes = await orFileError(displayPath, computePerceptualHashes(file, { forSearch: true, signal }));
      const { queryHashes, chromaprint, missing } = hashes;
      return {
        ...{ size, mtimeNs, fingerprint: await hash(file.path) },
        ...(queryHashes && { queryHashes: [...queryHashes] }),
        ...(chromaprint !== undefined && { chromaprint }),
        ...(missing !== undefined && { missing }),
      };
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      this.#problems.push(error.message);
      return undefined;
    }
  }
}

function describeProblems(problems: readonly string[]): string {
  const more = problems.length > MAX_NAMED ? `; and ${problems.length - MAX_NAMED} more` : '';
  return `Not searched for look-alikes: ${problems.slice(0, MAX_NAMED).join('; ')}${more}.`;
}
