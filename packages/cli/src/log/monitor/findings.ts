// Findings of the monitor, and the files that prove each to others.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FileError } from '../../errors.js';

export const findingKinds = {
  'bad-checkpoint': 'a checkpoint without the signatures that it needs',
  fork: 'two signed checkpoints of which neither is the beginning of the other',
  withheld: 'a checkpoint that is smaller than another one that the log signed',
  'bad-file': 'a file of the log that is missing, or is not that of the checkpoint',
  'bad-leaf': 'an entry that is no leaf',
  'back-dated': 'a leaf that is older than a checkpoint without it by more than five minutes',
  late: 'a leaf that was not published within a minute',
  'bad-manifest': 'a manifest that is not that of the leaf',
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

export interface SavedFinding {
  readonly kind: FindingKind;
  readonly message: string;
  /** The folder with its files. */
  readonly evidence: string;
}

/** Each gets a folder of its own, with a text that says what the files show. */
export async function saveFindings(folder: string, findings: readonly Finding[], now: Date): Promise<SavedFinding[]> {
  const time = now.toISOString().replaceAll(':', '-');
  const saved: SavedFinding[] = [];
  for (const [number, { kind, message, files }] of findings.entries()) {
    const evidence = join(folder, 'evidence', `${time}-${number + 1}-${kind}`);
    try {
      await mkdir(evidence, { recursive: true });
      await writeFile(join(evidence, 'finding.txt'), `${message}\n\nFound at ${now.toISOString()}.\n`);
      for (const [name, content] of Object.entries(files)) await writeFile(join(evidence, name), content);
    } catch (error) {
      throw new FileError(evidence, error);
    }
    saved.push({ kind, message, evidence });
  }
  return saved;
}
