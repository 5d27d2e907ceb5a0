// Load from a process of its own: `node load.mjs URL TOKEN CONNECTIONS SECONDS [BODY]` prints the requests
// a second, and how many they were.
// In each request, `{value FROM TO}` in the URL becomes the binding of the number's SHA-256, of any number from FROM to
// TO, and `{fingerprint}` in the body a new fingerprint.

import { createHash, randomBytes, randomInt } from 'node:crypto';
import { Agent, request } from 'node:http';

const [url = '', token = '', connections = '1', seconds = '1', body] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: Number(connections) });
const headers = {
  ...(token && { authorization: `Bearer ${token}` }),
  ...(body && { 'content-type': 'application/json' }),
};
const { hostname, port, pathname, search } = new URL(url);
const path = decodeURI(pathname + search);
const began = performance.now();
const deadline = began + Number(seconds) * 1000;
let answered = 0;

/** @returns {Promise<void>} */
function ask() {
  return new Promise((resolve, reject) => {
    const method = body ? 'POST' : 'GET';
    const sent = request({
      agent,
      headers,
      hostname,
      port,
      method,
      path: path.replace(/\{value (\d+) (\d+)\}/, value),
    });
    sent.once('response', (response) => {
      if (Math.floor((response.statusCode ?? 0) / 100) !== 2) reject(new Error(`${path}: ${response.statusCode}`));
      response.resume().once('end', resolve);
    });
    sent.once('error', reject);
    sent.end(body?.replace('{fingerprint}', () => `0x${randomBytes(32).toString('hex')}`));
  });
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

async function client() {
  while (performance.now() < deadline) {
    await ask();
    answered += 1;
  }
}

await Promise.all(Array.from({ length: Number(connections) }, client));
process.stdout.write(`${answered / ((performance.now() - began) / 1000)} ${answered}`);
agent.destroy();
