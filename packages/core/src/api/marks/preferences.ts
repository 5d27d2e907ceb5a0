// What the AI preferences of a Mark were when.

import Type, { type Static } from 'typebox';
import { AiPreferences } from '../../aiPreferences.js';
import { exampleTime, NextCursor, Nullable, ok, route } from '../declarations.js';
import { type Operation, Timestamp } from '../operation.js';
import { exampleMark, getMark } from './marks.js';

export const PreferencePeriod = Type.Object(
  {
    since: Timestamp('When it was set; for Marks that are older than this record, when the record began.'),
    allowAiTraining: Nullable<boolean>('boolean', 'The short form; null: not specified.'),
    aiPreferences: AiPreferences,
  },
  { title: 'PreferencePeriod', description: 'In effect until the next one.' },
);
export type PreferencePeriod = Static<typeof PreferencePeriod>;

export const listMarkPreferences = {
  ...route('listMarkPreferences', 'GET', '/api/v1/public/marks/{markId}/preferences', 'none'),
  tag: 'Public',
  summary: "List a public Mark's AI preferences over time",
  description:
    'Newest first, in pages; the first one is in effect now. An Artifact keeps the preferences that it was registered ' +
    'with: read those of the Artifact. No token needed.',
  params: getMark.params,
  query: Type.Object({
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Entries per page; 50 by default.' })),
    cursor: Type.Optional(Type.String({ pattern: '^[0-9]{1,18}$', description: '`nextCursor` of the previous page.' })),
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
} satisfies Operation;
