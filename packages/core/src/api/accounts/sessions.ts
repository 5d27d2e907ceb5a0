// Sessions: every token belongs to one, and ends with it.

import Type, { type Static } from 'typebox';
import { exampleTime, Nullable, noContent, ok, operations, route } from '../declarations.js';
import { exampleIds, Timestamp, Uuid } from '../operation.js';
import { notForKeys } from './accounts.js';

export const Session = Type.Object(
  {
    id: Uuid('The session.'),
    createdAt: Timestamp('When the user logged in.'),
    lastUsedAt: Timestamp('When its token was last used, to within a few minutes.'),
    userAgent: Nullable<string>('string', 'The `User-Agent` of the client that logged in.'),
    current: Type.Boolean({ description: 'Whether this request belongs to it.' }),
  },
  { title: 'Session' },
);
export type Session = Static<typeof Session>;

export const sessionOperations = operations('Sessions', {
  listSessions: {
    ...route('GET', '/api/v1/me/sessions', 'bearer'),
    summary: 'List your sessions',
    description: 'Sessions that are neither ended nor expired, the most recently used first.',
    success: ok('The sessions.', Type.Array(Session), [
      {
        id: exampleIds.SESSION_ID,
        createdAt: exampleTime,
        lastUsedAt: exampleTime,
        userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
        current: true,
      },
    ]),
    errors: { FORBIDDEN: notForKeys },
  },
  endSession: {
    ...route('DELETE', '/api/v1/me/sessions/{sessionId}', 'bearer'),
    summary: 'End a session',
    description: 'Its token stops working immediately, on every process.',
    params: Type.Object({ sessionId: Uuid('The session.') }),
    success: noContent('The session is ended.'),
    errors: { FORBIDDEN: notForKeys, NOT_FOUND: 'The caller has no such session.' },
  },
  endSessions: {
    ...route('DELETE', '/api/v1/me/sessions', 'bearer'),
    summary: 'End all your sessions',
    description: 'Logs out everywhere; with `keepCurrent=true`, everywhere else.',
    query: Type.Object({
      keepCurrent: Type.Optional(Type.Boolean({ description: 'Keep the session of this request. False by default.' })),
    }),
    exampleQuery: { keepCurrent: 'true' },
    success: noContent('The sessions are ended.'),
    errors: { FORBIDDEN: notForKeys },
  },
});
