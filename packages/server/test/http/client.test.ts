// Which client a request counts for.

import { once } from 'node:events';
import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { clientOf } from '../../src/http/callOrigin.js';
import { buildBareServer } from '../support/bareServer.js';

describe('the client of a request', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
    ['2001:db8::9', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['unknown', '192.0.2.1'],
    ['203.0.113.7:4711', '192.0.2.1'],
  ])('at %s is %s', (ip, client) => {
    const request = { ip, raw: { socket: { remoteAddress: '192.0.2.1' } } };
    expect(clientOf(request as unknown as FastifyRequest)).toBe(client);
  });
});

describe('X-Forwarded-For', () => {
  async function clientBehind(trustedProxies: string[], localAddress: string, forwarded: string): Promise<string> {
    const app = buildBareServer({}, { trustedProxies });
    app.get('/client', async (request) => clientOf(request));
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const headers = { 'x-forwarded-for': forwarded, connection: 'close' };
    const [response] = await once(get(`${url}/client`, { localAddress, headers }), 'response');
    const client = await text(response);
    await app.close();
    return client;
  }

  it.each([
    ['is ignored by default', [], '127.0.0.1', '203.0.113.7', '127.0.0.1'],
    ['is believed from a trusted proxy', ['127.0.0.1'], '127.0.0.1', '203.0.113.7', '203.0.113.7'],
    ['is believed from a trusted range', ['127.0.0.0/30'], '127.0.0.3', '203.0.113.7', '203.0.113.7'],
    ['is ignored from other addresses', ['127.0.0.0/30'], '127.0.0.4', '203.0.113.7', '127.0.0.4'],
    [
      'counts from its end: clients can write its start',
      ['127.0.0.1'],
      '127.0.0.1',
      '1.1.1.1, 203.0.113.7',
      '203.0.113.7',
    ],
    [
      'passes over further trusted proxies',
      ['127.0.0.1', '10.0.0.0/8'],
      '127.0.0.1',
      '203.0.113.7, 10.0.0.2',
      '203.0.113.7',
    ],
  ])('%s', async (_, trusted, remote, forwarded, client) => {
    expect(await clientBehind(trusted, remote, forwarded)).toBe(client);
  });
});
