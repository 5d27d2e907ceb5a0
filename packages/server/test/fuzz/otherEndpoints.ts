// Hostile requests to endpoints outside the document: pages, badges, published files, the time-stamp authority and the
// development chain.

import fc from 'fast-check';
import { changed, changes } from './mutations.js';
import { hostileText, hostileValue } from './values.js';
import type { WireRequest, WireResponse } from './wire.js';

const prefixes = [
  '/cdn/',
  '/badge/',
  '/artifacts/',
  '/marks/',
  '/stop-mail/',
  '/assets/',
  '/dashboard/',
  '/tsa/',
  '/',
  '//',
  '/c2pa/',
];
const endings = [
  '',
  '.svg',
  '.json',
  '.png',
  '.c2pa',
  '/..',
  '%2e%2e/%2e%2e/etc/passwd',
  '?a=<script>',
  '.svg%00',
  '/',
];
const accepts = ['text/html', 'image/svg+xml', '*/*', ''];

/** To paths of pages and files; `known` are names that exist. */
export function pathRequests(known: readonly string[]): fc.Arbitrary<WireRequest> {
  const encoded = hostileText.map((text) => encodeURIComponent(text.replace(/\p{Cs}/gu, '')));
  const raw = hostileText.map((text) => text.replace(/[^!-~]/g, '%fe'));
  return fc
    .record({
      method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'POST', 'OPTIONS'),
      prefix: fc.constantFrom(...prefixes),
      name: fc.oneof(fc.constantFrom(...known), encoded, raw),
      ending: fc.constantFrom(...endings),
      accept: fc.constantFrom(...accepts),
    })
    .map(({ method, prefix, name, ending, accept }) => ({
      method,
      target: `${prefix}${name}${ending}`,
      headers: [
        ['host', 'attacker.example'],
        ['connection', 'close'],
        ['accept', accept],
        ['if-none-match', '"a", *'],
      ],
      framing: 'length',
    }));
}

export function checkPathResponse({ target }: WireRequest, { status, headers, body }: WireResponse): void {
  if (status >= 500) throw new Error(`${status}: ${body}`);
  if (!headers.has('x-request-id') || headers.get('x-content-type-options') !== 'nosniff') {
    throw new Error(`${status} without the standard headers`);
  }
  const text = body.toString();
  // Text of the path must be escaped, and the Host must not appear.
  const isMarkup = /html|svg/.test(headers.get('content-type') ?? '');
  if (isMarkup && /<script>|<svg onload/.test(text)) throw new Error(`markup of ${target} is not escaped`);
  if (isMarkup && !headers.has('content-security-policy')) throw new Error('markup without a policy');
  if (text.includes('attacker.example') || [...headers.values()].some((value) => value.includes('attacker.example'))) {
    throw new Error('the Host of the request comes back');
  }
  if (text.includes('root:x:')) throw new Error('a file of the machine comes back');
}

/** A valid time-stamp request with SHA-256. */
const timestampRequest = Buffer.from(
  `303e0201013031300d060960864801650304020105000420${'ab'.repeat(32)}02030102030101ff`,
  'hex',
);

export const timestampRequests: fc.Arbitrary<WireRequest> = changes.map((list) => ({
  method: 'POST',
  target: '/tsa',
  headers: [
    ['host', 'registry.example'],
    ['connection', 'close'],
    ['content-type', 'application/timestamp-query'],
  ],
  body: changed(timestampRequest, list),
  framing: 'length',
}));

const address = `0x${'11'.repeat(20)}`;
const hash = `0x${'22'.repeat(32)}`;
const calls: Readonly<Record<string, unknown[]>> = {
  eth_call: [{ to: address, data: '0x' }, 'latest'],
  eth_estimateGas: [{ to: address, value: '0x1' }],
  eth_getBalance: [address, 'latest'],
  eth_getBlockByNumber: ['latest', true],
  eth_getBlockByHash: [hash, false],
  eth_getCode: [address, '0x0'],
  eth_getLogs: [{ fromBlock: '0x0', toBlock: 'latest', topics: [null, [hash]] }],
  eth_getProof: [address, ['0x0'], 'latest'],
  eth_getStorageAt: [address, '0x0', 'latest'],
  eth_getTransactionByHash: [hash],
  eth_getTransactionCount: [address, 'pending'],
  eth_getTransactionReceipt: [hash],
  eth_feeHistory: ['0x4', 'latest', [50]],
  eth_sendRawTransaction: ['0x02f8'],
  eth_newFilter: [{}],
  eth_getFilterChanges: ['0x1'],
  eth_uninstallFilter: ['0x1'],
  web3_sha3: ['0x'],
  evm_mine: [],
  hardhat_reset: [],
};

export const chainRequests: fc.Arbitrary<WireRequest> = fc
  .oneof({ weight: 6, arbitrary: chainCall() }, fc.array(chainCall(), { maxLength: 3 }), hostileValue)
  .chain((value) => {
    const whole = Buffer.from(JSON.stringify(value) ?? '');
    return fc.oneof(
      { weight: 5, arbitrary: fc.constant(whole) },
      changes.map((list) => changed(whole, list)),
    );
  })
  .map((body) => ({
    method: 'POST',
    target: '/',
    headers: [
      ['host', '127.0.0.1'],
      ['connection', 'close'],
      ['content-type', 'application/json'],
    ],
    body,
    framing: 'length',
  }));

function chainCall(): fc.Arbitrary<unknown> {
  return fc
    .record({
      method: fc.constantFrom(...Object.keys(calls)),
      at: fc.nat(3),
      value: hostileValue,
      isNearly: fc.boolean(),
    })
    .map(({ method, at, value, isNearly }) => {
      const parameters = [...(calls[method] ?? [])];
      if (isNearly) parameters[at] = value;
      return { jsonrpc: '2.0', id: 1, method, params: parameters };
    });
}

const INTERNAL = -32_603;

export function checkChainResponse({ status, body }: WireResponse): void {
  if (status >= 500) throw new Error(`${status}: ${body}`);
  if (status === 204) return;
  const parsed: unknown = JSON.parse(body.toString());
  for (const answer of Array.isArray(parsed) ? parsed : [parsed]) {
    if (answer?.jsonrpc !== '2.0' || !('result' in answer || 'error' in answer))
      throw new Error(`not JSON-RPC: ${body}`);
    if (answer.error?.code === INTERNAL) throw new Error(`a fault inside: ${body}`);
  }
}
