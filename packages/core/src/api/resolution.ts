// Whose is this file? Answered to anyone, over the API and on chain.

import Type from 'typebox';
import type { Operation } from './operation.js';

export const RegistryContract = Type.Object(
  {
    address: Type.String({ pattern: '^0x[0-9a-fA-F]{40}$', description: 'Where the contract is on the chain.' }),
    abi: Type.Array(Type.Object({}, { additionalProperties: true }), {
      description: 'Its functions, events and errors, as viem, ethers and other clients take them.',
    }),
  },
  { title: 'RegistryContract' },
);

export const getContract = {
  id: 'getContract',
  method: 'GET',
  path: '/c2pa/contract',
  tag: 'Resolution',
  summary: 'The registry contract',
  description: 'What is needed to read the registries on chain with any client, without this service.',
  auth: 'none',
  success: {
    status: 200,
    description: 'Its address and interface.',
    schema: RegistryContract,
    example: {
      address: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
      abi: [
        {
          type: 'function',
          name: 'c2paSpecVersion',
          stateMutability: 'pure',
          inputs: [],
          outputs: [{ name: '', type: 'string' }],
        },
      ],
    },
  },
  errors: {},
} satisfies Operation;
