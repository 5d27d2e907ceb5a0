// Load from a process of its own: `node load.mjs URL TOKEN CONNECTIONS SECONDS` prints the requests a second.

import { Agent, get } from 'node:http';

const [url = '', token = '', connections = '1', seconds = '1'] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: Number(connections) });
const headers = { authorization: `Bearer ${token}` };
const began = performance.now();
const deadline = began + Number(seconds) * 1000;
let answered = 0;

/** @returns {Promise<void>} */
function ask() {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}`));
      response.resume().once('end', resolve);
    }).once('error', reject);
  });
}

async function client() {
  while (performance.now() < deadline) {
    await ask();
    answered += 1;
  }
}

await Promise.all(Array.from({ length: Number(connections) }, client));
process.stdout.write(String(answered / ((performance.now() - began) / 1000)));
agent.destroy();
