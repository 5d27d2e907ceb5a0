// The examples of the help and of the documentation can be run unchanged.

import { createHash } from 'node:crypto';
import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { registryFingerprint } from '@provenance-registry/core';
import { Secret, TOTP } from 'otpauth';
import { beforeAll, describe, expect, it } from 'vitest';
import { addMarkMember, addMember, createOrganization } from '../../../test/support/accounts.js';
import { listRunBlocks } from '../../../test/support/documentedBlocks.js';
import { type MailServer, startMailServer } from '../../../test/support/mailServer.js';
import { randomUUID } from '../../../test/support/random.js';
import { call, type Service, signUp, startService, waitForLog } from '../../../test/support/service.js';
import { newImage } from '../../../test/support/signedImages.js';
import { draw } from '../../server/test/support/pictures.js';
import { rootGroup } from '../src/commands/index.js';
import { listCommands } from '../src/outputSchemas/documents.js';
import { parseCommandLine } from './support/commandLine.js';
import { exampleOutputs } from './support/exampleOutputs.js';
import { Machine } from './support/machine.js';
import { checkOutput } from './support/outputChecks.js';

const password = 'correct horse battery';
let service: Service;
let rpcUrl: string;
let contract: string;

let mailServer: MailServer;

beforeAll(async () => {
  mailServer = await startMailServer();
  // No domain of an example is looked up on the internet.
  service = await startService({ ...mailServer.settings, DOMAIN_DNS_SERVERS: '127.0.0.1:1', DOWNLOADS_SECONDS: '5' });
  await signUp(service, { email: 'ada@example.com', password, name: 'Ada Lovelace' });
  const deployment = await call(service, 'GET', '/c2pa/contract');
  rpcUrl = deployment.body.rpcUrl;
  contract = deployment.body.address;
});

type Account = Awaited<ReturnType<typeof signUp>>;

async function signUpVerified(fields?: Parameters<typeof signUp>[1]): Promise<Account> {
  const account = await signUp(service, fields);
  const { token } = await mailServer.nextMail(account.email);
  await call(service, 'POST', '/api/v1/auth/verify-email', { body: { token } });
  return account;
}

/** Passwords are read from the files that the lines name. */
function asAccount({ token }: Account): Readonly<Record<string, string>> {
  return { PROVENANCE_TOKEN: token, PROVENANCE_PASSWORD: '' };
}

describe('every example in the help can be run unchanged', () => {
  let here: Machine;
  let grace: Account;
  let organizationId: string;
  let markId: string;
  beforeAll(async () => {
    // Inviting others by mail needs a verified address.
    grace = await signUpVerified({ email: 'grace@example.com', password, name: 'Grace' });
    const { token } = grace;
    await call(service, 'PUT', '/api/v1/subscription', { token, body: { tier: 'enterprise' } });
    const create = async (path: string, body: unknown) => (await call(service, 'POST', path, { token, body })).body;
    organizationId = (await create('/api/v1/organizations', { name: 'Examples' })).id;
    const key = await create('/api/v1/api-keys', { organizationId, name: 'one' });
    markId = (await create('/api/v1/marks', { name: 'Examples' })).id;
    const content = `another photo, ${randomUUID()}`;
    const example = `0x${createHash('sha256').update(content).digest('hex')}`;
    await create('/api/v1/artifacts', { markId, fingerprint: example, filename: 'photo.jpg' });
    here = (await Machine.create()).with({
      PROVENANCE_URL: service.url,
      PROVENANCE_TOKEN: token,
      PROVENANCE_PASSWORD: password,
      FINGERPRINT: example,
      MARK_ID: markId,
      ORGANIZATION_ID: organizationId,
      KEY_ID: key.id,
      NODE: rpcUrl,
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
    await here.run(['file', 'status', '--wait', 'photo.jpg']);
  });

  const commandsWithCheckedJson = new Set<string>();

  /** Prepares what a line needs besides; the variables that it returns are for this line alone. */
  async function prepare(line: string): Promise<Machine> {
    const found = Object.entries(preparations).find(([start]) => line.startsWith(`provenance ${start}`));
    return found ? here.with(await found[1]()) : here;
  }

  const inviteTo = async (path: string) =>
    (await call(service, 'POST', `/api/v1/${path}/invitations`, { token: grace.token, body: {} })).body;
  const invitationTo = async (path: string) => {
    const { id, url } = await inviteTo(path);
    await here.file('invitation.txt', url);
    return { ...asAccount(await signUp(service)), INVITATION_LINK: url, INVITATION_ID: id };
  };
  const newOrganization = async () => {
    const member = await signUp(service);
    await call(service, 'PUT', '/api/v1/subscription', { token: member.token, body: { tier: 'enterprise' } });
    const id = await createOrganization(service, grace, 1);
    await addMember(service, grace, id, member);
    return { member, variables: { ORGANIZATION_ID: id, USER_ID: member.id } };
  };
  const newMarkMember = async () => {
    const member = await signUp(service);
    await addMarkMember(service, grace, markId, member);
    return member;
  };
  /** Signs up; the lines about accounts change or end the one that they use. */
  const newAccount = async () => asAccount(await signUp(service));
  const newMark = async ({ token }: Account) =>
    (await call(service, 'POST', '/api/v1/marks', { token, body: { name: 'Another' } })).body.id;
  /** Claims need a verified address. */
  const newClaimant = async () => {
    const account = await signUpVerified();
    return { account, MARK_ID: await newMark(account) };
  };
  const newClaim = async () => {
    const { account, MARK_ID } = await newClaimant();
    const body = { kind: 'statement', statement: 'Mine.', markId: MARK_ID };
    const { token } = account;
    const claim = await call(service, 'POST', `/api/v1/artifacts/${here.env['FINGERPRINT']}/claims`, { token, body });
    return { account, CLAIM_ID: claim.body.id };
  };
  const newTotp = async () => {
    const account = await signUp(service);
    const { body } = await call(service, 'POST', '/api/v1/me/totp', { token: account.token, body: { password } });
    return { account, code: new TOTP({ secret: Secret.fromBase32(body.secret) }).generate() };
  };

  /** By the beginning of the line. */
  const preparations: Readonly<Record<string, () => Promise<Readonly<Record<string, string>>>>> = {
    'file filter --update': async () => {
      await waitForLog(service, 'downloads: a new version is published');
      await here.run(['config', 'trust', 'add', service.url, '--expect', here.env['REGISTRY_FINGERPRINT'] ?? '']);
      return {};
    },
    'file filter <': async () => {
      await here.file('fingerprints.txt', `${here.env['FINGERPRINT']}\n`);
      return {};
    },
    'file lookalikes': async () => {
      const original = draw({ seed: 1, width: 160, height: 120, cell: 20 });
      await here.file('original.png', await original.clone().png().toBuffer());
      await here.run(['register', 'original.png', '--mark', markId]);
      for (const name of ['copy.jpg', 'copies/one.jpg']) await here.file(name, await original.jpeg().toBuffer());
      // New registrations are found within seconds.
      await expect.poll(async () => (await here.run(['file', 'lookalikes', 'copy.jpg'])).code).toBe(0);
      return {};
    },
    'log monitor --once --lookalikes': async () => {
      const drawn = draw({ seed: 2, width: 160, height: 120, cell: 20 });
      await here.file('photos/drawn.png', await drawn.png().toBuffer());
      return {};
    },
    'register --new-mark': async () => {
      await here.file('notes.txt', randomUUID());
      return newAccount();
    },
    'watch install': async () => {
      await here.file('.bin/systemctl', '#!/bin/sh\n');
      await chmod(join(here.home, '.bin/systemctl'), 0o755);
      await here.run(['login', '--with-token'], grace.token);
      // The unit sees only what the profile has.
      return { PROVENANCE_URL: '', PROVENANCE_TOKEN: '' };
    },
    'account show': async () => ({}),
    'account limits': async () => ({}),
    'account verify-email -': async () => {
      const account = await signUp(service);
      await here.file('link.txt', (await mailServer.nextMail(account.email)).link);
      return asAccount(account);
    },
    'account password': async () => {
      await here.file('passwords.txt', `${password}\nstaple horse correct\n`);
      return newAccount();
    },
    'account reset-password confirm': async () => {
      const { email } = await signUp(service);
      await mailServer.nextMail(email);
      await call(service, 'POST', '/api/v1/auth/password-reset', { body: { email } });
      const { link } = await mailServer.nextMail(email);
      await here.file('link-and-password.txt', `${link}\nstaple horse correct\n`);
      return {};
    },
    'account session end "$SESSION_ID"': async () => {
      const account = await signUp(service);
      const { body } = await call(service, 'GET', '/api/v1/me/sessions', { token: account.token });
      return { ...asAccount(account), SESSION_ID: body[0].id };
    },
    'account totp confirm': async () => {
      const { account, code } = await newTotp();
      return { ...asAccount(account), CODE: code };
    },
    'account totp disable': async () => {
      const { account, code } = await newTotp();
      await call(service, 'POST', '/api/v1/me/totp/confirm', { token: account.token, body: { code } });
      return asAccount(account);
    },
    'account ': newAccount,
    'invitation show': () => invitationTo(`organizations/${organizationId}`),
    'invitation withdraw': async () => ({
      INVITATION_ID: (await inviteTo(`organizations/${organizationId}`)).id,
    }),
    'invitation accept': () => invitationTo(`organizations/${organizationId}`),
    'invitation decline': () => invitationTo(`organizations/${organizationId}`),
    'org leave': async () => {
      const { member, variables } = await newOrganization();
      return { ...asAccount(member), ...variables };
    },
    'org transfer': async () => (await newOrganization()).variables,
    'org member set': async () => (await newOrganization()).variables,
    'org member remove': async () => (await newOrganization()).variables,
    'mark leave': async () => asAccount(await newMarkMember()),
    'mark member remove': async () => ({ USER_ID: (await newMarkMember()).id }),
    'mark represented-by': async () => ({ OTHER_MARK_ID: await newMark(grace) }),
    'claim create': async () => {
      const { account, MARK_ID } = await newClaimant();
      return { ...asAccount(account), MARK_ID };
    },
    'claim answer': async () => ({ CLAIM_ID: (await newClaim()).CLAIM_ID }),
    'claim concede': async () => ({ CLAIM_ID: (await newClaim()).CLAIM_ID }),
    'claim withdraw': async () => {
      const { account, CLAIM_ID } = await newClaim();
      return { ...asAccount(account), CLAIM_ID };
    },
    'mark hand-over': async () => {
      const { body } = await call(service, 'POST', '/api/v1/marks', {
        token: grace.token,
        body: { name: 'Handed over' },
      });
      const member = await signUp(service);
      await addMarkMember(service, grace, body.id, member);
      return { MARK_ID: body.id, USER_ID: member.id };
    },
  };

  async function runWithJson(line: string) {
    const { code, stdout, stderr } = await (await prepare(line)).runLine(line, ['--json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [, words = ''] = /provenance (.*)/.exec(line) ?? [];
    commandsWithCheckedJson.add(checkOutput(words.split(' '), JSON.parse(stdout)) ?? '');
  }

  it.each(orderExamples(collectExamples(rootGroup, [])))('%s', async (line) => {
    const expected = exampleOutputs[line];
    // Where no text is expected, the JSON must be as documented.
    if (!expected) return runWithJson(line);
    const { code, stdout, stderr } = await (await prepare(line)).runLine(line);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(expected);
  });

  it('are split into arguments here as bash does it', async () => {
    const lines = collectExamples(rootGroup, []).filter((line) => parseCommandLine(line, here.env));
    expect(lines.length).toBeGreaterThan(100);
    const script = lines.map((line) => `show_words ${line.replaceAll(/ 2?[<>] +\S+/g, '')}`).join('\n');
    const { stdout } = await here.shell(`show_words() { printf '%s\\n' "$@"; }\n${script}`);
    const words = lines.flatMap((line) => parseCommandLine(line, here.env)?.words ?? []);
    expect(stdout.trimEnd().split('\n')).toEqual(words);
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
  'mark list',
  'mark show "$MARK_ID"',
  'mark create JSON',
  'mark update "$MARK_ID" --license MIT',
  'file list',
  'mark artifacts "$MARK_ID"',
  'mark gallery',
  'invitation create "$MARK_ID"',
  'org key create JSON --org "$ORGANIZATION_ID"',
  'org list',
  'org units "$ORGANIZATION_ID" 20',
  'org overview "$ORGANIZATION_ID"',
  'org events "$ORGANIZATION_ID"',
  'account totp confirm --totp-code "$CODE"',
  'org member list "$ORGANIZATION_ID"',
  'invitation create "$ORGANIZATION_ID"',
  'file visibility photo.jpg public',
  'config trust add "$REGISTRY_URL" --expect "$REGISTRY_FINGERPRINT"',
  'config trust list',
  'completion bash',
];

/** watchedFolders.test.ts, accounts.test.ts, lookups.test.ts and witness.test.ts run them with --json. */
const checkedByOtherTests = ['watch run', 'org key list', 'log witness', 'account show'];

describe('the command line documentation', () => {
  const page = new URL('../../../docs/cli.md', import.meta.url);

  it('has examples that can be run unchanged', async () => {
    const here = await Machine.create({ PROVENANCE_URL: service.url, PROVENANCE_PASSWORD: password });
    await here.file('note.txt', randomUUID());
    const { token } = await signUp(service);
    await call(service, 'POST', '/api/v1/marks', { token, body: { name: 'ADA LOVELACE' } });
    const blocks = (await listRunBlocks('docs/cli.md')).map(({ code }) => code);
    const helpExamples = new Set(collectExamples(rootGroup, []));
    const isHelpExample = (block: string) =>
      block
        .trim()
        .split('\n')
        .every((line) => helpExamples.has(line));
    const script = blocks
      .filter((block) => !isHelpExample(block))
      .join('')
      .replaceAll('http://127.0.0.1:8545', rpcUrl)
      .replaceAll('0x5FbDB2315678afecb367f032d93F642f64180aa3', contract)
      .replaceAll('ada@example.com', 'ada.of.the.page@example.com');
    let [stdout, stderr] = ['', ''];
    for (const line of script.trim().split('\n')) {
      const result = await here.runLine(line);
      expect([line, result.code]).toEqual([line, 0]);
      stdout += result.stdout;
      stderr += result.stderr;
    }
    expect(stderr).toMatch(/^provenance: First contact with .*\nprovenance: .* like this one\. .*\n$/);
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

/** Creates bundles before they are used. Examples that run until Ctrl-C have their own tests. */
function orderExamples(lines: readonly string[]): string[] {
  const isBundle = (line: string) => Number(line.includes(' bundle '));
  return lines
    .filter((line) => !/ watch run| log witness| log monitor (?!--once)| --serve /.test(line))
    .toSorted((one, two) => isBundle(two) - isBundle(one));
}
