// Reads the registry as any stranger can: `node readWithEthers.mjs BASE_URL RPC_URL CURATED PUBLIC UNKNOWN`, the last three
// being fingerprints. Knows nothing of the service but the address of its contract and the ABI, and prints what it read.

import { Contract, JsonRpcProvider } from 'ethers';

const [baseUrl, rpcUrl, curated, open, unknown] = process.argv.slice(2);
const { address, abi } = await (await fetch(`${baseUrl}/c2pa/contract`)).json();
const provider = new JsonRpcProvider(rpcUrl);
const registry = new Contract(address, abi, provider);

const query = JSON.stringify({ softBindingValue: Buffer.from(curated.slice(2), 'hex').toString('base64') });
const plain = (values) => values.toArray().map((value) => (value?.toArray ? plain(value) : value));
const events = async (name) => {
  const logs = await registry.queryFilter(name, 0);
  return logs.map(({ args }) => {
    const { endpoints, ...others } = args.toObject();
    return { ...others, endpoints: plain(endpoints) };
  });
};
const refusal = await registry.resolveByBindingDetailed(unknown).catch((error) => error.revert.name);

const result = {
  curated: plain(await registry.resolveByBindingDetailed(curated)),
  open: plain(await registry.resolveByBindingDetailed(open)),
  refusal,
  byBinding: JSON.parse(await registry.getManifestByBinding(query)),
  methods: JSON.parse(await registry.describe()),
  version: await registry.c2paSpecVersion(),
  algorithms: plain(await registry.supportedAlgorithms()),
  metadata: plain(await registry.getContractMetadata()),
  curatedEvents: await events('SoftBindingRegistered'),
  publicEvents: await events('PublicSoftBindingRegistered'),
};
process.stdout.write(JSON.stringify(result, (_, value) => (typeof value === 'bigint' ? Number(value) : value)));
provider.destroy();
