// What those who run the service ask of it: is it up, is it ready, how is it doing, what does it offer.

import Type, { type Static } from 'typebox';
import type { Operation } from './operation.js';

export const getHealth = {
  id: 'getHealth',
  method: 'GET',
  path: '/healthz',
  tag: 'Operating',
  summary: 'Is the process up?',
  description: 'Says nothing about what the process stands on; see `/readyz` for that.',
  auth: 'none',
  success: {
    status: 200,
    description: 'It is up.',
    schema: Type.Object({ status: Type.Literal('ok') }),
    example: { status: 'ok' },
  },
  errors: {},
} satisfies Operation;

export const Readiness = Type.Object(
  {
    status: Type.Literal('ready'),
    checks: Type.Record(Type.String(), Type.String(), { description: 'Each part and how it is.' }),
  },
  { title: 'Readiness' },
);
export type Readiness = Static<typeof Readiness>;

export const getReadiness = {
  id: 'getReadiness',
  method: 'GET',
  path: '/readyz',
  tag: 'Operating',
  summary: 'Is the service ready?',
  description:
    'For load balancers: 200 while everything that requests need can be reached. The chain is reported and not needed: what waits for it is kept.',
  auth: 'none',
  success: {
    status: 200,
    description: 'It is ready.',
    schema: Readiness,
    example: { status: 'ready', checks: { database: 'ok', files: 'ok', signer: 'ok', chain: 'ok' } },
  },
  errors: { UNAVAILABLE: 'Something that requests need cannot be reached; the message names it.' },
} satisfies Operation;

export const getMetrics = {
  id: 'getMetrics',
  method: 'GET',
  path: '/metrics',
  tag: 'Operating',
  summary: 'Metrics',
  description: 'Counts and durations in the Prometheus text format.',
  auth: 'none',
  success: {
    status: 200,
    description: 'The metrics.',
    mediaType: 'text/plain',
    schema: Type.String(),
    example: 'http_requests_in_flight 1',
  },
  errors: {},
} satisfies Operation;

export const getOpenApi = {
  id: 'getOpenApi',
  method: 'GET',
  path: '/api/openapi.json',
  tag: 'Operating',
  summary: 'This document',
  description: 'The API as an OpenAPI 3.1 document; `/api/reference` shows it to people.',
  auth: 'none',
  success: {
    status: 200,
    description: 'The document.',
    schema: Type.Object({}, { additionalProperties: true }),
    example: { openapi: '3.1.0' },
  },
  errors: {},
} satisfies Operation;
