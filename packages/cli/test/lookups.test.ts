// The command against the real service: keys, refusals, status and lookups.

import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { randomUUID } from '../../../test/support/random.js';
import { call, type Service, signUp, startService } from '../../../test/support/service.js';
import { startTamperingProxy } from '../../../test/support/tamperingProxy.js';
import { Machine } from './support/machine.js';

const password = 'correct horse battery';
let service: Service;
/** Logged in as Ada, on the enterprise tier, with a Mark and a registered photo. */
let ada: Machine;
let token: string;
let markId: string;
const photo = `a photo, ${randomUUID()}`;
const fingerprint = `0x${createHash('sha256').update(photo).digest('hex')}` as const;

beforeAll(async () => {
  service = await startService();
  ada = await Machine.create({ PROVENANCE_URL: service.url });
  await ada.file('photo.jpg', photo);
  await ada.file('other.jpg', 'another file');
  token = (await signUp(service, { email: 'ada@example.com', password, name: 'Ada Lovelace' })).token;
  await call(service, 'PUT', '/api/v1/subscription', { token, body: { tier: 'enterprise' } });
  const mark = await call(service, 'POST', '/api/v1/marks', { token, body: { name: 'Photography', license: 'MIT' } });
  markId = mark.body.id;
  await call(service, 'POST', '/api/v1/artifacts', { token, body: { markId, fingerprint, filename: 'photo.jpg' } });
  await ada.run(['login', '--email', 'ada@example.com'], password);
  await ada.run(['file', 'status', '--wait', 'photo.jpg']);
});

describe('API keys and refusals', () => {
  it('a refusal of the service exits with 1 and its code', async () => {
    const { code, stderr } = await ada.run(['mark', 'show', randomUUID()]);
    expect([code, stderr]).toEqual([1, 'provenance: There is no such Mark.\n']);
    expect(await ada.json(['file', 'bundle', 'other.jpg'])).toMatchObject({ code: 1, result: { code: 'NOT_FOUND' } });
  });

  it('a key acts for its organization until it is revoked', async () => {
    await call(service, 'POST', '/api/v1/organizations', { token, body: { name: 'Studio' } });
    // Her only organization is the default.
    const { stdout: secret } = await ada.run(['org', 'key', 'create', 'build server']);
    expect(secret).toMatch(/^svc_\w{22}\n$/);
    const machine = await Machine.create({ PROVENANCE_URL: service.url });
    expect((await machine.run(['login', '--with-token', '-p', 'build'], secret)).code).toBe(0);
    const keys = await machine.json(['org', 'key', 'list', '-p', 'build']);
    expect(keys.result).toMatchObject([{ name: 'build server', last4: secret.trim().slice(-4) }]);
    const [key] = keys.result as [{ id: string }];
    expect((await ada.run(['org', 'key', 'revoke', key.id])).code).toBe(0);
    expect((await machine.run(['org', 'key', 'list', '-p', 'build'])).code).toBe(3);

    await call(service, 'POST', '/api/v1/organizations', { token, body: { name: 'Second' } });
    const { code, stderr } = await ada.run(['org', 'key', 'list']);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /several organizations: choose one with --org: Studio \([0-9a-f-]{36}\), Second \([0-9a-f-]{36}\)/,
    );
  });

  it('control characters in responses are escaped', async () => {
    const evil = '\u001b[2J\u009bPhoto';
    const lies = { '/api/v1/marks': (mark: object) => ({ ...mark, name: evil }) };
    const liar = await startTamperingProxy(service.url, { json: lies });
    const here = ada.with({ PROVENANCE_URL: liar, PROVENANCE_TOKEN: token, NO_COLOR: '1' });
    for (const args of ['marks list', 'marks list --json']) {
      const { stdout } = await here.start(args.split(' '), { isTerminal: true }).end;
      expect(stdout).toContain('\\u001b[2J\\u009bPhoto');
      expect(stdout).not.toContain('\u001b');
      expect(stdout).not.toContain('\u009b');
    }
  });
});

describe('lists', () => {
  const names = ['1.jpg', '2.jpg', '3.jpg'];
  beforeAll(async () => {
    const mark = await call(service, 'POST', '/api/v1/marks', { token, body: { name: 'Listed' } });
    for (const filename of names) {
      const listed = `0x${randomUUID().replaceAll('-', '').repeat(2)}`;
      const body = { markId: mark.body.id, fingerprint: listed, filename };
      await call(service, 'POST', '/api/v1/artifacts', { token, body });
    }
  });

  it('say that there are more, and how many if that is known', async () => {
    const cut = await ada.run(['mark', 'artifacts', 'Listed', '--limit', '2']);
    expect(cut.stderr).toBe('provenance: 2 of 3. Use --all to list all of them, or --limit COUNT.\n');
    expect(cut.stdout.trimEnd().split('\n')).toHaveLength(3);
    const unknown = await ada.run(['file', 'list', '--mark', 'Listed', '--limit', '2', '--json']);
    expect(unknown.stderr).toBe('provenance: The first 2. Use --all to list all of them, or --limit COUNT.\n');
    expect(JSON.parse(unknown.stdout)).toHaveLength(2);
    for (const option of [['--all'], ['--limit', '3'], []]) {
      const all = await ada.run([
        'file',
        'list',
        '--mark',
        'Listed',
        '--sort',
        'name',
        ...option,
        '--format',
        'metadata.filename',
      ]);
      expect(all).toEqual({ code: 0, stdout: '1.jpg\n2.jpg\n3.jpg\n', stderr: '' });
    }
    expect((await ada.run(['file', 'list', '--all', '--limit', '3'])).code).toBe(2);
  });

  it('print the fields that --format names', async () => {
    const list = (format: string) => ada.run(['file', 'list', '--name', 'photo.jpg', '--format', format]);
    expect((await list('fingerprint,mark.name,status')).stdout).toBe(`${fingerprint}\tPhotography\tsubmitted\n`);
    expect((await list('{status}: {fingerprint}\\n{errorReason}|')).stdout).toBe(`submitted: ${fingerprint}\n|\n`);
    expect(await list('fingerprnt')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/no field 'fingerprnt'\. Fields: .*\bfingerprint\b/),
    });
    expect((await list('mark.nme')).stderr).toMatch(/no field 'mark\.nme'\. Fields: .*\bname\b/);
  });
});

describe('status', () => {
  it('waits until a file is on chain, and shows its status in a terminal', async () => {
    const slow = `0x${createHash('sha256').update(randomUUID()).digest('hex')}`;
    const body = { markId, fingerprint: slow, filename: 'slow.txt' };
    // The first two responses say that it is still in progress.
    let requests = 0;
    const slowService = await startTamperingProxy(service.url, {
      json: {
        '/api/v1/artifacts/': (artifact) => {
          requests += 1;
          return requests > 2 ? artifact : { ...artifact, status: 'submitting' };
        },
      },
    });
    await call(service, 'POST', '/api/v1/artifacts', { token, body });
    const { code, stdout } = await ada
      .with({ PROVENANCE_URL: slowService, PROVENANCE_TOKEN: token })
      .start(['file', 'status', '--wait', slow], { isTerminal: true }).end;
    expect(stdout).toMatch(/Waiting .*0 of 1 /);
    expect(stdout).toMatch(new RegExp(`${slow}  .*submitted.* +0x[0-9a-f]{64}`));
    expect(code).toBe(0);
  });

  it('exits with 1 when a file is not registered, and still shows the others', async () => {
    const { code, stdout, stderr } = await ada.run(['file', 'status', 'other.jpg', fingerprint]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^provenance: other\.jpg: .*\n$/)]);
    expect(stdout).toMatch(new RegExp(`^${fingerprint}  submitted   0x[0-9a-f]{64}\n$`));
    expect((await ada.json(['file', 'status', 'other.jpg', fingerprint])).result).toMatchObject([
      { file: 'other.jpg', code: 'NOT_FOUND' },
      { file: fingerprint, fingerprint, status: 'submitted' },
    ]);
  });
});

describe('lookup', () => {
  it('finds a file or fingerprint without a login, and exits with 1 when there is nothing', async () => {
    const anonymous = await Machine.create({ PROVENANCE_URL: service.url });
    await anonymous.file('photo.jpg', photo);
    const { code, result } = await anonymous.json(['lookup', 'photo.jpg']);
    expect(code).toBe(0);
    expect(result).toMatchObject({ fingerprint, match: 'artifact', disclosure: { fingerprintDisclosed: false } });
    expect((await anonymous.run(['lookup', 'photo.jpg'])).stdout).toContain(`Served by  ${service.url}/api/c2pa`);
    const direct = await anonymous.json(['lookup', '--direct', 'photo.jpg']);
    expect(direct.result).toMatchObject({ mark: { name: 'Photography' }, artifact: { fingerprint } });
    expect(await anonymous.json(['lookup', fingerprint.slice(2).toUpperCase()])).toEqual({ code, result });
    expect(await anonymous.run(['lookup', '-'], 'nothing')).toMatchObject({ code: 1, stderr: '' });
    const otherDigit = fingerprint.endsWith('0') ? '1' : '0';
    const nearMiss = `${fingerprint.slice(0, -1)}${otherDigit}`;
    expect(await anonymous.json(['lookup', nearMiss])).toMatchObject({ code: 1, result: { match: 'none' } });
    // With a digit less or more, it is the name of a file.
    for (const name of [fingerprint.slice(0, -1), `${fingerprint}0`])
      expect(await anonymous.json(['lookup', name])).toMatchObject({ code: 3, result: { code: 'FILE_PROBLEM' } });
  });

  it('finds a file with a private name, without the name', async () => {
    expect((await ada.run(['file', 'visibility', 'photo.jpg', 'private', '--yes'])).code).toBe(0);
    const { token } = await signUp(service);
    const { body } = await call(service, 'GET', `/api/v1/artifacts/${fingerprint}`, { token });
    expect(body.metadata).not.toHaveProperty('filename');
  });
});
