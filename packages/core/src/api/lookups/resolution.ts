// The C2PA soft-binding resolution API: finds the manifest of a file, from this service or from the chain.

import Type, { type Static } from 'typebox';
import { SOFT_BINDING_ALGORITHM } from '../../fingerprints/fingerprints.js';
import {
  exampleManifestId,
  exampleManifestLinks,
  exampleSoftBinding,
  exampleTime,
  ok,
  operations,
  route,
} from '../declarations.js';
import { BinaryFile, Timestamp } from '../operation.js';

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

const exampleEndpoint = 'https://registry.example/api/c2pa';
const exampleMatches: Matches = {
  matches: [{ manifestId: exampleManifestId, endpoint: exampleEndpoint, similarityScore: 100 }],
};
/**
 * Edition 2.5 of the resolution API also has `queryByReference`, `storeManifests` and `storeBindings`, which are not true
 * here. The other names are our own, of before.
 */
export const resolutionCapabilities = ['queryByContent', 'byBinding', 'byContent', 'manifests'] as const;

const MaxResults = Type.Optional(Type.Integer({ minimum: 1, default: 10 }));
const alg = Type.String({ maxLength: 255, description: `\`${SOFT_BINDING_ALGORITHM}\`, or one of its legacy names.` });
const value = Type.String({ maxLength: 4096, description: 'Base64 of the 32 bytes of the SHA-256.' });
const bindingErrors = { BAD_REQUEST: 'The algorithm is not supported, or the value is not the base64 of 32 bytes.' };
const matchesFound = ok('The matches.', Matches, exampleMatches);

const ManifestLinks = Type.Object(
  { manifestUrl: Type.String(), manifestBinaryUrl: Type.Optional(Type.String()) },
  { title: 'ManifestLinks' },
);

export const ServiceStatus = Type.Object(
  {
    status: Type.Unsafe<'ok' | 'degraded' | 'down'>({ type: 'string', enum: ['ok', 'degraded', 'down'] }),
    timestamp: Timestamp('The current time.'),
    mirror: Type.Optional(
      Type.Object(
        {
          mirroredBlock: Type.Integer({ description: 'All entries of the contract up to this block are copied.' }),
          headBlock: Type.Integer({ description: 'The newest block that the node has shown.' }),
          checkedAt: Type.Union([Timestamp('When the node last confirmed the copy.'), Type.Null()], {
            description: 'When the node last confirmed the copy; null while entries are known to be missing.',
          }),
          isFresh: Type.Boolean({ description: 'Lookups use the copy alone; otherwise they also ask the node.' }),
        },
        { description: 'The copy of the entries on chain that lookups read; absent before it exists.' },
      ),
    ),
  },
  { title: 'ServiceStatus' },
);
export type ServiceStatus = Static<typeof ServiceStatus>;

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

export const resolutionOperations = operations('Resolution', {
  findByBinding: {
    ...route('GET', '/api/c2pa/matches/byBinding', 'none'),
    summary: 'Find manifests by fingerprint',
    description: 'Searches the records of this service and, if there are none, the registries on chain.',
    query: Type.Object({ alg, value, maxResults: MaxResults }),
    exampleQuery: exampleSoftBinding,
    success: matchesFound,
    errors: bindingErrors,
  },
  findByLargeBinding: {
    ...route('POST', '/api/c2pa/matches/byBinding', 'none'),
    summary: 'Find manifests by fingerprint (POST)',
    description: 'Same as the GET lookup, with the parameters in the body.',
    query: Type.Object({ maxResults: MaxResults }),
    body: Type.Object({ alg, value }),
    exampleBody: exampleSoftBinding,
    success: matchesFound,
    errors: bindingErrors,
  },
  findByContent: {
    ...route('POST', '/api/c2pa/matches/byContent', 'none'),
    summary: 'Find manifests by file',
    description:
      'Send the file as the body, of any media type, or as the `file` part of a form. It is hashed while it is received ' +
      'and never stored. An image up to 20 MB that has no match itself is recognized by an intact manifest of this ' +
      'service inside.',
    query: Type.Object({
      alg: Type.Optional(alg),
      maxResults: MaxResults,
      hintAlg: Type.Optional(Type.String({ maxLength: 255 })),
      hintValue: Type.Optional(Type.String({ maxLength: 4096 })),
    }),
    multipart: Type.Object({ file: BinaryFile('The file.') }),
    acceptsRawFile: true,
    success: matchesFound,
    errors: {
      BAD_REQUEST: 'The form has no file, or the algorithm is not supported.',
      PAYLOAD_TOO_LARGE: 'The file is too large.',
      UNAVAILABLE: 'The image carries a manifest, and too many are being read right now.',
    },
  },
  getManifest: {
    ...route('GET', '/api/c2pa/manifests/{manifestId}', 'none'),
    summary: 'Get a manifest',
    description:
      'Returns the URLs of the report and the sidecar; with `Accept: application/c2pa`, the sidecar itself. The id may ' +
      'be bare or start with `urn:c2pa:`. Available once the Artifact has left `pending`.',
    params: Type.Object({ manifestId: Type.String({ maxLength: 255 }) }),
    query: Type.Object({
      returnActiveManifest: Type.Optional(
        Type.Boolean({
          default: false,
          description: 'With `application/c2pa`: only the active manifest of the store.',
        }),
      ),
    }),
    success: {
      ...ok('The URLs of the manifest, or the manifest itself.', ManifestLinks, exampleManifestLinks),
      alternatives: [{ mediaType: 'application/c2pa', schema: BinaryFile('The signed manifest (JUMBF).') }],
    },
    errors: {
      NOT_FOUND:
        'No such manifest; or its Artifact is still `pending`, as the text says, and `Retry-After` when to try again.',
    },
  },
  getAlgorithms: {
    ...route('GET', '/api/c2pa/services/supportedAlgorithms', 'none'),
    summary: 'List supported algorithms',
    description: 'The soft-binding algorithms that lookups accept.',
    success: ok(
      'The algorithms.',
      Type.Object({
        watermarks: Type.Optional(
          Type.Array(Type.Object({ alg: Type.String() }), {
            description: 'None: empty. Absent in services of earlier versions.',
          }),
        ),
        fingerprints: Type.Array(Type.Object({ alg: Type.String() })),
      }),
      { watermarks: [], fingerprints: [{ alg: SOFT_BINDING_ALGORITHM }] },
    ),
    errors: {},
  },
  getCapabilities: {
    ...route('GET', '/api/c2pa/services/capabilities', 'none'),
    summary: 'Get capabilities',
    description: 'The features of this resolution API.',
    success: ok(
      'The capabilities.',
      Type.Object({
        c2paSpecificationVersion: Type.String(),
        supportedCapabilities: Type.Array(Type.String(), {
          description:
            '`queryByContent` is a name of edition 2.5, which names optional features only. `byBinding`, `byContent` and ' +
            '`manifests` are names of earlier versions of this service, and will be removed.',
        }),
      }),
      { c2paSpecificationVersion: '2.2.0', supportedCapabilities: [...resolutionCapabilities] },
    ),
    errors: {},
  },
  getServiceStatus: {
    ...route('GET', '/api/c2pa/services/status', 'none'),
    summary: 'Get the status of the resolution API',
    description: '`degraded` when lookups cannot include the chain; `down` when lookups are not possible.',
    success: ok('The status.', ServiceStatus, {
      status: 'ok',
      timestamp: exampleTime,
      mirror: { mirroredBlock: 21_000_000, headBlock: 21_000_000, checkedAt: exampleTime, isFresh: true },
    }),
    errors: {},
  },
  getWellKnown: {
    ...route('GET', '/.well-known/c2pa-soft-binding-resolution', 'none'),
    summary: 'Discover the resolution API',
    description: 'For clients that only know the host.',
    success: ok(
      'The URLs of the resolution API.',
      Type.Object({
        apiEndpoint: Type.String(),
        c2paSpecificationVersion: Type.String(),
        capabilitiesEndpoint: Type.String(),
        statusEndpoint: Type.String(),
      }),
      {
        apiEndpoint: exampleEndpoint,
        c2paSpecificationVersion: '2.2.0',
        capabilitiesEndpoint: `${exampleEndpoint}/services/capabilities`,
        statusEndpoint: `${exampleEndpoint}/services/status`,
      },
    ),
    errors: {},
  },
  getContract: {
    ...route('GET', '/c2pa/contract', 'none'),
    summary: 'Get the registry contract',
    description: 'Everything needed to read the on-chain registries with any client, independently of this service.',
    success: ok('The address and ABI of the contract.', RegistryContract, {
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
    }),
    hasEtag: true,
    errors: {},
  },
});
