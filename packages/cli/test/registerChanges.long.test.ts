// `provenance register` and files that change, disappear or cannot be read, and folders that are watched.

import { createHash } from 'node:crypto';
import { appendFile, chmod, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Service, startService } from '../../../test/support/service.js';
import { FaultyProxy, Registrant } from './support/registration.js';

let service: Service;
beforeAll(async () => {
  service = await startService();
});

/** Takes long enough to read that it changes meanwhile. */
const UNSTABLE_BYTES = 40_000_000;

const sha256 = (content: string): `0x${string}` => `0x${createHash('sha256').update(content).digest('hex')}`;

describe('a file that has changed', () => {
  it('is registered again, and as a new version only with --versions', async () => {
    const ada = await Registrant.create(service.url);
    for (const [content, options] of [
      ['one', []],
      ['two', []],
      ['three', ['--versions']],
    ] as const) {
      await ada.machine.file('work/text.txt', `work ${content}`);
      expect((await ada.register('work', ...options)).summary).toMatchObject({ registered: 1, hashed: 1, sent: 1 });
    }
    const previous = async (content: string) =>
      (await ada.client.getArtifact({ fingerprint: sha256(`work ${content}`) })).metadata.previousFingerprint;
    expect(await Promise.all(['one', 'two', 'three'].map(previous))).toEqual([
      undefined,
      undefined,
      sha256('work two'),
    ]);
  });
});

describe('a file with a problem', () => {
  it('that cannot be read is reported, and the others are registered', async () => {
    const ada = await Registrant.create(service.url);
    const { machine } = ada;
    await ada.createFolder('closed', 2);
    await machine.file('closed/secret', 'secret');
    await machine.file('closed/inside/file', 'file');
    await chmod(join(machine.home, 'closed/secret'), 0);
    await chmod(join(machine.home, 'closed/inside'), 0);
    // Root can read everything unless it drops these capabilities.
    const isRoot = process.getuid?.() === 0;
    const asOwner = isRoot ? 'setpriv --bounding-set=-dac_override,-dac_read_search ' : '';
    const { code, stdout } = await machine.shell(`${asOwner}provenance register closed`);
    await chmod(join(machine.home, 'closed/inside'), 0o700);
    expect([code, stdout]).toEqual([
      3,
      '4 files: 2 registered, 2 failed\nfailed  closed/inside: permission denied\nfailed  closed/secret: permission denied\n',
    ]);
  });

  it('that is removed or keeps changing is reported; one that changed once is registered', async () => {
    const proxy = await FaultyProxy.open(service.url);
    const ada = (await Registrant.create(service.url)).via(proxy.url);
    const { machine } = ada;
    const unstable = join(machine.home, 'moving/unstable');
    for (const name of ['1', '2', '3', '4', 'changes', 'unstable', 'removed']) {
      await machine.file(`moving/${name}`, `${name} before`);
    }
    await truncate(unstable, UNSTABLE_BYTES);
    // While the first is being sent, at most the next three are hashed.
    proxy.decideFault = () => 'hold';
    const running = machine.start(['register', '--concurrency', '1', 'moving']);
    await proxy.waitUntil((creations) => creations.length === 1);
    await machine.file('moving/changes', 'after');
    await rm(join(machine.home, 'moving/removed'));
    let isRunning = true;
    const writing = (async () => {
      while (isRunning) await Promise.all([appendFile(unstable, 'x'), delay(1)]);
    })();
    proxy.release();
    const { stdout } = await running.end;
    isRunning = false;
    await writing;
    expect(stdout).toContain('7 files: 5 registered, 2 failed');
    expect(stdout).toMatch(/^failed {2}moving\/unstable: the file changed while it was being read/m);
    expect(stdout).toMatch(/^failed {2}moving\/removed: no such file/m);
    const { metadata } = await ada.client.getArtifact({ fingerprint: sha256('after') });
    expect(metadata).toMatchObject({ filename: 'changes', size: 5 });
  });
});

describe('a watched folder', () => {
  it('has new and changed files registered until Ctrl-C', async () => {
    const ada = await Registrant.create(service.url);
    const { machine } = ada;
    await machine.file('watched/first', 'watched first');
    await machine.file('alone', 'watched alone');
    const running = machine.start(['watch', 'run', '--versions', 'watched', 'alone']);
    await running.waitForOutput('Watching for new and changed files');
    await running.waitForOutput('registered  watched/first');
    await machine.file('watched/new/second', 'watched second');
    await running.waitForOutput('registered  watched/new/second');
    await machine.file('watched/first', 'watched third');
    await running.waitForOutput('registered  watched/new/second\nregistered  watched/first\n');
    await machine.file('alone', 'watched again');
    await running.waitForOutput('registered  watched/new/second\nregistered  watched/first\nregistered  alone\n');
    running.interrupt();
    const { stdout } = await running.end;
    expect(stdout).toContain('5 files: 5 registered\n');
    const { metadata } = await ada.client.getArtifact({ fingerprint: sha256('watched third') });
    expect(metadata.previousFingerprint).toBe(sha256('watched first'));
    expect((await ada.register('watched', 'alone')).summary).toMatchObject({ yours: 3, hashed: 0, sent: 0 });
  });
});
