// The examples of the help and of the documentation can be run unchanged.

import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { registryFingerprint } from '@provenance-registry/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { call, type Service, signUp, startService } from '../../../test/support/service.js';
import { newImage } from '../../../test/support/signedImages.js';
import { rootGroup } from '../src/commands/index.js';
import { listCommands } from '../src/outputSchemas/documents.js';
import { Machine } from './support/machine.js';
import { checkOutput } from './support/outputChecks.js';

const password = 'correct horse battery';
let service: Service;
let rpcUrl: string;
let contract: string;

beforeAll(async () => {
  service = await startService();
  await signUp(service, { email: 'ada@example.com', password, name: 'Ada Lovelace' });
  const deployment = await call(service, 'GET', '/c2pa/contract');
  rpcUrl = deployment.body.rpcUrl;
  contract = deployment.body.address;
});

describe('every example in the help can be run unchanged', () => {
  let here: Machine;
  beforeAll(async () => {
    const owner = await signUp(service, { email: 'grace@example.com', password, name: 'Grace' });
    const bea = await signUp(service, { email: 'bea@example.com', name: 'Bea' });
    const { token } = owner;
    await call(service, 'PUT', '/api/v1/subscription', { token, body: { tier: 'enterprise' } });
    const create = async (path: string, body: unknown) => (await call(service, 'POST', path, { token, body })).body;
    const organization = await create('/api/v1/organizations', { name: 'Examples' });
    const key = await create('/api/v1/api-keys', { organizationId: organization.id, name: 'one' });
    const mark = await create('/api/v1/marks', { name: 'Examples' });
    const content = `another photo, ${randomUUID()}`;
    const example = `0x${createHash('sha256').update(content).digest('hex')}`;
    await create('/api/v1/artifacts', { markId: mark.id, fingerprint: example, filename: 'photo.jpg' });
    here = (await Machine.create()).with({
      PROVENANCE_URL: service.url,
      PROVENANCE_TOKEN: token,
      PROVENANCE_PASSWORD: password,
      FINGERPRINT: example,
      MARK_ID: mark.id,
      ORGANIZATION_ID: organization.id,
      USER_ID: bea.id,
      KEY_ID: key.id,
      RPC_URL: rpcUrl,
      CONTRACT: contract,
      REGISTRY_URL: service.url,
      REGISTRY_FINGERPRINT: registryFingerprint((await call(service, 'GET', '/.well-known/provenance-registry')).body),
    });
    await here.file('photo.jpg', content);
    await here.file('photos/one.jpg', randomUUID());
    await here.file('sunrise.jpg', randomUUID());
    for (const name of ['moonrise.png', 'scans/1.png', 'scans/2.png'])
      await here.file(name, await newImage('image/png'));
    await here.file('password.txt', password);
    await here.file('key.txt', key.token);
    await here.run(['status', '--wait', 'photo.jpg']);
  });

  const commandsWithCheckedJson = new Set<string>();

  async function runWithJson(line: string) {
    const { code, stdout, stderr } = await here.with({ EXTRA_ARGUMENTS: '--json' }).shell(line);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [, words = ''] = /provenance (.*)/.exec(line) ?? [];
    commandsWithCheckedJson.add(checkOutput(words.split(' '), JSON.parse(stdout)) ?? '');
  }

  it.each(orderExamples(collectExamples(rootGroup, [])))('%s', async (line) => {
    const expected = exampleOutputs[line];
    // Where no text is expected, the JSON must be as documented.
    if (!expected) return runWithJson(line);
    const { code, stdout, stderr } = await here.shell(line);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(expected);
  });

  it('every command prints the JSON that is documented', async () => {
    for (const line of jsonLines) await runWithJson(`provenance ${line}`);
    const commands = listCommands(rootGroup, []).map(({ path }) => path);
    const unchecked = commands.filter((command) => !commandsWithCheckedJson.has(command));
    expect(unchecked).toEqual(checkedByOtherTests);
  });
});

/** Commands whose examples are all run for their text. */
const jsonLines = [
  'marks list',
  'marks show "$MARK_ID"',
  'marks create JSON',
  'marks update "$MARK_ID" --license MIT',
  'marks artifacts "$MARK_ID"',
  'marks gallery',
  'marks invite "$MARK_ID"',
  'keys create JSON --org "$ORGANIZATION_ID"',
  'orgs list',
  'orgs units "$ORGANIZATION_ID" 3',
  'orgs members list "$ORGANIZATION_ID"',
  'orgs invite "$ORGANIZATION_ID"',
  'visibility photo.jpg public',
  'trust add "$REGISTRY_URL" --expect "$REGISTRY_FINGERPRINT"',
  'trust list',
  'completion bash',
];

/** service.test.ts runs them with --json. */
const checkedByOtherTests = ['whoami', 'keys list'];

/** Expected output of examples that no other test checks. */
const exampleOutputs: Readonly<Record<string, RegExp>> = {
  'provenance hash --csv photos > fingerprints.csv': /^$/,
  'provenance verify --rpc-url "$RPC_URL" --csv photos > report.csv 2> summary.txt': /^$/,
  'provenance login --with-token --profile build < key.txt': /^Logged in as Grace \(profile build\)\.$/m,
  'provenance whoami': /^Email +grace@example\.com$[\s\S]*^Token from +PROVENANCE_TOKEN$/m,
  'provenance marks list':
    /^ID +NAME +OWNER +LICENSE +VISIBILITY\n[-0-9a-f]{36} {2}Examples {2}Grace +NONE_SPECIFIED {2}public$/m,
  'provenance marks show "$MARK_ID"': /^Name +Examples$[\s\S]*^AI training +\w+$/m,
  'provenance marks create "Ada Lovelace" --license CC-BY-4.0': /^License +Creative Commons Attribution 4\.0/m,
  'provenance marks create Drafts --visibility private --org "$ORGANIZATION_ID"':
    /^Owner +Examples$[\s\S]*^Visibility +private$/m,
  'provenance marks update "$MARK_ID" --name "Ada, Countess" --license MIT':
    /^Name +Ada, Countess$[\s\S]*^License +MIT License$/m,
  'provenance marks artifacts "$MARK_ID"': /^0x[0-9a-f]{64} {2}submitted {2}\S+Z {2}photo\.jpg$/m,
  'provenance marks artifacts "$MARK_ID" --status failed --limit 1000': /^$/,
  'provenance marks gallery lovelace': /^[-0-9a-f]{36} {2}Ada Lovelace {2}Grace {2}CC-BY-4\.0 {2}public$/m,
  'provenance keys list --org "$ORGANIZATION_ID"': /^[-0-9a-f]{36} {2}one +svc_\w{8}…\w{4} /m,
  'provenance keys create "build server" --org "$ORGANIZATION_ID" > key.txt': /^$/,
  'provenance orgs list': /^[-0-9a-f]{36} {2}Examples +owner +enterprise +active +1 of 1$/m,
  'provenance orgs units "$ORGANIZATION_ID" 2': /^Usage units +1 of 3 in use$/m,
  'provenance orgs members list "$ORGANIZATION_ID"': /^[-0-9a-f]{36} {2}Grace {2}owner {2}\S+Z$/m,
  'provenance limits': /^Tier: enterprise\. [\s\S]*^Artifacts today +\d+ +unlimited$/m,
  'provenance trust add "$REGISTRY_URL" --expect "$REGISTRY_FINGERPRINT"': /^Pinned Provenance registry at http:/m,
  'provenance trust list': /^http:\S+ {2}Provenance registry {2}31337 {2}([0-9a-f]{4} ){6} \S+$/m,
  'provenance visibility photo.jpg private --yes': /are now private\.$/m,
  'eval "$(provenance completion bash)"': /^$/,
  'provenance completion fish > provenance.fish': /^$/,
};

describe('the command line documentation', () => {
  const page = new URL('../../../docs/cli.md', import.meta.url);

  it('has examples that can be run unchanged', async () => {
    const here = await Machine.create({ PROVENANCE_URL: service.url, PROVENANCE_PASSWORD: password });
    await here.file('note.txt', randomUUID());
    const blocks = [...(await readFile(page, 'utf8')).matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(
      ([, lines = '']) => lines,
    );
    const script = blocks
      .join('')
      .replaceAll('http://127.0.0.1:8545', rpcUrl)
      .replaceAll('ada@example.com', 'ada.of.the.page@example.com');
    const { code, stdout, stderr } = await here.shell(`set -e\n${script}`);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('[SHA256]');
    expect(stdout).toContain('note.txt: unknown');
    expect(stdout).toContain('Not registered yet.');
    expect(stdout).toContain('Not on chain either.');
  });

  it('names every command', async () => {
    const text = await readFile(page, 'utf8');
    const missing = rootGroup.commands.filter(({ name }) => !text.includes(`\`${name}`));
    expect(missing.map(({ name }) => name)).toEqual([]);
  });
});

type Entry = (typeof rootGroup)['commands'][number];

function collectExamples(entry: Entry, path: readonly string[]): string[] {
  if ('commands' in entry) return entry.commands.flatMap((member) => collectExamples(member, [...path, member.name]));
  const lines = Object.keys(entry.examples);
  if (lines.length === 0) throw new Error(`${path.join(' ')} has no example`);
  for (const line of lines) expect(line).toContain(['provenance', ...path].join(' '));
  return lines;
}

/** Creates bundles before they are used. Examples with --watch run until Ctrl-C and have their own test. */
function orderExamples(lines: readonly string[]): string[] {
  const isBundle = (line: string) => Number(line.includes(' bundle '));
  return lines.filter((line) => !line.includes(' --watch')).toSorted((one, two) => isBundle(two) - isBundle(one));
}
