// The migrations as files: plain SQL, forward only, in steps. A step runs in a transaction of its own, builds one index
// concurrently, or goes through a table in batches.

import { readdir, readFile } from 'node:fs/promises';
import { packageFolder } from '../../paths.js';

export interface Migration {
  readonly name: string;
  readonly steps: readonly MigrationStep[];
}

export interface MigrationStep {
  readonly title: string;
  readonly sql: string;
  /**
   * `transaction`: all statements of the step together. `concurrently`: one statement outside of a transaction. `batches`:
   * one statement that is repeated, each time with what its last run returned as `cursor`, until it returns no row.
   */
  readonly kind: 'transaction' | 'concurrently' | 'batches';
  /** The table that batches go through. */
  readonly table?: string;
}

/** Ordered by their numbers. No commit has had a 0013. */
const migrationsFolder = new URL('migrations/', packageFolder);
/**
 * Released migrations that lock large tables for long, in steps that do not. The same name, and the same schema at the end:
 * the original runs in tests alone.
 */
const onlineFolder = new URL('online/', migrationsFolder);

export function listMigrations(): Promise<string[]> {
  return listNames(migrationsFolder);
}

export async function readMigration(name: string): Promise<Migration> {
  const original = await readFile(new URL(`${name}.sql`, migrationsFolder), 'utf8');
  const isOnline = (await listNames(onlineFolder)).includes(name);
  const text = isOnline ? await readFile(new URL(`${name}.sql`, onlineFolder), 'utf8') : original;
  return { name, steps: parseSteps(name, includeOriginal(text, original)) };
}

/** `-- original without: create index a | update b`: the statements of the original but those that begin so. */
function includeOriginal(text: string, original: string): string {
  return text.replace(/^-- original without: (.+)$/gm, (_, prefixes: string) =>
    prefixes.split(' | ').reduce(removeStatement, original),
  );
}

function removeStatement(text: string, prefix: string): string {
  const start = `\n${text}`.indexOf(`\n${prefix}`);
  const end = text.indexOf(';\n', start);
  if (start < 0 || end < 0) throw new Error(`The original has no statement "${prefix}".`);
  return text.slice(0, start) + text.slice(end + 2);
}

async function listNames(folder: URL): Promise<string[]> {
  const files = await readdir(folder);
  return files
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.replace(/\.sql$/, ''))
    .toSorted();
}

/** `-- step: title` or `-- batches of table: title` begins a step. A file without such a line is one step. */
const stepForm = /^-- (?:step|batches of (\w+)): (.+)$/m;

export function parseSteps(name: string, text: string): MigrationStep[] {
  const [, ...parts] = text.split(stepForm);
  if (parts.length === 0) return [{ title: name, sql: text, kind: 'transaction' }];
  const steps: MigrationStep[] = [];
  // Each line splits the text into a table, a title and what follows.
  for (let index = 0; index < parts.length; index += 3) {
    const [table, title = '', sql = ''] = parts.slice(index, index + 3);
    steps.push(
      table === undefined
        ? { title, sql, kind: /\bindex concurrently\b/.test(withoutComments(sql)) ? 'concurrently' : 'transaction' }
        : { title, sql, kind: 'batches', table },
    );
  }
  return steps;
}

export function withoutComments(sql: string): string {
  return sql.replace(/--.*$/gm, '');
}
