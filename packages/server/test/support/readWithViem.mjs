// Reads the registry as any stranger can: `node readWithViem.mjs BASE_URL RPC_URL CURATED PUBLIC UNKNOWN`, the last three
// being fingerprints. Knows nothing of the service but the address of its contract and the ABI, and prints what it read.

import { createPublicClient, http } from 'viem';

const [baseUrl, rpcUrl, curated, open, unknown] = process.argv.slice(2);
const { address, abi } = await (await fetch(`${baseUrl}/c2pa/contract`)).json();
const client = createPublicClient({ transport: http(rpcUrl, { retryCount: 0 }) });
const read = (functionName, ...args) => client.readContract({ address, abi, functionName, args });

const query = JSON.stringify({ softBindingValue: Buffer.from(curated.slice(2), 'hex').toString('base64') });
const events = async (eventName) => {
  const logs = await client.getContractEvents({ address, abi, eventName, fromBlock: 0n });
  return logs.map(({ args }) => args);
};
const refusal = await read('resolveByBindingDetailed', unknown).catch((error) => error.cause.data.errorName);

const result = {
  curated: await read('resolveByBindingDetailed', curated),
  open: await read('resolveByBindingDetailed', open),
  refusal,
  byBinding: JSON.parse(await read('getManifestByBinding', query)),
  methods: JSON.parse(await read('describe')),
  version: await read('c2paSpecVersion'),
  algorithms: await read('supportedAlgorithms'),
  metadata: await read('getContractMetadata'),
  curatedEvents: await events('SoftBindingRegistered'),
  publicEvents: await events('PublicSoftBindingRegistered'),
};
process.stdout.write(JSON.stringify(result, (_, value) => (typeof value === 'bigint' ? Number(value) : value)));
