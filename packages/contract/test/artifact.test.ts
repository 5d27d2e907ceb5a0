// The interface that clients rely on.

import { toEventSignature, toFunctionSignature } from 'viem';
import { expect, it } from 'vitest';
import { contentRegistryAbi } from '../src/index.js';

const functions = contentRegistryAbi
  .filter((item) => item.type === 'function')
  .map((item) => toFunctionSignature(item));
const events = contentRegistryAbi.filter((item) => item.type === 'event').map((item) => toEventSignature(item));
const names = contentRegistryAbi.flatMap((item) => (item.type === 'error' ? [item.name] : []));

it('the interface has everything that clients call', () => {
  expect(functions).toEqual(
    expect.arrayContaining([
      'c2paSpecVersion()',
      'curatedCount()',
      'curatedManifestIds(bytes32[])',
      'describe()',
      'endpoints()',
      'getContractMetadata()',
      'getManifestByBinding(string)',
      'publicEntries(bytes32,uint256,uint256)',
      'publicEntryCount(bytes32)',
      'registerManifest(bytes32,bytes16,bytes32,bytes32)',
      'registerManifests((bytes32,bytes16,bytes32,bytes32)[])',
      'registerPublicManifest(bytes32,string[],string,bytes32)',
      'resolveByBindingDetailed(bytes32)',
      'setEndpoints(string[])',
      'supportedAlgorithms()',
    ]),
  );
});

it('the interface has the events that clients look for', () => {
  expect(events).toEqual(
    expect.arrayContaining([
      'EndpointsChanged(string[])',
      'ManifestRegistered(bytes32,bytes,bytes32)',
      'PublicSoftBindingRegistered(bytes32,address,string[],string)',
      'SoftBindingRegistered(bytes32,string[],string)',
    ]),
  );
});

it('the interface has every error of the contract', () => {
  expect(names).toEqual(
    expect.arrayContaining([
      'AccessControlUnauthorizedAccount',
      'AlreadyRegistered',
      'EnforcedPause',
      'InvalidBinding',
      'InvalidEndpointCount',
      'InvalidEndpointLength',
      'InvalidManifestIdLength',
      'ManifestNotFound',
      'ZeroFingerprint',
      'ZeroManifestId',
    ]),
  );
});

it('no function lets anyone replace the code, remove an entry or send the contract money', () => {
  const ours = functions.map((signature) => signature.slice(0, signature.indexOf('(')));
  expect(ours.filter((name) => /upgrade|delete|remove|update|initialize/i.test(name))).toEqual([]);
  expect(
    contentRegistryAbi.filter((item) => 'stateMutability' in item && String(item.stateMutability) === 'payable'),
  ).toEqual([]);
});
