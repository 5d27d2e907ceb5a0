// Health, readiness, metrics and the OpenAPI document.

import Type from 'typebox';
import { ok, operations, route } from './declarations.js';

const Readiness = Type.Object(
  {
    status: Type.Literal('ready'),
    checks: Type.Record(Type.String(), Type.String(), {
      description:
        "Each part of the service and its state: `ok` or `unavailable`; for `clock`, how far it is from the database's.",
    }),
  },
  { title: 'Readiness' },
);
const readyExample = {
  status: 'ready' as const,
  checks: {
    database: 'ok',
    clock: 'ok',
    fileReads: 'ok',
    media: 'ok',
    manifests: 'ok',
    recognition: 'ok',
    embedding: 'ok',
    files: 'ok',
    signer: 'ok',
    chain: 'ok',
  },
};

export const healthOperations = operations('Health', {
  getHealth: {
    ...route('GET', '/healthz', 'none'),
    summary: 'Check liveness',
    description: 'Reports that the process is running. `/readyz` also checks its dependencies.',
    success: ok('The process is running.', Type.Object({ status: Type.Literal('ok') }), { status: 'ok' }),
    errors: {},
  },
  getReadiness: {
    ...route('GET', '/readyz', 'none'),
    summary: 'Check readiness for reads',
    description:
      'For load balancers: 200 while this process can answer reads, which need the database and its own workers. The ' +
      'file store, the signer and the chain are reported but not required. Answers within two seconds. While the ' +
      'database is migrated at the start of a release, `state` is `migrating` and `migration` says how far it is.',
    success: ok('The process can answer reads.', Readiness, readyExample),
    errors: { UNAVAILABLE: 'A part that reads need is unavailable; the message names it.' },
  },
  getWriteReadiness: {
    ...route('GET', '/readyz/writes', 'none'),
    summary: 'Check readiness for writes',
    description:
      'As `/readyz`, and the file store and the signer are required too. The chain is reported but not required: ' +
      'registrations wait until it is available. Answers within two seconds.',
    success: ok('The process can answer reads and writes.', Readiness, readyExample),
    errors: { UNAVAILABLE: 'A part that writes need is unavailable; the message names it.' },
  },
  getMetrics: {
    ...route('GET', '/metrics', 'monitoring'),
    summary: 'Get metrics',
    description:
      'Counters, gauges and durations in the Prometheus text format, for the machine that the service runs on. Other ' +
      'clients, and requests that a proxy forwards, need the operator token.',
    success: { ...ok('The metrics.', Type.String(), 'http_requests_in_flight 1'), mediaType: 'text/plain' },
    errors: { NOT_FOUND: 'The request is not from the same machine, and the service has no operator token.' },
  },
  getOpenApi: {
    ...route('GET', '/api/openapi.json', 'none'),
    summary: 'Get this document',
    description: 'The API as an OpenAPI 3.1 document; `/api/reference` is the readable version.',
    success: ok('The document.', Type.Object({}, { additionalProperties: true }), { openapi: '3.1.0' }),
    hasEtag: true,
    errors: {},
  },
});
