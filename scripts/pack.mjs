// Packs what users install: `npm run pack -- FOLDER` writes the tarballs of the SDK, the command and the service there. The
// other packages of this workspace are inside them, and their dependencies are packages of others alone.

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { rolldown } from 'rolldown';
import { collectLicenses } from './bundledLicenses.mjs';
import { externalPackages } from './externalPackages.mjs';
import { prepare, root, run } from './prepare.mjs';

/** @typedef {Record<string, string>} Texts */
/**
 * @typedef {{ private?: boolean, dependencies?: Texts, optionalDependencies?: Texts, devDependencies?: Texts,
 *   peerDependencies?: Texts, exports?: Record<string, string | Texts>, imports?: Record<string, Texts> }} Manifest
 */

const SCOPE = '@provenance-registry/';
/** Under the LGPL, and used by inlined packages: it stays a package of its own. */
const REPLACEABLE_PACKAGE = 'codec-parser';
/** Packages of which the SDK uses a small part. */
const inlinedPackages = /^(?:@wasm-audio-decoders\/|cborg$|hash-wasm|ogg-opus-decoder)/;
/** What those import and never use here: an enhancement of speech (4 MB), and workers of their own. */
const unusedPackages = /\/node_modules\/@(?:wasm-audio-decoders\/opus-ml|eshaz\/web-worker)\//;
/** Names of modules in compiled files, also of those that a module loads by `new URL('./name.js', import.meta.url)`. */
const moduleNames = /(?<=\b(?:from|import)\s*\(?\s*|\bnew URL\()(['"])([^'"\n]+)\1/g;

const target = resolve(process.argv[2] ?? join(root, 'dist'));
await prepare();
const stage = mkdtempSync(join(tmpdir(), 'provenance-pack-'));
try {
  const { peerDependencies = {} } = readManifest('client');
  stagePackage(
    'client',
    (name) => !(name in peerDependencies) && !inlinedPackages.test(name) && !name.startsWith(SCOPE),
  );
  await stageModules('client');
  for (const program of ['cli', 'server']) {
    stagePackage(program, isExternal);
    copy(`packages/${program}/bundle`, `${program}/bundle`);
  }
  for (const folder of ['fonts', 'migrations']) copy(`packages/server/${folder}`, `server/${folder}`);
  for (const folder of ['page', 'docs']) copy(`packages/web/dist/${folder}`, `server/web/${folder}`);
  mkdirSync(target, { recursive: true });
  const folders = ['client', 'cli', 'server'].map((name) => join(stage, name));
  await run(undefined, 'npm', ['pack', '--loglevel=error', '--pack-destination', target, ...folders]);
} finally {
  rmSync(stage, { recursive: true });
}

/**
 * Stages what all packages have: manifest, README and license.
 * @param {string} name
 * @param {(dependency: string) => boolean} isInstalled whether npm installs that package with this one
 */
function stagePackage(name, isInstalled) {
  const inside = listInside(name).map(readManifest);
  /** @param {(manifest: Manifest) => Texts | undefined} select */
  const collect = (select) => {
    const versions = inside.flatMap((manifest) => Object.entries(select(manifest) ?? {}));
    return Object.fromEntries(versions.filter(([dependency]) => isInstalled(dependency)).toSorted());
  };
  const { private: isPrivate, devDependencies, ...manifest } = readManifest(name);
  const dependencies = collect((other) => other.dependencies);
  const optionalDependencies = collect((other) => other.optionalDependencies);
  for (const dependency of Object.keys(dependencies)) delete optionalDependencies[dependency];
  write(
    join(stage, name, 'package.json'),
    JSON.stringify({ ...manifest, dependencies, optionalDependencies }, null, 2),
  );
  copy(`packages/${name}/README.md`, `${name}/README.md`);
  copy('LICENSE', `${name}/LICENSE`);
}

/** The packages of this workspace that a package needs, itself first. @param {string} name @returns {string[]} */
function listInside(name) {
  const names = Object.keys(readManifest(name).dependencies ?? {}).filter((other) => other.startsWith(SCOPE));
  return [...new Set([name, ...names.flatMap((other) => listInside(other.slice(SCOPE.length)))])];
}

/**
 * Stages the compiled modules and types that the entry points of a package reach, one file each, so that bundlers can leave
 * out what an application does not use. Those of other packages of this workspace go to `dist/internal`.
 * @param {string} name
 */
async function stageModules(name) {
  const { exports = {}, imports = {} } = readManifest(name);
  const entries = [...Object.values(exports), ...Object.values(imports)].flatMap((entry) =>
    typeof entry === 'string' ? [entry] : Object.values(entry),
  );
  const queue = new Set(entries.map((entry) => join(root, 'packages', name, entry)));
  const inlinedFiles = new Set();
  for (const file of queue) {
    const place = placeOf(name, file);
    let text = readFileSync(file, 'utf8').replace(/\n\/\/# sourceMappingURL=.*/, '');
    if (
      file.endsWith('.js') &&
      [...text.matchAll(moduleNames)].some(([, , module]) => inlinedPackages.test(module ?? ''))
    ) {
      const { code, moduleIds } = await inlinePackages(file);
      for (const id of moduleIds) inlinedFiles.add(id);
      text = code;
    }
    text = text.replace(moduleNames, (match, quote, module) => {
      const found = findModule(name, file, module);
      if (!found) return match;
      queue.add(found);
      const path = relative(dirname(place), placeOf(name, found))
        .replaceAll(sep, '/')
        .replace(/\.d\.ts$/, '.js');
      return `${quote}${path.startsWith('.') ? path : `./${path}`}${quote}`;
    });
    // Inferred types of the API are indented deeply, and read by compilers alone.
    if (place.startsWith(join('dist', 'internal')) && place.endsWith('.d.ts')) text = text.replace(/^ +/gm, '');
    write(join(stage, name, place), text);
  }
  write(join(stage, name, 'dist/internal/LICENSES.txt'), await collectLicenses([...inlinedFiles]));
}

/** Path of a compiled file of any package in the package that it is packed into. @param {string} name @param {string} file */
function placeOf(name, file) {
  const [folder = '', ...path] = relative(join(root, 'packages'), file).split(sep);
  return folder === name ? join(...path) : join('dist/internal', folder, ...path.slice(1));
}

/**
 * The compiled file that a module name stands for; undefined if it is in a package of others.
 * @param {string} name @param {string} importer @param {string} module
 */
function findModule(name, importer, module) {
  const isTypes = importer.endsWith('.d.ts');
  if (module.startsWith('.')) return join(dirname(importer), isTypes ? module.replace(/\.js$/, '.d.ts') : module);
  if (!module.startsWith(SCOPE) || module.startsWith(SCOPE + name)) return undefined;
  const [folder = '', ...path] = module.slice(SCOPE.length).split('/');
  const entry = readManifest(folder).exports?.[['.', ...path].join('/')];
  const file = typeof entry === 'string' ? entry : entry?.[isTypes ? 'types' : 'default'];
  if (!file) throw new Error(`${importer}: ${module} is not exported`);
  return join(root, 'packages', folder, file);
}

/** A module with the parts that it uses of inlined packages. @param {string} file */
async function inlinePackages(file) {
  const bundle = await rolldown({
    input: file,
    tsconfig: false,
    external: (module, importer, isResolved) =>
      !isResolved && (importer === file ? !inlinedPackages.test(module) : module === REPLACEABLE_PACKAGE),
    plugins: [{ name: 'unused', load: (id) => (unusedPackages.test(id) ? 'export default class {}' : undefined) }],
  });
  // Comments name modules in types.
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false, comments: { jsdoc: false } });
  return output[0];
}

/** @param {string} name */
function isExternal(name) {
  return externalPackages.some((external) => (typeof external === 'string' ? external === name : external.test(name)));
}

/** @param {string} name @returns {Manifest} */
function readManifest(name) {
  return JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'));
}

/** @param {string} from in the repository @param {string} to in the stage */
function copy(from, to) {
  cpSync(join(root, from), join(stage, to), { recursive: true, filter: (path) => basename(path) !== '.built' });
}

/** @param {string} path @param {string} text */
function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
