// The C2PA soft-binding resolution API: finds the manifest of a file, from this service or from the chain.

import Type, { type Static } from 'typebox';
import { SOFT_BINDING_ALGORITHM } from '../fingerprints.js';
import { type Operation, Timestamp } from './operation.js';

const exampleValue = 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=';

export const Match = Type.Object(
  {
    manifestId: Type.String(),
    endpoint: Type.String({ description: 'A resolution API that serves the manifest.' }),
    similarityScore: Type.Integer({ description: 'Always 100: the match is exact.' }),
    source: Type.Optional(Type.String({ enum: ['curated', 'public'], description: 'Only in matches from the chain.' })),
    registeredBy: Type.Optional(Type.String({ description: 'The account that wrote the entry on chain.' })),
  },
  { title: 'Match' },
);
export type Match = Static<typeof Match>;

const Matches = Type.Object(
  { matches: Type.Array(Match) },
  { title: 'Matches', description: 'Empty when nothing is found.' },
);
type Matches = Static<typeof Matches>;

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
const alg = Type.String({ maxLength: 255, description: `\`${SOFT_BINDING_ALGORITHM}\`, or one of its legacy names.` });
const value = Type.String({ maxLength: 4096, description: 'Base64 of the 32 bytes of the SHA-256.' });
const bindingErrors = {
  BAD_REQUEST: 'The algorithm is not supported, or the value is not the base64 of 32 bytes.',
};
const matchesFound = { status: 200, description: 'The matches.', schema: Matches, example: exampleMatches } as const;

export const findByBinding = {
  id: 'findByBinding',
  method: 'GET',
  path: '/api/c2pa/matches/byBinding',
  tag: 'Resolution',
  summary: 'Find manifests by fingerprint',
  description: 'Searches the records of this service and, if there are none, the registries on chain.',
  auth: 'none',
  query: Type.Object({ alg, value, maxResults: MaxResults }),
  exampleQuery: { alg: SOFT_BINDING_ALGORITHM, value: exampleValue },
  success: matchesFound,
  errors: bindingErrors,
} satisfies Operation;

export const findByLargeBinding = {
  id: 'findByLargeBinding',
  method: 'POST',
  path: '/api/c2pa/matches/byBinding',
  tag: 'Resolution',
  summary: 'Find manifests by fingerprint (POST)',
  description: 'Same as the GET lookup, with the parameters in the body.',
  auth: 'none',
  query: Type.Object({ maxResults: MaxResults }),
  body: Type.Object({ alg, value }),
  exampleBody: { alg: SOFT_BINDING_ALGORITHM, value: exampleValue },
  success: matchesFound,
  errors: bindingErrors,
} satisfies Operation;

export const findByContent = {
  id: 'findByContent',
  method: 'POST',
  path: '/api/c2pa/matches/byContent',
  tag: 'Resolution',
  summary: 'Find manifests by file',
  description:
    'Send the file as the body or as the `file` part of a form. It is hashed while it is received and never stored.',
  auth: 'none',
  query: Type.Object({
    alg: Type.Optional(alg),
    maxResults: MaxResults,
    hintAlg: Type.Optional(Type.String({ maxLength: 255 })),
    hintValue: Type.Optional(Type.String({ maxLength: 4096 })),
  }),
  multipart: Type.Object({ file: Type.Unsafe<unknown>({ format: 'binary', description: 'The file.' }) }),
  acceptsRawFile: true,
  success: matchesFound,
  errors: {
    BAD_REQUEST: 'The form has no file, or the algorithm is not supported.',
    PAYLOAD_TOO_LARGE: 'The file is too large.',
  },
} satisfies Operation;

const ManifestLinks = Type.Object(
  { manifestUrl: Type.String(), manifestBinaryUrl: Type.Optional(Type.String()) },
  { title: 'ManifestLinks' },
);

export const getManifest = {
  id: 'getManifest',
  method: 'GET',
  path: '/api/c2pa/manifests/{manifestId}',
  tag: 'Resolution',
  summary: 'Get a manifest',
  description:
    'Returns the URLs of the report and the sidecar; with `Accept: application/c2pa`, the sidecar itself. The id may ' +
    'be bare or start with `urn:c2pa:`. Available once the Artifact has left `pending`.',
  auth: 'none',
  params: Type.Object({ manifestId: Type.String({ maxLength: 255 }) }),
  query: Type.Object({
    returnActiveManifest: Type.Optional(
      Type.String({ enum: ['true', 'false'], description: 'Return only the active manifest of the store.' }),
    ),
  }),
  success: {
    status: 200,
    description: 'The URLs of the manifest.',
    schema: ManifestLinks,
    example: {
      manifestUrl: 'https://registry.example/cdn/1f0c8a34-52c1-4c0e-9d53-0e6a7d3b9f10.json',
      manifestBinaryUrl: 'https://registry.example/cdn/1f0c8a34-52c1-4c0e-9d53-0e6a7d3b9f10.c2pa',
    },
  },
  errors: { NOT_FOUND: 'No such manifest, or it is not available yet.' },
} satisfies Operation;

export const getAlgorithms = {
  id: 'getAlgorithms',
  method: 'GET',
  path: '/api/c2pa/services/supportedAlgorithms',
  tag: 'Resolution',
  summary: 'List supported algorithms',
  description: 'The soft-binding algorithms that lookups accept.',
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
  summary: 'Get capabilities',
  description: 'The features of this resolution API.',
  auth: 'none',
  success: {
    status: 200,
    description: 'The capabilities.',
    schema: Type.Object({ c2paSpecificationVersion: Type.String(), supportedCapabilities: Type.Array(Type.String()) }),
    example: {
      c2paSpecificationVersion: '2.2.0',
      supportedCapabilities: ['byBinding', 'byContent', 'manifests'],
    },
  },
  errors: {},
} satisfies Operation;

export const getServiceStatus = {
  id: 'getServiceStatus',
  method: 'GET',
  path: '/api/c2pa/services/status',
  tag: 'Resolution',
  summary: 'Get the status of the resolution API',
  description: '`degraded` when lookups cannot include the chain; `down` when lookups are not possible.',
  auth: 'none',
  success: {
    status: 200,
    description: 'The status.',
    schema: Type.Object({
      status: Type.Unsafe<'ok' | 'degraded' | 'down'>({ type: 'string', enum: ['ok', 'degraded', 'down'] }),
      timestamp: Timestamp('The current time.'),
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
  summary: 'Discover the resolution API',
  description: 'For clients that only know the host.',
  auth: 'none',
  success: {
    status: 200,
    description: 'The URLs of the resolution API.',
    schema: Type.Object({
      apiEndpoint: Type.String(),
      c2paSpecificationVersion: Type.String(),
      capabilitiesEndpoint: Type.String(),
      statusEndpoint: Type.String(),
    }),
    example: {
      apiEndpoint: 'https://registry.example/api/c2pa',
      c2paSpecificationVersion: '2.2.0',
      capabilitiesEndpoint: 'https://registry.example/api/c2pa/services/capabilities',
      statusEndpoint: 'https://registry.example/api/c2pa/services/status',
    },
  },
  errors: {},
} satisfies Operation;

export const RegistryContract = Type.Object(
  {
    address: Type.String({ pattern: '^0x[0-9a-fA-F]{40}$', description: 'The address of the contract.' }),
    abi: Type.Array(Type.Object({}, { additionalProperties: true }), {
      description: 'The ABI, as used by viem, ethers and other clients.',
    }),
    chainId: Type.Optional(
      Type.Integer({ description: 'The id of the chain; absent until it has been read from a node.' }),
    ),
    rpcUrl: Type.Optional(Type.String({ description: 'A public JSON-RPC URL of the chain, if there is one.' })),
  },
  { title: 'RegistryContract' },
);

export const getContract = {
  id: 'getContract',
  method: 'GET',
  path: '/c2pa/contract',
  tag: 'Resolution',
  summary: 'Get the registry contract',
  description: 'Everything needed to read the on-chain registries with any client, independently of this service.',
  auth: 'none',
  success: {
    status: 200,
    description: 'The address and ABI of the contract.',
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
