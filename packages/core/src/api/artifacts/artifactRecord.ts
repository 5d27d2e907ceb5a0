// The Artifact as the API shows it: metadata, renditions, identity and claims.

import Type, { type Static } from 'typebox';
import { FingerprintText } from '../../fingerprints/fingerprintSchemas.js';
import { imageHashFields, LookalikeGrade } from '../../lookalikes.js';
import { AiPreferences, aiPreferencesOf } from '../../metadata/aiPreferences.js';
import { digitalSourceTypes } from '../../metadata/digitalSourceTypes.js';
import { LicenseKey } from '../../metadata/licenses.js';
import { ArtifactStatus } from '../../statuses.js';
import { StringEnum } from '../../text/text.js';
import {
  exampleAuthor,
  exampleFiles,
  exampleManifestId,
  exampleTime,
  License,
  Nullable,
  NullableReference,
} from '../declarations.js';
import { DomainMethod, DomainText, exampleMark, GalleryMark, VerifiedDomain } from '../marks/marks.js';
import { Person, Timestamp, Uuid } from '../operation.js';
import { LogState } from './logRecords.js';

export const exampleFingerprint = '0x2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';

const FileLicense = License('The license of the file.');
const AiTraining = Nullable<boolean>(
  'boolean',
  'Whether the file may be used to train AI models; null: not specified.',
);

export const SourceType = StringEnum(digitalSourceTypes, {
  description:
    'How the file came to be, as the caller states it: a term of the IPTC digital source type vocabulary, or of C2PA.',
});

export const kinds = ['image', 'audio', 'video', 'document', 'other'] as const;
export type Kind = (typeof kinds)[number];

export const ArtifactMetadata = Type.Object(
  {
    filename: Type.Optional(Type.String()),
    mediaType: Type.Optional(Nullable<string>('string', 'Detected from the content, or as stated by the caller.')),
    size: Type.Optional(Nullable<number>('integer', 'In bytes.')),
    kind: StringEnum(kinds, { description: 'The kind of file.' }),
    license: Type.Optional(FileLicense),
    licenseKey: Type.Optional(LicenseKey),
    allowAiTraining: Type.Optional(AiTraining),
    author: Type.Optional(Person),
    mark: Type.Optional(Type.Object({ id: Uuid('The Mark.'), name: Type.String() })),
    lastModified: Type.Optional(Timestamp('When the file was last modified, as stated by the caller.')),
    previousFingerprint: Type.Optional(FingerprintText('The previous version of this file.')),
    digitalSourceType: Type.Optional(SourceType),
    pHash: Type.Optional(imageHashFields.pHash),
    dHash: Type.Optional(imageHashFields.dHash),
    pHashCenter90: Type.Optional(imageHashFields.pHashCenter90),
    pHashCenter80: Type.Optional(imageHashFields.pHashCenter80),
    chromaprint: Type.Optional(Type.String({ description: 'Acoustic fingerprint of a recording; advisory.' })),
    fileSeen: Type.Optional(Type.Boolean({ description: 'True when the service read the bytes of the file.' })),
    hashesBy: Type.Optional(
      StringEnum(['service', 'client'], { description: 'What computed the advisory hashes; only with one of them.' }),
    ),
  },
  {
    title: 'ArtifactMetadata',
    description:
      'As captured at creation. The keccak-256 of its canonical JSON (RFC 8785) is the `manifestHash` on chain.',
  },
);
export type ArtifactMetadata = Static<typeof ArtifactMetadata>;

const C2paAssets = Type.Object(
  {
    assetId: Uuid('The Artifact id, which also names its files.'),
    manifestUrl: Type.String({ description: 'The verification report of the manifest.' }),
    manifestBinaryUrl: Type.String({ description: 'The signed manifest (JUMBF).' }),
    signedAssetUrl: Type.String({
      description: 'A signed card that shows the fingerprint. The file itself is never stored.',
    }),
  },
  { description: 'The published files.' },
);

export const ContentVisibility = StringEnum(['public', 'private'], {
  description: '`private`: filename, size and advisory hashes are shown only to users with write access to the Mark.',
});

/** Number of signed copies that an Artifact can have: they count in no limit of a tier. */
export const MAX_RENDITIONS = 3;

export const Rendition = Type.Object(
  {
    fingerprint: FingerprintText('SHA-256 of the exact bytes of the rendition.'),
    kind: StringEnum(['signed-image'], { description: '`signed-image`: the image with its manifest embedded.' }),
    mediaType: Type.String({ description: 'The media type of the rendition.' }),
    status: ArtifactStatus,
    transactionHash: Nullable<string>('string', 'The transaction that registered it on chain.'),
    createdAt: Timestamp('When the rendition was created.'),
  },
  { title: 'Rendition', description: 'Another form of the registered file, under the same manifest id.' },
);
export type Rendition = Static<typeof Rendition>;

export const ClaimSummary = Type.Object(
  {
    contested: Type.Boolean({
      description: 'True when an open claim has evidence that was checked and is older than the registration.',
    }),
    open: Type.Integer({ minimum: 0, description: 'Open claims, with whatever evidence.' }),
    checked: Type.Integer({ minimum: 0, description: 'Open claims with checked, older evidence.' }),
    supersededBy: NullableReference(
      { id: Uuid('The Mark.'), name: Type.String() },
      "The Mark that the Mark's admin has conceded the file to; null otherwise.",
    ),
  },
  { title: 'ClaimSummary', description: 'Claims of other users to the same file.' },
);
export type ClaimSummary = Static<typeof ClaimSummary>;

export const SimilarTo = Type.Optional(
  Type.Array(
    Type.Object(
      {
        fingerprint: FingerprintText('Of the older Artifact.'),
        mark: Type.Object({ id: Uuid('The Mark of the older Artifact.'), name: Type.String() }),
        distance: Type.Integer({ minimum: 0, maximum: 64, description: 'Bits of 64 that differ.' }),
        grade: LookalikeGrade,
        hashesBy: StringEnum(['service', 'client'], { description: 'What computed the codes of the older Artifact.' }),
        registeredAt: Timestamp('When the older Artifact was created.'),
      },
      { title: 'SimilarArtifact' },
    ),
    {
      description:
        'Only in the response to a registration: older, near-identical Artifacts of other Marks, the closest first. They ' +
        'look like this file; that is no proof that they are the same work.',
    },
  ),
);

const DomainAtRegistration = Type.Object(
  {
    domain: DomainText,
    method: DomainMethod,
    since: Timestamp('When it was first confirmed.'),
    until: Nullable<string>('string', 'When it lapsed or was removed; null while it is verified.'),
  },
  { title: 'DomainAtRegistration' },
);

const ChainEntry = Type.Object(
  {
    blockNumber: Type.Integer({ minimum: 0, description: 'The block with the entry.' }),
    blockTime: Timestamp('The time of that block.'),
    registrar: Type.String({ description: 'The account that wrote the entry.' }),
  },
  {
    title: 'ChainEntry',
    description: "The entry in the service's copy of the chain. Only when one Artifact is read, and once it is copied.",
  },
);

export const Artifact = Type.Object(
  {
    id: Uuid('The Artifact id, which is also the manifest id.'),
    fingerprint: FingerprintText('SHA-256 of the exact bytes.'),
    mark: Type.Unsafe<GalleryMark | { id: string; visibility: 'private' }>({
      type: 'object',
      required: ['id', 'visibility'],
      properties: GalleryMark.properties,
      description: 'The Mark it is registered under; without write access, only the id of a private Mark is shown.',
    }),
    status: ArtifactStatus,
    errorReason: Nullable<string>('string', 'Why the registration failed.'),
    transactionHash: Nullable<string>('string', 'The transaction that registered it on chain.'),
    chainEntry: Type.Optional(ChainEntry),
    metadata: ArtifactMetadata,
    createdBy: NullableReference(
      Person.properties,
      'Null when the Mark is private and the caller has no write access.',
    ),
    license: Type.Optional(FileLicense),
    licenseKey: Type.Optional(LicenseKey),
    allowAiTraining: Type.Optional(AiTraining),
    aiPreferences: Type.Optional(AiPreferences),
    contentVisibility: ContentVisibility,
    fileSeen: Type.Boolean({
      description: 'True when the service read the file at registration. False: it received the fingerprint alone.',
    }),
    authorshipStated: Type.Boolean({
      description: 'Whether the registrant stated to be the author, or to speak for the author. Not checked.',
    }),
    verifiedDomains: Type.Array(
      Type.Object(
        {
          ...VerifiedDomain.properties,
          verifiedAtRegistration: Type.Boolean({
            description: 'Whether it was verified when the Artifact was registered.',
          }),
        },
        { title: 'ArtifactDomain' },
      ),
      { description: 'Domains of the Mark that are verified now. Empty if the Mark is hidden.' },
    ),
    domainsAtRegistration: Type.Array(DomainAtRegistration, {
      description:
        'Domains of the Mark that were verified when the Artifact was registered. Empty if the Mark is hidden.',
    }),
    claims: ClaimSummary,
    renditions: Type.Array(Rendition, {
      description: `Signed copies that this service created, oldest first; at most ${MAX_RENDITIONS}.`,
    }),
    c2paAssets: C2paAssets,
    createdAt: Timestamp('When the Artifact was created.'),
    similarTo: SimilarTo,
    log: Type.Optional(LogState),
  },
  { title: 'Artifact' },
);

/**
 * The record that a fingerprint is bound to a Mark.
 * @example
 * ```ts
 * const describe = ({ status, metadata }: Artifact) => `${metadata.filename ?? 'A file'}: ${status}`;
 * ```
 */
export type Artifact = Static<typeof Artifact>;

const exampleMetadata: ArtifactMetadata = {
  filename: 'sunrise.jpg',
  mediaType: 'image/jpeg',
  size: 482_133,
  kind: 'image',
  license: exampleMark.license,
  licenseKey: 'CC-BY-4.0',
  allowAiTraining: false,
  author: exampleAuthor,
  mark: { id: exampleMark.id, name: exampleMark.name },
};

export const exampleArtifact: Artifact = {
  id: exampleManifestId,
  fingerprint: exampleFingerprint,
  mark: exampleMark,
  status: 'pending',
  errorReason: null,
  transactionHash: null,
  metadata: exampleMetadata,
  createdBy: exampleAuthor,
  license: exampleMark.license,
  licenseKey: 'CC-BY-4.0',
  allowAiTraining: false,
  aiPreferences: aiPreferencesOf({ allowAiTraining: false }),
  contentVisibility: 'public',
  fileSeen: false,
  authorshipStated: true,
  verifiedDomains: exampleMark.verifiedDomains.map((domain) => ({ ...domain, verifiedAtRegistration: true })),
  domainsAtRegistration: exampleMark.verifiedDomains.map(({ domain, method, since }) => ({
    domain,
    method,
    since,
    until: null,
  })),
  claims: { contested: false, open: 0, checked: 0, supersededBy: null },
  renditions: [],
  c2paAssets: { assetId: exampleManifestId, ...exampleFiles },
  createdAt: exampleTime,
};
