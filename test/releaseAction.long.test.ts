// The action for release files, run as a runner does: its steps in bash, with the inputs of a workflow.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import Type from 'typebox';
import { Value } from 'typebox/value';
import { beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createClient } from '../packages/client/src/index.js';
import { hashFile } from '../packages/client/src/node/index.js';
import { isFingerprint, registryFingerprint } from '../packages/core/src/index.js';
import { createRegistrant, type Registrant } from './support/registrants.js';
import { type Service, startService, temporaryFolder } from './support/service.js';

const Texts = Type.Record(Type.String(), Type.String());
const Action = Type.Object({
  inputs: Type.Record(Type.String(), Type.Object({ required: Type.Boolean(), default: Type.Optional(Type.String()) })),
  outputs: Type.Record(Type.String(), Type.Object({ value: Type.String() })),
  runs: Type.Object({
    using: Type.Literal('composite'),
    steps: Type.Array(
      Type.Object({
        id: Type.Optional(Type.String()),
        shell: Type.Literal('bash'),
        run: Type.String(),
        env: Type.Optional(Texts),
      }),
    ),
  }),
});

const actionFolder = fileURLToPath(new URL('../integrations/action', import.meta.url));
const command = fileURLToPath(new URL('../packages/cli/bundle/main.js', import.meta.url));
/** Commands for the runner, markup, and what a shell would run. */
const names = [
  '::set-output name=bundles::evil ##[error]',
  '-rf',
  '\u65e5\u672c\u8a9e %0A| [a](https:x) <b> @ada $(touch evil) `touch evil`.tar.gz',
];

let service: Service;
let owner: Registrant;
let markId: string;
let organizationId: string;
let key: string;
let fingerprint: string;
let count = 0;
beforeAll(async () => {
  service = await startService();
  owner = await createRegistrant(service.url);
  const { client } = owner;
  organizationId = (await client.createOrganization({ name: 'Releases' })).id;
  markId = (await client.createMark({ name: 'Releases', organizationId })).id;
  key = await createKey('register');
  fingerprint = registryFingerprint(await client.getRegistryIdentity());
});

async function createKey(scope: 'read' | 'register'): Promise<string> {
  return (await owner.client.createApiKey({ organizationId, name: scope, scope })).token;
}

/** A workspace with a folder of files whose content is unique. */
async function createWorkspace(files: readonly string[]): Promise<string> {
  const workspace = await temporaryFolder();
  await mkdir(join(workspace, 'dist/inner'), { recursive: true });
  for (const name of files) {
    count += 1;
    await writeFile(join(workspace, 'dist', name), `release ${process.pid} ${count}`);
  }
  return workspace;
}

let isBuilt = false;

async function runAction(workspace: string, given: Readonly<Record<string, string>> = {}) {
  const action = Value.Parse(Action, parse(await readFile(join(actionFolder, 'action.yml'), 'utf8')));
  const inputs: Record<string, string> = { files: 'dist/*', mark: markId, url: service.url, token: key, ...given };
  for (const [name, { required }] of Object.entries(action.inputs)) if (required) expect(inputs).toHaveProperty(name);
  const temporary = await temporaryFolder();
  const outputs: Record<string, Record<string, string>> = {};
  const summary = join(temporary, 'summary.md');
  let log = '';
  let code: number | null = 0;
  for (const [index, step] of action.runs.steps.entries()) {
    // The step that builds the command has no outputs, and nothing to do the second time.
    if (step.id === undefined && isBuilt) continue;
    isBuilt = true;
    const evaluate = (value: string) =>
      value.replaceAll(
        /\$\{\{ inputs\.([\w-]+) \}\}/g,
        (_, name) => inputs[name] ?? action.inputs[name]?.default ?? '',
      );
    // No expression is part of a script.
    expect(step.run).not.toContain('${{');
    const script = join(temporary, `${index}.sh`);
    const output = join(temporary, `output-${index}`);
    for (const [path, content] of [
      [script, step.run],
      [output, ''],
      [summary, ''],
    ] as const)
      await writeFile(path, content);
    const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', script], {
      cwd: workspace,
      env: {
        PATH: process.env['PATH'],
        HOME: temporary,
        RUNNER_TEMP: temporary,
        GITHUB_WORKSPACE: workspace,
        GITHUB_ACTION_PATH: actionFolder,
        GITHUB_OUTPUT: output,
        GITHUB_STEP_SUMMARY: summary,
        ...Object.fromEntries(Object.entries(step.env ?? {}).map(([name, value]) => [name, evaluate(value)])),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    log += stdout + stderr;
    code = child.exitCode;
    if (step.id !== undefined) outputs[step.id] = parseOutputs(await readFile(output, 'utf8'));
    if (code !== 0) break;
  }
  const results = Object.entries(action.outputs).map(([name, { value }]) => {
    const [, step = '', output = ''] = /^\$\{\{ steps\.(\w+)\.outputs\.(\w+) \}\}$/.exec(value) ?? [];
    return [name, outputs[step]?.[output]];
  });
  expect(await readdir(temporary)).not.toContainEqual(expect.stringMatching(/^provenance-/));
  return {
    code,
    log,
    commands: listCommands(log),
    outputs: Object.fromEntries(results),
    summary: await readFile(summary, 'utf8'),
  };
}

/** `name<<delimiter`, as the runner reads them. */
function parseOutputs(written: string): Record<string, string> {
  const matches = written.matchAll(/^(\w+)<<([-\w]+)\n([\s\S]*?)\n\2\n/gm);
  return Object.fromEntries([...matches].map(([, name = '', , value = '']) => [name, value]));
}

/** What the runner takes for a command, without those that it was told to ignore. */
function listCommands(log: string): string[] {
  let stop: string | undefined;
  return log.split('\n').flatMap((line) => {
    if (stop !== undefined) {
      if (line === `::${stop}::`) stop = undefined;
      return [];
    }
    const [, token] = /^::stop-commands::(.+)$/.exec(line) ?? [];
    stop = token;
    return stop === undefined && (line.trimStart().startsWith('::') || line.includes('##[')) ? [line] : [];
  });
}

it('registers all files with a key that can register alone, and writes bundles that verify offline; again, nothing changes', async () => {
  const workspace = await createWorkspace(names);
  const first = await runAction(workspace, {
    files: 'dist/*\ndist/../dist/-rf\n',
    'registry-fingerprint': fingerprint,
  });
  // The token is only in the command that hides it.
  expect([first.code, first.commands]).toEqual([0, [`::add-mask::${key}`]]);
  expect(first.log.split(key)).toHaveLength(2);

  const bundles: string[] = first.outputs['bundles']?.split('\n') ?? [];
  const fingerprints: string[] = first.outputs['fingerprints']?.split('\n') ?? [];
  expect(bundles.toSorted()).toEqual(names.map((name) => `dist/${name}.bundle.json`).toSorted());
  expect(first.outputs).toMatchObject({ registered: String(names.length), existing: '0' });
  const client = createClient({ baseUrl: service.url });
  const [bundle = '', other = ''] = bundles;
  const file = bundle.replace(/\.bundle\.json$/, '');
  const offline = spawn(process.execPath, [command, 'verify', '--json', `--offline=${bundle}`, `./${file}`], {
    cwd: workspace,
    env: { HOME: workspace, PROVENANCE_URL: 'http://127.0.0.1:1' },
  });
  const [printed] = await Promise.all([text(offline.stdout), once(offline, 'close')]);
  const proven = { fingerprint: fingerprints[0], verdict: 'consistent', checks: { chain: { state: 'confirmed' } } };
  expect([offline.exitCode, JSON.parse(printed)]).toMatchObject([4, [proven]]);
  const [artifact] = fingerprints.filter(isFingerprint).map((one) => client.getPublicArtifact({ fingerprint: one }));
  expect(await artifact).toMatchObject({ mark: { id: markId }, authorshipStated: false });
  // Names are text: neither markup nor more cells or rows.
  expect(first.summary.split('\n').filter((line) => line.startsWith('|'))).toHaveLength(2 + names.length);
  expect(first.summary).not.toMatch(/[[\]<>@$`]|::|https?:/);
  expect(await readdir(workspace)).toEqual(['dist']);

  const content = await readFile(join(workspace, bundle), 'utf8');
  await writeFile(join(workspace, other), content);
  const second = await runAction(workspace, { 'registry-fingerprint': fingerprint });
  expect(second.code).toBe(0);
  expect(second.outputs).toEqual({ ...first.outputs, registered: '0', existing: String(names.length) });
  expect(await readFile(join(workspace, bundle), 'utf8')).toBe(content);
  // A bundle of another file was replaced.
  expect(JSON.parse(await readFile(join(workspace, other), 'utf8'))).toMatchObject({ fingerprint: fingerprints[1] });
});

it('fails and names the file that belongs to another user, without bundles', async () => {
  const workspace = await createWorkspace(['ours.txt', '::warning::theirs.txt']);
  const other = await createRegistrant(service.url);
  const { fingerprint: theirs } = await hashFile(join(workspace, 'dist/::warning::theirs.txt'));
  await other.client.createArtifact({ markId: other.markId, fingerprint: theirs, filename: 'theirs.txt' });
  const { code, commands, outputs, summary } = await runAction(workspace);
  expect([code, commands.slice(1)]).toEqual([
    1,
    ['::error::"dist/::warning::theirs.txt" is registered by another user already, under "Ada Lovelace Photography".'],
  ]);
  expect(outputs).toMatchObject({ bundles: undefined });
  expect(summary).toContain('registered by another user');
  expect((await readdir(join(workspace, 'dist'))).toSorted()).toEqual(['::warning::theirs.txt', 'inner', 'ours.txt']);
});

it('fails with the reason, and registers nothing, when something is wrong', async () => {
  const workspace = await createWorkspace(['a.txt']);
  const { length } = fingerprint;
  for (const [given, message] of [
    [{ 'registry-fingerprint': '0'.repeat(length) }, /^::error::provenance trust: .*nothing was pinned/i],
    [{ token: await createKey('read') }, /^::error::The registration stopped: .*read/],
    [{ token: '' }, /^::error::The input token is missing/],
    [{ files: 'dist/*.zip\ndist/*' }, /^::error::No file matches "dist\/\*\.zip"\.$/],
    [{ files: 'dist/inner' }, /^::error::No file matches "dist\/inner"\.$/],
  ] as const) {
    const { code, commands } = await runAction(workspace, given);
    expect([code, commands.at(-1)]).toEqual([1, expect.stringMatching(message)]);
  }
  await writeFile(join(workspace, 'dist/b\n::error::x.txt'), 'x');
  const { code, commands } = await runAction(workspace, { files: 'dist/**/*.txt' });
  expect([code, commands.at(-1)]).toEqual([1, expect.stringContaining('"dist/b\\u000a::error::x.txt": the name')]);
  await rm(join(workspace, 'dist/b\n::error::x.txt'));
  const { outputs } = await runAction(workspace, { files: 'dist/**/*.txt' });
  expect(outputs).toMatchObject({ bundles: 'dist/a.txt.bundle.json', registered: '1' });
});
