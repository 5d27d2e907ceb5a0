// What everybody may read without a token: the page and its links are for people who have none.

import { getArtifact, listArtifacts } from './artifacts.js';
import { exampleMark, GalleryMark, getMark } from './marks.js';
import type { Operation } from './operation.js';

export const getPublicArtifact = {
  id: 'getPublicArtifact',
  method: 'GET',
  path: '/api/v1/public/artifacts/{fingerprint}',
  tag: 'Public',
  summary: 'An Artifact, as anyone may see it',
  description:
    'Without a token, what a stranger with one sees: of an Artifact under a private Mark neither author nor licence. ' +
    'With `wait`, the answer comes when the status changes, or after so many seconds.',
  auth: 'none',
  params: getArtifact.params,
  query: getArtifact.query,
  exampleQuery: getArtifact.exampleQuery,
  success: getArtifact.success,
  errors: getArtifact.errors,
} satisfies Operation;

export const getPublicMark = {
  id: 'getPublicMark',
  method: 'GET',
  path: '/api/v1/public/marks/{markId}',
  tag: 'Public',
  summary: 'A public Mark',
  description: 'Without a token, as in the gallery: its members are not shown.',
  auth: 'none',
  params: getMark.params,
  success: { status: 200, description: 'The Mark.', schema: GalleryMark, example: exampleMark },
  errors: getMark.errors,
} satisfies Operation;

export const listPublicArtifacts = {
  id: 'listPublicArtifacts',
  method: 'GET',
  path: '/api/v1/public/marks/{markId}/artifacts',
  tag: 'Public',
  summary: 'The Artifacts of a public Mark',
  description: 'Without a token. Newest first, page by page.',
  auth: 'none',
  params: listArtifacts.params,
  query: listArtifacts.query,
  success: listArtifacts.success,
  errors: { FORBIDDEN: 'The Mark is private.', NOT_FOUND: 'There is no such Mark.' },
} satisfies Operation;
