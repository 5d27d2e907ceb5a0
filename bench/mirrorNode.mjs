// A node whose blocks are computed on request: `node mirrorNode.mjs CURATED PUBLIC`. Each block has a transaction with 100
// curated registrations, or 10 public ones of a transaction each. `evm_mine` adds a block with a public registration.

import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { contentRegistryAbi, REGISTRAR_ROLE } from '@provenance-registry/contract';
import { encodeAbiParameters, encodeEventTopics, encodeFunctionData, numberToHex, pad } from 'viem';

const [curated = 0, open = 0] = process.argv.slice(2).map(Number);
const CURATED_PER_BLOCK = 100;
const PUBLIC_PER_BLOCK = 10;
/** As public nodes do. */
const MAX_LOGS = 10_000;
const FIRST_BLOCK = 1;

/** @type {`0x${string}`} */
const registry = `0x${'c0'.repeat(20)}`;
/** @type {`0x${string}`} */
const registrar = `0x${'a1'.repeat(20)}`;
const endpoints = ['https://registry.example.com/api/c2pa'];
const curatedBlocks = curated / CURATED_PER_BLOCK;
let head = FIRST_BLOCK + curatedBlocks + open / PUBLIC_PER_BLOCK;

/** @param {string} text */
const hash = (text) => `0x${createHash('sha256').update(text).digest('hex')}`;
/** @param {string} name */
const topic = (name) => encodeEventTopics({ abi: contentRegistryAbi, eventName: /** @type {any} */ (name) })[0];
const topics = {
  binding: topic('SoftBindingRegistered'),
  manifest: topic('ManifestRegistered'),
  open: topic('PublicSoftBindingRegistered'),
  endpoints: topic('EndpointsChanged'),
  role: topic('RoleGranted'),
};
const strings = [{ type: 'string[]' }, { type: 'string' }];
const uuid = '00000000-0000-4000-8000-000000000000';
const curatedData = encodeAbiParameters(strings, [endpoints, uuid]);
const uuidHex = Buffer.from(uuid).toString('hex');

/** @param {string} fingerprint @param {number} number */
function curatedDataOf(fingerprint, number) {
  const id = `${fingerprint.slice(2, 10)}-0000-4000-8000-${String(number).padStart(12, '0')}`;
  return curatedData.replace(uuidHex, Buffer.from(id).toString('hex'));
}
const publicData = encodeAbiParameters(strings, [['https://one.example/api'], 'urn:c2pa:shop-7']);

/** @param {number} number */
function logsOf(number) {
  const block = { address: registry, blockNumber: numberToHex(number), blockHash: hash(`block ${number}`) };
  if (number === FIRST_BLOCK) {
    const transactionHash = hash('deployment');
    return [
      {
        ...block,
        transactionHash,
        logIndex: '0x0',
        topics: [topics.role, REGISTRAR_ROLE, pad(registrar), pad(registrar)],
        data: '0x',
      },
      {
        ...block,
        transactionHash,
        logIndex: '0x1',
        topics: [topics.endpoints],
        data: encodeAbiParameters([{ type: 'string[]' }], [endpoints]),
      },
    ];
  }
  if (number <= FIRST_BLOCK + curatedBlocks) {
    const transactionHash = hash(`transaction ${number}`);
    return Array.from({ length: CURATED_PER_BLOCK }, (_, index) => {
      const fingerprint = hash(`${number} ${index}`);
      const log = { ...block, transactionHash };
      return [
        {
          ...log,
          logIndex: numberToHex(2 * index),
          topics: [topics.binding, fingerprint],
          data: curatedDataOf(fingerprint, number),
        },
        {
          ...log,
          logIndex: numberToHex(2 * index + 1),
          topics: [topics.manifest, fingerprint, fingerprint],
          data: fingerprint,
        },
      ];
    }).flat();
  }
  return Array.from({ length: PUBLIC_PER_BLOCK }, (_, index) => {
    const fingerprint = hash(`${number} ${index}`);
    // Names its fingerprint, so that the transaction can be computed from its hash.
    return {
      ...block,
      transactionHash: fingerprint,
      logIndex: numberToHex(index),
      topics: [topics.open, fingerprint, pad(registrar)],
      data: publicData,
    };
  });
}

/** @param {string} method @param {any[]} params */
function call(method, [first, second]) {
  switch (method) {
    case 'eth_chainId':
      return '0x7a69';
    case 'eth_getBlockByNumber': {
      const number = first === 'latest' ? head : Number(first);
      if (number > head) return null;
      const blockHash = hash(`block ${number}`);
      const parentHash = hash(`block ${number - 1}`);
      return {
        number: numberToHex(number),
        hash: blockHash,
        parentHash,
        gasLimit: '0x1c9c380',
        timestamp: numberToHex(1_700_000_000 + 12 * number),
      };
    }
    case 'eth_getCode':
      return Number(second) >= FIRST_BLOCK ? '0x60' : '0x';
    case 'eth_call':
      return pad(numberToHex(curated));
    case 'eth_getTransactionByHash': {
      const args = /** @type {any} */ ([first, ['https://one.example/api'], 'urn:c2pa:shop-7', first]);
      const input = encodeFunctionData({ abi: contentRegistryAbi, functionName: 'registerPublicManifest', args });
      return { hash: first, from: registrar, to: registry, input };
    }
    case 'eth_getLogs': {
      const logs = [];
      for (let number = Number(first.fromBlock); number <= Math.min(Number(first.toBlock), head); number += 1) {
        logs.push(...logsOf(number));
        if (logs.length > MAX_LOGS) throw new Error('query returned more than 10000 results');
      }
      return logs.filter((log) => first.topics[0].includes(log.topics[0]));
    }
    case 'evm_mine':
      head += 1;
      return numberToHex(head);
    default:
      throw new Error(`unknown method ${method}`);
  }
}

/** @param {any} message */
function respond({ id, method, params = [] }) {
  try {
    return { jsonrpc: '2.0', id, result: call(method, params) };
  } catch (error) {
    return { jsonrpc: '2.0', id, error: { code: -32_005, message: String(error) } };
  }
}

const server = createServer(async (request, response) => {
  const message = await json(request);
  response.end(JSON.stringify(Array.isArray(message) ? message.map(respond) : respond(message)));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') process.send?.({ port: address?.port, registry });
});
process.on('disconnect', () => process.exit());
