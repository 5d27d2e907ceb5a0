// Every command of version 0.2 still works, and says what to type from now on.

import { beforeAll, expect, it } from 'vitest';
import { oldNames, oldOptions } from '../src/oldNames.js';
import { Machine } from './support/machine.js';

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.create();
});

const renamedCommands: Readonly<Record<string, string>> = {
  'service add': 'watch add',
  'service remove': 'watch remove',
  'service install': 'watch install',
  'service uninstall': 'watch uninstall',
  'service run': 'watch run',
  sign: 'file sign',
  lookalikes: 'file lookalikes',
  resolve: 'lookup',
  filter: 'file filter',
  status: 'file status',
  list: 'file list',
  bundle: 'file bundle',
  'trust add': 'config trust add',
  'trust list': 'config trust list',
  'trust remove': 'config trust remove',
  visibility: 'file visibility',
  logout: 'account logout',
  whoami: 'account show',
  'account sessions list': 'account session list',
  'account sessions end': 'account session end',
  'account invitations': 'invitation list',
  'marks list': 'mark list',
  'marks show': 'mark show',
  'marks create': 'mark create',
  'marks update': 'mark update',
  'marks artifacts': 'mark artifacts',
  'marks lookalikes': 'mark lookalikes',
  'marks gallery': 'mark gallery',
  'marks namesakes': 'mark namesakes',
  'marks domains add': 'mark domain add',
  'marks domains list': 'mark domain list',
  'marks domains check': 'mark domain check',
  'marks domains remove': 'mark domain remove',
  'marks represented-by': 'mark represented-by',
  'marks members remove': 'mark member remove',
  'marks invite': 'invitation create',
  'marks invitations list': 'invitation list',
  'marks invitations show': 'invitation show',
  'marks invitations withdraw': 'invitation withdraw',
  'marks accept': 'invitation accept',
  'marks decline': 'invitation decline',
  'marks leave': 'mark leave',
  'marks hand-over': 'mark hand-over',
  'claims list': 'claim list',
  'claims make': 'claim create',
  'claims answer': 'claim answer',
  'claims withdraw': 'claim withdraw',
  'claims concede': 'claim concede',
  'keys list': 'org key list',
  'keys create': 'org key create',
  'keys revoke': 'org key revoke',
  'orgs list': 'org list',
  'orgs show': 'org show',
  'orgs overview': 'org overview',
  'orgs create': 'org create',
  'orgs units': 'org units',
  'orgs members list': 'org member list',
  'orgs members set': 'org member set',
  'orgs members remove': 'org member remove',
  'orgs invite': 'invitation create',
  'orgs invitations list': 'invitation list',
  'orgs invitations show': 'invitation show',
  'orgs invitations withdraw': 'invitation withdraw',
  'orgs accept': 'invitation accept',
  'orgs decline': 'invitation decline',
  'orgs leave': 'org leave',
  'orgs transfer': 'org transfer',
  'orgs events': 'org events',
  limits: 'account limits',
  subscribe: 'account subscribe',
};

it.each(Object.entries(renamedCommands))('%s runs %s', async (old, current) => {
  const result = await machine.run([...old.split(' '), 'x', '--help']);
  expect(result).toMatchObject({ code: 0, stdout: (await machine.run(['help', ...current.split(' ')])).stdout });
  const [, typed = '', advice = ''] =
    /^provenance: 'provenance (.+)' is now 'provenance (.+)'\. The old name stops working in version 0\.4\.\n$/.exec(
      result.stderr,
    ) ?? [];
  expect(old.replace(typed, advice)).toBe(current);
});

it('covers every old name', () => {
  const commands = Object.keys(renamedCommands);
  expect(Object.keys(oldNames).filter((name) => !commands.some((old) => `${old} `.startsWith(`${name} `)))).toEqual([]);
  expect(Object.keys(oldOptions)).toEqual(['verify --offline', 'register --watch']);
});

it('status without a file is the state of the watcher', async () => {
  const { code, stdout, stderr } = await machine.run(['status']);
  expect([code, stdout]).toEqual([0, (await machine.run(['watch', 'status'])).stdout]);
  expect(stderr).toContain("'provenance status' is now 'provenance watch status'.");
});

it('old options become new ones, with their values', async () => {
  for (const line of [['--offline', 'gone.json'], ['--offline=gone.json']]) {
    const { code, stderr } = await machine.run(['verify', ...line, 'photo.jpg']);
    expect([code, stderr]).toEqual([
      3,
      "provenance: 'provenance verify --offline' is now 'provenance verify --bundle'. The old name stops working in version 0.4.\n" +
        'provenance: gone.json: no such file.\n',
    ]);
  }
  const { stdout, stderr } = await machine.run(['register', '--watch', 'photos', '--help']);
  expect(stdout).toBe((await machine.run(['help', 'watch', 'run'])).stdout);
  expect(stderr).toContain("'provenance register --watch' is now 'provenance watch run'.");
});

it('the note is also printed with --json, beside the result', async () => {
  const { code, stdout, stderr } = await machine.run(['trust', 'list', '--json']);
  expect([code, stdout]).toEqual([0, '[]\n']);
  expect(stderr).toContain("'provenance trust' is now 'provenance config trust'.");
});

it.each(['marks lst', 'servce add', 'orgs'])('%s is refused as wrong use', async (line) => {
  expect((await machine.run(line.split(' '))).code).toBe(2);
});
