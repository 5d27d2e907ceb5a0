// Secrets that the service generates on first start.

import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

const generateSecret = () => randomBytes(32).toString('base64url');

/** Reads the secret, or generates it if the file does not exist. Safe to run in several processes at once. */
export async function readOrCreateSecret(
  path: string,
  generate: () => string | Promise<string> = generateSecret,
): Promise<string> {
  const existing = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (existing) return existing.trim();

  await mkdir(dirname(path), { recursive: true });
  const secret = await generate();
  const draft = `${path}.${process.pid}`;
  const file = await open(draft, 'w', 0o600);
  try {
    await file.writeFile(`${secret.trim()}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  // Only one process succeeds in creating the link; the others read its secret.
  await link(draft, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(draft);
  return readOrCreateSecret(path, generate);
}
