// Health, readiness, metrics and the OpenAPI document.

import Type from 'typebox';
import type { Operation } from './operation.js';

export const getHealth = {
  id: 'getHealth',
  method: 'GET',
  path: '/healthz',
  tag: 'Health',
  summary: 'Check liveness',
  description: 'Reports that the process is running. `/readyz` also checks its dependencies.',
  auth: 'none',
  success: {
    status: 200,
    description: 'The process is running.',
    schema: Type.Object({ status: Type.Literal('ok') }),
    example: { status: 'ok' },
  },
  errors: {},
} satisfies Operation;

const Readiness = Type.Object(
  {
    status: Type.Literal('ready'),
    checks: Type.Record(Type.String(), Type.String(), { description: 'Each dependency and its state.' }),
  },
  { title: 'Readiness' },
);

export const getReadiness = {
  id: 'getReadiness',
  method: 'GET',
  path: '/readyz',
  tag: 'Health',
  summary: 'Check readiness',
  description:
    'For load balancers: 200 while every dependency that requests need is available. The chain is reported but not ' +
    'required: registrations wait until it is available.',
  auth: 'none',
  success: {
    status: 200,
    description: 'The service is ready.',
    schema: Readiness,
    example: { status: 'ready', checks: { database: 'ok', files: 'ok', signer: 'ok', chain: 'ok' } },
  },
  errors: { UNAVAILABLE: 'A required dependency is unavailable; the message names it.' },
} satisfies Operation;

export const getMetrics = {
  id: 'getMetrics',
  method: 'GET',
  path: '/metrics',
  tag: 'Health',
  summary: 'Get metrics',
  description: 'Counters and durations in the Prometheus text format.',
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
  tag: 'Health',
  summary: 'Get this document',
  description: 'The API as an OpenAPI 3.1 document; `/api/reference` is the readable version.',
  auth: 'none',
  success: {
    status: 200,
    description: 'The document.',
    schema: Type.Object({}, { additionalProperties: true }),
    example: { openapi: '3.1.0' },
  },
  errors: {},
} satisfies Operation;
