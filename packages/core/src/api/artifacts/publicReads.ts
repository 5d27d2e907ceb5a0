// Reads that need no token, for the public pages and links to them.

import Type, { type Static } from 'typebox';
import { AiPreferences } from '../../metadata/aiPreferences.js';
import { exampleTime, NextCursor, Nullable, ok, operations, route } from '../declarations.js';
import { exampleMark, GalleryMark, markOperations } from '../marks/marks.js';
import { Timestamp } from '../operation.js';
import { artifactOperations } from './artifacts.js';

const { getArtifact, listArtifacts } = artifactOperations;
const { getMark } = markOperations;

/** Sent where the preferences say something that has a name in these vocabularies. */
const preferenceHeaders = {
  'Content-Usage': '`train-ai=y` or `train-ai=n` (IETF AIPREF), as `aiPreferences` say for generative AI training.',
  'tdm-reservation': '`1` or `0` (W3C TDMRep), as `aiPreferences` say for data mining.',
  'tdm-policy': 'The page with the conditions for data mining (W3C TDMRep).',
};

export const PreferencePeriod = Type.Object(
  {
    since: Timestamp('When it was set; for Marks that are older than this record, when the record began.'),
    allowAiTraining: Nullable<boolean>('boolean', 'The short form; null: not specified.'),
    aiPreferences: AiPreferences,
  },
  { title: 'PreferencePeriod', description: 'In effect until the next one.' },
);
export type PreferencePeriod = Static<typeof PreferencePeriod>;

export const publicReadOperations = operations('Public', {
  getPublicArtifact: {
    ...route('GET', '/api/v1/public/artifacts/{fingerprint}', 'none'),
    summary: 'Get a public Artifact',
    description:
      'The Artifact as shown to users without write access: under a private Mark, author and license are hidden. ' +
      'With `wait`, the response is sent when the status changes, or after that many seconds. No token needed.',
    params: getArtifact.params,
    query: getArtifact.query,
    exampleQuery: getArtifact.exampleQuery,
    success: { ...getArtifact.success, headers: preferenceHeaders },
    hasEtag: true,
    errors: getArtifact.errors,
  },
  getCertificate: {
    ...route('GET', '/api/v1/public/artifacts/{fingerprint}/certificate', 'none'),
    summary: 'Get the certificate of an Artifact',
    description:
      'A signed PDF of what the service, the signed manifest and the chain show about the registration when it is made. ' +
      'It shows no more than the public Artifact does. No token needed.',
    params: getArtifact.params,
    success: {
      status: 200,
      description: 'The certificate.',
      mediaType: 'application/pdf',
      schema: Type.Unsafe<never>({ type: 'string', format: 'binary' }),
      headers: { 'Content-Disposition': 'With a filename that begins with `certificate-`.' },
    },
    errors: { NOT_FOUND: 'The fingerprint has no Artifact, or its registration failed.' },
  },
  getPublicMark: {
    ...route('GET', '/api/v1/public/marks/{markId}', 'none'),
    summary: 'Get a public Mark',
    description: 'As in the gallery, without its members. No token needed.',
    params: getMark.params,
    success: { ...ok('The Mark.', GalleryMark, exampleMark), headers: preferenceHeaders },
    hasEtag: true,
    errors: getMark.errors,
  },
  listMarkPreferences: {
    ...route('GET', '/api/v1/public/marks/{markId}/preferences', 'none'),
    summary: "List a public Mark's AI preferences over time",
    description:
      'Newest first, in pages; the first one is in effect now. An Artifact keeps the preferences that it was registered ' +
      'with: read those of the Artifact. No token needed.',
    params: getMark.params,
    query: Type.Object({
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Entries per page; 50 by default.' })),
      cursor: Type.Optional(
        Type.String({ pattern: '^[0-9]{1,18}$', description: '`nextCursor` of the previous page.' }),
      ),
    }),
    exampleQuery: { limit: '10' },
    success: ok(
      'A page of preferences.',
      Type.Object({ preferences: Type.Array(PreferencePeriod), nextCursor: NextCursor }),
      {
        preferences: [{ since: exampleTime, allowAiTraining: false, aiPreferences: exampleMark.aiPreferences }],
        nextCursor: null,
      },
    ),
    hasEtag: true,
    errors: { FORBIDDEN: 'The Mark is private.', NOT_FOUND: 'No such Mark.' },
  },
  listPublicArtifacts: {
    ...route('GET', '/api/v1/public/marks/{markId}/artifacts', 'none'),
    summary: "List a public Mark's Artifacts",
    description: 'Newest first, in pages. No token needed.',
    params: listArtifacts.params,
    query: listArtifacts.query,
    success: listArtifacts.success,
    hasEtag: true,
    errors: { FORBIDDEN: 'The Mark is private.', NOT_FOUND: 'No such Mark.' },
  },
});
