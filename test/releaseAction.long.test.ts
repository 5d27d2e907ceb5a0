// The action for release files, run as a runner does, with a command that is packed once and served as a file of a release.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import Type from 'typebox';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createClient } from '../packages/client/src/index.js';
import { hashFile } from '../packages/client/src/node/index.js';
import { isFingerprint, registryFingerprint } from '../packages/core/src/index.js';
import { startProvider, type TestProvider } from '../packages/server/test/support/openidProvider.js';
import { packCommand } from '../scripts/packCommand.mjs';
import { freePort } from './support/ports.js';
import { createRegistrant, type Registrant } from './support/registrants.js';
import { type Service, startService, temporaryFolder } from './support/service.js';

const Action = Type.Object({
  inputs: Type.Record(Type.String(), Type.Object({ required: Type.Boolean(), default: Type.Optional(Type.String()) })),
  outputs: Type.Record(Type.String(), Type.Object({ description: Type.String() })),
  runs: Type.Object({ using: Type.Literal('node24'), main: Type.String() }),
});

const root = fileURLToPath(new URL('..', import.meta.url));
const node24 = join(root, `node_modules/.cache/node-24/node_modules/node-linux-${process.arch}/bin/node`);
const command = join(root, 'packages/cli/bundle/main.js');
/** What the runner sends to get an OpenID token of the job. */
const REQUEST_TOKEN = 'request-token-of-the-job';
/** Commands for the runner, markup, and what a shell would run. */
const names = [
  '::set-output name=bundles::evil ##[error]',
  '-rf',
  '\u65e5\u672c\u8a9e %0A| [a](https:x) <b> @ada $(touch evil) `touch evil`.tar.gz',
];

let service: Service;
let provider: TestProvider;
let owner: Registrant;
let markId: string;
let organizationId: string;
let key: string;
let fingerprint: string;
/** Where the runner finds the action, its release and the tokens of the job. */
let actionFolder: string;
let releases: string;
let host: string;
let count = 0;
beforeAll(async () => {
  [actionFolder, releases, provider] = await Promise.all([temporaryFolder(), temporaryFolder(), startProvider()]);
  await cp(join(root, 'integrations/action'), actionFolder, { recursive: true });
  await writeFile(join(actionFolder, 'command.json'), JSON.stringify(packCommand(releases)));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  service = await startService({ ...provider.settings, PORT: String(port), AUTH_AUDIENCE: url });
  host = await startHost();
  owner = await createRegistrant(service.url);
  const { client } = owner;
  organizationId = (await client.createOrganization({ name: 'Releases' })).id;
  markId = (await client.createMark({ name: 'Releases', organizationId })).id;
  key = await createKey('register');
  fingerprint = registryFingerprint(await client.getRegistryIdentity());
});
afterAll(() => provider.stop());

/** Serves the files of the release, and OpenID tokens to a job that asks as the runner tells it to. */
async function startHost(): Promise<string> {
  const server = createServer(async ({ url = '', headers }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://host');
    const [, file] = /^\/octo\/registry\/releases\/download\/v[\d.]+\/([\w.-]+)$/.exec(pathname) ?? [];
    if (file !== undefined) return response.end(await readFile(join(releases, file)));
    if (pathname !== '/token' || headers.authorization !== `Bearer ${REQUEST_TOKEN}`)
      return response.writeHead(404).end();
    const value = await provider.sign({ sub: 'repo:octo/app:environment:release', aud: searchParams.get('audience') });
    return response.end(JSON.stringify({ value }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

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

/** Runs the action as a runner does: its program with Node 24, inputs as variables, results in files. */
async function runAction(
  workspace: string,
  given: Readonly<Record<string, string>> = {},
  environment: Readonly<Record<string, string>> = {},
) {
  const action = Value.Parse(Action, parse(await readFile(join(actionFolder, 'action.yml'), 'utf8')));
  const inputs: Record<string, string> = { files: 'dist/*', mark: markId, url: service.url, token: key, ...given };
  for (const [name, { required }] of Object.entries(action.inputs)) if (required) expect(inputs).toHaveProperty(name);
  const temporary = await temporaryFolder();
  const [output, summary] = [join(temporary, 'output'), join(temporary, 'summary.md')];
  for (const path of [output, summary]) await writeFile(path, '');
  const values = Object.entries(action.inputs).map(([name, { default: value = '' }]) => [
    `INPUT_${name.toUpperCase()}`,
    inputs[name] ?? value,
  ]);
  const child = spawn(node24, [join(actionFolder, action.runs.main)], {
    cwd: workspace,
    env: {
      PATH: process.env['PATH'],
      HOME: temporary,
      RUNNER_TEMP: temporary,
      GITHUB_SERVER_URL: host,
      GITHUB_ACTION_REPOSITORY: 'octo/registry',
      GITHUB_REPOSITORY: 'octo/app',
      GITHUB_OUTPUT: output,
      GITHUB_STEP_SUMMARY: summary,
      ...Object.fromEntries(values),
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  const outputs = parseOutputs(await readFile(output, 'utf8'));
  if (child.exitCode === 0) expect(Object.keys(outputs).toSorted()).toEqual(Object.keys(action.outputs).toSorted());
  expect(await readdir(temporary)).not.toContainEqual(expect.stringMatching(/^provenance-/));
  return {
    code: child.exitCode,
    log: stdout + stderr,
    commands: listCommands(stdout + stderr),
    outputs,
    summary: await readFile(summary, 'utf8'),
  };
}

/** `name<<delimiter`, as the runner reads them. */
function parseOutputs(written: string): Record<string, string> {
  const matches = written.matchAll(/^([-\w]+)<<([-\w]+)\n([\s\S]*?)\n\2\n/gm);
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
  const [artifact] = fingerprints.filter(isFingerprint).map((one) => client.getPublicArtifact({ fingerprint: one }));
  expect(await artifact).toMatchObject({ mark: { id: markId }, authorshipStated: false });
  expect(await readdir(workspace)).toEqual(['dist']);

  // Names are text: neither markup nor more cells or rows.
  const notes = first.outputs['release-notes'] ?? '';
  expect(first.summary).toBe(notes);
  const [, ...rows] = notes.split('\n').filter((line) => line.startsWith('| '));
  expect(rows.map((row) => row.split(' | ')[1])).toEqual([
    '---',
    ...fingerprints.map((one) => `[${one}](${service.url}/artifacts/${one})`),
  ]);
  expect(rows.map((row) => row.replace(/\(http[^)]*\)/, '').replace(/\[0x\w+\]/, '')).join()).not.toMatch(
    /[[\]<>@$`]|::/,
  );

  // A reader runs the lines of the release notes in a shell, beside the files.
  const [, fence = '', lines = ''] = /^(`{3,})sh\n([\s\S]*)\n\1$/m.exec(notes) ?? [];
  expect([fence.length, lines.split('\n').length]).toEqual([3, 1 + names.length]);
  const shell = spawn('sh', ['-ec', `provenance() { "${process.execPath}" "${command}" "$@"; }\n${lines}`], {
    cwd: join(workspace, 'dist'),
    env: { HOME: await temporaryFolder() },
  });
  const [printed] = await Promise.all([text(shell.stdout), once(shell, 'close')]);
  expect([shell.exitCode, printed.match(/: verified$/gm)]).toEqual([0, names.map(() => ': verified')]);

  const content = await readFile(join(workspace, bundle), 'utf8');
  await writeFile(join(workspace, other), content);
  const second = await runAction(workspace, { 'registry-fingerprint': fingerprint });
  expect(second.code).toBe(0);
  expect(second.outputs).toEqual({ ...first.outputs, registered: '0', existing: String(names.length) });
  expect(await readFile(join(workspace, bundle), 'utf8')).toBe(content);
  // A bundle of another file was replaced.
  expect(JSON.parse(await readFile(join(workspace, other), 'utf8'))).toMatchObject({ fingerprint: fingerprints[1] });
});

it('needs no secret where the registry accepts the OpenID token of the job', async () => {
  const workspace = await createWorkspace(['app.tar.gz']);
  const { url: invitation } = await owner.client.createMarkInvitation({ markId });
  const job = {
    ACTIONS_ID_TOKEN_REQUEST_URL: `${host}/token?api-version=2.0`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: REQUEST_TOKEN,
  };
  const stranger = await runAction(workspace, { token: '' }, job);
  expect([stranger.code, stranger.commands.at(-1)]).toEqual([1, expect.stringMatching(/^::error::/)]);
  const { code, commands, log, outputs } = await runAction(workspace, { token: '', invitation }, job);
  expect([code, commands.at(-1)]).toEqual([0, expect.stringContaining('::add-mask::')]);
  // Every token is hidden before anything else is printed.
  const secrets = commands.map((line) => line.replace('::add-mask::', ''));
  expect(commands).toEqual(secrets.map((secret) => `::add-mask::${secret}`));
  for (const secret of new Set(secrets)) expect(log.replaceAll(`::add-mask::${secret}\n`, '')).not.toContain(secret);
  const [registered] = await owner.client.listArtifacts({ markId }).then(({ artifacts }) => artifacts);
  expect(registered).toMatchObject({ fingerprint: outputs['fingerprints'], createdBy: { name: 'octo/app' } });
  const again = await runAction(workspace, { token: '' }, job);
  expect([again.code, again.outputs]).toMatchObject([0, { registered: '0', existing: '1' }]);
});

it('runs no command but the one that its ref pins', async () => {
  const workspace = await createWorkspace(['a.txt']);
  const [archive = ''] = await readdir(releases);
  const packed = await readFile(join(releases, archive));
  await writeFile(join(releases, archive), Buffer.concat([packed, Buffer.of(0)]));
  const { code, commands } = await runAction(workspace);
  await writeFile(join(releases, archive), packed);
  expect([code, commands.at(-1)]).toEqual([1, expect.stringMatching(/^::error::.*SHA-256.*it was not run\.$/)]);
  const missing = await runAction(workspace, {}, { GITHUB_ACTION_REPOSITORY: 'octo/other' });
  expect([missing.code, missing.commands.at(-1)]).toEqual([1, expect.stringContaining('cannot be downloaded from')]);
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
  expect(outputs).toEqual({});
  expect(summary).toContain('registered by another user');
  expect((await readdir(join(workspace, 'dist'))).toSorted()).toEqual(['::warning::theirs.txt', 'inner', 'ours.txt']);
});

it('fails with the reason, and registers nothing, when something is wrong', async () => {
  const workspace = await createWorkspace(['a.txt']);
  const { length } = fingerprint;
  for (const [given, message] of [
    [{ 'registry-fingerprint': '0'.repeat(length) }, /^::error::provenance config: .*nothing was pinned/i],
    [{ token: await createKey('read') }, /^::error::The registration stopped: .*read/],
    [{ token: '' }, /^::error::There is no credential\. .*id-token: write/],
    [{ url: 'registry' }, /^::error::The input url/],
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
