// Request smuggling: requests whose end two servers could see in different places. What one of them takes for a body must
// never be carried out as a request by the other.

import { beforeAll, describe, expect, it } from 'vitest';
import { withoutChain } from '../../../../test/support/artifacts.js';
import { type Service, startService } from '../../../../test/support/service.js';
import { exchange } from '../support/rawHttp.js';

let port: number;
beforeAll(async () => {
  const service: Service = await startService(await withoutChain());
  port = Number(new URL(service.url).port);
});

/** Status and request id of every response on one connection. */
async function responsesTo(bytes: string): Promise<string[]> {
  const received = await exchange(port, (socket) => socket.end(Buffer.from(bytes, 'latin1')));
  const heads = received.matchAll(/HTTP\/1\.1 (\d{3}) [^\r]*\r\n(?:[^\r]+\r\n)*?x-request-id: ([^\r]+)/gi);
  return [...heads].map(([, status, id]) => `${status} ${/^(outer|hidden|next)$/.test(id ?? '') ? id : 'unread'}`);
}

const request = (line: string, id: string, headers: readonly string[] = [], body = '') =>
  `${[`${line} HTTP/1.1`, 'Host: a', `X-Request-Id: ${id}`, ...headers].join('\r\n')}\r\n\r\n${body}`;
const hidden = request('GET /healthz', 'hidden');
const next = request('GET /healthz', 'next');
const post = (headers: readonly string[], body: string) =>
  request('POST /api/v1/auth/login', 'outer', ['Content-Type: application/json', ...headers], body);
const chunked = `0\r\n\r\n${hidden}`;
const length = `Content-Length: ${chunked.length}`;

describe('a request is refused, and nothing of its body is carried out, with', () => {
  it.concurrent.each<[string, string]>([
    ['a length and chunks', post([length, 'Transfer-Encoding: chunked'], chunked)],
    ['chunks and a length', post(['Transfer-Encoding: chunked', length], chunked)],
    ['a space before the colon', post([length, 'Transfer-Encoding : chunked'], chunked)],
    ['a folded header', post([length, 'Transfer-Encoding:\r\n chunked'], chunked)],
    ['a folded header of another name', post([length, 'X-A: b\r\n Transfer-Encoding: chunked'], chunked)],
    ['an unknown coding', post([length, 'Transfer-Encoding: xchunked'], chunked)],
    ['a coding after chunked', post([length, 'Transfer-Encoding: chunked, identity'], chunked)],
    ['a coding before chunked', post([length, 'Transfer-Encoding: gzip, chunked'], chunked)],
    ['two codings', post([length, 'Transfer-Encoding: identity', 'Transfer-Encoding: chunked'], chunked)],
    ['chunked in quotes', post([length, 'Transfer-Encoding: "chunked"'], chunked)],
    ['chunked and a vertical tab', post([length, 'Transfer-Encoding: chunked\x0b'], chunked)],
    ['an underscore in the name', post([length, 'Transfer_Encoding: chunked', 'Transfer-Encoding: chunked'], chunked)],
    ['an unknown coding and no length', post(['Transfer-Encoding: xchunked'], chunked)],
    ['only identity and no length', post(['Transfer-Encoding: identity'], chunked)],
    ['two lengths', post(['Content-Length: 0', length], chunked)],
    ['the same length twice', post([length, length], chunked)],
    ['a list of lengths', post([`Content-Length: 0, ${chunked.length}`], chunked)],
    ['a signed length', post([`Content-Length: +0`], chunked)],
    ['a negative length', post(['Content-Length: -1'], chunked)],
    ['a hexadecimal length', post(['Content-Length: 0x0'], chunked)],
    ['a length with a space inside', post(['Content-Length: 0 0'], chunked)],
    ['a length of 2^64', post(['Content-Length: 18446744073709551616'], chunked)],
    ['an empty length', post(['Content-Length:'], chunked)],
    ['a null byte in a header', post([length, 'X-A: b\0c'], chunked)],
    ['a carriage return alone in a header', post([length, 'X-A: b\rTransfer-Encoding: chunked'], chunked)],
    ['a header line without a colon', post([length, 'Transfer-Encoding chunked'], chunked)],
    ['a header that starts with a space', request('POST /api/v1/auth/login', 'outer', [` ${length}`], chunked)],
    ['line feeds alone', post([length], chunked).replaceAll('\r\n', '\n')],
    ['a line feed alone after one header', post([`X-A: b\nTransfer-Encoding: chunked`, length], chunked)],
    ['a chunk size in another notation', post(['Transfer-Encoding: chunked'], `0x0\r\n\r\n${hidden}`)],
    ['a signed chunk size', post(['Transfer-Encoding: chunked'], `+0\r\n\r\n${hidden}`)],
    ['a chunk size of 2^64', post(['Transfer-Encoding: chunked'], `10000000000000000\r\n\r\n${hidden}`)],
    ['a chunk size and a space', post(['Transfer-Encoding: chunked'], `0 \r\n\r\n${hidden}`)],
    ['no chunk size', post(['Transfer-Encoding: chunked'], `\r\n\r\n${hidden}`)],
    ['a chunk that is longer than its size', post(['Transfer-Encoding: chunked'], `1\r\n{}\r\n0\r\n\r\n${hidden}`)],
    ['line feeds alone between chunks', post(['Transfer-Encoding: chunked'], `2\n{}\n0\n\n${hidden}`)],
    ['a line feed in a chunk extension', post(['Transfer-Encoding: chunked'], `0;a\n\r\n${hidden}`)],
    ['chunk extensions of 20 kB', post(['Transfer-Encoding: chunked'], `0;${'a'.repeat(20_000)}\r\n\r\n${hidden}`)],
    ['chunks in HTTP/1.0', post(['Transfer-Encoding: chunked'], chunked).replace('HTTP/1.1', 'HTTP/1.0')],
    ['an unknown protocol version', post([length], chunked).replace('HTTP/1.1', 'HTTP/1.2')],
    ['HTTP/2 by prior knowledge', `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${hidden}`],
  ])('%s', async (_, bytes) => {
    expect(await responsesTo(bytes)).toEqual(['400 unread']);
  });
});

it('a request with two Host headers is refused', async () => {
  expect(await responsesTo(request('GET /healthz', 'outer', ['host: b']))).toEqual(['400 outer']);
});

describe('text of a request within a body is not carried out, and the next request is, after', () => {
  const withHidden = [`Content-Length: ${hidden.length}`, 'Content-Type: application/json'];

  it.concurrent.each<[string, string, string[]]>([
    ['a GET with a body', request('GET /healthz', 'outer', withHidden, hidden), ['200 outer', '200 next']],
    ['a HEAD with a body', request('HEAD /healthz', 'outer', withHidden, hidden), ['200 outer', '200 next']],
    [
      'a request without a token',
      request('PUT /api/v1/subscription', 'outer', withHidden, hidden),
      ['401 outer', '200 next'],
    ],
    [
      'a body that is too large',
      post(['Content-Length: 2000000'], hidden.padEnd(2_000_000)),
      ['413 outer', '200 next'],
    ],
    // The connection is closed after these.
    ['a body that is no JSON', post([`Content-Length: ${hidden.length}`], hidden), ['400 outer']],
    ['an expectation', post([`Content-Length: ${hidden.length}`, 'Expect: 100-continue'], hidden), ['400 outer']],
    [
      'an upgrade to HTTP/2',
      request('GET /healthz', 'outer', ['Connection: Upgrade', 'Upgrade: h2c'], hidden),
      ['200 outer'],
    ],
    [
      'an upgrade to WebSocket',
      request('GET /healthz', 'outer', ['Connection: Upgrade', 'Upgrade: websocket'], hidden),
      ['200 outer'],
    ],
  ])('%s', async (_, bytes, expected) => {
    expect(await responsesTo(bytes + next)).toEqual(expected);
  });
});
