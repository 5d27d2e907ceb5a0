// `npm run bench`: runs the benchmarks one after the other and writes the results to docs/performance.md.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { formatValue, isMet } from './report.mjs';

/** Each is a file in this folder. */
const benchmarks = [
  'databaseRoutes',
  'manifests',
  'chainRegistration',
  'lookups',
  'mirror',
  'fingerprintPrefixes',
  'bulkLookups',
  'creations',
  'batchRegistration',
  'uploads',
  'hashing',
  'coldStarts',
  'idle',
  'folderRegistration',
  'hostileFiles',
  'eventLoop',
  'contention',
  'downloads',
  'publicLog',
  'receipts',
  'logImport',
  'monitor',
  'webhooks',
  'lookalikes',
  'growth',
];
const page = fileURLToPath(new URL('../docs/performance.md', import.meta.url));

const help = `npm run bench -- [--ten-million] [benchmark ...]

Each benchmark compares two measurements of the same run. All of them take about twenty minutes on an otherwise idle machine
and write docs/performance.md; named benchmarks only print their results.

  --ten-million   growth also with ten million Artifacts (some 15 GB of disk, half an hour)
  benchmark       ${benchmarks.join(', ')}`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'ten-million': { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
});
const unknown = positionals.filter((name) => !benchmarks.includes(name));
if (values.help || unknown.length > 0) {
  if (unknown.length > 0) console.error(`There is no benchmark ${unknown.join(', ')}.\n`);
  console.log(help);
  process.exit(unknown.length > 0 ? 2 : 0);
}

const folder = mkdtempSync(join(tmpdir(), 'bench-rows-'));
const file = join(folder, 'rows');
const failed = [];
for (const name of positionals.length > 0 ? positionals : benchmarks) {
  console.log(`\n${name}`);
  const path = fileURLToPath(new URL(`./${name}.mjs`, import.meta.url));
  const args = name === 'growth' && values['ten-million'] ? [path, '--ten-million'] : [path];
  const { status } = spawnSync(process.execPath, args, {
    stdio: 'inherit',
    env: { ...process.env, BENCH_ROWS: file },
  });
  if (status !== 0) failed.push(name);
}
/** @type {import('./report.mjs').Row[]} */
const rows = existsSync(file)
  ? readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  : [];
rmSync(folder, { recursive: true });
const missed = rows.filter((row) => !isMet(row));
console.log(`\n${rows.length} rows, ${missed.length} below their target.`);
if (failed.length > 0) {
  console.error(`Could not be measured: ${failed.join(', ')}.`);
  process.exit(1);
}
if (positionals.length === 0) {
  writeFileSync(page, renderPage());
  // `npm run check` also checks the format of the table.
  spawnSync(fileURLToPath(new URL('../node_modules/.bin/biome', import.meta.url)), ['check', '--write', page]);
  console.log('Written to docs/performance.md.');
}

function renderPage() {
  // What was written by hand: the sections after the table.
  const [sections = ''] = /\n## [\s\S]*$/.exec(readFileSync(page, 'utf8')) ?? [];
  const lines = rows.map((row) => {
    const { what, measured, against = '', value, target } = row;
    const verdict = !target ? '' : isMet(row) ? 'met' : '**missed**';
    return `| ${what} | ${measured} | ${against} | ${formatValue(value)} | ${target?.join(' ') ?? ''} | ${verdict} |`;
  });
  return `# Performance

Written by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}: ${describeMachine()}.

Both sides of a comparison were measured in alternating rounds of one run; the ratio is the median of the ratios of the rounds.
Rates depend on the machine, ratios hardly. The load generator is a separate process on the same machine and shares its cores.

| What | Measured | Against | Ratio or value | Target | |
| --- | --- | --- | --- | --- | --- |
${lines.join('\n')}
${sections}`;
}

function describeMachine() {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} cores (${cpu?.model ?? 'unknown'}), ${memory} GB of memory, Linux on ${process.arch}, Node ${process.version}`;
}
