// Worker thread that writes published files with synchronous calls. In Node's own thread pool, each of the dozen steps of a
// creation would be queued separately.

import { randomUUID } from 'node:crypto';
import { closeSync, fdatasyncSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveJobs } from '../workers/jobs.js';
import { DRAFT_SUFFIX } from './names.js';

interface Publication {
  readonly folder: string;
  readonly files: Readonly<Record<string, Uint8Array>>;
}

/** Each file is written completely or not at all, and durably. A failure may leave other files of the same call. */
function publish({ folder, files }: Publication): void {
  withDrafts(folder, Object.values(files), (drafts) => {
    for (const [index, name] of Object.keys(files).entries()) renameSync(drafts[index] ?? '', join(folder, name));
  });
  syncFolder(folder);
}

/** Really writes: permissions do not tell whether the disk is full. */
function check(folder: string): void {
  withDrafts(folder, [new Uint8Array([0])], ([draft]) => rmSync(draft ?? ''));
}

/** Writes durable drafts, which `use` must move or remove. Removes them if it fails. */
function withDrafts(folder: string, contents: readonly Uint8Array[], use: (paths: readonly string[]) => void): void {
  const drafts: { path: string; file: number }[] = [];
  try {
    try {
      // All are written before the first is synced, so that the disk can combine the writes.
      for (const bytes of contents) {
        const path = join(folder, `${randomUUID()}${DRAFT_SUFFIX}`);
        const file = openSync(path, 'wx', 0o644);
        drafts.push({ path, file });
        writeFileSync(file, bytes);
      }
      for (const { file } of drafts) fdatasyncSync(file);
    } finally {
      for (const { file } of drafts) closeSync(file);
    }
    use(drafts.map(({ path }) => path));
  } catch (error) {
    for (const { path } of drafts) rmSync(path, { force: true });
    throw error;
  }
}

/** A name survives a power failure only after its folder is synced. */
function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

const jobs = { publish, check };
export type DiskJobs = typeof jobs;
serveJobs(jobs);
