// Downloads for checks without questions: the signed index of the filter and the snapshot.

import Type, { type Static } from 'typebox';
import { FingerprintText } from '../../fingerprints/fingerprintSchemas.js';
import { exampleTime, ok, operations, route } from '../declarations.js';
import { Timestamp } from '../operation.js';

const exampleFingerprint = '0x2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';

const Sha256 = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'SHA-256 of the file, in hex; also the first part of its name.',
});
const Size = Type.Integer({ minimum: 0, description: 'In bytes.' });
const Count = Type.Integer({ minimum: 0, description: 'Fingerprints in it.' });

export const SnapshotPieceEntry = Type.Object({
  from: FingerprintText('The first fingerprint in it.'),
  to: FingerprintText('The last one.'),
  sha256: Sha256,
  size: Size,
  count: Count,
});

export const DownloadIndex = Type.Object(
  {
    version: Type.Unsafe<1>({ type: 'integer', const: 1 }),
    registry: Type.String({ description: 'The public URL of the service.' }),
    createdAt: Timestamp('Every fingerprint that was registered before is included.'),
    nextAt: Type.Optional(
      Timestamp(
        'By when the next index is published. From then on this one is out of date. Absent in earlier releases.',
      ),
    ),
    chain: Type.Object(
      {
        chainId: Type.Optional(Type.Integer({ description: 'Absent until it has been read from a node.' })),
        contract: Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' }),
        mirroredBlock: Type.Unsafe<number | null>({
          type: ['integer', 'null'],
          description: 'Entries on chain up to this block are included. Null: none are.',
        }),
      },
      { description: 'The registry contract.' },
    ),
    filesUrl: Type.String({ description: 'Where the files are: `{filesUrl}/{sha256}.filter` and `….snapshot`.' }),
    filter: Type.Object(
      { sha256: Sha256, size: Size, count: Count },
      { description: 'Answers "no" or "maybe" for any fingerprint.' },
    ),
    pieces: Type.Array(SnapshotPieceEntry, {
      description: 'The snapshot, in ascending order. A fingerprint that is in no range is not registered.',
    }),
  },
  { title: 'DownloadIndex' },
);
/**
 * What a registry offers for download, as it signed it.
 * @example
 * ```ts
 * const index: DownloadIndex = (await client.getDownloads()).index;
 * ```
 */
export type DownloadIndex = Static<typeof DownloadIndex>;

const exampleNextTime = new Date(Date.parse(exampleTime) + 7_200_000).toISOString();
const exampleIndex: DownloadIndex = {
  version: 1,
  registry: 'https://registry.example',
  createdAt: exampleTime,
  nextAt: exampleNextTime,
  chain: { chainId: 31_337, contract: '0x5FbDB2315678afecb367f032d93F642f64180aa3', mirroredBlock: 1_024 },
  filesUrl: 'https://registry.example/cdn',
  filter: { sha256: '9f4eb1c344fef7e35625a2a50ebb6b26e87f3815df6e62810ca14b6c74837867', size: 44, count: 1 },
  pieces: [
    {
      from: exampleFingerprint,
      to: exampleFingerprint,
      sha256: '3c9683017f9e4bf33d0fbedd26bf143fd72de9b9dd145441b75f0604047ea28e',
      size: 49,
      count: 1,
    },
  ],
};

export const Downloads = Type.Object(
  {
    index: DownloadIndex,
    jws: Type.String({
      description: 'The same index, signed: a compact JWS whose `x5c` leads to a signer root of the registry.',
    }),
  },
  { title: 'Downloads' },
);
/**
 * The index of the downloads, and its signed form.
 * @example
 * ```ts
 * const { jws }: Downloads = await client.getDownloads();
 * ```
 */
export type Downloads = Static<typeof Downloads>;

/** `typ` of the index: a signature for another purpose is not one of an index. */
export const DOWNLOAD_INDEX_TYPE = 'provenance-downloads+json';

export const downloadOperations = operations('Resolution', {
  getDownloads: {
    ...route('GET', '/api/v1/public/downloads', 'none'),
    summary: 'Get the index of the signed downloads',
    description:
      'A filter that answers "no" or "maybe" for any fingerprint, and the snapshot of all registered fingerprints with ' +
      'their AI preferences, for checks without asking the service. Rely on `jws`, not on `index`: verify it with the ' +
      "registry's signer roots.",
    success: ok('The index.', Downloads, { index: exampleIndex, jws: 'eyJhbGciOiJFUzI1NiJ9.eyJ2ZXJzaW9uIjoxfQ.c2ln' }),
    hasEtag: true,
    errors: { NOT_FOUND: 'Nothing has been published yet.' },
  },
});
