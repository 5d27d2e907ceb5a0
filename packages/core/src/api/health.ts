// Health, readiness, metrics and the OpenAPI document.

import Type from 'typebox';
import { ok, route } from './declarations.js';
import type { Operation } from './operation.js';

export const getHealth = {
  ...route('getHealth', 'GET', '/healthz', 'none'),
  tag: 'Health',
  summary: 'Check liveness',
  description: 'Reports that the process is running. `/readyz` also checks its dependencies.',
  success: ok('The process is running.', Type.Object({ status: Type.Literal('ok') }), { status: 'ok' }),
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
  ...route('getReadiness', 'GET', '/readyz', 'none'),
  tag: 'Health',
  summary: 'Check readiness',
  description:
    'For load balancers: 200 while every dependency that requests need is available. The chain is reported but not ' +
    'required: registrations wait until it is available.',
  success: ok('The service is ready.', Readiness, {
    status: 'ready',
    checks: { database: 'ok', files: 'ok', signer: 'ok', chain: 'ok' },
  }),
  errors: { UNAVAILABLE: 'A required dependency is unavailable; the message names it.' },
} satisfies Operation;

export const getMetrics = {
  ...route('getMetrics', 'GET', '/metrics', 'none'),
  tag: 'Health',
  summary: 'Get metrics',
  description: 'Counters and durations in the Prometheus text format.',
  success: { ...ok('The metrics.', Type.String(), 'http_requests_in_flight 1'), mediaType: 'text/plain' },
  errors: {},
} satisfies Operation;

export const getOpenApi = {
  ...route('getOpenApi', 'GET', '/api/openapi.json', 'none'),
  tag: 'Health',
  summary: 'Get this document',
  description: 'The API as an OpenAPI 3.1 document; `/api/reference` is the readable version.',
  success: ok('The document.', Type.Object({}, { additionalProperties: true }), { openapi: '3.1.0' }),
  errors: {},
} satisfies Operation;
