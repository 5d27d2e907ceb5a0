// Runs in a worker thread: the steps that put files on the disk, right after each other. In the pool that Node has for
// such steps, each of the dozen that a creation needs would wait for its turn on the way there and on the way back.

import { randomUUID } from 'node:crypto';
import { closeSync, fdatasyncSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveJobs } from '../workers/jobs.js';
import { DRAFT_SUFFIX } from './names.js';

interface Draft {
  readonly path: string;
  readonly file: number;
}

interface Publication {
  readonly folder: string;
  /** By their names. */
  readonly files: Readonly<Record<string, Uint8Array>>;
}

/** Each is there whole or not at all, and safe on the disk; one that fails may leave others of them behind. */
function publish({ folder, files }: Publication): void {
  withDrafts(folder, Object.values(files), (drafts) => {
    for (const [index, name] of Object.keys(files).entries()) renameSync(drafts[index] ?? '', join(folder, name));
  });
  syncFolder(folder);
}

/** Writes for real: permissions alone do not say that the disk has room. */
function check(folder: string): void {
  withDrafts(folder, [new Uint8Array([0])], ([draft]) => rmSync(draft ?? ''));
}

/** Files with these bytes, safe on the disk, for `use` to take away; nothing is left of them when that fails. */
function withDrafts(folder: string, contents: readonly Uint8Array[], use: (paths: readonly string[]) => void): void {
  const drafts: Draft[] = [];
  try {
    try {
      // All are written before the first is waited for: the disk takes them together.
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

/** A name in a folder outlives a power cut only once the folder itself is written. */
export function syncFolder(folder: string): void {
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
