// The command in networks with proxies, certificates of other authorities, and services that are dead.

import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { createClient, waitForStatus } from '@provenance-registry/client';
import { hashFile } from '@provenance-registry/client/node';
import { registryFingerprint } from '@provenance-registry/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConnectProxy, startTlsFront } from '../../../test/support/connectProxy.js';
import { startDomainHost } from '../../../test/support/domainHost.js';
import { freePort } from '../../../test/support/ports.js';
import { newDataFolder, type Service, startService } from '../../../test/support/service.js';
import { createAuthority } from '../../../test/support/tls.js';

import type { Machine } from './support/machine.js';
import { Registrant } from './support/registration.js';

const HOST = 'registry.test';

let dataDir: string;
let service: Service;
/** Logged in at https://registry.test, which only a proxy can resolve. */
let machine: Machine;
/** Without a proxy. */
let direct: Machine;
let node: string;
let contract: string;
/** Behind the proxy. */
let ports: Record<string, number>;

beforeAll(async () => {
  dataDir = await newDataFolder();
  service = await startService({ DATA_DIR: dataDir, BASE_URL: `https://${HOST}`, BILLING: 'self-serve' });
  const ada = await Registrant.create(service.url);
  const path = join(ada.machine.home, 'note.txt');
  await writeFile(path, 'a note');
  const { fingerprint } = await hashFile(path);
  await ada.client.createArtifact({ markId: ada.markId, fingerprint, filename: 'note.txt' });
  await waitForStatus(ada.client, fingerprint);
  const chain = await ada.client.getContract();
  [node, contract] = [chain.rpcUrl ?? '', chain.address];

  const authority = await createAuthority();
  await ada.machine.file('authority.pem', authority.pem);
  const certificates = {
    [HOST]: await authority.issue(HOST),
    'expired.test': await authority.issue('expired.test', { validToDays: -1 }),
    'misnamed.test': await authority.issue('another.test'),
  };
  ports = {};
  for (const [host, certificate] of Object.entries(certificates)) {
    ports[host] = await startTlsFront(certificate, service.url);
  }
  direct = ada.machine;
  machine = ada.machine.withProcesses().with({
    PROVENANCE_URL: `https://${HOST}`,
    NODE_EXTRA_CA_CERTS: join(ada.machine.home, 'authority.pem'),
  });
});

describe('a proxy', () => {
  it('is used for the service, for files and for nodes', async () => {
    const proxy = await startConnectProxy({ ports });
    const behind = machine.with({ HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url });
    const sources = ['--rpc-url', node, '--contract', contract];
    const { code, result } = await behind.json(['verify', 'note.txt', ...sources]);
    const agrees = { state: 'agrees' };
    expect([code, result]).toMatchObject([
      0,
      [{ verdict: 'verified', checks: { registry: agrees, chain: { state: 'confirmed' }, manifest: agrees } }],
    ]);
    expect(new Set(proxy.requests)).toEqual(new Set([`CONNECT ${HOST}:443`, `POST ${node}/`]));
  });

  it.each([
    ['https_proxy', (url: string) => url],
    ['ALL_PROXY', (url: string) => url],
    ['all_proxy', (url: string) => url.replace('http://', '')],
    ['HTTP_PROXY', (url: string) => url],
  ])('in %s is used', async (variable, toValue) => {
    const proxy = await startConnectProxy({ ports });
    const { code } = await machine.with({ [variable]: toValue(proxy.url) }).run(['mark', 'list']);
    expect([code, proxy.requests]).toEqual([0, [`CONNECT ${HOST}:443`]]);
  });

  it('is not used for the hosts in NO_PROXY', async () => {
    const proxy = await startConnectProxy({ ports });
    const local = machine.with({ PROVENANCE_URL: service.url, HTTP_PROXY: proxy.url });
    expect((await local.with({ NO_PROXY: 'a.test,127.0.0.1' }).run(['mark', 'list'])).code).toBe(0);
    expect((await local.with({ no_proxy: '*' }).run(['mark', 'list'])).code).toBe(0);
    expect(proxy.requests).toEqual([]);
    expect((await local.with({ NO_PROXY: '.test' }).run(['mark', 'list'])).code).toBe(0);
    expect(proxy.requests).toEqual([
      expect.stringMatching(/^GET http:\/\/127\.0\.0\.1:\d+\/\.well-known\//),
      expect.stringMatching(/^GET http:\/\/127\.0\.0\.1:\d+\/api\//),
    ]);
  });

  it('that requires a log-in is asked once, and gets it from its URL', async () => {
    const proxy = await startConnectProxy({ ports, login: 'ada:pass word' });
    for (const url of [`https://${HOST}`, service.url]) {
      const refused = machine.with({ ALL_PROXY: proxy.url, PROVENANCE_URL: url });
      const { code, stderr } = await refused.run(['mark', 'list']);
      expect([code, stderr]).toEqual([
        3,
        'provenance: The proxy requires a user name and a password (407). Set them in HTTPS_PROXY or HTTP_PROXY: ' +
          'http://NAME:PASSWORD@HOST:PORT.\n',
      ]);
    }
    expect(proxy.requests).toHaveLength(2);
    const { code } = await machine.with({ HTTPS_PROXY: `http://ada:pass%20word@${proxy.host}` }).run(['mark', 'list']);
    expect(code).toBe(0);
  });

  it.each<[string, Record<string, string>, number, RegExp]>([
    [
      'does not exist',
      { HTTPS_PROXY: `http://${'x'.repeat(64)}.invalid` },
      3,
      /The proxy x+\.invalid does not exist\./,
    ],
    ['is of another kind', { ALL_PROXY: 'socks5://ada:secret@proxy' }, 2, /ALL_PROXY is not the URL of an http/],
    ['is not a URL', { HTTPS_PROXY: 'http://ada:secret@' }, 2, /HTTPS_PROXY is not the URL of an http/],
  ])('that %s is reported, without its password', async (_, variables, exitCode, message) => {
    const { code, stderr } = await machine.with(variables).run(['mark', 'list']);
    expect([code, stderr]).toEqual([exitCode, expect.stringMatching(message)]);
    expect(stderr).not.toContain('secret');
  });
});

describe('a service', () => {
  it.each<[string, string, Record<string, string>, string]>([
    [
      'behind a proxy that refuses it',
      'https://forbidden.test',
      {},
      'The proxy does not connect to the host forbidden.test (403)',
    ],
    [
      'of an unknown authority',
      `https://${HOST}`,
      { NODE_EXTRA_CA_CERTS: '' },
      'is not trusted: its authority is unknown. If',
    ],
    [
      'whose certificate has expired',
      'https://expired.test',
      {},
      'The certificate of the host expired.test is not trusted: expired.',
    ],
    [
      'whose certificate is for another host',
      'https://misnamed.test',
      {},
      'is not trusted: it belongs to another host.',
    ],
  ])('%s gets one request, and the reason is told', async (_, url, variables, message) => {
    const proxy = await startConnectProxy({ ports });
    const { code, stderr } = await machine
      .with({ HTTPS_PROXY: proxy.url, PROVENANCE_URL: url, ...variables })
      .run(['mark', 'list']);
    expect([code, stderr]).toEqual([3, expect.stringContaining(message)]);
    expect(proxy.requests).toEqual([`CONNECT ${new URL(url).host}:443`]);
  });

  it('that does not exist is told as such', async () => {
    const host = `${'x'.repeat(64)}.invalid`;
    const { code, stderr } = await direct.with({ PROVENANCE_URL: `http://${host}` }).run(['mark', 'list']);
    expect([code, stderr]).toEqual([3, `provenance: The host ${host} does not exist. Check the URL.\n`]);
  });
});

describe('the DNS record of a registry', () => {
  it('is compared by trust add, which pins nothing when it differs unless another source agrees', async () => {
    const names = await startDomainHost();
    const proxy = await startConnectProxy({ ports });
    const script = join(direct.home, 'dns.mjs');
    await writeFile(script, `import dns from 'node:dns'; dns.setServers(['${names.settings.DOMAIN_DNS_SERVERS}']);`);
    const here = machine.with({ HTTPS_PROXY: proxy.url, NODE_OPTIONS: `--import=${script}` });
    const fingerprint = registryFingerprint(await createClient({ baseUrl: service.url }).getRegistryIdentity());
    const name = `_provenance.${HOST}`;
    const add = ['config', 'trust', 'add', `https://${HOST}`];
    const publish = (digits: string) => names.setRecords('TXT', name, [`registry-fingerprint=${digits}`]);

    const unpublished = await here.run([...add, '--expect', fingerprint]);
    expect([unpublished.code, unpublished.stdout]).toEqual([0, expect.stringContaining(`DNS has no record: ${name}.`)]);
    await publish(fingerprint);
    expect(await here.json([...add, '--expect', fingerprint])).toMatchObject({
      code: 0,
      result: { dns: { name, state: 'agrees' } },
    });
    await here.run(['config', 'trust', 'remove', `https://${HOST}`]);

    // It agrees, and still counts as no comparison.
    expect((await here.run(add)).code).toBe(2);
    const other = fingerprint.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
    await publish(other);
    const refused = await here.terminal(`provenance ${add.join(' ')}`).end;
    expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining(`DNS differs: ${name} has ${other}`)]);
    expect(refused.stdout).not.toContain('Type the fingerprint');
    const wrong = await here.json([...add, '--expect', other]);
    expect(wrong).toMatchObject({ code: 1, result: { code: 'FINGERPRINT_MISMATCH' } });
    const known = expect.objectContaining({ url: `https://${HOST}` });
    expect((await here.json(['config', 'trust', 'list'])).result).not.toContainEqual(known);
    const pinned = await here.run([...add, '--expect', fingerprint]);
    expect([pinned.code, pinned.stdout]).toEqual([0, expect.stringMatching(/^Pinned .*\nDNS differs: /)]);
  });
});

describe('a dead service', () => {
  /** Accepts connections and never responds. */
  const blackHole = createServer((socket) => socket.on('error', () => {}));
  let blackHolePort = 0;
  beforeAll(async () => {
    blackHole.listen(0, '127.0.0.1');
    await once(blackHole, 'listening');
    blackHolePort = (blackHole.address() as AddressInfo).port;
  });
  afterAll(() => void blackHole.close());

  it.each<[string, () => Promise<Record<string, number>>, number]>([
    // Who it is, and whether it has the file.
    ['never responds', async () => ({ [HOST]: blackHolePort }), 2],
    // Each in three seconds, with delays of one second and two, which may be half as long.
    ['refuses connections', async () => ({ [HOST]: await freePort() }), 6],
    ['is blocked', async () => ({}), 2],
  ])('that %s is asked a few times at most when all else is given', async (_, findPorts, maxRequests) => {
    const proxy = await startConnectProxy({ ports: await findPorts() });
    const pins = ['--rpc-url', node, '--contract', contract, '--trust-anchors', join(dataDir, 'keys/authority.pem')];
    const { code, result } = await machine.with({ HTTPS_PROXY: proxy.url }).json(['verify', 'note.txt', ...pins]);
    const unavailable = { state: 'unavailable' };
    expect([code, result]).toMatchObject([
      0,
      [
        {
          verdict: 'verified',
          checks: { registry: unavailable, chain: { state: 'confirmed' }, manifest: unavailable },
        },
      ],
    ]);
    expect(proxy.requests.length).toBeLessThanOrEqual(maxRequests);
  });

  it('ends a command after --timeout', async () => {
    const dead = direct.with({ PROVENANCE_URL: `http://127.0.0.1:${blackHolePort}` });
    const { code, stderr } = await dead.run(['mark', 'list', '--timeout', '1']);
    expect([code, stderr]).toEqual([
      3,
      "provenance: listMarks failed: no response within 1 s. Check your network, and the URL with 'provenance config get url'.\n",
    ]);
    const wrong = await direct.run(['mark', 'list', '--timeout', '100000']);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--timeout must be a number from 0')]);
  });
});
