// Accounts and sessions: logging in and out, password, email address, second factor, export and closing.

import { once } from 'node:events';
import { chmod, readdir, readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MailServer, startMailServer } from '../../../test/support/mailServer.js';
import { call, type Service, signUp, startService } from '../../../test/support/service.js';
import { startTamperingProxy } from '../../../test/support/tamperingProxy.js';
import { startProvider, type TestProvider } from '../../server/test/support/openidProvider.js';
import { Machine } from './support/machine.js';

const password = 'correct horse battery';
const newPassword = 'staple horse correct';
const inTerminal = { isTerminal: true };
let mailServer: MailServer;
let provider: TestProvider;
let service: Service;
/** Logged in as Ada. */
let ada: Machine;
let token: string;

const closers: (() => void)[] = [];
afterAll(async () => {
  for (const close of closers) close();
  await provider.stop();
});

beforeAll(async () => {
  mailServer = await startMailServer();
  provider = await startProvider();
  service = await startService({ ...mailServer.settings, ...provider.settings });
  ada = await Machine.create({ PROVENANCE_URL: service.url });
  token = (await signUp(service, { email: 'ada@example.com', password, name: 'Ada Lovelace' })).token;
  await ada.run(['login', '--email', 'ada@example.com'], password);
});

/** A new account, and a machine that uses its first session. */
async function createAccount() {
  const account = await signUp(service);
  const machine = await Machine.create({ PROVENANCE_URL: service.url });
  await machine.run(['login', '--email', account.email], password);
  return { ...account, machine };
}

async function isValid(sessionToken: string): Promise<boolean> {
  return (await call(service, 'GET', '/api/v1/me', { token: sessionToken })).status === 200;
}

async function readStoredToken({ config }: Machine): Promise<string | undefined> {
  return JSON.parse(await readFile(config, 'utf8')).profiles.default.token;
}

/** Forwards requests to the service; `loses` says whether the connection breaks before a response is passed on. */
async function startLossyProxy(loses: (path: string) => boolean): Promise<string> {
  const server = createServer(async (request, response) => {
    const { url = '', method = 'GET', headers } = request;
    const body = await buffer(request);
    const { authorization = '', 'content-type': type = '' } = headers;
    const sent = { method, headers: { authorization, ...(type && { 'content-type': type }) } };
    const honest = await fetch(service.url + url, { ...sent, ...(body.length > 0 && { body: new Uint8Array(body) }) });
    const content = Buffer.from(await honest.arrayBuffer());
    if (loses(url)) request.socket.destroy();
    else response.writeHead(honest.status, { 'content-type': honest.headers.get('content-type') ?? '' }).end(content);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('login', () => {
  it('prompts in a terminal, hides the password, and saves the token in a private file', async () => {
    const here = await Machine.create();
    const running = here.terminal(`provenance login --url ${service.url}`);
    await running.waitForOutput('Email: ');
    running.type('ada@example.com\r');
    await running.waitForOutput('Password: ');
    running.type(`${password}\r`);
    const { code, stdout } = await running.end;
    expect(stdout).toContain('Logged in as Ada Lovelace (profile default).');
    expect(stdout).not.toContain('horse');
    expect(code).toBe(0);
    expect((await stat(here.config)).mode & 0o777).toBe(0o600);
    expect(await here.json(['account', 'show'])).toMatchObject({
      code: 0,
      result: { user: { email: 'ada@example.com' } },
    });
  });

  it('restores the terminal after Ctrl-C at the password prompt', async () => {
    const here = await Machine.create();
    const running = here.terminal(`provenance login --email x@example.com; echo "ended with $?"; stty -a`);
    await running.waitForOutput('Password: ');
    running.type('secret\u0003');
    const { stdout } = await running.end;
    expect(stdout).toContain('ended with 130');
    expect(stdout).not.toContain('secret');
    expect(stdout).toMatch(/ echo /);
  });

  it('reads the password from a pipe or the environment, and refuses a wrong one', async () => {
    const here = await Machine.create({ PROVENANCE_URL: service.url });
    expect((await here.run(['login', '--email', 'ada@example.com'], `${password}\n`)).code).toBe(0);
    const withWrongPassword = here.with({
      PROVENANCE_EMAIL: 'ada@example.com',
      PROVENANCE_PASSWORD: 'a wrong password',
    });
    const { code, stdout, stderr } = await withWrongPassword.run(['login']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^provenance: .*wrong/i);
  });

  it('creates an account; logout removes the token', async () => {
    const here = await Machine.create({ PROVENANCE_URL: service.url });
    const signedUp = await here.json(['login', '--sign-up', 'Dora', '--email', 'dora@example.com'], password);
    expect(signedUp).toMatchObject({ code: 0, result: { profile: 'default', user: { name: 'Dora', tier: 'free' } } });
    expect((await here.run(['account', 'limits'])).stdout).toMatch(/^Marks +0 +3$/m);
    expect((await here.run(['account', 'logout'])).code).toBe(0);
    expect(await readFile(here.config, 'utf8')).not.toContain('token');
    expect(await here.run(['account', 'limits'])).toEqual({
      code: 3,
      stdout: '',
      stderr: `provenance: You are not logged in to ${service.url}: profile default has no token. Run 'provenance login', or set PROVENANCE_TOKEN.\n`,
    });
  });

  it('an unknown token exits with 3', async () => {
    const { code, result } = await ada.with({ PROVENANCE_TOKEN: `svc_${'a'.repeat(22)}` }).json(['account', 'limits']);
    expect(code).toBe(3);
    expect(result).toMatchObject({ code: 'UNAUTHORIZED' });
  });

  it('sends the token only to the service that issued it', async () => {
    let requests = 0;
    const other = await startTamperingProxy(service.url, {
      json: {
        '/': (body) => {
          requests += 1;
          return body;
        },
      },
    });
    const here = ada.with({ PROVENANCE_URL: other });
    expect((await here.run(['mark', 'list'])).stderr).toBe(
      `provenance: You are not logged in to ${other} (PROVENANCE_URL): the token of profile default is for ${service.url}. ` +
        `Run 'provenance login --url ${other}', or 'provenance config profiles' to find another profile.\n`,
    );
    expect(requests).toBe(0);
    expect((await here.with({ PROVENANCE_TOKEN: token }).run(['mark', 'list'])).code).toBe(0);
  });
});

describe('several registries', () => {
  it('keep a login each when the URL is changed, and back', async () => {
    const other = await startTamperingProxy(service.url, {});
    const here = await Machine.create();
    const logIn = (...args: string[]) => here.run(['login', '--with-token', ...args], token);
    const tokens = async () => JSON.parse(await readFile(here.config, 'utf8')).profiles;
    expect((await logIn('--url', service.url)).stdout).toContain('(profile default)');
    const name = new URL(other).host.replace(':', '-');
    expect((await here.run(['config', 'set', 'url', other])).stdout).toBe(`Switched to profile ${name} (${other}).\n`);
    expect((await here.run(['mark', 'list'])).stderr).toContain(`${other}: profile ${name} has no token.`);
    expect((await logIn()).stdout).toContain(`(profile ${name})`);
    expect((await here.run(['mark', 'list'])).code).toBe(0);
    expect((await here.run(['config', 'set', 'url', `${service.url}/`])).stdout).toContain(
      'Switched to profile default',
    );
    expect((await here.run(['mark', 'list'])).code).toBe(0);
    const { default: first, [name]: second } = await tokens();
    expect([first.token, second.token]).toEqual([expect.any(String), expect.any(String)]);
    // A login at the other one does not replace this one.
    expect((await logIn('--url', other)).stdout).toContain(`(profile ${name})`);
    expect((await tokens()).default).toEqual(first);
  });

  it('do not share a profile that was named: nothing is logged out silently', async () => {
    const here = await Machine.create();
    await here.run(['login', '--email', 'ada@example.com', '--url', service.url, '--profile', 'work'], password);
    const before = await readFile(here.config, 'utf8');
    const { code, stderr } = await here.run(['config', 'set', 'url', 'https://b.example', '--profile', 'work']);
    expect([code, stderr]).toEqual([
      1,
      `provenance: Profile 'work' (--profile) is logged in to ${service.url}. Use another profile, or run 'provenance account logout --profile work' first.\n`,
    ]);
    expect(await readFile(here.config, 'utf8')).toBe(before);
  });
});

describe('requests', () => {
  it('name the command, and are not repeated when they are refused for good', async () => {
    const agents: (string | undefined)[] = [];
    const paths: (string | undefined)[] = [];
    const named = expect.stringMatching(/^provenance\/\d+\.\d+\.\d+ \(node \d+\.\d+\.\d+; \w+\)$/);
    let status = 400;
    const refusing = createServer((request, response) => {
      agents.push(request.headers['user-agent']);
      paths.push(request.url);
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: 'No.', code: 'NOPE' }));
    });
    await once(refusing.listen(0, '127.0.0.1'), 'listening');
    const { port } = refusing.address() as AddressInfo;
    const here = await Machine.create({ PROVENANCE_URL: `http://127.0.0.1:${port}`, PROVENANCE_TOKEN: 'token' });
    for (status of [400, 401, 403, 404, 409, 410, 422]) {
      agents.length = 0;
      paths.length = 0;
      expect((await here.run(['mark', 'list'])).code).toBe(status === 401 ? 3 : 1);
      // A registry is asked who it is before anything else.
      expect(paths).toEqual(['/.well-known/provenance-registry', '/api/v1/marks']);
      expect(agents).toEqual([named, named]);
    }
    agents.length = 0;
    const node = ['--rpc-url', `http://127.0.0.1:${port}/node`, '--contract', `0x${'1'.repeat(40)}`];
    await here.run(['verify', ...node, 'a'.repeat(64)]);
    expect(paths).toContain('/node');
    expect(new Set(agents)).toEqual(new Set([agents[0]]));
    expect(agents[0]).toEqual(named);
    refusing.close();
  });
});

describe('logout', () => {
  it('ends the session at the service, also when the first response is lost', async () => {
    const { email } = await createAccount();
    let requests = 0;
    const lossy = await startLossyProxy((path) => {
      requests += Number(path.endsWith('/logout'));
      return path.endsWith('/logout') && requests === 1;
    });
    const here = await Machine.create({ PROVENANCE_URL: lossy });
    await here.run(['login', '--email', email], password);
    const ended = String(await readStoredToken(here));
    expect(await isValid(ended)).toBe(true);
    expect(await here.json(['account', 'logout'])).toEqual({
      code: 0,
      result: { profile: 'default', session: 'ended' },
    });
    expect([requests, await isValid(ended), await readStoredToken(here)]).toEqual([2, false, undefined]);
  });

  it('removes the token when the service cannot be reached, and says that the session is open', async () => {
    const here = await Machine.create();
    const profiles = { default: { url: 'http://127.0.0.1:1', token: 'header.claims.signature' } };
    await here.file('.config/provenance/config.json', JSON.stringify({ profiles }));
    await chmod(here.config, 0o600);
    const { code, stdout, stderr } = await here.run(['account', 'logout']);
    expect([code, stdout]).toEqual([3, 'Logged out (profile default).\n']);
    expect(stderr).toContain('The token was removed, but its session could not be ended');
    expect(await readStoredToken(here)).toBeUndefined();
  });

  it('does not end the session of a token from the environment', async () => {
    const { token: given } = await signUp(service);
    const here = await Machine.create({ PROVENANCE_URL: service.url, PROVENANCE_TOKEN: given });
    expect(await here.json(['account', 'logout'])).toMatchObject({ code: 0, result: { session: 'none' } });
    expect(await isValid(given)).toBe(true);
  });

  it('--everywhere ends all sessions', async () => {
    const { machine, token: other } = await createAccount();
    const own = String(await readStoredToken(machine));
    expect((await machine.run(['account', 'logout', '--everywhere'])).code).toBe(0);
    expect([await isValid(own), await isValid(other), await readStoredToken(machine)]).toEqual([
      false,
      false,
      undefined,
    ]);
  });
});

describe('sessions', () => {
  it('are listed, and ended one by one or all others', async () => {
    const { machine, token: first } = await createAccount();
    const second = (
      await call(service, 'POST', '/api/v1/auth/login', { body: { email: await emailOf(first), password } })
    ).body.token;
    const { result } = await machine.json(['account', 'session', 'list']);
    const sessions = result as { id: string; current: boolean }[];
    expect(sessions.map(({ current }) => current).sort()).toEqual([false, false, true]);
    const own = sessions.find(({ current }) => current)?.id ?? '';
    expect((await machine.run(['account', 'session', 'list'])).stdout).toMatch(new RegExp(`^\\* +${own}`, 'm'));
    expect((await machine.run(['account', 'session', 'end'])).code).toBe(2);
    expect((await machine.run(['account', 'session', 'end', '--others'])).code).toBe(0);
    expect([await isValid(first), await isValid(second)]).toEqual([false, false]);
    expect((await machine.run(['account', 'session', 'end', own])).code).toBe(0);
    expect((await machine.run(['account', 'show'])).code).toBe(3);
  });

  const emailOf = async (of: string) => (await call(service, 'GET', '/api/v1/me', { token: of })).body.user.email;
});

describe('password', () => {
  it('is changed in a terminal without showing it, and ends the other sessions', async () => {
    const { machine, email, token: other } = await createAccount();
    const running = machine.start(['account', 'password'], inTerminal);
    await running.waitForOutput('Current password: ');
    running.type(`${password}\r`);
    await running.waitForOutput('New password: ');
    running.type(`${newPassword}\r`);
    await running.waitForOutput('Repeat it: ');
    running.type(`${newPassword}\r`);
    const { code, stdout } = await running.end;
    expect([code, stdout.includes('staple')]).toEqual([0, false]);
    expect(stdout).toContain('Password changed. All other sessions are ended.');
    expect([await isValid(other), (await machine.run(['account', 'show'])).code]).toEqual([false, 0]);
    expect((await machine.run(['login', '--email', email], newPassword)).code).toBe(0);
  });

  it('stays when the two entries differ, the current one is wrong, or the new one is common', async () => {
    const { machine, email } = await createAccount();
    const running = machine.with({ PROVENANCE_PASSWORD: password }).start(['account', 'password'], inTerminal);
    await running.waitForOutput('New password: ');
    running.type(`${newPassword}\r`);
    await running.waitForOutput('Repeat it: ');
    running.type('another password\r');
    const differing = await running.end;
    expect([differing.code, differing.stdout]).toEqual([2, expect.stringContaining('nothing was changed')]);
    const wrong = await machine.run(['account', 'password'], `a wrong password\n${newPassword}\n`);
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringMatching(/wrong/i)]);
    expect(wrong.stderr).not.toContain('Log in');
    expect((await machine.json(['account', 'password'], `${password}\n1234567890\n`)).code).toBe(1);
    const missing = await machine.run(['account', 'password'], `${password}\n`);
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('Missing new password')]);
    expect((await machine.run(['login', '--email', email], password)).code).toBe(0);
  });

  it('is reset with the link that was mailed', async () => {
    const { machine, email } = await createAccount();
    await mailServer.nextMail(email);
    expect((await machine.run(['account', 'reset-password', 'request', email])).code).toBe(0);
    const { link } = await mailServer.nextMail(email);
    const elsewhere = link.replace(service.url, 'https://registry.example');
    const refused = await machine.run(['account', 'reset-password', 'confirm'], `${elsewhere}\n${newPassword}\n`);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('Use --url https://registry.example')]);
    const confirm = () => machine.run(['account', 'reset-password', 'confirm'], `${link}\n${newPassword}\n`);
    expect((await confirm()).code).toBe(0);
    expect((await confirm()).code).toBe(1);
    expect((await machine.run(['account', 'show'])).code).toBe(3);
    expect((await machine.run(['login', '--email', email], newPassword)).code).toBe(0);
  });
});

describe('email address', () => {
  it('changes when the link that was mailed is used', async () => {
    const { machine } = await createAccount();
    const address = `changed-${process.pid}@example.com`;
    const changed = await machine.json(['account', 'email', address], password);
    expect(changed).toEqual({ code: 0, result: { email: address, isPending: true } });
    expect((await machine.run(['account', 'email', address], 'a wrong password')).code).toBe(1);
    const { link } = await mailServer.nextMail(address);
    expect((await machine.run(['account', 'verify-email', '-'], link)).code).toBe(0);
    expect((await machine.run(['account', 'show'])).stdout).toContain(`${address} (verified)`);
  });
});

describe('second factor', () => {
  it('is needed for logging in, until it is disabled', async () => {
    const { machine, email } = await createAccount();
    const { result } = await machine.json(['account', 'totp', 'enable'], password);
    const totp = new TOTP({ secret: Secret.fromBase32((result as { secret: string }).secret) });
    const wrong = await machine.run(['account', 'totp', 'confirm', '--totp-code', '12345']);
    expect(wrong.code).toBe(1);
    const confirmed = await machine.run(['account', 'totp', 'confirm'], totp.generate());
    const [first = '', second = '', ...others] = confirmed.stdout.trim().split('\n');
    expect([confirmed.code, others.length]).toEqual([0, 8]);

    const withoutCode = await machine.json(['login', '--email', email], password);
    expect(withoutCode).toMatchObject({ code: 2, result: { code: 'TOTP_REQUIRED' } });
    expect((await machine.run(['login', '--email', email, '--totp-code', '12345'], password)).code).toBe(1);
    expect((await machine.run(['login', '--email', email, '--totp-code', first], password)).code).toBe(0);
    expect((await machine.run(['login', '--email', email], `${password}\n${second}`)).code).toBe(0);
    expect((await machine.run(['login', '--email', email], `${password}\n${second}`)).code).toBe(1);
    const running = machine.start(['login', '--email', email], inTerminal);
    await running.waitForOutput('Password: ');
    running.type(`${password}\r`);
    await running.waitForOutput('Code: ');
    // A code works once: that of the current period is used up.
    running.type(`${totp.generate({ timestamp: Date.now() + 30_000 })}\r`);
    expect((await running.end).code).toBe(0);

    expect((await machine.run(['account', 'totp', 'disable'], 'a wrong password')).code).toBe(1);
    expect((await machine.run(['account', 'totp', 'disable'], password)).code).toBe(0);
    expect((await machine.run(['login', '--email', email], password)).code).toBe(0);
  });
});

describe('export', () => {
  it('is saved in a file that only its owner can read, complete or not at all', async () => {
    const { machine, id } = await createAccount();
    expect((await machine.run(['account', 'export', '-o', 'mine.json'])).code).toBe(0);
    const path = join(machine.home, 'mine.json');
    expect(JSON.parse(await readFile(path, 'utf8')).user.id).toBe(id);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await machine.run(['account', 'export', '-o', 'mine.json'])).code).toBe(2);
  });

  it('leaves no file when the connection is lost', async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"user":', () => response.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closers.push(() => server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const here = await Machine.create({ PROVENANCE_URL: url, PROVENANCE_TOKEN: 'header.claims.signature' });
    expect(await here.json(['account', 'export'])).toMatchObject({ code: 3, result: { code: 'UNREACHABLE' } });
    expect((await readdir(here.home)).filter((name) => name.includes('export'))).toEqual([]);
  });
});

describe('closing', () => {
  it('says what follows and asks; without a terminal it needs --yes', async () => {
    const { machine, email } = await createAccount();
    const refused = await machine.run(['account', 'close'], password);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/cannot be taken back.*Use --yes/)]);
    const cancelled = machine.start(['account', 'close'], inTerminal);
    await cancelled.waitForOutput('[y/N] ');
    cancelled.type('n\r');
    expect((await cancelled.end).code).toBe(2);
    expect((await machine.run(['account', 'close', '--yes'], 'a wrong password')).code).toBe(1);
    expect((await machine.run(['account', 'show'])).code).toBe(0);

    const running = machine.start(['account', 'close'], inTerminal);
    await running.waitForOutput(`Close the account of ${email}? [y/N] `);
    expect(running.output().replaceAll(/\s+/g, ' ')).toContain('Registered files stay registered');
    running.type('y\r');
    await running.waitForOutput('Password: ');
    running.type(`${password}\r`);
    expect((await running.end).code).toBe(0);
    expect(await readStoredToken(machine)).toBeUndefined();
    expect((await machine.run(['login', '--email', email], password)).code).toBe(1);
  });

  it('asks users of an OpenID provider for no password', async () => {
    const providerToken = await provider.issue('ES256');
    const machine = await Machine.create({ PROVENANCE_URL: service.url, PROVENANCE_TOKEN: providerToken });
    const running = machine.start(['account', 'close'], inTerminal);
    await running.waitForOutput('[y/N] ');
    running.type('y\r');
    expect((await running.end).code).toBe(0);
    expect(running.output()).not.toContain('Password');
    expect(await isValid(providerToken)).toBe(false);
  });
});
