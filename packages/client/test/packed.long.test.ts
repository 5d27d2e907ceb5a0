// The published packages, as packed by npm, installed into an empty folder and run on every supported Node version.

import { execFile } from 'node:child_process';
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { startConnectProxy } from '../../../test/support/connectProxy.js';
import { createRegistrant } from '../../../test/support/registrants.js';
import { type Service, startService, temporaryFolder } from '../../../test/support/service.js';
import { draw, references } from '../../server/test/support/pictures.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const packed = ['core', 'contract', 'chain-client', 'media', 'client', 'cli'];
const nodePath = (major: number) =>
  join(root, `node_modules/.cache/node-${major}/node_modules/node-linux-${process.arch}/bin/node`);
/** Tests run on the oldest supported version. */
const nodes: [version: string, path: string][] = [
  [process.version, process.execPath],
  ['v22.', nodePath(22)],
  ['v24.', nodePath(24)],
];

const script = `
import { writeFile } from 'node:fs/promises';
import { createClient, verify, waitForStatus } from '@provenance-registry/client';
import { computeCodes, hashFile } from '@provenance-registry/client/node';

const { BASE_URL, CREDENTIAL, MARK_ID } = process.env;
await writeFile('note.txt', 'note for Node ' + process.version);
const client = createClient({ baseUrl: BASE_URL, credential: CREDENTIAL });
const { fingerprint, size } = await hashFile('note.txt');
await client.createArtifact({ markId: MARK_ID, fingerprint, size, filename: 'note.txt' });
await waitForStatus(client, fingerprint);
const { rpcUrl } = await client.getContract();
const { verdict, checks } = await verify(fingerprint, { client, chain: { rpcUrl } });
const { codes } = await computeCodes('photo.png');
const states = Object.values(checks).map(({ state }) => state);
console.log(JSON.stringify([process.version, verdict, ...states, codes?.pHash]));
`;

const typedProgram = `
import { type Artifact } from '@provenance-registry/core';
import { createClient, type Verification, verify } from '@provenance-registry/client';
import { hashFile } from '@provenance-registry/client/node';

const client = createClient({ baseUrl: 'http://127.0.0.1' });
export const create = async (): Promise<Artifact> =>
  client.createArtifact({ markId: '', filename: '', fingerprint: (await hashFile('x')).fingerprint });
export const check = (): Promise<Verification> => verify('0x', { client });
// @ts-expect-error no such field
client.createArtifact({ markId: '', filename: '', fingerprint: '0x', color: 'red' });
`;

const photo = references[0] ?? expect.fail('no picture');
let folder: string;
let service: Service;

beforeAll(async () => {
  service = await startService();
  folder = await temporaryFolder();
  const tarballs = join(folder, 'tarballs');
  await mkdir(tarballs);
  const workspaces = packed.map((name) => `--workspace=packages/${name}`);
  await npm(root, 'pack', ...workspaces, '--pack-destination', tarballs);
  const files = (await readdir(tarballs)).map((name) => join(tarballs, name));
  expect(files).toHaveLength(packed.length);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'consumer', type: 'module' }));
  await npm(folder, 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', ...files);
  await writeFile(join(folder, 'script.js'), script);
  await writeFile(join(folder, 'photo.png'), await draw(photo.picture).png().toBuffer());
  // Dependencies may have to be downloaded.
}, 300_000);

/** Without the environment that npm sets for scripts of this project. */
function npm(cwd: string, ...args: string[]) {
  const variables = Object.entries(process.env).filter(([name]) => !/^npm_(package|lifecycle)_|^BASE_URL$/.test(name));
  return promisify(execFile)('npm', [...args, '--loglevel=error'], { cwd, env: Object.fromEntries(variables) });
}

describe('The packed packages', () => {
  test.each(nodes)('hash, register and verify on Node %s', async (version, node) => {
    const { token, markId } = await createRegistrant(service.url);
    const env = { BASE_URL: service.url, CREDENTIAL: token, MARK_ID: markId };
    const { stdout } = await promisify(execFile)(node, ['script.js'], { cwd: folder, env });
    expect(JSON.parse(stdout)).toEqual([
      expect.stringContaining(version),
      'verified',
      'confirmed',
      'confirmed',
      'confirmed',
      photo.codes.pHash,
    ]);
  });

  test.each(nodes)('have a command that hashes and verifies, through a proxy, on Node %s', async (_version, node) => {
    const proxy = await startConnectProxy({ ports: {} });
    const provenance = (...args: string[]) =>
      promisify(execFile)(node, [join(folder, 'node_modules/.bin/provenance'), ...args], {
        cwd: folder,
        env: { HOME: folder, PROVENANCE_URL: service.url, HTTP_PROXY: proxy.url },
      });
    await writeFile(join(folder, 'unknown.txt'), 'not registered');
    const { stdout } = await provenance('hash', '--art', 'unknown.txt');
    expect(stdout).toMatch(/^0x[0-9a-f]{64} {2}unknown\.txt\n\+-{17}\+\n/);
    await expect(provenance('verify', 'unknown.txt')).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining('unknown.txt: unknown\n'),
      stderr: '',
    });
    expect(proxy.requests).toContainEqual(expect.stringMatching(/^GET http.*\/fingerprints\//));
    await expect(provenance('lookalikes', 'photo.png')).rejects.toMatchObject({
      code: 1,
      stdout: 'photo.png: no look-alikes found\nOnly codes were sent, not the files.\n',
    });
  });

  test('work without the optional sharp, except that images have no codes', async () => {
    await rename(join(folder, 'node_modules/sharp'), join(folder, 'sharp'));
    const provenance = (...args: string[]) =>
      promisify(execFile)(join(folder, 'node_modules/.bin/provenance'), args, {
        cwd: folder,
        env: { ...process.env, HOME: folder, PROVENANCE_URL: service.url },
      });
    await expect(provenance('lookalikes', 'photo.png')).rejects.toMatchObject({
      code: 3,
      stdout: expect.stringContaining("not searched: the package 'sharp'"),
    });
    await expect(provenance('verify', '--similar', 'photo.png')).rejects.toMatchObject({ code: 1 });
    await rename(join(folder, 'sharp'), join(folder, 'node_modules/sharp'));
  });

  test('include their types', async () => {
    await writeFile(join(folder, 'typed.ts'), typedProgram);
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--skipLibCheck'];
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    await promisify(execFile)(process.execPath, [tsc, ...options, 'typed.ts'], { cwd: folder });
  });

  test('contain only compiled code, a README and a LICENSE', async () => {
    const names = await readdir(join(folder, 'node_modules/@provenance-registry/client'), { recursive: true });
    expect(names.filter((name) => /test|tsbuildinfo|(?<!\.d)\.ts$/.test(name))).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(['README.md', 'LICENSE']));
  });
});
