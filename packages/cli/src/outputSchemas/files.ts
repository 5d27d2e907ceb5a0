// The outputs of commands about files, except `verify`.

import {
  Artifact,
  ArtifactStatus,
  api,
  FingerprintText,
  LogState,
  SimilarTo,
  StringEnum,
} from '@provenance-registry/core';
import Type, { type Static } from 'typebox';
import { fileOutcomes } from '../register/fileOutcomes.js';
import {
  type CommandOutput,
  Count,
  type DeepReadonly,
  exampleFingerprint,
  FileFailure,
  Fingerprint,
  Flag,
  Text,
} from './common.js';
import { lookupOutput } from './lookup.js';

export const HashedFile = Type.Object(
  {
    file: Text('As named on the command line, or found in a folder.'),
    fingerprint: Fingerprint,
    size: Count('In bytes.'),
    art: Type.Optional(Text('With `--art`: the fingerprint as OpenSSH randomart.')),
  },
  { title: 'HashedFile' },
);
export type HashedFile = Static<typeof HashedFile>;

const counts = Object.fromEntries(fileOutcomes.map((outcome) => [outcome, Count(`Files with this outcome.`)]));

export const RegisteredFile = Type.Object(
  {
    path: Text('As named on the command line, or found in a folder.'),
    outcome: StringEnum(fileOutcomes, {
      description:
        '`registered`: by this run. `new`: would be registered (`--dry-run`). `yours`: registered before under one of ' +
        "your Marks. `others`: under another user's Mark. `refused`: by the service or the chain. `failed`: not known. " +
        '`skipped`: not a file.',
    }),
    fingerprint: Type.Optional(Fingerprint),
    artifactId: Type.Optional(Type.String()),
    status: Type.Optional(ArtifactStatus),
    mark: Type.Optional(Text('The name of the Mark, if it is not the requested one.')),
    reason: Type.Optional(Text('Why it has this outcome, for people.')),
    similarTo: SimilarTo,
  },
  { title: 'RegisteredFile' },
);
export type RegisteredFile = DeepReadonly<Static<typeof RegisteredFile>>;

export const Registration = Type.Object(
  {
    mark: Type.Object({ id: Type.String(), name: Type.Optional(Type.String()) }),
    authorshipStated: Flag('Whether the statement of authorship is recorded with the files that this run registered.'),
    files: Type.Array(RegisteredFile),
    summary: Type.Object({
      files: Count('Files found.'),
      ...counts,
      left: Count('Files without a result, because the run stopped early.'),
      hashed: Count('Files that were read.'),
      fromJournal: Count('Files whose fingerprint an earlier run had saved.'),
      sent: Count('Registrations sent to the service.'),
      withCodes: Count('Registrations sent with codes for finding look-alikes.'),
      similar: Count('Files that look like older files of other Marks: those with `similarTo`.'),
      bytes: Count('Size of the files.'),
    }),
    log: Type.Union([Type.Null(), Type.Object({ fingerprint: Fingerprint, status: LogState.properties.status })], {
      description:
        'Whether the public log has the file that was registered last; `pending` after a wait of 5 seconds. Null if this ' +
        'run registered none, or the registry has no log.',
    }),
    stopped: Type.Union([Type.Null(), Type.Object({ code: Type.String(), message: Type.String() })], {
      description: 'Why the run stopped early.',
    }),
  },
  { title: 'Registration' },
);
export type Registration = DeepReadonly<Static<typeof Registration>>;

const SignedFile = Type.Object(
  {
    file: Text('As named on the command line.'),
    output: Text('The file that was written.'),
    outcome: StringEnum(['registered', 'copied'], {
      description: '`registered`: by this command. `copied`: the file was registered before.',
    }),
    fingerprint: Fingerprint,
    signedFingerprint: FingerprintText('SHA-256 of the signed copy, which is registered too.'),
    mediaType: Type.String(),
    size: Count('Of the signed copy, in bytes.'),
    manifestUrl: Type.Optional(Text('The published manifest of the file.')),
  },
  { title: 'SignedFile' },
);
export type SignedFile = Static<typeof SignedFile>;

const FileStatus = Type.Object(
  { file: Text('As named on the command line, or found in a folder.'), ...Artifact.properties },
  { title: 'FileStatus' },
);

const SavedBundle = Type.Object(
  {
    file: Text('The file that was written.'),
    fingerprint: Fingerprint,
    manifestId: Type.String(),
    block: Type.Union([Type.Null(), Type.Object({ number: Type.Integer(), hash: Type.String() })], {
      description: 'The block that proves the entry: compare its hash with an explorer. Null without a proof.',
    }),
  },
  { title: 'SavedBundle' },
);

const Bundle = Type.Object(
  { version: Type.Integer() },
  { title: 'Bundle', description: 'With `--output -`: the bundle itself.', additionalProperties: true },
);

const { success: artifact } = api.getArtifact;

export const fileOutputs: Readonly<Record<string, CommandOutput>> = {
  hash: {
    schema: Type.Array(Type.Union([HashedFile, FileFailure])),
    example: [
      { file: 'photo.jpg', fingerprint: exampleFingerprint, size: 482_133 },
      { file: 'gone.jpg', error: 'gone.jpg: no such file.', code: 'FILE_PROBLEM' },
    ],
  },
  register: {
    schema: Registration,
    lineSchema: RegisteredFile,
    example: {
      mark: { id: artifact.example.mark.id, name: 'Ada Lovelace' },
      authorshipStated: true,
      files: [
        { path: 'photo.jpg', outcome: 'registered', fingerprint: exampleFingerprint, artifactId: artifact.example.id },
      ],
      summary: {
        files: 1,
        ...Object.fromEntries(fileOutcomes.map((outcome) => [outcome, outcome === 'registered' ? 1 : 0])),
        left: 0,
        hashed: 1,
        fromJournal: 0,
        sent: 1,
        withCodes: 1,
        similar: 0,
        bytes: 482_133,
      },
      log: { fingerprint: exampleFingerprint, status: 'included' },
      stopped: null,
    },
  },
  'file sign': {
    schema: Type.Array(Type.Union([SignedFile, FileFailure])),
    example: [
      {
        file: 'photo.jpg',
        output: 'photo.signed.jpg',
        outcome: 'registered',
        fingerprint: exampleFingerprint,
        signedFingerprint: '0x486ea46224d1bb4fb680f34f7c9ad96a8f24ec88be73ea8e5a6c65260e9cb8a7',
        mediaType: 'image/jpeg',
        size: 494_870,
        manifestUrl: artifact.example.c2paAssets.manifestUrl,
      },
      { file: 'note.txt', error: 'note.txt: only images can be signed.', code: 'UNSUPPORTED_MEDIA_TYPE' },
    ],
  },
  lookup: lookupOutput,
  'file status': {
    schema: Type.Array(Type.Union([FileStatus, FileFailure])),
    example: [
      { file: 'photo.jpg', ...artifact.example },
      { file: 'other.jpg', error: 'other.jpg: This file is not registered.', code: 'NOT_FOUND' },
    ],
  },
  'file bundle': {
    schema: Type.Union([SavedBundle, Bundle]),
    example: {
      file: 'photo.bundle.json',
      fingerprint: exampleFingerprint,
      manifestId: artifact.example.id,
      block: { number: 21_000_000, hash: exampleFingerprint },
    },
  },
  'file visibility': { schema: artifact.schema, example: artifact.example },
};
