// What is found against a log, and the files that prove it to others.

import { hash } from 'node:crypto';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, FileError } from '../errors.js';
import { syncPath } from './durableFiles.js';

export const findingKinds = {
  'bad-checkpoint': 'a checkpoint without the signatures that it needs',
  fork: 'two signed checkpoints of which neither is the beginning of the other',
  withheld: 'a checkpoint that is smaller than another one that the log signed',
  'bad-file': 'a file of the log that is missing, or is not that of the checkpoint',
  'bad-leaf': 'an entry that is no leaf',
  'back-dated': 'a leaf that is older than a checkpoint without it by more than five minutes',
  late: 'a leaf that was not published within a minute',
  'bad-manifest': 'a manifest that is not that of the leaf',
  'missing-manifest': 'a leaf whose manifest the service does not have',
  'leaf-without-artifact': 'a leaf that the service does not know',
  'artifact-without-leaf': 'an Artifact that is not in the log',
  'entry-without-leaf': 'an entry on chain that is not in the log, or is another one there',
  'bad-downloads': 'signed downloads that do not hold',
} as const;
export type FindingKind = keyof typeof findingKinds;

export interface Finding {
  readonly kind: FindingKind;
  /** In plain words. */
  readonly message: string;
  /** What proves it, by the name of the file. */
  readonly files: Readonly<Record<string, string | Uint8Array>>;
}

/** A finding, as an exception: nothing that follows could be checked. */
export class FoundError extends Error {
  constructor(
    readonly finding: Finding,
    options?: ErrorOptions,
  ) {
    super(finding.message, options);
  }
}

/**
 * Keeps what proves a finding below `evidence`, with a text that says what the files show. Durable when it resolves, and complete
 * if the folder is there: what is found again with the same files is kept once. Returns the folder.
 */
export async function saveFinding(folder: string, finding: Finding, now = new Date()): Promise<string> {
  const evidence = join(folder, 'evidence', `${finding.kind}-${digestOf(finding)}`);
  const draft = `${evidence}.partial`;
  try {
    if (await isThere(evidence)) return evidence;
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft, { recursive: true });
    const files = { 'finding.txt': `${finding.message}\n\nFound at ${now.toISOString()}.\n`, ...finding.files };
    for (const [name, content] of Object.entries(files)) await writeFile(join(draft, name), content, { flush: true });
    await rename(draft, evidence);
    await syncPath(join(folder, 'evidence'));
  } catch (error) {
    throw new FileError(evidence, error);
  }
  return evidence;
}

function digestOf({ message, files }: Finding): string {
  const contents = Object.entries(files).map(([name, content]) => [name, hash('sha256', content)]);
  return hash('sha256', JSON.stringify([message, contents])).slice(0, 16);
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}
