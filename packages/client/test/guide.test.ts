// The examples in docs/sdk.md, run as one script and compiled in strict TypeScript.

import { execFile } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startService, temporaryFolder } from '../../../test/support/service.js';
import { draw } from '../../server/test/support/pictures.js';
import { createClient } from '../src/index.js';

const guide = new URL('../../../docs/sdk.md', import.meta.url);
/** The contract in the guide, which readers replace by their own. */
const EXAMPLE_CONTRACT = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const nodeModules = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const examples = [...(await readFile(guide, 'utf8')).matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(
  ([, code = '']) => code,
);

async function createProject(): Promise<string> {
  const folder = await temporaryFolder();
  await symlink(nodeModules, join(folder, 'node_modules'));
  return folder;
}

test('the examples run and print what the guide says', async () => {
  const service = await startService();
  const expected = examples.flatMap((code) =>
    [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, output]) => output),
  );
  const folder = await createProject();
  await writeFile(join(folder, 'note.txt'), 'The Analytical Engine weaves algebraical patterns.\n');
  await draw({ seed: 1, width: 200, height: 150, cell: 25 }).jpeg().toFile(join(folder, 'sunrise.jpg'));
  const { rpcUrl = '', address } = await createClient({ baseUrl: service.url }).getContract();
  const script = examples.join('\n').replaceAll('http://127.0.0.1:8080', service.url);
  const located = script.replaceAll('http://127.0.0.1:8545', rpcUrl).replaceAll(EXAMPLE_CONTRACT, address);
  await writeFile(join(folder, 'script.mjs'), located);
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['script.mjs'], { cwd: folder, env: {} });
  expect(stderr).toBe('');
  const lines = stdout.trim().split('\n');
  expect(lines.filter((line) => expected.includes(line))).toEqual(expected);
  const facts = lines.filter((line) => !expected.includes(line));
  expect(facts).toContain('mark Ada Lovelace chain');
});

/** Uses that have to compile, and one that must not. */
const typedUsage = `
import { createClient, type CheckCode, type SdkErrorCode, verify, verifyBundle, type Bundle } from '@provenance-registry/client';

declare const bundle: Bundle;
const client = createClient({ baseUrl: 'http://127.0.0.1' });
const contract = await client.getContract();
const { checks, facts } = await verify('0x', { client, chain: { rpcUrl: contract.rpcUrl } });
// @ts-expect-error what the service says of its contract is not known from elsewhere
await verify('0x', { client, chain: contract });
await verifyBundle(bundle, { chain: { rpcUrl: contract.rpcUrl } });
export const since = facts.find(({ name }) => name === 'since')?.value;
export const code: CheckCode | undefined = checks.manifest.code;
export const temporary: SdkErrorCode[] = ['SERVICE_UNREACHABLE', 'UNAVAILABLE'];
// @ts-expect-error the chain has no such detail
export const unknown = checks.chain.details.filename;
`;

test('the examples and other typical uses compile in strict TypeScript', async () => {
  const folder = await createProject();
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'examples.ts'), examples.join('\n'));
  await writeFile(join(folder, 'typedUsage.ts'), typedUsage);
  const strictness = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--skipLibCheck'];
  const target = ['--noEmit', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
  const tsc = join(nodeModules, 'typescript/bin/tsc');
  const compile = promisify(execFile)(
    process.execPath,
    [tsc, ...strictness, ...target, 'examples.ts', 'typedUsage.ts'],
    {
      cwd: folder,
    },
  );
  const result = await compile.catch(({ stdout }: { stdout: string }) => ({ stdout }));
  expect(result.stdout).toBe('');
});
