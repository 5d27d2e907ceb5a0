// Where webhooks may lead: real DNS and web servers, honest and hostile ones.

import { beforeAll, describe, expect, it } from 'vitest';
import { type DomainHost, startDomainHost } from '../../../../test/support/domainHost.js';
import { createWebhookTargets } from '../../src/webhooks/targets.js';

let host: DomainHost;
const open = (allowsLoopback: boolean) =>
  createWebhookTargets({ dnsServers: [host.settings.DOMAIN_DNS_SERVERS], allowsLoopback });
const send = (url: string, allowsLoopback: boolean) => {
  const connection = open(allowsLoopback).connect(url);
  return connection.send({}, '{}', new AbortController().signal).finally(() => connection.close());
};

beforeAll(async () => {
  host = await startDomainHost();
  await host.setRecords('A', 'private.example', ['10.1.2.3']);
  await host.setRecords('A', 'mixed.example', ['8.8.8.8', '169.254.169.254']);
  await host.setRecords('AAAA', 'mapped.example', ['::ffff:10.1.2.3']);
  await host.setRecords('A', 'public.example', ['8.8.8.8']);
  // Public when the webhook is created, private when it is used.
  await host.setRecords('A', 'rebinding.example', ['8.8.8.8'], ['10.1.2.3']);
});

describe('the address of a webhook', () => {
  it.each([
    ['https://public.example/hook?a=b#c', 'https://public.example/hook?a=b'],
    ['https://public.example:8443/', 'https://public.example:8443/'],
    ['https://8.8.8.8/', 'https://8.8.8.8/'],
    ['https://unknown.example/', 'https://unknown.example/'],
  ])('%s is allowed', async (url, expected) => {
    expect(await open(false).check(url)).toEqual({ url: expected });
  });

  it.each([
    ['http://public.example/', /https/],
    ['https://user:password@public.example/', /user name/],
    ['https://public.example:25/', /Port 25/],
    ['https://localhost/', /not public/],
    ['https://127.0.0.1:8443/', /not public/],
    ['https://0x7f.1/', /not public/],
    ['https://2130706433/', /not public/],
    ['https://10.0.0.1/', /not public/],
    ['https://169.254.169.254/latest', /not public/],
    ['https://[::1]/', /not public/],
    ['https://[::ffff:10.0.0.1]/', /not public/],
    ['https://[fd00::1]/', /not public/],
    ['https://private.example/', /has an address that is not public/],
    ['https://mixed.example/', /has an address that is not public/],
    ['https://mapped.example/', /has an address that is not public/],
    ['not a url', /not a URL/],
  ])('%s is refused, also when it is used', async (url, problem) => {
    expect(await open(false).check(url)).toEqual({ problem: expect.stringMatching(problem) });
    await expect(send(url, false)).rejects.toThrow(problem);
  });

  it('is checked again when it is used', async () => {
    expect(await open(false).check('https://rebinding.example/')).toHaveProperty('url');
    await expect(send('https://rebinding.example/', false)).rejects.toThrow('has an address that is not public');
  });

  it('may be on this machine only with the setting, and other private addresses never', async () => {
    expect(await open(true).check('http://localhost:9000/hook')).toHaveProperty('url');
    expect(await open(true).check('https://192.168.1.1/')).toHaveProperty('problem');
    expect(await open(true).check('http://private.example/')).toHaveProperty('problem');
  });
});

it('A certificate that is not trusted is refused', async () => {
  await host.setSite('receiver.example', { status: 200 }, 'self-signed');
  const url = `https://receiver.example:${host.settings.DOMAIN_LOOPBACK_PORT}/`;
  await expect(send(url, true)).rejects.toThrow('could not be reached safely (DEPTH_ZERO_SELF_SIGNED_CERT)');
});
