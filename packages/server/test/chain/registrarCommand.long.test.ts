// `provenance-server registrar`, against the development chain of a running service.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Registry, startRegistry } from '../../../../test/support/artifacts.js';
import { freePort } from '../../../../test/support/ports.js';
import { call, launchService, temporaryFolder } from '../../../../test/support/service.js';
import { registrarCommand } from '../../src/commands/registrar.js';
import { runServerCommand } from '../support/serverCommand.js';

const STRANGER_KEY = `0x${'77'.repeat(32)}`;
const CANDIDATE = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

let service: Registry;
let onNode: Record<string, string>;
let adminKey: string;

beforeAll(async () => {
  service = await startRegistry({ CHAIN_PORT: String(await freePort()) });
  const { address, rpcUrl } = (await call(service, 'GET', '/c2pa/contract')).body;
  onNode = { RPC_URL: rpcUrl, REGISTRY_ADDRESS: address };
  const secret = await readFile(join(service.dataDir, 'chain-admin-key'), 'utf8');
  adminKey = `0x${Buffer.from(secret.trim(), 'base64url').toString('hex')}`;
});

async function registrar(settings: Record<string, string>, ...args: string[]) {
  const { code, log, messages } = await runServerCommand(registrarCommand, settings, ...args);
  return { code, lines: log.trim().split('\n'), messages };
}

describe('the registrar command', () => {
  it('grants, lists and revokes the role on the development chain, and shows the transaction', async () => {
    const { dataDir, settings } = service;
    const ours = { DATA_DIR: dataDir, CHAIN_PORT: String(settings['CHAIN_PORT']) };
    const before = (await registrar(ours, 'list')).lines;
    expect(before).toEqual([expect.stringMatching(/^0x[0-9a-fA-F]{40}$/)]);

    const granted = await registrar(ours, 'grant', CANDIDATE.toLowerCase());
    expect(granted).toMatchObject({ code: 0, messages: '' });
    expect(granted.lines).toEqual([
      expect.stringMatching(/^transaction 0x[0-9a-f]{64}$/),
      expect.stringMatching(`^${CANDIDATE} has the role since block \\d+$`),
    ]);
    expect((await registrar(ours, 'list')).lines).toEqual([...before, CANDIDATE]);
    expect((await registrar(ours, 'grant', CANDIDATE)).lines).toEqual([
      `${CANDIDATE} already has the role: nothing to do`,
    ]);

    // With RPC_URL and the admin's key from a file, as on a public chain.
    const file = join(await temporaryFolder(), 'admin-key');
    await writeFile(file, `${adminKey}\n`);
    const revoked = await registrar({ ...onNode, ADMIN_PRIVATE_KEY_FILE: file }, 'revoke', CANDIDATE);
    expect([revoked.code, revoked.lines.at(-1)]).toEqual([0, expect.stringMatching(/no longer has the role since/)]);
    expect((await registrar(onNode, 'list')).lines).toEqual(before);
    expect((await registrar(onNode, 'list', '--from-block', '999999')).lines).toEqual(['']);
  });

  it.each<[string, () => Record<string, string>, string[], RegExp]>([
    [
      'another key than the admin’s',
      () => ({ ...onNode, ADMIN_PRIVATE_KEY: STRANGER_KEY }),
      ['grant', CANDIDATE],
      /the contract's admin is 0x/,
    ],
    ['no key', () => onNode, ['grant', CANDIDATE], /ADMIN_PRIVATE_KEY: required/],
    ['a key that is none', () => ({ ...onNode, ADMIN_PRIVATE_KEY: '0x12' }), ['grant', CANDIDATE], /not a private key/],
    ['an address with a wrong checksum', () => onNode, ['grant', CANDIDATE.replace('C8', 'c8')], /checksum/],
    ['no address', () => onNode, ['revoke'], /is not an address/],
    ['an unknown action', () => onNode, ['promote', CANDIDATE], /usage/],
    ['an unknown option', () => onNode, ['list', '--all'], /--all/],
    ['no contract address', () => ({ RPC_URL: String(onNode['RPC_URL']) }), ['list'], /REGISTRY_ADDRESS/],
    ['a folder without a chain', () => ({ DATA_DIR: '/nowhere' }), ['list'], /DATA_DIR/],
  ])('exits with code 2 and changes nothing with %s', async (_, settings, args, message) => {
    const { code, messages, lines } = await registrar(settings(), ...args);
    expect([code, lines]).toEqual([2, ['']]);
    expect(messages).toMatch(message);
    expect(messages).not.toContain(STRANGER_KEY);
  });

  it('exits with code 1 when the node cannot be reached, without showing its URL', async () => {
    const RPC_URL = `http://127.0.0.1:${await freePort()}/key-in-the-url`;
    const { code, messages } = await registrar({ ...onNode, RPC_URL }, 'list');
    expect([code, messages]).toEqual([1, expect.not.stringContaining('key-in-the-url')]);
  });

  it('explains itself', async () => {
    const { process, output } = await launchService({}, ['registrar', '--help']);
    const code = process.exitCode ?? (await new Promise((resolve) => process.once('close', resolve)));
    expect([code, output()]).toEqual([0, { log: expect.stringContaining('registrar grant ADDRESS'), messages: '' }]);
  });
});
