// Whose is this file? Answered to anyone, over the API and on chain.

import Type, { type Static } from 'typebox';
import { SOFT_BINDING_ALGORITHM } from '../fingerprints.js';
import { type Operation, Timestamp } from './operation.js';

const exampleValue = 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=';

export const Match = Type.Object(
  {
    manifestId: Type.String(),
    endpoint: Type.String({ description: 'A resolution API that serves the manifest.' }),
    similarityScore: Type.Integer({ description: 'Always 100: the match is exact.' }),
    source: Type.Optional(Type.String({ enum: ['curated', 'public'], description: 'Only on matches from the chain.' })),
    registeredBy: Type.Optional(Type.String({ description: 'Who wrote the entry on chain.' })),
  },
  { title: 'Match' },
);
export type Match = Static<typeof Match>;

export const Matches = Type.Object(
  { matches: Type.Array(Match) },
  { title: 'Matches', description: 'Empty when nothing was found right now.' },
);
export type Matches = Static<typeof Matches>;

const exampleMatches: Matches = {
  matches: [
    {
      manifestId: '1f0c8a34-52c1-4c0e-9d53-0e6a7d3b9f10',
      endpoint: 'https://registry.example/api/c2pa',
      similarityScore: 100,
    },
  ],
};
const MaxResults = Type.Optional(Type.Integer({ minimum: 1, default: 10 }));
const alg = Type.String({ maxLength: 255, description: `\`${SOFT_BINDING_ALGORITHM}\`, or an older name of it.` });
const value = Type.String({ maxLength: 4096, description: 'Base64 of the 32 bytes of the SHA-256.' });
const notOurs = { BAD_REQUEST: 'The algorithm is not ours, or the value is not the base64 of 32 bytes.' };
const found = { status: 200, description: 'What was found.', schema: Matches, example: exampleMatches } as const;

export const findByBinding = {
  id: 'findByBinding',
  method: 'GET',
  path: '/api/c2pa/matches/byBinding',
  tag: 'Resolution',
  summary: 'Whose is this fingerprint?',
  description: 'From the records of this service; if it has none, from the registries on chain.',
  auth: 'none',
  query: Type.Object({ alg, value, maxResults: MaxResults }),
  exampleQuery: { alg: SOFT_BINDING_ALGORITHM, value: exampleValue },
  success: found,
  errors: notOurs,
} satisfies Operation;

export const findByLargeBinding = {
  id: 'findByLargeBinding',
  method: 'POST',
  path: '/api/c2pa/matches/byBinding',
  tag: 'Resolution',
  summary: 'Whose is this fingerprint? (as a body)',
  description: 'As the lookup by GET.',
  auth: 'none',
  query: Type.Object({ maxResults: MaxResults }),
  body: Type.Object({ alg, value }),
  exampleBody: { alg: SOFT_BINDING_ALGORITHM, value: exampleValue },
  success: found,
  errors: notOurs,
} satisfies Operation;

export const findByContent = {
  id: 'findByContent',
  method: 'POST',
  path: '/api/c2pa/matches/byContent',
  tag: 'Resolution',
  summary: 'Whose is this file?',
  description: 'The file as the body, or as the `file` part of a form. It is hashed as it arrives and never kept.',
  auth: 'none',
  query: Type.Object({
    alg: Type.Optional(alg),
    maxResults: MaxResults,
    hintAlg: Type.Optional(Type.String({ maxLength: 255 })),
    hintValue: Type.Optional(Type.String({ maxLength: 4096 })),
  }),
  multipart: Type.Object({ file: Type.Unsafe<unknown>({ format: 'binary', description: 'The file.' }) }),
  anyFile: true,
  success: found,
  errors: {
    BAD_REQUEST: 'There is no file in the form, or the algorithm is not ours.',
    PAYLOAD_TOO_LARGE: 'The file is too large.',
  },
} satisfies Operation;

export const ManifestLinks = Type.Object(
  { manifestUrl: Type.String(), manifestBinaryUrl: Type.Optional(Type.String()) },
  { title: 'ManifestLinks' },
);

export const getManifest = {
  id: 'getManifest',
  method: 'GET',
  path: '/api/c2pa/manifests/{manifestId}',
  tag: 'Resolution',
  summary: 'A manifest',
  description:
    'Where its report and its sidecar are; with `Accept: application/c2pa` the sidecar itself. The id may be bare or a ' +
    '`urn:c2pa:` one. Not found until its Artifact has left `pending`.',
  auth: 'none',
  params: Type.Object({ manifestId: Type.String({ maxLength: 255 }) }),
  query: Type.Object({
    returnActiveManifest: Type.Optional(
      Type.String({ enum: ['true', 'false'], description: 'Only the active manifest of the store.' }),
    ),
  }),
  success: {
    status: 200,
    description: 'Where it is.',
    schema: ManifestLinks,
    example: {
      manifestUrl: 'https://registry.example/cdn/1f0c8a34-52c1-4c0e-9d53-0e6a7d3b9f10.json',
      manifestBinaryUrl: 'https://registry.example/cdn/1f0c8a34-52c1-4c0e-9d53-0e6a7d3b9f10.c2pa',
    },
  },
  errors: { NOT_FOUND: 'There is no such manifest, or not yet.' },
} satisfies Operation;

export const getAlgorithms = {
  id: 'getAlgorithms',
  method: 'GET',
  path: '/api/c2pa/services/supportedAlgorithms',
  tag: 'Resolution',
  summary: 'Supported algorithms',
  description: 'The soft-binding algorithms that lookups take.',
  auth: 'none',
  success: {
    status: 200,
    description: 'The algorithms.',
    schema: Type.Object({ fingerprints: Type.Array(Type.Object({ alg: Type.String() })) }),
    example: { fingerprints: [{ alg: SOFT_BINDING_ALGORITHM }] },
  },
  errors: {},
} satisfies Operation;

export const getCapabilities = {
  id: 'getCapabilities',
  method: 'GET',
  path: '/api/c2pa/services/capabilities',
  tag: 'Resolution',
  summary: 'Capabilities',
  description: 'What this resolution API offers.',
  auth: 'none',
  success: {
    status: 200,
    description: 'The capabilities.',
    schema: Type.Object({ c2paSpecificationVersion: Type.String(), supportedCapabilities: Type.Array(Type.String()) }),
    example: { c2paSpecificationVersion: '2.2', supportedCapabilities: ['byBinding', 'byContent', 'manifests'] },
  },
  errors: {},
} satisfies Operation;

export const getServiceStatus = {
  id: 'getServiceStatus',
  method: 'GET',
  path: '/api/c2pa/services/status',
  tag: 'Resolution',
  summary: 'Status of the resolution API',
  description: '`degraded` when lookups are answered from our own records alone; `down` when not even from them.',
  auth: 'none',
  success: {
    status: 200,
    description: 'How it is.',
    schema: Type.Object({
      status: Type.Unsafe<'ok' | 'degraded' | 'down'>({ type: 'string', enum: ['ok', 'degraded', 'down'] }),
      timestamp: Timestamp('Now.'),
    }),
    example: { status: 'ok', timestamp: '2026-06-01T12:00:00.000Z' },
  },
  errors: {},
} satisfies Operation;

export const getWellKnown = {
  id: 'getWellKnown',
  method: 'GET',
  path: '/.well-known/c2pa-soft-binding-resolution',
  tag: 'Resolution',
  summary: 'Where the resolution API is',
  description: 'For clients that know only the host.',
  auth: 'none',
  success: {
    status: 200,
    description: 'Its addresses.',
    schema: Type.Object({
      apiEndpoint: Type.String(),
      c2paSpecificationVersion: Type.String(),
      capabilitiesEndpoint: Type.String(),
      statusEndpoint: Type.String(),
    }),
    example: {
      apiEndpoint: 'https://registry.example/api/c2pa',
      c2paSpecificationVersion: '2.2',
      capabilitiesEndpoint: 'https://registry.example/api/c2pa/services/capabilities',
      statusEndpoint: 'https://registry.example/api/c2pa/services/status',
    },
  },
  errors: {},
} satisfies Operation;

export const RegistryContract = Type.Object(
  {
    address: Type.String({ pattern: '^0x[0-9a-fA-F]{40}$', description: 'Where the contract is on the chain.' }),
    abi: Type.Array(Type.Object({}, { additionalProperties: true }), {
      description: 'Its functions, events and errors, as viem, ethers and other clients take them.',
    }),
    chainId: Type.Optional(Type.Integer({ description: 'Of the chain; absent until a node has told it.' })),
    rpcUrl: Type.Optional(
      Type.String({ description: 'A JSON-RPC node of the chain that anyone may ask, if there is one.' }),
    ),
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
    description: 'Its address and interface, and where to reach it.',
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
      chainId: 31_337,
      rpcUrl: 'http://127.0.0.1:8545',
    },
  },
  errors: {},
} satisfies Operation;
