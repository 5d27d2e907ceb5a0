// What `verify` says about a result that is not verified: the line to run next leads there. And whose file it should be.

import { registryFingerprint } from '@provenance-registry/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { fingerprintOf } from '../../../test/support/artifacts.js';
import { call, newDataFolder, type Service, signUp, startService } from '../../../test/support/service.js';
import { IDENTITY_PATH } from './support/identityFront.js';
import { Machine } from './support/machine.js';

const PHOTO = 'a photo of the advice';
const SECRET = 'a photo under a private Mark';
/** However busy the machine is. */
const patient = ['--timeout', '120'];

let service: Service;
let token: string;
let markId: string;
let variables: Readonly<Record<string, string>>;

beforeAll(async () => {
  service = await startService({ DATA_DIR: await newDataFolder() });
  token = (await signUp(service)).token;
  await call(service, 'PUT', '/api/v1/subscription', { token, body: { tier: 'enterprise' } });
  const create = async (path: string, body: object) => (await call(service, 'POST', path, { token, body })).body;
  markId = (await create('/api/v1/marks', { name: 'Photography' })).id;
  const hidden = (await create('/api/v1/marks', { name: 'Hidden', visibility: 'private' })).id;
  const register = (mark: string, content: string) =>
    create('/api/v1/artifacts', {
      markId: mark,
      fingerprint: fingerprintOf(Buffer.from(content)),
      filename: 'photo.jpg',
    });
  await register(markId, PHOTO);
  await register(hidden, SECRET);
  const { rpcUrl, address } = (await call(service, 'GET', '/c2pa/contract')).body;
  variables = {
    PROVENANCE_URL: service.url,
    RPC_URL: rpcUrl,
    CONTRACT: address,
    FINGERPRINT: registryFingerprint((await call(service, 'GET', IDENTITY_PATH)).body),
  };
  await (await arrive({ PROVENANCE_TOKEN: token })).run(['file', 'status', '--wait', 'photo.jpg', 'secret.jpg']);
});

/** A machine that knows nothing yet. */
async function arrive(more: Readonly<Record<string, string>> = {}): Promise<Machine> {
  const machine = await Machine.create({ ...variables, ...more });
  await machine.file('photo.jpg', PHOTO);
  await machine.file('secret.jpg', SECRET);
  await machine.file("it's new.jpg", 'a file that is not registered');
  return machine;
}

/** The command in the line that says what to run next, and the rest of the line. */
function readAdvice(stdout: string): { why: string | undefined; command: string } {
  const [, why, command = ''] = /^ *Next: (.*?)(?:: (provenance .*))?$/m.exec(stdout) ?? [];
  return { why, command };
}

describe('the last line about a file that is not verified', () => {
  it.each<[reason: string, args: string, advice: RegExp]>([
    ['nothing is named', 'verify photo.jpg', /config trust add/],
    ['only a node is named', 'verify --rpc-url "$RPC_URL" photo.jpg', /config trust add/],
    ['only a contract is named', 'verify --contract "$CONTRACT" photo.jpg', /verify --rpc-url/],
    ['a required chain is not read', 'verify --contract "$CONTRACT" --require chain photo.jpg', /verify --rpc-url/],
    [
      'of a bundle nothing is compared',
      'verify --bundle photo.bundle.json photo.jpg',
      /--block-hash 0x\w{64} --contract/,
    ],
    ['the file is a card of the registered one', 'verify card.png', /config trust add/],
  ])('leads to verified when %s', async (_, line, expected) => {
    const machine = await arrive();
    await machine.run(['file', 'bundle', 'photo.jpg', '-ophoto.bundle.json', ...patient]);
    await machine.file('card.png', await readCard());
    const shown = await machine.runLine(`provenance ${line}`, patient);
    const lastLine = shown.stdout.trimEnd().split('\n').at(-1) ?? '';
    expect(lastLine).toMatch(/^ {2}Next: /);
    const { command } = readAdvice(lastLine);
    expect(command).toMatch(expected);
    const isPin = command.includes('trust add');
    // Without a terminal, the fingerprint that was compared is an option.
    const done = await machine.runLine(command, isPin ? ['--expect', variables['FINGERPRINT'] ?? ''] : patient);
    expect([command, done.code]).toEqual([command, 0]);
    const again = isPin ? await machine.runLine(`provenance ${line}`, patient) : done;
    if (line.includes('card.png')) {
      // The advice for a file without an entry of its own.
      const original = readAdvice(again.stdout).command;
      expect(original).toBe(`provenance verify ${fingerprintOf(Buffer.from(PHOTO))}`);
      expect((await machine.runLine(original, patient)).stdout).toMatch(/^0x\w{64}: verified\n/);
    } else expect(again.stdout).toMatch(/^photo\.jpg: verified\n/);
    expect(again.stdout.includes('Next: ')).toBe(line.includes('card.png'));
  });

  it('fits what went wrong, quotes names for the shell, and stands once below many files', async () => {
    const machine = await arrive();
    const unknown = await machine.run(['verify', "it's new.jpg", ...patient]);
    expect(readAdvice(unknown.stdout).command).toBe(String.raw`provenance verify --similar 'it'\''s new.jpg'`);
    const dead = ['--rpc-url', 'http://127.0.0.1:1', '--contract', variables['CONTRACT'] ?? ''];
    const unusable = await machine.run(['verify', 'photo.jpg', ...dead, ...patient]);
    expect([unusable.code, readAdvice(unusable.stdout)]).toEqual([
      3,
      { why: expect.stringMatching(/^Run it again when the source that you named responds/), command: '' },
    ]);
    const hidden = await machine.run(['verify', 'secret.jpg', '--expect-mark', 'Hidden', ...patient]);
    expect([hidden.code, readAdvice(hidden.stdout).command]).toEqual([3, `provenance login --url ${service.url}`]);
    const many = await machine.run(['verify', 'photo.jpg', 'secret.jpg', "it's new.jpg", ...patient]);
    expect(many.stdout.match(/Next: /g)).toHaveLength(1);
    expect(readAdvice(many.stdout).command).toBe(`provenance config trust add ${service.url}`);
  });
});

async function readCard(): Promise<Uint8Array> {
  const fingerprint = fingerprintOf(Buffer.from(PHOTO));
  const { body } = await call(service, 'GET', `/api/v1/public/artifacts/${fingerprint}`);
  return new Uint8Array(await (await fetch(body.c2paAssets.signedAssetUrl)).arrayBuffer());
}

describe('the expected Mark', () => {
  const verify = async (file: string, mark: string) => {
    const machine = await arrive();
    await machine.run(['config', 'trust', 'add', service.url, '--expect', variables['FINGERPRINT'] ?? '']);
    const { code, stdout, stderr } = await machine.run(['verify', file, '--expect-mark', mark, ...patient]);
    return { code, firstLine: stdout.split('\n')[0], stderr };
  };

  it('is the one with exactly this ID or name, and a name may be that of others', async () => {
    expect(await verify('photo.jpg', markId)).toEqual({ code: 0, firstLine: 'photo.jpg: verified', stderr: '' });
    const named = await verify('photo.jpg', 'Photography');
    expect([named.code, named.stderr]).toEqual([0, expect.stringContaining('Any other Mark can have the same name')]);
    expect((await verify('photo.jpg', '')).code).toBe(2);
  });

  it.each<[string, (id: string) => string]>([
    ['ID with another last digit', (id) => id.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))],
    ['ID with another first digit', (id) => id.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))],
    ['ID without its last digit', (id) => id.slice(0, -1)],
    ['ID in capitals', (id) => id.toUpperCase()],
    ['name in other letters', () => 'photography'],
    ['name that goes on', () => 'Photography '],
    ['beginning of the name', () => 'Photo'],
  ])('is not the one with an %s', async (_, change) => {
    const { code, firstLine } = await verify('photo.jpg', change(markId));
    expect([code, firstLine]).toEqual([
      1,
      expect.stringMatching(/^photo\.jpg: CONTRADICTED: It is registered under the Mark Photography, not under /),
    ]);
  });
});
