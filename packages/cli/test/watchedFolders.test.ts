// `provenance watch` against the real service: what it registers, and how systemd starts it.

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, readdir, readFile, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, it } from 'vitest';
import { randomUUID } from '../../../test/support/random.js';
import { type Service, startService } from '../../../test/support/service.js';
import { main } from './support/machine.js';
import { Registrant } from './support/registration.js';
import { POLL, readStatus, startWatcher, stopWatching } from './support/watching.js';

let service: Service;
beforeAll(async () => {
  service = await startService();
});

const sha256 = (content: string): `0x${string}` => `0x${createHash('sha256').update(content).digest('hex')}`;

it.concurrent('each folder has its own Mark and rules, and a moved file keeps its registration', async ({ expect }) => {
  const ada = await Registrant.create(service.url);
  const { machine, client } = ada;
  const { id: clientsMark } = await client.createMark({ name: 'Clients' });
  const own = `own ${randomUUID()}`;
  const ordered = `ordered ${randomUUID()}`;
  await machine.file('photos/own.jpg', own);
  await machine.file('photos/notes.xmp', 'ignored');
  await machine.file('photos/clients/ordered.jpg', ordered);
  const addOwn = ['watch', 'add', 'photos', '--mark', ada.markId, '--authorship', 'stated', '--ignore', '*.xmp'];
  expect((await machine.json(addOwn)).result).toMatchObject({ files: 2, authorshipStated: true });
  await machine.json(['watch', 'add', 'photos/clients', '--mark', clientsMark]);
  await symlink('photos', join(machine.home, 'alias'));
  expect((await machine.run(['watch', 'add', 'alias', '--mark', ada.markId])).stderr).toContain('the same folder as');
  expect(await readStatus(ada)).toMatchObject({ code: 1, service: 'not-running', pid: null });

  const running = startWatcher(machine);
  await running.waitForOutput('Watching ');
  await running.waitForOutput('Registered /');
  await expect
    .poll(() => readStatus(ada), POLL)
    .toMatchObject({
      code: 0,
      service: 'running',
      pid: process.pid,
      folders: [
        {
          mark: ada.markId,
          registered: 1,
          waiting: 0,
          ignore: ['*.xmp'],
          lastRegistration: { at: expect.any(String) },
        },
        { mark: clientsMark, registered: 1, waiting: 0, problems: [] },
      ],
    });
  expect(await client.getArtifact({ fingerprint: sha256(own) })).toMatchObject({ mark: { id: ada.markId } });
  expect(await client.getArtifact({ fingerprint: sha256(ordered) })).toMatchObject({ mark: { id: clientsMark } });
  const second = await machine.run(['watch', 'run']);
  expect([second.code, second.stderr]).toEqual([3, expect.stringContaining('already running')]);

  await rename(join(machine.home, 'photos/own.jpg'), join(machine.home, 'photos/clients/renamed.jpg'));
  await expect
    .poll(() => readStatus(ada), POLL)
    .toMatchObject({
      code: 0,
      folders: [{ registered: 0 }, { registered: 2, waiting: 0, failed: 0 }],
    });
  const log = await stopWatching(running);
  expect(log.match(/^Registered /gm)).toHaveLength(2);
  expect(await client.getArtifact({ fingerprint: sha256(own) })).toMatchObject({ mark: { id: ada.markId } });
  // A file that is hashed gets a line before it is sent.
  const journals = join(machine.home, '.local/state/provenance/register');
  const texts = await Promise.all((await readdir(journals)).map((name) => readFile(join(journals, name), 'utf8')));
  const lines = texts.flatMap((text) => text.split('\n').filter((line) => line.includes('renamed.jpg')));
  expect(lines.map((line) => 'registered' in JSON.parse(line))).toEqual([true]);
});

it.concurrent('install writes and starts a unit that systemd accepts, and uninstall removes it', async ({ expect }) => {
  const ada = await Registrant.create(service.url);
  const { machine } = ada;
  const systemctl = join(machine.home, '.bin/systemctl');
  const withoutToken = await machine.run(['watch', 'install']);
  expect([withoutToken.code, withoutToken.stderr]).toEqual([2, expect.stringContaining('provenance login')]);
  const saved = machine.with({ PROVENANCE_URL: '', PROVENANCE_TOKEN: '' });
  await machine.with({ PROVENANCE_TOKEN: '' }).run(['login', '--with-token'], ada.token);
  const withoutSystemd = await saved.with({ PATH: join(machine.home, '.bin') }).run(['watch', 'install']);
  expect([withoutSystemd.code, withoutSystemd.stderr]).toEqual([3, expect.stringContaining('docs/folders.md')]);

  await machine.file('.bin/systemctl', `#!/bin/sh\necho "$@" >> '${machine.home}/calls'\n`);
  await chmod(systemctl, 0o755);
  for (const isChanged of [true, false]) {
    expect(await saved.json(['watch', 'install'])).toMatchObject({ code: 0, result: { isChanged } });
  }
  expect((await saved.run(['watch', 'install'])).stdout).toContain('journalctl --user --unit provenance.service');
  const unit = join(machine.home, '.config/systemd/user/provenance.service');
  expect(await readFile(unit, 'utf8')).toContain(`ExecStart="${process.execPath}" "${main}" "watch" "run"`);
  const env = { ...process.env, HOME: machine.home, XDG_RUNTIME_DIR: machine.home };
  await promisify(execFile)('systemd-analyze', ['--user', 'verify', unit], { env });
  expect(await saved.json(['watch', 'uninstall'])).toMatchObject({
    code: 0,
    result: { file: unit, isChanged: true },
  });
  expect(await saved.json(['watch', 'uninstall'])).toMatchObject({ code: 0, result: { isChanged: false } });
  const installCalls = ['show-environment', 'daemon-reload', 'enable provenance.service', 'restart provenance.service'];
  const calls = [
    ...installCalls,
    ...installCalls,
    ...installCalls,
    'disable --now provenance.service',
    'daemon-reload',
  ];
  expect((await readFile(join(machine.home, 'calls'), 'utf8')).trim().split('\n')).toEqual(
    calls.map((call) => `--user ${call}`),
  );
});
