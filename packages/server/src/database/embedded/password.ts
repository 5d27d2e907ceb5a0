// The password of the embedded database: generated once, and kept in a file of the data folder that only the service's own
// user can read. It is a PostgreSQL password file, so that `pg_dump` and `psql` can use it (`PGPASSFILE`).

import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readOrCreateSecret } from '../../secretFile.js';

/** The only role and database of an embedded server. */
export const access = { user: 'provenance', database: 'postgres' };

const ENTRY = new RegExp(`^\\*:\\*:\\*:${access.user}:([0-9a-f]{64})\\n$`);

export function passwordFileOf(dataDir: string): string {
  return join(dataDir, 'database-password');
}

/** Undefined when there is no such file yet. */
export async function readPassword(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const password = ENTRY.exec(text)?.[1];
  if (password === undefined) throw new Error(`${file} is not the password of the database as the service wrote it.`);
  return password;
}

/** Keeps the password of an earlier start, or of another process that starts at the same time. */
export async function createPassword(file: string): Promise<string> {
  await readOrCreateSecret(file, () => `*:*:*:${access.user}:${randomBytes(32).toString('hex')}`);
  const password = await readPassword(file);
  if (password === undefined) throw new Error(`${file} has disappeared.`);
  return password;
}
