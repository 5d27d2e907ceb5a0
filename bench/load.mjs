// Load generator: `node load.mjs URL TOKEN CONNECTIONS SECONDS [BODY]` prints the requests per second and their count.
// `{value FROM TO}` in the URL is replaced by the binding of a random number's SHA-256, `{prefix}` by four random digits, and
// `{fingerprint}` in the body by a new fingerprint. Uses plain sockets, to take as little CPU from the service as possible.

import { createHash, randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';

const [url = '', token = '', connections = '1', seconds = '1', body = ''] = process.argv.slice(2);
const { hostname, port, pathname, search, host } = new URL(url);
const path = decodeURI(pathname + search);
const head = [
  `Host: ${host}`,
  ...(token ? [`Authorization: Bearer ${token}`] : []),
  ...(body ? ['Content-Type: application/json'] : []),
].join('\r\n');
const startedAt = performance.now();
const deadline = startedAt + Number(seconds) * 1000;
let responses = 0;

async function runConnection() {
  const socket = connect(Number(port), hostname);
  socket.setNoDelay();
  await once(socket, 'connect');
  await new Promise((resolve, reject) => {
    let received = '';
    socket.setEncoding('latin1');
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`${path}: closed`)));
    socket.on('data', (text) => {
      received += text;
      const end = received.indexOf('\r\n\r\n');
      if (end < 0) return;
      const length = /^content-length: (\d+)$/im.exec(received.slice(0, end))?.[1];
      if (!/^HTTP\/1\.1 2/.test(received) || length === undefined) return reject(new Error(received));
      if (received.length < end + 4 + Number(length)) return;
      received = '';
      responses += 1;
      if (performance.now() < deadline) socket.write(buildRequest());
      else resolve(undefined);
    });
    socket.write(buildRequest());
  });
  socket.destroy();
}

function buildRequest() {
  const to = path.replace(/\{value (\d+) (\d+)\}/, randomBinding).replace('{prefix}', randomPrefix);
  if (!body) return `GET ${to} HTTP/1.1\r\n${head}\r\n\r\n`;
  const sent = body.replace('{fingerprint}', () => `0x${randomBytes(32).toString('hex')}`);
  return `POST ${to} HTTP/1.1\r\n${head}\r\nContent-Length: ${Buffer.byteLength(sent)}\r\n\r\n${sent}`;
}

/** As many digits as a registry with 10 million fingerprints announces. */
function randomPrefix() {
  return randomBytes(2).toString('hex');
}

/** @param {string} _match @param {string} from @param {string} to */
function randomBinding(_match, from, to) {
  return createHash('sha256')
    .update(String(randomInt(Number(from), Number(to) + 1)))
    .digest('base64url');
}

await Promise.all(Array.from({ length: Number(connections) }, runConnection));
process.stdout.write(`${responses / ((performance.now() - startedAt) / 1000)} ${responses}`);
