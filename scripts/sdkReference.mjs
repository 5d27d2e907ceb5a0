// Writes docs/sdk-reference.md from the JSDoc of the SDK's exports, as compiled to declaration files. Fails when an
// export lacks a description or an example; with --check, also when the file is not current.

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as core from '@provenance-registry/core';

const root = fileURLToPath(new URL('..', import.meta.url));
const output = join(root, 'docs/sdk-reference.md');
const coreFolder = join(root, 'packages/core/dist');
const entryPoints = [
  { name: '@provenance-registry/client', file: 'packages/client/dist/index.d.ts' },
  { name: '@provenance-registry/client/node', file: 'packages/client/dist/node/index.d.ts' },
  { name: '@provenance-registry/client/browser', file: 'packages/client/dist/browser/index.d.ts' },
];

/** @typedef {{ name: string, comment: string, declaration: string }} Symbol */

/** @param {string} file */
async function readExports(file) {
  const path = join(root, file);
  const text = await readFile(path, 'utf8');
  const symbols = [...text.matchAll(/export (?:type )?\{([^}]*)\} from '([^']+)'/g)].flatMap(
    ([, names = '', from = '']) =>
      names.match(/\w+(?=,|\s*$)/g)?.map((name) => readSymbol(name, from, dirname(path))) ?? [],
  );
  return (await Promise.all(symbols)).sort((one, other) => one.name.localeCompare(other.name));
}

/** @param {string} name @param {string} from @param {string} folder @returns {Promise<Symbol>} */
async function readSymbol(name, from, folder) {
  const files = from.startsWith('.') ? [resolve(folder, from.replace(/js$/, 'd.ts'))] : await listDeclarations();
  const start = `export (?:declare )?(?:(?:async )?function|class|interface|type) ${name}\\b`;
  const pattern = new RegExp(`(?:/\\*\\*((?:(?!\\*/)[^])*?)\\*/\\n)?^(${start}[^]*)`, 'm');
  for (const file of files) {
    const found = pattern.exec(await readFile(file, 'utf8'));
    if (found) return { name, comment: cleanComment(found[1] ?? ''), declaration: firstStatement(found[2] ?? '') };
  }
  throw new Error(`No declaration of ${name} in ${files.join(', ')}.`);
}

async function listDeclarations() {
  const names = await readdir(coreFolder, { recursive: true });
  return names.filter((name) => name.endsWith('.d.ts')).map((name) => join(coreFolder, name));
}

/** @param {string} comment */
function cleanComment(comment) {
  return comment.replace(/^ *\*+ ?/gm, '').trim();
}

/** A top-level statement of a declaration file ends where no bracket is open. @param {string} text */
function firstStatement(text) {
  let depth = 0;
  /** @type {string[]} */
  const lines = [];
  for (const line of text.split('\n')) {
    lines.push(line);
    const code = line.replace(/\/\*.*?\*\/|^ *\*.*|^ *\/\*\*.*/g, '');
    depth += (code.match(/[{([]/g) ?? []).length - (code.match(/[})\]]/g) ?? []).length;
    if (depth === 0 && /[;}]$/.test(line)) break;
  }
  const statement = lines.join('\n').replace(/^export (?:declare )?/, '');
  return statement.replace(/^( {4})+/gm, (indent) => ' '.repeat(indent.length / 2));
}

/** @param {Symbol} symbol */
function renderSymbol({ name, comment, declaration }) {
  const [description = '', ...tags] = comment.split(/^@/m);
  const throws = tags.filter((tag) => tag.startsWith('throws')).map((tag) => `Throws ${tag.slice(7).trim()}`);
  const example = tags.find((tag) => tag.startsWith('example'))?.slice(8);
  if (!description.trim() || !example?.trim()) problems.push(name);
  return [
    `### \`${name}\``,
    linkNames(description.trim()),
    ...(/= Static</.test(declaration) ? [] : [['```ts', declaration, '```'].join('\n')]),
    ...throws.map(linkNames),
    ...renderFields(name),
    'Example:',
    example?.trim() ?? '',
  ].join('\n\n');
}

/** @param {string} text */
function linkNames(text) {
  return text.replace(/\{@link (\w+)\}/g, (_, name) => `[\`${name}\`](#${name.toLowerCase()})`);
}

/** The fields of types that come from a schema, and the methods of the client. @param {string} name */
function renderFields(name) {
  if (name === 'RegistryClient') {
    const rows = Object.values(core.api).map(
      ({ id, method, path, summary }) => `| \`${id}\` | \`${method} ${path}\` | ${summary} |`,
    );
    return [['| Method | Operation | Purpose |', '| --- | --- | --- |', ...rows].join('\n')];
  }
  const schema = { Artifact: core.Artifact, Mark: core.Mark }[name];
  if (!schema) return [];
  const rows = Object.entries(schema.properties).map(([field, property]) => {
    const description = 'description' in property ? property.description : '';
    return `| \`${field}\` | ${description} |`;
  });
  return [['| Field | Meaning |', '| --- | --- |', ...rows].join('\n')];
}

/** @type {string[]} */
const problems = [];
const sections = [];
for (const { name, file } of entryPoints) {
  sections.push(`## \`${name}\``, ...(await readExports(file)).map(renderSymbol));
}
if (problems.length > 0) {
  process.stderr.write(`Exports without a description or an example: ${problems.join(', ')}\n`);
  process.exit(1);
}
const intro =
  'Generated by `npm run docs:sdk` from the comments in the code. [The guide](sdk.md) explains how the parts work together.';
const text = `${['# SDK reference', intro, ...sections].join('\n\n')}\n`;
if (!process.argv.includes('--check')) await writeFile(output, text);
else if ((await readFile(output, 'utf8').catch(() => '')) !== text) {
  process.stderr.write('docs/sdk-reference.md is not current: run npm run docs:sdk\n');
  process.exit(1);
}
