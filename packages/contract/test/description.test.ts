// The contract's description of itself, compared with what the C2PA publishes, and read with a second client library.

import { BrowserProvider, Contract } from 'ethers';
import { Type } from 'typebox';
import { Compile } from 'typebox/schema';
import { getAddress, keccak256, stringToBytes } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import * as contract from '../src/index.js';
import { contentRegistryAbi } from '../src/index.js';
import eventLogExample from './c2pa-2.2/decentralized-lookup-example-el.json' with { type: 'json' };
import contractExample from './c2pa-2.2/decentralized-lookup-example-sc.json' with { type: 'json' };
import publishedSchema from './c2pa-2.2/decentralized-lookup-schema.json' with { type: 'json' };
import {
  argumentsOf,
  endpoint,
  query,
  type Registry,
  registration,
  startRegistry,
  uuidText,
} from './support/registry.js';

let registry: Registry;
beforeAll(async () => {
  registry = await startRegistry();
});

/** The published schema, in which an inner schema is any object; README.md beside it says why. */
function repairedSchema() {
  const { properties } = publishedSchema.items;
  const anySchema = { type: 'object' };
  const within = <T extends object>(query: { properties: T }, names: string[]) => ({
    ...query,
    properties: { ...query.properties, ...Object.fromEntries(names.map((name) => [name, anySchema])) },
  });
  return {
    ...publishedSchema,
    items: {
      ...publishedSchema.items,
      properties: {
        ...properties,
        querySmartContract: within(properties.querySmartContract, ['byBindingInputSchema', 'byBindingOutputSchema']),
        queryEventLog: within(properties.queryEventLog, ['byBindingOutputSchema']),
      },
    },
  };
}

/** As much of a description as a client needs to use it. */
const Description = Compile(
  Type.Tuple([
    Type.Object({
      querySmartContract: Type.Object({
        smartContractAddress: Type.String(),
        byBindingFunctionName: Type.Literal('getManifestByBinding'),
        byBindingInputSchema: Type.Object({}),
        byBindingOutputSchema: Type.Object({}),
      }),
    }),
    Type.Object({ queryEventLog: Type.Object({ smartContractAddress: Type.String(), keyTopic: Type.String() }) }),
  ]),
);

const described = async () => Description.Parse(JSON.parse(await registry.read.describe()));

describe('the description', () => {
  it('is valid by the published schema, as far as the published examples are', async () => {
    const validator = Compile(repairedSchema());
    const examples = [...contractExample, eventLogExample];
    expect(validator.Errors(examples)).toEqual([true, []]);
    expect(validator.Errors(await described())).toEqual([true, []]);
    expect(validator.Check([{ resolutionMethod: 'smartContract' }])).toBe(false);
    expect(Compile(publishedSchema).Check(examples)).toBe(false);
  });

  it('equals the published examples, with the address, function and topic of this contract', async () => {
    expect(await described()).toEqual([
      {
        ...contractExample[0],
        querySmartContract: {
          ...contractExample[0]?.querySmartContract,
          smartContractAddress: getAddress(registry.address),
          byBindingFunctionName: 'getManifestByBinding',
        },
      },
      {
        ...eventLogExample,
        queryEventLog: {
          ...eventLogExample.queryEventLog,
          smartContractAddress: getAddress(registry.address),
          keyTopic: 'SoftBindingRegistered(bytes32,string[],string)',
        },
      },
    ]);
  });

  it('describes a call that takes and returns what its schemas say', async () => {
    const [{ querySmartContract: call }] = await described();
    const r = registration();
    await registry.registrar.write.registerManifest(argumentsOf(r));
    const answer = await registry.evm.reader.readContract({
      address: getAddress(call.smartContractAddress),
      abi: contentRegistryAbi,
      functionName: call.byBindingFunctionName,
      args: [query(r.fingerprint)],
    });
    expect(Compile(call.byBindingInputSchema).Errors(JSON.parse(query(r.fingerprint)))).toEqual([true, []]);
    expect(Compile(call.byBindingOutputSchema).Errors(JSON.parse(answer))).toEqual([true, []]);
  });

  it('describes a log whose first topics are the key topic and the fingerprint', async () => {
    const [, { queryEventLog: log }] = await described();
    const r = registration();
    await registry.registrar.write.registerManifest(argumentsOf(r));
    const found = await registry.evm.provider.request({
      method: 'eth_getLogs',
      params: [
        {
          address: log.smartContractAddress,
          topics: [keccak256(stringToBytes(log.keyTopic)), r.fingerprint],
          fromBlock: '0x0',
        },
      ],
    });
    expect(found).toHaveLength(1);
  });
});

describe('the contract', () => {
  it('has the constants that other packages use', async () => {
    expect(await registry.read.c2paSpecVersion()).toBe(contract.SPEC_VERSION);
    expect(await registry.read.REGISTRAR_ROLE()).toBe(contract.REGISTRAR_ROLE);
    expect(await registry.read.MAX_ENDPOINTS()).toBe(BigInt(contract.MAX_ENDPOINTS));
    expect(await registry.read.MAX_ENDPOINT_LENGTH()).toBe(BigInt(contract.MAX_ENDPOINT_LENGTH));
    expect(await registry.read.MAX_MANIFEST_ID_LENGTH()).toBe(BigInt(contract.MAX_MANIFEST_ID_LENGTH));
    const unknown = keccak256(stringToBytes('not registered'));
    expect(await registry.read.curatedManifestIds([[unknown]])).toEqual([contract.ZERO_MANIFEST_ID]);
  });

  it('says what it is', async () => {
    expect(await registry.read.c2paSpecVersion()).toBe('2.2.0');
    expect(await registry.read.supportedAlgorithms()).toEqual(['sha256']);
    expect(await registry.read.getContractMetadata()).toEqual([
      'Content registry',
      '1.0.0',
      expect.stringContaining('C2PA'),
      'https://spec.c2pa.org/specifications/specifications/2.2/softbinding/Decoupled.html',
    ]);
  });

  it('is read by ethers with the published interface, results by name', async () => {
    const r = registration();
    await registry.registrar.write.registerManifest(argumentsOf(r));
    const contract = new Contract(registry.address, contentRegistryAbi, new BrowserProvider(registry.evm.provider));
    const resolved = await contract.getFunction('resolveByBindingDetailed').staticCallResult(r.fingerprint);
    const { endpoints, ...others } = resolved.toObject();
    expect([...endpoints]).toEqual([endpoint]);
    expect(others).toEqual({
      source: 1n,
      manifestId: uuidText(r.manifestId),
      manifestHash: r.manifestHash,
      registeredBy: registry.accounts.registrar,
      timestamp: expect.any(BigInt),
    });
    const unknown = contract.getFunction('resolveByBindingDetailed')(r.manifestHash);
    await expect(unknown).rejects.toMatchObject({ revert: { name: 'ManifestNotFound', args: [r.manifestHash] } });
    const events = await contract.queryFilter(contract.getEvent('SoftBindingRegistered')(r.fingerprint));
    expect(events).toHaveLength(1);
  });
});
