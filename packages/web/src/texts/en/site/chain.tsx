// Texts about the chain: names of networks, links to explorers, and the page about the contract.

import type { ReactNode } from 'preact/compat';

/** Names of well-known chains. Others have their id alone. */
const networks: Readonly<Record<number, string>> = {
  1: 'Ethereum',
  10: 'OP Mainnet',
  56: 'BNB Smart Chain',
  100: 'Gnosis',
  137: 'Polygon',
  8453: 'Base',
  31337: 'development chain of this service, not a public one',
  42161: 'Arbitrum One',
  11155111: 'Sepolia, a test network',
};
export const chainName = (id: number) => {
  const name = networks[id];
  return name === undefined ? `Id ${id}` : `Id ${id}: ${name}`;
};
export const viewOn = (host: string) => `View on ${host} (another site)`;

// The contract.

export const title = 'The contract of this registry';
export const lead =
  'Every registration is also written to a smart contract on a blockchain, where this service can neither change nor remove it. Anyone can read it there without asking this service.';
export const identity = 'Address';
export const address = 'Address';
export const copyAddress = 'contract address';
export const chain = 'Chain';
export const chainUnknown = 'Not known: the service has not reached a node of its chain yet.';
export const node = 'Public node';
export const copyNode = 'address of the node';
export const noNode = 'This service names none. Any node of the chain will do.';
export const source = 'Source and ABI';
export const rawJson = 'Address and ABI as JSON';
export const copyAbi = 'ABI';
export const compare =
  'A page of the registry cannot prove which contract is the right one. Compare the address with one that the operator published elsewhere.';
export const whatTitle = 'What is in it';
export const what = [
  'For each file: its fingerprint (SHA-256), the id of its manifest, the hash of its metadata, a hash of the user, the account that wrote the entry, and the time of the block.',
  'No files, no names and no addresses of people. The hash of the metadata proves them to those who have them.',
  'A fingerprint is registered once. The contract has no function that changes or removes an entry.',
];
export const rolesTitle = 'Who may do what';
export const roles: readonly (readonly [name: string, text: string])[] = [
  [
    'Registrar',
    'Writes the curated registry. This service writes with such an account; the contract tells which accounts have the role.',
  ],
  ['Anyone', 'Writes the public registry, for the price of the gas. A curated entry takes precedence.'],
  ['Pauser', 'Stops new registrations in an emergency. Reading goes on.'],
  ['Endpoint role', 'Changes the addresses at which manifests are found.'],
  [
    'Admin',
    'Grants and revokes these roles, after the delay that the contract states, and lifts a pause. Cannot change entries either.',
  ],
];
export const readTitle = 'How to read it yourself';
export const readText = (name: ReactNode) => (
  <>
    Ask any node of the chain for {name} with the fingerprint of a file. It returns the id of the manifest, the hash of
    the metadata, the account that wrote the entry, and the time.
  </>
);
export const withCast = 'On the command line, with Foundry’s cast';
export const withOurs = 'Or with this project’s command, which checks the signed manifest too';
export const copyCommand = 'command';
export const functionsTitle = 'Functions and events';
export const functionCount = (count: number) => `All ${count} entries of the ABI`;
export const readOnly = 'reads';
export const writes = 'writes';
export const event = 'event';
export const contract = 'contract';
