// Traces from a request to its transaction, over two processes, as a collector receives them.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { createMark, createUser, type TestUser } from '../../../../test/support/accounts.js';
import {
  createArtifact,
  newArtifact,
  restartRegistryProcess,
  startRegistryProcess,
} from '../../../../test/support/artifacts.js';
import { call, type ServiceProcess } from '../../../../test/support/service.js';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import { type CollectedSpan, startTraceCollector, type TraceCollector } from '../support/traceCollector.js';

let collector: TraceCollector;
let api: ServiceProcess;
let worker: ServiceProcess;
let user: TestUser;
let markId: string;

beforeAll(async () => {
  collector = await startTraceCollector();
  const tracing = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const registry = await startRegistryProcess({ ...tracing, ROLE: 'api', OTEL_SERVICE_NAME: 'the-api' });
  api = registry;
  const { PORT: _, ...settings } = registry.settings;
  worker = await restartRegistryProcess({ ...settings, ROLE: 'worker', OTEL_SERVICE_NAME: 'the-worker' });
  user = await createUser(api, 'enterprise');
  markId = String((await createMark(api, user, { name: 'Name of a Mark' })).body.id);
});

afterAll(() => collector.close());

function spansOf(traceId: string): CollectedSpan[] {
  return collector.spans.filter((span) => span.traceId === traceId);
}

async function waitForSpans(traceId: string, name: string): Promise<void> {
  await waitUntil(() => spansOf(traceId).some((span) => span.name === name), `${name} is in the trace`);
}

it('One trace leads from a request over its five steps to the confirmed transaction, in another process', async () => {
  const traceId = '5a7d3c521e4b4f86b0c95d2e8f1a7b43';
  const clientSpan = '00f067aa0ba902b7';
  const artifact = newArtifact({ markId, filename: 'name-of-a-file.jpg' });
  const { status, body } = await call(api, 'POST', '/api/v1/artifacts', {
    token: user.token,
    body: artifact,
    headers: { traceparent: `00-${traceId}-${clientSpan}-01` },
  });
  expect(status).toBe(201);
  await waitForSpans(traceId, 'chain confirm');
  await waitForSpans(traceId, 'POST /api/v1/artifacts');
  const spans = spansOf(traceId);
  const request = spans.find(({ name }) => name === 'POST /api/v1/artifacts');
  expect(request).toMatchObject({
    service: 'the-api',
    parentSpanId: clientSpan,
    attributes: { 'http.route': '/api/v1/artifacts', 'http.response.status_code': 201 },
  });
  const steps = spans.filter(({ parentSpanId }) => parentSpanId === request?.spanId).map(({ name }) => name);
  expect(steps.toSorted()).toEqual(['authorize', 'prepare', 'publish', 'record', 'sign']);
  const parentOf = (child: string) => {
    const { parentSpanId } = spans.find(({ name }) => name === child) ?? {};
    return spans.find(({ spanId }) => spanId === parentSpanId)?.name;
  };
  expect(parentOf('files publish')).toBe('publish');
  expect(parentOf('claim signature')).toBe('sign');
  expect(parentOf('time-stamp')).toBe('sign');

  const stored = await call(api, 'GET', `/api/v1/artifacts/${body.fingerprint}`, { token: user.token });
  for (const name of ['chain submit', 'chain confirm']) {
    expect(parentOf(name)).toBe('record');
    expect(spans.find((span) => span.name === name)).toMatchObject({
      service: 'the-worker',
      attributes: { 'provenance.transaction_hash': stored.body.transactionHash },
    });
  }
});

it('A batch links to the traces of all its registrations', async () => {
  // The transaction after the first one takes what has arrived in the meantime.
  const created = await Promise.all(
    Array.from({ length: 12 }, () => createArtifact(api, user, newArtifact({ markId }))),
  );
  expect(created.map(({ status }) => status)).toEqual(created.map(() => 201));
  const batches = () => collector.spans.filter(({ name }) => name === 'chain confirm batch');
  await waitUntil(() => batches().length > 0, 'a batch is confirmed');
  const [batch] = batches();
  const traceIds = (batch?.links ?? []).map((link) => link.traceId);
  expect(new Set(traceIds).size).toBe(batch?.attributes['provenance.registrations']);
  for (const traceId of traceIds) await waitForSpans(traceId, 'chain confirm');
});

it('Traces contain no token, email, name or fingerprint of a user, and no polling', async () => {
  const { fingerprint } = newArtifact({ markId });
  await call(api, 'GET', `/api/v1/artifacts/${fingerprint}?wait=0`, { token: user.token });
  await call(api, 'GET', '/readyz');
  await Promise.all([api.end(), worker.end()]);
  const routes = collector.spans.map(({ name }) => name);
  expect(routes).toContain('GET /api/v1/artifacts/:fingerprint');
  expect(routes).not.toContain('GET /readyz');
  for (const secret of [user.token, 'name-of-a-file', 'Name of a Mark', '@example.com', fingerprint.slice(2)]) {
    expect(collector.received()).not.toContain(secret);
  }
});
