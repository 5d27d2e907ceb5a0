// Which module may import which: the rules are the table in ARCHITECTURE.md, and `scripts/imports.mjs` checks them.

import { posix } from 'node:path';

/** @typedef {{ module: string, mayImport: readonly string[] }} Rule */
/** @typedef {{ file: string, module: string | undefined, imported: string }} ForbiddenImport */

const scope = '@provenance-registry/';
/** May import every module of the server. */
const EVERYTHING = 'everything';
const NO_LIBRARY = 'no library';
const serverFolder = 'packages/server/src/';

/**
 * The rows of the table: modules in the first column, what they may import in the last one.
 * @param {string} architecture
 * @returns {Rule[]}
 */
export function readRules(architecture) {
  const rows = architecture.split('\n').filter((line) => /^\| `(?:packages|server\/src)\//.test(line));
  const rules = rows.flatMap((row) => {
    const cells = row.split('|').slice(1, -1);
    const mayImport = listNames(cells.at(-1) ?? '');
    return listNames(cells[0] ?? '').map((name) => ({ module: name.replace('server/src/', ''), mayImport }));
  });
  const modules = new Set(rules.map(({ module }) => module));
  /** A package may be named without its folder, unless a module of the server has the same name. @param {string} name */
  const toModule = (name) => (!modules.has(name) && modules.has(`packages/${name}`) ? `packages/${name}` : name);
  return rules.map(({ module, mayImport }) => ({ module, mayImport: mayImport.map(toModule) }));
}

/** @param {string} cell */
function listNames(cell) {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
}

/**
 * @param {readonly Rule[]} rules
 * @param {ReadonlyMap<string, string>} files the text of each source file, by its path from the root
 * @returns {ForbiddenImport[]}
 */
export function findForbiddenImports(rules, files) {
  const modules = new Set(rules.map(({ module }) => module));
  return [...files].flatMap(([file, text]) => {
    const module = findModule(rules, file);
    const rule = rules.find((candidate) => candidate.module === module);
    if (!rule) return [{ file, module, imported: 'a module without a row' }];
    const imported = listImports(text).map((specifier) => resolve(rules, file, specifier));
    return imported.filter((name) => !isAllowed(rule, name, modules)).map((name) => ({ file, module, imported: name }));
  });
}

/** Libraries that the table names are for the modules that have them in their row. @param {Rule} rule @param {string} imported @param {ReadonlySet<string>} modules */
function isAllowed({ module, mayImport }, imported, modules) {
  if (imported === module || mayImport.includes(imported)) return true;
  if (imported.startsWith('node:')) return !mayImport.some((name) => name.startsWith('node:'));
  if (imported.startsWith('library ')) return !mayImport.includes(NO_LIBRARY);
  return mayImport.includes(EVERYTHING) && !imported.startsWith('packages/') && modules.has(imported);
}

/** @param {string} text */
function listImports(text) {
  const statements = text.matchAll(/^(?:import|export)\b(?:[^'";]*?\bfrom)? ?'([^']+)'|\bimport\('([^']+)'\)/gm);
  return [...statements].map(([, from, dynamic]) => from ?? dynamic ?? '');
}

/** The module or library of what a file imports. @param {readonly Rule[]} rules @param {string} file @param {string} specifier */
function resolve(rules, file, specifier) {
  if (specifier.startsWith('.')) {
    const path = posix.normalize(posix.join(posix.dirname(file), specifier)).replace(/\.js$/, '.ts');
    return findModule(rules, path) ?? path;
  }
  if (specifier.startsWith('node:')) return specifier;
  if (specifier.startsWith(scope)) {
    const [name = '', part = ''] = specifier.slice(scope.length).split('/');
    const folder = `packages/${name}/src/${part}`;
    return rules.some(({ module }) => module === folder) ? folder : `packages/${name}`;
  }
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  return rules.some(({ mayImport }) => mayImport.includes(name)) ? name : `library ${name}`;
}

/** The row with the longest path. @param {readonly Rule[]} rules @param {string} path */
function findModule(rules, path) {
  const name = path.startsWith(serverFolder) ? path.slice(serverFolder.length) : path;
  const found = rules.filter(({ module }) => name === module || name.startsWith(`${module}/`));
  const [longest] = found.toSorted((one, other) => other.module.length - one.module.length);
  return longest?.module;
}
