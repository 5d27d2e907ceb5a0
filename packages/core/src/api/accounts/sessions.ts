// Sessions: every token belongs to one, and ends with it.

import Type, { type Static } from 'typebox';
import { exampleTime, Nullable, noContent, ok, route } from '../declarations.js';
import { exampleIds, type Operation, Timestamp, Uuid } from '../operation.js';
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

export const logOut = {
  ...route('logOut', 'POST', '/api/v1/auth/logout', 'bearer'),
  tag: 'Sessions',
  summary: 'Log out',
  description: 'Ends the session of the token that is sent. The token stops working immediately, on every process.',
  success: noContent('The session is ended.'),
  errors: { FORBIDDEN: notForKeys },
} satisfies Operation;

export const listSessions = {
  ...route('listSessions', 'GET', '/api/v1/me/sessions', 'bearer'),
  tag: 'Sessions',
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
} satisfies Operation;

export const endSession = {
  ...route('endSession', 'DELETE', '/api/v1/me/sessions/{sessionId}', 'bearer'),
  tag: 'Sessions',
  summary: 'End a session',
  description: 'Its token stops working immediately, on every process.',
  params: Type.Object({ sessionId: Uuid('The session.') }),
  success: noContent('The session is ended.'),
  errors: { FORBIDDEN: notForKeys, NOT_FOUND: 'The caller has no such session.' },
} satisfies Operation;

export const endSessions = {
  ...route('endSessions', 'DELETE', '/api/v1/me/sessions', 'bearer'),
  tag: 'Sessions',
  summary: 'End all your sessions',
  description: 'Logs out everywhere; with `keepCurrent=true`, everywhere else.',
  query: Type.Object({
    keepCurrent: Type.Optional(Type.Boolean({ description: 'Keep the session of this request. False by default.' })),
  }),
  exampleQuery: { keepCurrent: 'true' },
  success: noContent('The sessions are ended.'),
  errors: { FORBIDDEN: notForKeys },
} satisfies Operation;
