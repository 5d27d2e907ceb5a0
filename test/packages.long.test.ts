// The packages that users install, as `npm run pack` packs them: installed without a network into an empty folder, on every
// supported Node, and used as their README says, line by line.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createClient } from '../packages/client/src/index.js';
import { draw, references } from '../packages/server/test/support/pictures.js';
import { startConnectProxy } from './support/connectProxy.js';
import { startPackageRegistry } from './support/packageRegistry.js';
import { freePort } from './support/ports.js';
import { temporaryFolder } from './support/service.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);
const nodePath = (major: number) =>
  join(root, `node_modules/.cache/node-${major}/node_modules/node-linux-${process.arch}/bin/node`);
/** Tests run on the oldest supported version. */
const nodes: [version: string, path: string][] = [
  [process.version, process.execPath],
  ['v22.', nodePath(22)],
  ['v24.', nodePath(24)],
];
const MAX_SDK_BYTES = 15_000_000;
/** The contract in the README, which readers replace by their own. */
const EXAMPLE_CONTRACT = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const photo = references[0] ?? expect.fail('no picture');

let tarballs: string[];
beforeAll(async () => {
  const folder = await temporaryFolder();
  await run(process.execPath, [join(root, 'scripts/pack.mjs'), folder]);
  tarballs = (await readdir(folder)).map((name) => join(folder, name));
  expect(tarballs).toHaveLength(3);
}, 300_000);

/** An empty folder, and a shell in which npm installs from a registry with the tarballs, also with `--global`. */
async function createMachine(node: string) {
  const folder = await temporaryFolder();
  const prefix = join(folder, 'global');
  const env: Record<string, string> = {
    HOME: folder,
    PATH: [join(prefix, 'bin'), dirname(node), process.env['PATH']].join(delimiter),
    npm_config_registry: await startPackageRegistry(tarballs),
    npm_config_prefix: prefix,
    npm_config_cache: join(folder, 'cache'),
    npm_config_update_notifier: 'false',
    npm_config_fund: 'false',
  };
  return {
    folder,
    modules: join(prefix, 'lib/node_modules'),
    env,
    /** Runs a line; `code` is its exit code. */
    async run(line: string, more: Readonly<Record<string, string>> = {}) {
      const child = run('sh', ['-c', line], { cwd: folder, env: { ...env, ...more } });
      const { stdout, stderr } = await child.catch((failed: { stdout: string; stderr: string }) => failed);
      return { code: child.child.exitCode, output: stdout + stderr };
    },
  };
}
type Machine = Awaited<ReturnType<typeof createMachine>>;

/** The lines of a README's shell blocks, or its TypeScript blocks. */
async function readBlocks(name: string, language: 'sh' | 'ts'): Promise<string[]> {
  const text = await readFile(join(root, 'packages', name, 'README.md'), 'utf8');
  const blocks = [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))];
  return blocks.map(([, block = '']) => block.trim());
}
const readLines = async (name: string) => (await readBlocks(name, 'sh')).flatMap((block) => block.split('\n'));

/** Installs and starts the service as its README says. Returns a function that puts its addresses into a text. */
async function startFromReadme(machine: Machine): Promise<(text: string) => string> {
  const [install = '', help = '', start = '', audit = ''] = await readLines('server');
  expect((await machine.run(install)).code).toBe(0);
  expect(await machine.run(help)).toMatchObject({ code: 0, output: expect.stringContaining('DATABASE_URL') });
  const ports = { PORT: String(await freePort()), CHAIN_PORT: String(await freePort()) };
  const service = spawn('sh', ['-c', `exec ${start}`], { cwd: machine.folder, env: { ...machine.env, ...ports } });
  onTestFinished(async () => {
    service.kill('SIGTERM');
    await once(service, 'close');
  });
  await new Promise<void>((resolve, reject) => {
    let output = '';
    const read = (chunk: Buffer) => {
      output += chunk;
      if (output.includes('is ready')) resolve();
    };
    service.stdout.on('data', read);
    service.stderr.on('data', read);
    service.once('close', () => reject(new Error(output)));
  });
  expect(await machine.run(audit, ports)).toMatchObject({ code: 0 });
  const { address } = await createClient({ baseUrl: `http://127.0.0.1:${ports.PORT}` }).getContract();
  return (text) =>
    text
      .replaceAll(':8080', `:${ports.PORT}`)
      .replaceAll(':8545', `:${ports.CHAIN_PORT}`)
      .replaceAll(EXAMPLE_CONTRACT, address);
}

test.each(nodes)(
  'the packages are installed and used as their READMEs say, on Node %s',
  async (version, node) => {
    const machine = await createMachine(node);
    expect((await machine.run('node --version')).output).toContain(version);
    const place = await startFromReadme(machine);
    await mkdir(join(machine.folder, 'photos'));
    const image = await draw(photo.picture).jpeg().toBuffer();
    for (const name of ['photos/sunrise.jpg', 'copy.jpg']) await writeFile(join(machine.folder, name), image);
    const proxy = await startConnectProxy({ ports: {} });
    const variables = { PROVENANCE_PASSWORD: 'correct horse battery', HTTP_PROXY: proxy.url };
    const outputs = [
      'added',
      'Logged in as Ada Lovelace',
      'Ada Lovelace',
      '1 registered',
      'submitted',
      'verified',
      'copy.jpg',
    ];
    for (const [index, line] of (await readLines('cli')).entries()) {
      const result = await machine.run(place(line), variables);
      expect({ line, ...result }).toMatchObject({
        code: 0,
        output: expect.stringContaining(outputs[index] ?? 'nothing'),
      });
    }
    expect(proxy.requests).toContainEqual(expect.stringMatching(/^GET http.*\/fingerprints\//));
    await rename(join(machine.modules, '@provenance-registry/cli/node_modules/sharp'), join(machine.folder, 'sharp'));
    expect(await machine.run('provenance file lookalikes copy.jpg', variables)).toMatchObject({
      code: 3,
      output: expect.stringContaining("not searched: the package 'sharp'"),
    });

    await writeFile(
      join(machine.folder, 'sunrise.jpg'),
      await draw({ ...photo.picture, seed: 7 })
        .jpeg()
        .toBuffer(),
    );
    const [install = '', installDecoders = ''] = await readLines('client');
    const [script = '', codesScript = ''] = await readBlocks('client', 'ts');
    await writeFile(join(machine.folder, 'script.mjs'), place(script).replace('ada@', 'grace@'));
    await writeFile(join(machine.folder, 'codes.mjs'), codesScript);
    expect((await machine.run(install)).code).toBe(0);
    expect(await machine.run('node script.mjs')).toEqual({ code: 0, output: 'verified\n' });
    expect(await machine.run('node codes.mjs')).toEqual({ code: 0, output: 'no-decoder\n' });
    expect((await machine.run(installDecoders)).code).toBe(0);
    expect(await machine.run('node codes.mjs')).toEqual({ code: 0, output: 'found\n' });
  },
  1_200_000,
);

describe('the packed SDK', () => {
  let machine: Machine;
  let client: string;
  beforeAll(async () => {
    machine = await createMachine(process.execPath);
    await writeFile(join(machine.folder, 'package.json'), '{ "type": "module" }');
    const [install = ''] = await readLines('client');
    expect((await machine.run(install)).code).toBe(0);
    client = join(machine.folder, 'node_modules/@provenance-registry/client');
  }, 300_000);

  test('contains compiled code, types, a README and licenses, and names no package of the workspace', async () => {
    const files = (await readdir(client, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    const names = files.map(({ name }) => name);
    expect(names.filter((name) => /test|tsbuildinfo|\.map$|(?<!\.d)\.ts$/.test(name))).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(['README.md', 'LICENSE', 'LICENSES.txt']));
    const modules = files.filter(({ name }) => /\.(?:js|ts)$/.test(name));
    const texts = await Promise.all(modules.map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8')));
    expect(texts.filter((text) => /['"]@provenance-registry\/(?!client)/.test(text))).toEqual([]);
    expect(await readdir(dirname(client))).toEqual(['client']);
  });

  test('takes at most 15 MB, with everything that it needs', async () => {
    const modules = join(machine.folder, 'node_modules');
    const entries = await readdir(modules, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    const sizes = await Promise.all(files.map(async (path) => (await stat(path)).size));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MAX_SDK_BYTES);
  });

  test('compiles in strict TypeScript', async () => {
    await writeFile(join(machine.folder, 'readme.ts'), (await readBlocks('client', 'ts')).join('\n'));
    await writeFile(join(machine.folder, 'typed.ts'), typedProgram);
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const options = '--noEmit --strict --module nodenext --target es2023 --skipLibCheck --types ""';
    expect(await machine.run(`node ${tsc} ${options} readme.ts typed.ts`)).toEqual({ code: 0, output: '' });
  });

  test('is bundled by Vite and by esbuild, without what a program does not use', async () => {
    await writeFile(join(machine.folder, 'index.html'), '<script type="module" src="./page.js"></script>');
    await writeFile(join(machine.folder, 'page.js'), pageProgram);
    const vite = join(root, 'node_modules/vite/bin/vite.js');
    expect((await machine.run(`node ${vite} build --logLevel error`)).output).toBe('');
    const assets = await readdir(join(machine.folder, 'dist/assets'));
    for (const name of ['hashWorker', 'soundHashWorker', 'imageHashWorker', 'embeddedWorker', 'c2pa', 'chromaprint']) {
      expect(assets).toContainEqual(expect.stringMatching(new RegExp(`^${name}.*\\.(?:js|wasm)$`)));
    }
    await writeFile(join(machine.folder, 'small.js'), smallProgram);
    const esbuild = join(root, 'node_modules/.bin/esbuild');
    const options = '--bundle --format=esm --splitting --minify --outdir=small';
    expect((await machine.run(`${esbuild} small.js ${options} --log-level=error`)).output).toBe('');
    const small = await readFile(join(machine.folder, 'small/small.js'), 'utf8');
    expect(small).not.toContain('registerManifests');
  });
});

const typedProgram = `
import { type Artifact, createClient, type Verification, verify } from '@provenance-registry/client';
import { hashFile } from '@provenance-registry/client/node';

const client = createClient({ baseUrl: 'http://127.0.0.1' });
export const create = async (): Promise<Artifact> =>
  client.createArtifact({ markId: '', filename: '', fingerprint: (await hashFile('x')).fingerprint });
export const check = (): Promise<Verification> => verify('0x', { client });
// @ts-expect-error no such field
client.createArtifact({ markId: '', filename: '', fingerprint: '0x', color: 'red' });
`;

const pageProgram = `
import { createClient, readEmbeddedManifest, verify } from '@provenance-registry/client';
import { computePerceptualHashes, hashBlob } from '@provenance-registry/client/browser';
Object.assign(window, { computePerceptualHashes, createClient, hashBlob, readEmbeddedManifest, verify });
`;

const smallProgram = `
import { createClient } from '@provenance-registry/client';
Object.assign(window, { createClient });
`;
