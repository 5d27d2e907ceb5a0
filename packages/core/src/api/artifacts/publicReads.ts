// Reads that need no token, for the public pages and links to them.

import { ok, route } from '../declarations.js';
import { exampleMark, GalleryMark, getMark } from '../marks/marks.js';
import type { Operation } from '../operation.js';
import { getArtifact, listArtifacts } from './artifacts.js';

/** Sent where the preferences say something that has a name in these vocabularies. */
const preferenceHeaders = {
  'Content-Usage': '`train-ai=y` or `train-ai=n` (IETF AIPREF), as `aiPreferences` say for generative AI training.',
  'tdm-reservation': '`1` or `0` (W3C TDMRep), as `aiPreferences` say for data mining.',
  'tdm-policy': 'The page with the conditions for data mining (W3C TDMRep).',
};

export const getPublicArtifact = {
  ...route('getPublicArtifact', 'GET', '/api/v1/public/artifacts/{fingerprint}', 'none'),
  tag: 'Public',
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
} satisfies Operation;

export const getPublicMark = {
  ...route('getPublicMark', 'GET', '/api/v1/public/marks/{markId}', 'none'),
  tag: 'Public',
  summary: 'Get a public Mark',
  description: 'As in the gallery, without its members. No token needed.',
  params: getMark.params,
  success: { ...ok('The Mark.', GalleryMark, exampleMark), headers: preferenceHeaders },
  hasEtag: true,
  errors: getMark.errors,
} satisfies Operation;

export const listPublicArtifacts = {
  ...route('listPublicArtifacts', 'GET', '/api/v1/public/marks/{markId}/artifacts', 'none'),
  tag: 'Public',
  summary: "List a public Mark's Artifacts",
  description: 'Newest first, in pages. No token needed.',
  params: listArtifacts.params,
  query: listArtifacts.query,
  success: listArtifacts.success,
  hasEtag: true,
  errors: { FORBIDDEN: 'The Mark is private.', NOT_FOUND: 'No such Mark.' },
} satisfies Operation;
