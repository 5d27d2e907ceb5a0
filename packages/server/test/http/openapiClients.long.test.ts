// Clients of the OpenAPI document: a generated one, and its examples in TypeScript and Python.

import { execFile } from 'node:child_process';
import { copyFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { generateSource } from 'oazapfts';
import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/support/service.js';
import { startExampleRunner } from './exampleRunners.js';
import { type ExampleService, readSamples, runExamples, startExampleService } from './exampleRuns.js';

const run = promisify(execFile);

let services: Readonly<Record<'typescript' | 'python', ExampleService>>;

beforeAll(async () => {
  const [typescript, python] = await Promise.all([startExampleService(), startExampleService()]);
  services = { typescript, python };
});

describe('a client that oazapfts generates from it', () => {
  it('compiles, registers files in both ways, finds them and reads a manifest', async () => {
    const folder = await compilePrograms();
    const { stdout } = await run(process.execPath, ['roundTrip.mjs', services.typescript.url], { cwd: folder });
    expect(JSON.parse(stdout)).toEqual({
      isStated: true,
      isUploaded: true,
      metadata: expect.objectContaining({ filename: 'b.bin', size: 1000, lastModified: '2026-06-01T00:00:00.000Z' }),
      isFound: true,
      manifestType: 'application/c2pa',
      manifestStart: 'jumb',
      refusal: ['BAD_REQUEST', ['/fingerprint', '/filename']],
    });
  });
});

describe('every example', () => {
  it('of TypeScript compiles in strict mode and runs with the SDK', async () => {
    const folder = await compilePrograms();
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

let compiled: Promise<string> | undefined;

/** Compiles the generated client and all examples at once, and returns the folder that contains them. */
function compilePrograms(): Promise<string> {
  compiled ??= (async () => {
    const folder = await temporaryFolder();
    const repository = new URL('../../../../', import.meta.url).pathname;
    await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    const document = await fetch(`${services.typescript.url}/api/openapi.json`);
    await writeFile(join(folder, 'openapi.json'), await document.text());
    await writeFile(join(folder, 'client.ts'), await generateSource(join(folder, 'openapi.json')));
    await copyFile(new URL('../generated/roundTrip.mts', import.meta.url), join(folder, 'roundTrip.mts'));
    const examples = await readSamples(services.typescript, 'typescript');
    for (const [id, source] of examples) await writeFile(join(folder, `${id}.mts`), source);
    const compiler = [join(repository, 'node_modules/typescript/bin/tsc'), '--strict', '--module', 'nodenext'];
    const files = ['roundTrip.mts', ...[...examples.keys()].map((id) => `${id}.mts`)];
    await run(process.execPath, [...compiler, '--target', 'es2022', '--types', 'node', ...files], {
      cwd: folder,
    }).catch(({ stdout }: { stdout: string }) => Promise.reject(new Error(stdout)));
    return folder;
  })();
  return compiled;
}
