// Shared by the benchmarks of all operations: sends requests, and prints tables.

import { once } from 'node:events';
import { Agent, request as openRequest } from 'node:http';
import { Readable } from 'node:stream';

const KEPT = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

/** Those named in BENCH_OPERATIONS, or all. @param {string[]} ids */
export function selectOperations(ids) {
  const named = process.env['BENCH_OPERATIONS']?.split(',') ?? ids;
  const unknown = named.filter((id) => !ids.includes(id));
  if (unknown.length > 0) throw new Error(`There is no operation ${unknown.join(', ')}.`);
  return named;
}

/**
 * Returns the status of the response, when it has been read, with the error if it is one.
 * @param {string} url
 * @param {import('./dearestInputs.mjs').DearRequest} request
 * @param {string} [localAddress] the client's
 */
export async function sendRequest(url, { method, path, headers, body }, localAddress = '127.0.0.1') {
  const request = openRequest(url + path, { method, headers, agent: KEPT, localAddress });
  const responded = once(request, 'response');
  // A large body may be refused before it is read.
  Readable.from(body)
    .on('error', () => {})
    .pipe(request);
  const response = /** @type {import('node:http').IncomingMessage} */ ((await responded)[0]);
  const isStream = response.headers['content-type']?.startsWith('text/event-stream');
  let text = '';
  for await (const chunk of response) {
    if (isStream) break;
    if (response.statusCode !== 200) text += chunk;
  }
  const status = response.statusCode ?? 0;
  return { status, error: status < 400 ? '' : String(JSON.parse(text).error) };
}

/** As Markdown. @param {string[]} head @param {string[][]} rows */
export function printTable(head, rows) {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  console.log(lines.join('\n'));
}
