// Load from a process of its own: `node load.mjs URL TOKEN CONNECTIONS SECONDS [BODY]` prints the requests
// a second, and how many they were.
// In each request, `{value FROM TO}` in the URL becomes the binding of the number's SHA-256, of any number from FROM to
// TO, and `{fingerprint}` in the body a new fingerprint.
// By bare sockets: whatever it takes of the machine itself, the service does not get.

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
const began = performance.now();
const deadline = began + Number(seconds) * 1000;
let answered = 0;

async function client() {
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
      answered += 1;
      if (performance.now() < deadline) socket.write(request());
      else resolve(undefined);
    });
    socket.write(request());
  });
  socket.destroy();
}

function request() {
  const to = path.replace(/\{value (\d+) (\d+)\}/, value);
  if (!body) return `GET ${to} HTTP/1.1\r\n${head}\r\n\r\n`;
  const sent = body.replace('{fingerprint}', () => `0x${randomBytes(32).toString('hex')}`);
  return `POST ${to} HTTP/1.1\r\n${head}\r\nContent-Length: ${Buffer.byteLength(sent)}\r\n\r\n${sent}`;
}

/**
 * @param {string} _all
 * @param {string} from
 * @param {string} to
 */
function value(_all, from, to) {
  return createHash('sha256')
    .update(String(randomInt(Number(from), Number(to) + 1)))
    .digest('base64url');
}

await Promise.all(Array.from({ length: Number(connections) }, client));
process.stdout.write(`${answered / ((performance.now() - began) / 1000)} ${answered}`);
