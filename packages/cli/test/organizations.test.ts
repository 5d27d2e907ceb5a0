// Organizations and Marks that several users share: invitations, leaving, transfer, history, keys with a scope, privacy.

import { beforeAll, describe, expect, it } from 'vitest';
import { addMember, changeTier, createMark, createOrganization } from '../../../test/support/accounts.js';
import { type MailServer, startMailServer, verifyAddress } from '../../../test/support/mailServer.js';
import { randomUUID } from '../../../test/support/random.js';
import { call, type Service, signUp, startService } from '../../../test/support/service.js';
import { Machine } from './support/machine.js';

let mailServer: MailServer;
let service: Service;
let ada: Awaited<ReturnType<typeof createAccount>>;
let bea: Awaited<ReturnType<typeof createAccount>>;
let organizationId: string;

beforeAll(async () => {
  mailServer = await startMailServer();
  service = await startService(mailServer.settings);
  ada = await createAccount('Ada');
  await verifyAddress(service, mailServer, ada.email);
  bea = await createAccount('Bea');
  await changeTier(service, ada, 'enterprise');
  organizationId = await createOrganization(service, ada, 5);
});

/** A new account with its token in the environment. */
async function createAccount(name: string) {
  const account = await signUp(service, { name });
  const machine = await Machine.create({ PROVENANCE_URL: service.url, PROVENANCE_TOKEN: account.token });
  return { ...account, machine };
}

describe('invitations', () => {
  it('are links that another account shows and accepts, once', async () => {
    const invited = await ada.machine.run(['invitation', 'create', organizationId, '--admin']);
    const link = invited.stdout.trim();
    expect(link).toMatch(new RegExp(`^${service.url}/invitation#`));
    const anonymous = await Machine.create({ PROVENANCE_URL: service.url });
    const shown = await anonymous.run(['invitation', 'show', '-'], link);
    expect(shown.stdout).toMatch(/^To +organization Studio\nRole +admin\nInvited by +Ada$/m);
    const accepted = await bea.machine.run(['invitation', 'accept', '-'], link);
    expect([accepted.code, accepted.stdout]).toEqual([0, expect.stringContaining('member of the organization Studio')]);
    const again = await bea.machine.run(['invitation', 'accept', link]);
    expect(again.code).toBe(1);
    const { stdout } = await ada.machine.run(['org', 'member', 'list', organizationId]);
    expect(stdout).toMatch(/^[-0-9a-f]{36} {2}Bea +admin /m);
  });

  it('by mail are listed for the verified address, and accepted or declined by their ID', async () => {
    const carla = await createAccount('Carla');
    await verifyAddress(service, mailServer, carla.email);
    const { body: mark } = await createMark(service, ada, { name: 'Shared' });
    await ada.machine.run(['invitation', 'create', mark.id, '--email', carla.email]);
    await ada.machine.run(['invitation', 'create', organizationId, '--email', carla.email]);
    const { stdout } = await carla.machine.run(['invitation', 'list']);
    const [, toMark = ''] = /^(\S+) .* {2}Mark Shared by Ada$/m.exec(stdout) ?? [];
    const [, toOrganization = ''] = /^(\S+) .* {2}organization Studio by Ada$/m.exec(stdout) ?? [];
    expect((await bea.machine.run(['invitation', 'accept', toMark])).code).toBe(1);
    expect((await carla.machine.run(['invitation', 'accept', toMark])).stdout).toContain('member of the Mark Shared');
    expect((await carla.machine.run(['invitation', 'decline', toOrganization])).code).toBe(0);
    expect((await carla.machine.json(['invitation', 'list'])).result).toEqual([]);
    expect((await carla.machine.run(['mark', 'list'])).stdout).toContain('Shared');
    expect((await carla.machine.run(['mark', 'leave', mark.id, '--yes'])).code).toBe(0);
    expect((await carla.machine.run(['mark', 'list'])).stdout).not.toContain('Shared');
  });

  it('say in a terminal what was done, apart from the link to send', async () => {
    const { stdout } = await ada.machine.start(['invitation', 'create', organizationId], { isTerminal: true }).end;
    expect(stdout).toMatch(
      /^Created invitation [-0-9a-f]{36}\. Nothing was mailed; .*\n\nSend this link to the new member:\nhttp\S+#\S+\n$/,
    );
    const mailed = ada.machine.start(['invitation', 'create', organizationId, '--email', 'd@example.com'], {
      isTerminal: true,
    });
    expect((await mailed.end).stdout).toMatch(
      /^Created invitation [-0-9a-f]{36}\. It is mailed to d@example\.com, unless /,
    );
  });

  it('are withdrawn, by their ID or address', async () => {
    const invite = async (...options: string[]) =>
      (await ada.machine.json(['invitation', 'create', organizationId, ...options])).result as {
        id: string;
        url: string;
      };
    const { id, url } = await invite();
    expect((await ada.machine.run(['invitation', 'list', organizationId])).stdout).toContain(id);
    expect((await ada.machine.run(['invitation', 'withdraw', organizationId, id])).code).toBe(0);
    await invite('--email', 'eve@example.com');
    const near = await ada.machine.run(['invitation', 'withdraw', organizationId, 'eve@example.co']);
    expect([near.code, near.stderr]).toEqual([1, expect.stringContaining("None of your invitations is named 'eve@")]);
    expect((await ada.machine.run(['invitation', 'withdraw', organizationId, 'eve@example.com'])).code).toBe(0);
    expect((await ada.machine.run(['invitation', 'list', organizationId])).stdout).not.toContain('eve@');
    expect((await (await createAccount('Dora')).machine.run(['invitation', 'accept', '-'], url)).code).toBe(1);
  });

  it.each<[string, (url: string) => string, string]>([
    ['of another service', () => 'https://registry.example/invitation#token', 'Use --url https://registry.example'],
    ['of another port', (url) => `${url.slice(0, -1)}/invitation#token`, 'Use --url http://127.0.0.1'],
    [
      'with another scheme',
      (url) => `${url.replace('http:', 'https:')}/invitation#token`,
      'Use --url https://127.0.0.1',
    ],
    ['without its token', (url) => `${url}/invitation#`, 'The link has no token'],
    ['of two words', () => 'two words', 'neither a link of the service nor its token'],
  ])('%s are not sent anywhere', async (_, form, reason) => {
    const { code, stderr } = await bea.machine.run(['invitation', 'accept', '-'], form(service.url));
    expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
  });
});

describe('names in place of IDs', () => {
  let gus: Awaited<ReturnType<typeof createAccount>>;
  const ids: Record<string, string> = {};
  beforeAll(async () => {
    gus = await createAccount('Gus');
    await changeTier(service, gus, 'enterprise');
    for (const name of ['Prints', 'Scans', 'scans', 'Twice', 'Twice']) {
      const { body } = await createMark(service, gus, { name });
      ids[name] = body.id;
    }
    const body = { name: 'Prints' };
    ids['organization'] = (await call(service, 'POST', '/api/v1/organizations', { token: gus.token, body })).body.id;
  });
  const show = async (name: string) => gus.machine.json(['mark', 'show', name]);

  it('find a Mark, in the same case if there are two', async () => {
    expect((await show('prints')).result).toMatchObject({ id: ids['Prints'] });
    expect((await show('scans')).result).toMatchObject({ id: ids['scans'] });
    expect((await show('Scans')).result).toMatchObject({ id: ids['Scans'] });
  });

  it.each(['Print', 'Prints2', 'Prints '])('do not find a near miss: "%s"', async (name) => {
    const { code, result } = await show(name);
    expect([code, result]).toEqual([
      1,
      { code: 'NOT_FOUND', error: expect.stringContaining(`Prints (${ids['Prints']})`) },
    ]);
  });

  it('list the candidates with their IDs if several have the name', async () => {
    for (const line of [
      ['mark', 'show', 'Twice'],
      ['mark', 'artifacts', 'SCANS'],
      ['invitation', 'list', 'Prints'],
    ]) {
      const { code, stderr } = await gus.machine.run(line);
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(/^provenance: Several .* are named .*: .*\(.{36}\), .*\(.{36}\)\. Use an ID\./),
      ]);
    }
    const { stderr } = await gus.machine.run(['invitation', 'create', 'Prints']);
    expect(stderr).toContain(`organization Prints (${ids['organization']}), Mark Prints (${ids['Prints']})`);
  });

  it('are taken for organizations, API keys and members, and to register', async () => {
    await gus.machine.run(['org', 'key', 'create', 'scanner', '--org', 'prints']);
    expect((await gus.machine.run(['org', 'key', 'revoke', 'scanne'])).code).toBe(1);
    expect((await gus.machine.run(['org', 'key', 'revoke', 'scanner'])).code).toBe(0);
    expect((await gus.machine.json(['org', 'key', 'list', '--org', 'Prints'])).result).toEqual([]);
    await gus.machine.run(['org', 'units', 'Prints', '1']);
    await addMember(service, gus, ids['organization'] ?? '', bea);
    expect((await gus.machine.run(['org', 'member', 'remove', 'Prints', 'bea', '--yes'])).code).toBe(0);
    await gus.machine.file('scan.txt', randomUUID());
    await gus.machine.run(['config', 'set', 'mark', 'Scans']);
    const { result } = await gus.machine.json(['register', 'scan.txt']);
    expect(result).toMatchObject({ mark: { id: ids['Scans'] }, summary: { registered: 1 } });
  });
});

describe('steps that cannot be taken back', () => {
  let teamId: string;
  beforeAll(async () => {
    teamId = await createOrganization(service, ada, 1);
    await addMember(service, ada, teamId, bea, true);
  });

  it('ask in a terminal, and name what they are about', async () => {
    const running = bea.machine.start(['org', 'leave', teamId], { isTerminal: true });
    await running.waitForOutput('Leave Studio? [y/N] ');
    expect(running.output().replaceAll(/\s+/g, ' ')).toContain('You can return only by another invitation.');
    running.type('\r');
    const { code, stdout } = await running.end;
    expect([code, stdout]).toEqual([2, expect.stringContaining('Cancelled: nothing was changed.')]);
    expect((await bea.machine.run(['org', 'show', teamId])).code).toBe(0);
  });

  it('need --yes without a terminal, and change nothing without it', async () => {
    const { body: mark } = await createMark(service, ada, { name: 'Open' });
    const fingerprint = `0x${randomUUID().replaceAll('-', '').repeat(2)}`;
    await call(service, 'POST', '/api/v1/artifacts', {
      token: ada.token,
      body: { markId: mark.id, fingerprint, filename: 'secret.txt' },
    });
    const steps = [
      ['org', 'transfer', teamId, bea.id],
      ['org', 'member', 'remove', teamId, bea.id],
      ['mark', 'hand-over', mark.id, bea.id],
      ['mark', 'update', mark.id, '--visibility', 'private'],
      ['file', 'visibility', fingerprint, 'private'],
    ];
    for (const step of steps) {
      const { code, result } = await ada.machine.json(step);
      expect([step, code, result]).toEqual([step, 2, expect.objectContaining({ code: 'CONFIRMATION_REQUIRED' })]);
    }
    const { stderr } = await ada.machine.run(['mark', 'update', mark.id, '--visibility', 'private']);
    expect(stderr).toContain('What is published already cannot be taken back');
    expect((await ada.machine.json(['mark', 'show', mark.id])).result).toMatchObject({ visibility: 'public' });
    expect((await ada.machine.run(['mark', 'update', mark.id, '--name', 'Renamed'])).code).toBe(0);
    expect((await ada.machine.run(['mark', 'update', mark.id, '--visibility', 'private', '--yes'])).code).toBe(0);
    const members = await ada.machine.run(['org', 'member', 'list', teamId]);
    expect(members.stdout).toMatch(/Ada +owner[\s\S]*Bea +admin/);
  });

  it('happen with --yes, and are in the history', async () => {
    await changeTier(service, bea, 'enterprise');
    const { body: mark } = await createMark(service, ada, { name: 'Team', organizationId: teamId });
    expect(await ada.machine.json(['mark', 'hand-over', mark.id, bea.id, '--yes'])).toMatchObject({
      code: 0,
      result: { admin: { name: 'Bea' } },
    });
    expect((await ada.machine.run(['org', 'transfer', teamId, bea.id, '--yes'])).code).toBe(0);
    expect((await ada.machine.run(['org', 'leave', teamId, '--yes'])).code).toBe(0);
    expect((await ada.machine.run(['org', 'show', teamId])).code).toBe(1);
    const { stdout } = await bea.machine.run(['org', 'events', teamId, '--limit', '3']);
    expect(stdout.split('\n').slice(1, 4)).toEqual([
      expect.stringMatching(/ member\.left +Ada +user Ada/),
      expect.stringMatching(/ organization\.transferred +Ada +user Bea/),
      expect.stringMatching(/ mark\.admin_changed +Ada +user Bea, mark Team/),
    ]);
  });
});

describe('API keys', () => {
  it('have a scope and an expiry, and show their last use', async () => {
    await changeTier(service, ada, 'enterprise');
    const org = await createOrganization(service, ada);
    const options = ['--org', org, '--scope', 'read', '--expires', '30d'];
    const { stdout: secret } = await ada.machine.run(['org', 'key', 'create', 'reader', ...options]);
    const reader = ada.machine.with({ PROVENANCE_TOKEN: secret.trim() });
    expect((await reader.run(['org', 'list'])).code).toBe(0);
    expect(await reader.json(['mark', 'create', 'No'])).toMatchObject({ code: 1, result: { code: 'FORBIDDEN' } });
    expect(await reader.json(['account', 'session', 'list'])).toMatchObject({ result: { code: 'FORBIDDEN' } });
    const { result } = await ada.machine.json(['org', 'key', 'list', '--org', org]);
    const [key] = result as [{ scope: string; expiresAt: string; createdAt: string }];
    expect(key.scope).toBe('read');
    expect(Math.round((Date.parse(key.expiresAt) - Date.parse(key.createdAt)) / 86_400_000)).toBe(30);
    const listed = await ada.machine.run(['org', 'key', 'list', '--org', org]);
    expect(listed.stdout).toMatch(/^ID +NAME +TOKEN +SCOPE +CREATED +EXPIRES +LAST USED +FROM +CLIENT$/m);
    const wrong = await ada.machine.run(['org', 'key', 'create', 'x', '--expires', 'soon']);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("not 'soon'")]);
  });
});
