// The quick start of README.md and docs/index.md, as a newcomer follows it: its lines in a shell, in the folder of the clone.

import { execFile } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { createClient } from '../packages/client/src/index.js';
import { type Block, listBlocks } from './support/documentedBlocks.js';
import { startService, temporaryFolder } from './support/service.js';

/** The contract in the examples, which readers replace by their own. */
const EXAMPLE_CONTRACT = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const root = fileURLToPath(new URL('..', import.meta.url));

it('three lines register and verify a file, and five of TypeScript verify it again', async () => {
  const [start, commands, program] = listPrograms(await listBlocks('README.md'));
  expect([start, commands, program]).toEqual(listPrograms(await listBlocks('docs/index.md')));
  expect([start, commands?.split('\n').length, program?.match(/;/g)?.length]).toEqual(['npm start\n', 4, 5]);

  const { url } = await startService();
  const { rpcUrl = '', address } = await createClient({ baseUrl: url }).getContract();
  const home = await temporaryFolder();
  const run = async (file: string, args: readonly string[], cwd: string) => {
    // The service of this test has other ports than that of `npm start`.
    const env = { PATH: process.env['PATH'] ?? '', HOME: home, PROVENANCE_URL: url };
    const process_ = promisify(execFile)(file, args, { cwd, env });
    process_.child.stdin?.end('a password of twelve words\n');
    return (await process_).stdout;
  };
  const atService = (code = '') =>
    code
      .replaceAll('http://127.0.0.1:8080', url)
      .replaceAll('http://127.0.0.1:8545', rpcUrl)
      .replaceAll(EXAMPLE_CONTRACT, address);
  const output = await run('sh', ['-eu', '-c', atService(commands)], root);
  expect(output).toMatch(
    /^Logged in as Ada Lovelace \(profile default\)\.\n1 file: 1 registered\nREADME\.md: verified\n/,
  );

  await symlink(join(root, 'node_modules'), join(home, 'node_modules'));
  await symlink(join(root, 'README.md'), join(home, 'README.md'));
  await writeFile(join(home, 'check.mjs'), atService(program));
  expect(await run(process.execPath, ['check.mjs'], home)).toBe('verified\n');
});

function listPrograms(blocks: readonly Block[]): string[] {
  return blocks
    .filter(({ language }) => ['sh', 'ts'].includes(language))
    .flatMap(({ code }) => code)
    .slice(0, 3);
}
