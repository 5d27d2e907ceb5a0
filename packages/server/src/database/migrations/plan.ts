// What a migration will do to the tables that exist: which locks each step takes, for how long, and how much it writes.
// Read from the kinds of its statements and the statistics of the tables; an estimate.

import { sql } from 'kysely';
import type { Database } from '../connection.js';
import { type Migration, type MigrationStep, withoutComments } from './files.js';

/** Measured with two million Artifacts on two cores, with lookups and creations beside it. */
const INDEX_ROWS_PER_SECOND = 150_000;
const SCANNED_ROWS_PER_SECOND = 1_000_000;
const CHANGED_ROWS_PER_SECOND = 50_000;
/** Batches pause for half of the time. */
const BATCH_ROWS_PER_SECOND = 20_000;
/** Of most indexes. */
const INDEX_BYTES_PER_ROW = 60;

/** What waits while the lock is held. */
type Blocked = 'nothing' | 'writes' | 'reads and writes';

export interface StepEffect {
  readonly table: string;
  readonly lock: string;
  readonly blocks: Blocked;
  /** What takes time in proportion to the table, if anything does. */
  readonly work: 'none' | 'index' | 'scan' | 'changes' | 'batches';
}

interface StatementForm {
  readonly form: RegExp;
  readonly effect: Omit<StepEffect, 'table'>;
}

const exclusive = { lock: 'ACCESS EXCLUSIVE', blocks: 'reads and writes' } as const;
const concurrent = { lock: 'SHARE UPDATE EXCLUSIVE', blocks: 'nothing' } as const;
const rowLocks = { lock: 'locks of rows', blocks: 'nothing' } as const;

/** The first one that matches counts. The last group of each is the table. */
const statementForms: readonly StatementForm[] = [
  { form: /^create (?:unique )?index concurrently \w+ on (\w+)/, effect: { ...concurrent, work: 'index' } },
  { form: /^create (?:unique )?index \w+ on (\w+)/, effect: { lock: 'SHARE', blocks: 'writes', work: 'index' } },
  { form: /^alter table (\w+) validate constraint/, effect: { ...concurrent, work: 'scan' } },
  { form: /^alter table (\w+) .*\btype\b/, effect: { ...exclusive, work: 'changes' } },
  {
    form: /^alter table (\w+) (?!.*not valid).*(?:add check|add constraint|add unique|references|set not null)/,
    effect: { ...exclusive, work: 'scan' },
  },
  { form: /^(?:alter|drop) table (\w+)/, effect: { ...exclusive, work: 'none' } },
  { form: /^drop trigger \w+ on (\w+)/, effect: { ...exclusive, work: 'none' } },
  {
    form: /^create (?:constraint )?trigger \w+ (?:before|after) .*? on (\w+)/,
    effect: { lock: 'SHARE ROW EXCLUSIVE', blocks: 'writes', work: 'none' },
  },
  { form: /^(?:update|delete from) (\w+)/, effect: { ...rowLocks, work: 'changes' } },
  { form: /^insert into \w+ .*\bselect .* from (\w+)/, effect: { ...rowLocks, work: 'changes' } },
];

/** Locks of tables by statements that name them elsewhere: foreign keys of a new table, and the table of an index. */
export function listEffects(step: MigrationStep, tableOfIndex: ReadonlyMap<string, string>): StepEffect[] {
  if (step.kind === 'batches') return [{ table: step.table ?? '', ...rowLocks, work: 'batches' }];
  return splitStatements(step.sql).flatMap((statement): StepEffect[] => {
    if (statement.startsWith('create table')) {
      const referenced = [...statement.matchAll(/\breferences (\w+)/g)].map(([, table = '']) => table);
      const lock = { lock: 'SHARE ROW EXCLUSIVE', blocks: 'writes', work: 'none' } as const;
      return referenced.map((table) => ({ table, ...lock }));
    }
    const dropped = /^drop index (?:if exists )?([\w, ]+)/.exec(statement)?.[1]?.split(', ') ?? [];
    if (dropped.length > 0) {
      return dropped.map((index) => ({ table: tableOfIndex.get(index) ?? index, ...exclusive, work: 'none' }));
    }
    for (const { form, effect } of statementForms) {
      const table = form.exec(statement)?.[1];
      if (table !== undefined) return [{ table, ...effect }];
    }
    return [];
  });
}

/** In lower case and on one line each, without comments and the bodies of functions. */
function splitStatements(text: string): string[] {
  const plain = withoutComments(text).replace(/\$\$.*?\$\$/gs, "''");
  const statements = plain.split(';').map((statement) => statement.replace(/\s+/g, ' ').trim().toLowerCase());
  return statements.filter((statement) => statement !== '');
}

interface TableSize {
  readonly rows: number;
  readonly bytes: number;
}

/** One line for each migration, step and lock. */
export async function describePlan(database: Database, migrations: readonly Migration[]): Promise<string[]> {
  const sizes = await readSizes(database);
  const tableOfIndex = await readIndexes(database);
  return migrations.flatMap(({ name, steps }) => [
    name,
    ...steps.flatMap((step) => [`  ${step.title}`, ...describeStep(listEffects(step, tableOfIndex), sizes)]),
  ]);
}

/** Each table once: with what takes longest, and the lock that blocks most. */
function describeStep(effects: readonly StepEffect[], sizes: ReadonlyMap<string, TableSize>): string[] {
  const tables = [...new Set(effects.map(({ table }) => table))].filter((table) => sizes.has(table));
  if (tables.length === 0) return ['    nothing waits: new tables and functions only'];
  return tables.map((table) => {
    const size = sizes.get(table) ?? { rows: 0, bytes: 0 };
    const ofTable = effects.filter((effect) => effect.table === table);
    const strength = ({ blocks }: StepEffect) => ['nothing', 'writes', 'reads and writes'].indexOf(blocks);
    const [strongest] = ofTable.toSorted((one, other) => strength(other) - strength(one));
    const seconds = Math.max(...ofTable.map(({ work }) => estimateSeconds(work, size.rows)));
    const written = ofTable.map(({ work }) => describeWriting(work, size)).filter((text) => text !== '');
    const { blocks = 'nothing', lock = '' } = strongest ?? {};
    const wait = blocks === 'nothing' ? 'nothing waits' : `${blocks} wait`;
    const facts = [`${wait} (${lock}), ${describeDuration(seconds)}`, ...new Set(written)];
    return `    ${table} (${describeSize(size)}): ${facts.join('; ')}`;
  });
}

function estimateSeconds(work: StepEffect['work'], rows: number): number {
  if (work === 'index') return rows / INDEX_ROWS_PER_SECOND;
  if (work === 'scan') return rows / SCANNED_ROWS_PER_SECOND;
  if (work === 'changes') return rows / CHANGED_ROWS_PER_SECOND;
  return work === 'batches' ? rows / BATCH_ROWS_PER_SECOND : 0;
}

function describeWriting(work: StepEffect['work'], { rows, bytes }: TableSize): string {
  if (work === 'index') return `writes an index of about ${describeBytes(rows * INDEX_BYTES_PER_ROW)}`;
  if (work === 'changes') return `writes at most ${describeBytes(bytes)}`;
  return work === 'batches' ? 'writes what is missing, in batches' : '';
}

function describeDuration(seconds: number): string {
  if (seconds < 1) return 'less than a second';
  return seconds < 120 ? `about ${Math.ceil(seconds)} s` : `about ${Math.ceil(seconds / 60)} min`;
}

function describeSize({ rows, bytes }: TableSize): string {
  return `${rows.toLocaleString('en-US')} rows, ${describeBytes(bytes)}`;
}

function describeBytes(bytes: number): string {
  return bytes < 1e9 ? `${Math.ceil(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

async function readSizes(database: Database): Promise<Map<string, TableSize>> {
  const { rows } = await sql<TableSize & { name: string }>`
    select relname as name, greatest(reltuples, 0)::float8 as rows, pg_table_size(oid)::float8 as bytes
    from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace`.execute(database);
  return new Map(rows.map(({ name, ...size }) => [name, size]));
}

async function readIndexes(database: Database): Promise<Map<string, string>> {
  const { rows } = await sql<{ indexname: string; tablename: string }>`
    select indexname, tablename from pg_indexes where schemaname = current_schema()`.execute(database);
  return new Map(rows.map(({ indexname, tablename }) => [indexname, tablename]));
}
