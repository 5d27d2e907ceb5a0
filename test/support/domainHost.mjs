// A DNS server (UDP and TCP) and a web server (https) as a process of its own, for domains of tests. Tests start it with
// `startDomainHost` of domainHost.ts, and say what it answers by messages.

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer as createHttpsServer } from 'node:https';
import { createServer } from 'node:net';
import { json } from 'node:stream/consumers';
import { createSecureContext } from 'node:tls';
import { decode, encode, streamDecode, streamEncode } from 'dns-packet';

/**
 * By name and type: the data of each answer. Queries get one list after the other, and the last one again and again; null
 * is no answer at all.
 * @type {Map<string, (unknown[] | null)[]>}
 */
const records = new Map();
/** @type {Map<string, { context: import('node:tls').SecureContext, page: object }>} */
const sites = new Map();
/** @type {string[]} */
const requests = [];

/**
 * @param {import('dns-packet').Packet} query
 * @param {boolean} isTruncated
 */
function answer(query, isTruncated) {
  const [question] = query.questions ?? [];
  const name = question?.name.toLowerCase() ?? '';
  const lists = records.get(`${question?.type} ${name}`);
  const data = lists && lists.length > 1 ? lists.shift() : lists?.[0];
  if (data === null) return undefined;
  const isKnown = [...records.keys()].some((key) => key.endsWith(` ${name}`));
  return {
    id: query.id,
    type: 'response',
    // RFC 1035: truncated, recursion desired and available; 3: there is no such name.
    flags: (isTruncated ? 0x200 : 0) | 0x180 | (isKnown ? 0 : 3),
    questions: query.questions,
    answers: isTruncated ? [] : (data ?? []).map((value) => ({ name, type: question?.type, ttl: 0, data: value })),
  };
}

const MAX_UDP_BYTES = 512;

const udp = createSocket('udp4', (message, { port, address }) => {
  const query = decode(message);
  const response = answer(query, false);
  if (!response) return;
  const bytes = encode(response);
  // The same answer again over TCP.
  if (bytes.length > MAX_UDP_BYTES) udp.send(encode(answer(query, true)), port, address);
  else udp.send(bytes, port, address);
});

const tcp = createServer((socket) => {
  socket.on('error', () => {});
  let received = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
    const response = answer(streamDecode(received), false);
    if (response) socket.end(streamEncode(response));
  });
});

const web = createHttpsServer(
  { SNICallback: (host, callback) => callback(null, sites.get(host)?.context) },
  async (request, response) => {
    const host = (request.headers.host ?? '').replace(/:\d+$/, '');
    requests.push(`${host}${request.url}`);
    const {
      status = 200,
      headers = {},
      body = '',
      isEndless = false,
      isSilent = false,
      answersChallenges = false,
    } = sites.get(host)?.page ?? {
      status: 404,
    };
    if (isSilent) return;
    const challenge = answersChallenges ? Object(await json(request)).data?.challenge : undefined;
    response.writeHead(status, headers);
    if (challenge !== undefined) return response.end(challenge);
    if (!isEndless) return response.end(body);
    const timer = setInterval(() => response.write(' '), 50);
    response.on('close', () => clearInterval(timer));
  },
);
// A client that refuses the certificate.
web.on('tlsClientError', () => {});

process.on('message', ({ id, set, site }) => {
  if (set) records.set(`${set.type} ${set.name}`, set.answers);
  if (site) sites.set(site.host, { context: createSecureContext(site.certificate), page: site.page });
  process.send?.({ id, requests });
});
process.on('disconnect', () => process.exit());

/** Both protocols of DNS use one port; one that is free for TCP may be in use for UDP. */
async function listenForQueries() {
  for (;;) {
    tcp.listen(0, '127.0.0.1');
    await once(tcp, 'listening');
    const { port } = Object(tcp.address());
    const bound = once(udp, 'listening');
    udp.bind(port, '127.0.0.1');
    try {
      await bound;
      return port;
    } catch (error) {
      if (Object(error).code !== 'EADDRINUSE') throw error;
      tcp.close();
    }
  }
}

const dnsPort = await listenForQueries();
web.listen(0, '127.0.0.1', () => process.send?.({ dnsPort, webPort: Object(web.address()).port }));
