// Clients of the OpenAPI document: generated ones, and its examples in TypeScript and Python. docs/generated-clients.md has the
// generators that need Go and Java.

import { execFile } from 'node:child_process';
import { copyFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { python } from '../../../../test/support/python.js';
import { createRegistrant } from '../../../../test/support/registrants.js';
import { temporaryFolder } from '../../../../test/support/service.js';
import { startExampleRunner } from './exampleRunners.js';
import { type ExampleService, readSamples, runExamples, startExampleService } from './exampleRuns.js';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../../../', import.meta.url));
const generated = fileURLToPath(new URL('../generated/', import.meta.url));
const compiler = [
  join(repository, 'node_modules/typescript/bin/tsc'),
  ...['--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'],
  ...['--typeRoots', join(repository, 'node_modules/@types')],
];

let services: Readonly<Record<'typescript' | 'python', ExampleService>>;

beforeAll(async () => {
  const [typescript, python] = await Promise.all([startExampleService(), startExampleService()]);
  services = { typescript, python };
});

describe('a client that is generated from it creates, looks up and gets an error with its code', () => {
  it('in TypeScript, by openapi-typescript', async () => {
    const folder = await createFolder();
    const tools = join(repository, 'node_modules/.cache/openapi-typescript/node_modules');
    await symlink(tools, join(folder, 'node_modules'));
    await run(
      process.execPath,
      [join(tools, 'openapi-typescript/bin/cli.js'), 'openapi.json', '--output', 'schema.ts'],
      {
        cwd: folder,
      },
    );
    await copyFile(join(generated, 'threeCalls.mts'), join(folder, 'threeCalls.mts'));
    await compile(folder, ['threeCalls.mts']);
    await expectThreeCalls('5e', (args) => run(process.execPath, [join(folder, 'threeCalls.mjs'), ...args]));
  });

  it('in Python, by openapi-python-client', async () => {
    const folder = await createFolder();
    const options = ['--config', join(generated, 'openapi-python-client.yaml'), '--meta', 'none', '--fail-on-warning'];
    await run(
      python,
      [
        '-m',
        'openapi_python_client',
        'generate',
        '--path',
        'openapi.json',
        ...options,
        '--output-path',
        'registry_client',
      ],
      { cwd: folder },
    );
    await run(python, ['-m', 'compileall', '-q', 'registry_client'], { cwd: folder });
    const env = { ...process.env, PYTHONPATH: folder };
    await expectThreeCalls('6f', (args) => run(python, [join(generated, 'three_calls.py'), ...args], { env }));
  });
});

/** A folder with the document. */
async function createFolder(): Promise<string> {
  const folder = await temporaryFolder();
  const document = await fetch(`${services.typescript.url}/api/openapi.json`);
  await writeFile(join(folder, 'openapi.json'), await document.text());
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  return folder;
}

async function expectThreeCalls(
  byte: string,
  start: (args: readonly string[]) => Promise<{ readonly stdout: string }>,
): Promise<void> {
  const { url } = services.typescript;
  const { token, markId } = await createRegistrant(url);
  const fingerprint = `0x${byte.repeat(32)}`;
  const { stdout } = await start([url, token, markId, fingerprint]);
  expect(stdout).toBe(`created ${fingerprint}\nfound a.txt\nrefused CONFLICT\n`);
}

async function compile(folder: string, files: readonly string[]): Promise<void> {
  await run(process.execPath, [...compiler, ...files], { cwd: folder }).catch(({ stdout }: { stdout: string }) =>
    Promise.reject(new Error(stdout)),
  );
}

describe('every example', () => {
  it('of TypeScript compiles in strict mode and runs with the SDK', async () => {
    const folder = await compileExamples();
    const runner = startExampleRunner('typescript');
    await runExamples(services.typescript, 'typescript', async ({ id, success }, _, env) => {
      const [printed] = await runner.run(join(folder, `${id}.mjs`), env);
      expect([id, printed !== undefined]).toEqual([id, success.schema !== undefined]);
      return printed;
    });
    await runner.end();
  });

  it('of Python runs with the standard library', async () => {
    const runner = startExampleRunner('python');
    await runExamples(services.python, 'python', async ({ id, success }, source, env) => {
      const [printed] = await runner.run(source, env);
      expect([id, printed]).toEqual([id, success.schema ? expect.anything() : success.status]);
      return printed;
    });
    await runner.end();
  });
});

/** Compiles all examples at once, and returns the folder that contains them. */
async function compileExamples(): Promise<string> {
  const folder = await temporaryFolder();
  await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  const examples = await readSamples(services.typescript, 'typescript');
  for (const [id, source] of examples) await writeFile(join(folder, `${id}.mts`), source);
  await compile(
    folder,
    [...examples.keys()].map((id) => `${id}.mts`),
  );
  return folder;
}
