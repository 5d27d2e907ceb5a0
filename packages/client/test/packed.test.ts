// What others install: the packages as npm packs them, in an empty folder, with every version of Node that they are for.

import { execFile } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { createRegistrant } from '../../../test/support/registrants.js';
import { type Service, startService, temporaryFolder } from '../../../test/support/service.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const packed = ['core', 'contract', 'chain-client', 'client', 'cli'];
const laterNode = (major: number) =>
  join(root, `node_modules/.cache/node-${major}/node_modules/node-linux-${process.arch}/bin/node`);
/** The one that runs this is the oldest. */
const nodes: [version: string, path: string][] = [
  [process.version, process.execPath],
  ['v22.', laterNode(22)],
  ['v24.', laterNode(24)],
];

const script = `
import { writeFile } from 'node:fs/promises';
import { createClient, verify, waitForStatus } from '@provenance-registry/client';
import { hashFile } from '@provenance-registry/client/node';

const { BASE_URL, CREDENTIAL, MARK_ID } = process.env;
await writeFile('note.txt', 'note for Node ' + process.version);
const client = createClient({ baseUrl: BASE_URL, credential: CREDENTIAL });
const { fingerprint, size } = await hashFile('note.txt');
await client.createArtifact({ markId: MARK_ID, fingerprint, size, filename: 'note.txt' });
await waitForStatus(client, fingerprint);
const { rpcUrl } = await client.getContract();
const { verdict, checks } = await verify(fingerprint, { client, chain: { rpcUrl } });
console.log(JSON.stringify([process.version, verdict, ...Object.values(checks).map(({ state }) => state)]));
`;

const typed = `
import { type Artifact } from '@provenance-registry/core';
import { createClient, type Verification, verify } from '@provenance-registry/client';
import { hashFile } from '@provenance-registry/client/node';

const client = createClient({ baseUrl: 'http://127.0.0.1' });
export const made = async (): Promise<Artifact> =>
  client.createArtifact({ markId: '', filename: '', fingerprint: (await hashFile('x')).fingerprint });
export const found = (): Promise<Verification> => verify('0x', { client });
// @ts-expect-error a creation has no such field
client.createArtifact({ markId: '', filename: '', fingerprint: '0x', colour: 'red' });
`;

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
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'somewhere-else', type: 'module' }));
  await npm(folder, 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', ...files);
  await writeFile(join(folder, 'script.js'), script);
  // The packages come over the network.
}, 300_000);

/** As a person would call it, and not as a script of this project. */
function npm(cwd: string, ...args: string[]) {
  const own = Object.entries(process.env).filter(([name]) => !/^npm_(package|lifecycle)_|^BASE_URL$/.test(name));
  return promisify(execFile)('npm', [...args, '--loglevel=error'], { cwd, env: Object.fromEntries(own) });
}

describe('What is packed, in an empty folder,', () => {
  test.each(nodes)('hashes, registers and verifies on Node %s', async (version, node) => {
    const { token, markId } = await createRegistrant(service.url);
    const env = { BASE_URL: service.url, CREDENTIAL: token, MARK_ID: markId };
    const { stdout } = await promisify(execFile)(node, ['script.js'], { cwd: folder, env });
    expect(JSON.parse(stdout)).toEqual([
      expect.stringContaining(version),
      'verified',
      'confirmed',
      'confirmed',
      'confirmed',
    ]);
  });

  test.each(nodes)('has a command that hashes and verifies on Node %s', async (_version, node) => {
    const provenance = (...args: string[]) =>
      promisify(execFile)(node, [join(folder, 'node_modules/.bin/provenance'), ...args], {
        cwd: folder,
        env: { HOME: folder, PROVENANCE_URL: service.url },
      });
    await writeFile(join(folder, 'unknown.txt'), 'what nobody has registered');
    const { stdout } = await provenance('hash', '--art', 'unknown.txt');
    expect(stdout).toMatch(/^0x[0-9a-f]{64} {2}unknown\.txt\n\+-{17}\+\n/);
    await expect(provenance('verify', 'unknown.txt')).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining('unknown.txt: unknown\n'),
      stderr: '',
    });
  });

  test('brings its types', async () => {
    await writeFile(join(folder, 'typed.ts'), typed);
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--skipLibCheck'];
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    await promisify(execFile)(process.execPath, [tsc, ...options, 'typed.ts'], { cwd: folder });
  });

  test('has nothing in it but what was compiled', async () => {
    const names = await readdir(join(folder, 'node_modules/@provenance-registry/client'), { recursive: true });
    expect(names.filter((name) => /test|tsbuildinfo|(?<!\.d)\.ts$/.test(name))).toEqual([]);
  });
});
