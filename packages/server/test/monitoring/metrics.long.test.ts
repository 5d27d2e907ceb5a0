// The metrics: who may read them, and the files of deploy/ that use them.

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import Type from 'typebox';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createMark, createUser } from '../../../../test/support/accounts.js';
import { createArtifact, newArtifact, startRegistryProcess } from '../../../../test/support/artifacts.js';
import { call, type ServiceProcess } from '../../../../test/support/service.js';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import { buildBareServer } from '../support/bareServer.js';

let service: ServiceProcess;
beforeAll(async () => {
  service = await startRegistryProcess();
  const user = await createUser(service);
  const mark = await createMark(service, user, {});
  const { status, body } = await createArtifact(service, user, newArtifact({ markId: mark.body.id }));
  expect(status).toBe(201);
  await waitUntil(async () => {
    const artifact = await call(service, 'GET', `/api/v1/artifacts/${body.fingerprint}`, { token: user.token });
    return artifact.body.status === 'submitted';
  }, 'the Artifact is on chain');
});

const readMetrics = async () => String((await call(service, 'GET', '/metrics')).body);

describe('/metrics', () => {
  it('has what a creation did, and the state of the parts', async () => {
    const metrics = await readMetrics();
    for (const line of [
      /^provenance_build_info\{version="[\d.]+",role="all",node="v[\d.]+"\} 1$/m,
      /^file_store_duration_seconds_count\{operation="publish",outcome="ok"\} 1$/m,
      /^signer_duration_seconds_count\{outcome="ok"\} [1-9]/m,
      /^chain_transactions_total\{outcome="confirmed"\} 1$/m,
      /^chain_lease_held 1$/m,
      /^chain_breaker_open 0$/m,
      /^database_pool_connections\{state="idle"\} [1-9]/m,
      /^database_pool_waiting 0$/m,
      /^worker_pool_workers\{pool="manifestReaderWorker",state="idle"\} [1-9]/m,
      /^worker_pool_killed_total\{pool="mediaWorker"\} 0$/m,
      /^budget_refusals_total\{budget="media"\} 0$/m,
      /^readiness_check_ok\{check="manifests"\} 1$/m,
      /^process_start_time_seconds \d+$/m,
    ]) {
      expect(metrics).toMatch(line);
    }
    const expiry = Number(/^signing_certificate_expiry_timestamp_seconds (\S+)$/m.exec(metrics)?.[1]);
    expect(expiry).toBeGreaterThan(Date.now() / 1_000);
  });

  const loopback = '127.0.0.1';
  const authorization = 'Bearer the-operator-token';
  it.each([
    ['this machine', loopback, {}, 200],
    ['this machine by IPv6', '::1', {}, 200],
    ['this machine by a mapped address', '::ffff:127.0.0.1', {}, 200],
    ['another machine', '10.0.0.5', {}, 401],
    ['another machine with the operator token', '10.0.0.5', { authorization }, 200],
    ['another machine with another token', '10.0.0.5', { authorization: 'Bearer guessed' }, 401],
    ['an address that only ends like a loopback address', '::ffff:10.0.127.1', {}, 401],
    ['a proxy on this machine', loopback, { 'x-forwarded-for': '10.0.0.5' }, 401],
    ['a proxy on this machine, for itself', loopback, { 'x-forwarded-for': loopback }, 401],
    ['a proxy with a standard header', loopback, { forwarded: 'for=10.0.0.5' }, 401],
    ['a proxy with the operator token', loopback, { 'x-forwarded-for': '10.0.0.5', authorization }, 200],
  ])('answers %s', async (_, remoteAddress, headers, status) => {
    const response = await server.inject({ url: '/metrics', remoteAddress, headers });
    expect(response.statusCode).toBe(status);
    if (status === 200) expect(response.body).toContain('http_requests_in_flight');
    else expect(response.json()).toEqual({ error: expect.any(String), code: 'UNAUTHORIZED' });
  });
  // Injected requests have no socket to disconnect.
  const limits = { lingerMs: 3_600_000 };
  const server = buildBareServer(limits, { operatorToken: 'the-operator-token' });
  afterAll(() => server.close());

  it('has nothing for other machines when there is no operator token', async () => {
    const closed = buildBareServer(limits);
    const response = await closed.inject({ url: '/metrics', remoteAddress: '10.0.0.5' });
    expect([response.statusCode, response.json().code]).toEqual([404, 'NOT_FOUND']);
    await closed.close();
  });
});

const Alerts = Type.Object({
  groups: Type.Array(
    Type.Object({
      rules: Type.Array(
        Type.Object({
          alert: Type.String(),
          expr: Type.String(),
          for: Type.Optional(Type.String({ pattern: '^\\d+[mh]$' })),
          labels: Type.Object({ severity: Type.String({ pattern: '^(warning|critical)$' }) }),
          annotations: Type.Object({
            summary: Type.String(),
            page: Type.String({ pattern: '^docs/operating\\.md#[a-z-]+$' }),
          }),
        }),
      ),
    }),
  ),
});
const Panel = Type.Object({
  id: Type.Integer(),
  type: Type.String(),
  title: Type.String({ minLength: 1 }),
  gridPos: Type.Object({ x: Type.Integer(), y: Type.Integer(), w: Type.Integer(), h: Type.Integer() }),
  targets: Type.Optional(
    Type.Array(
      Type.Object({ refId: Type.String(), expr: Type.String(), datasource: Type.Object({ uid: Type.String() }) }),
    ),
  ),
});
const Dashboard = Type.Object({
  title: Type.String(),
  uid: Type.String(),
  schemaVersion: Type.Integer(),
  panels: Type.Array(Panel),
  templating: Type.Object({ list: Type.Array(Type.Object({ name: Type.String(), type: Type.String() })) }),
  time: Type.Object({ from: Type.String(), to: Type.String() }),
});

const readDeployed = (name: string) => readFile(new URL(`../../../../deploy/${name}`, import.meta.url), 'utf8');
const readAlerts = async () => Value.Parse(Alerts, parse(await readDeployed('prometheus-alerts.yaml')));
const readDashboard = async () => Value.Parse(Dashboard, JSON.parse(await readDeployed('grafana-dashboard.json')));

/** What the expressions use of PromQL, apart from metrics and labels. */
const promqlWords = new Set(
  'sum min max count topk rate increase histogram_quantile min_over_time time absent and or'.split(' ').concat('by'),
);

/** Names in an expression that are neither labels nor words of the language. */
function metricsIn(expression: string): string[] {
  const bare = expression
    .replace(/"[^"]*"/g, '""')
    .replace(/\{[^}]*\}|\[[^\]]*\]/g, '')
    .replace(/\bby \([^)]*\)/g, 'by');
  return (bare.match(/[a-z_]\w*/g) ?? []).filter((word) => !promqlWords.has(word));
}

function isBalanced(expression: string): boolean {
  const open: string[] = [];
  for (const [character] of expression.replace(/"[^"]*"/g, '').matchAll(/[()[\]{}]/g)) {
    if ('([{'.includes(character)) open.push(character);
    else if (open.pop() !== { ')': '(', ']': '[', '}': '{' }[character]) return false;
  }
  return open.length === 0;
}

/** deploy/backup.sh writes it for the node exporter. */
const BACKUP_METRIC = 'registry_backup_timestamp_seconds';

/** With the labels that each has in the real output. */
async function readSeries(): Promise<Map<string, Set<string>>> {
  const metrics = await readMetrics();
  // Of Prometheus itself, and of the backup.
  const series = new Map<string, Set<string>>([
    ['up', new Set()],
    [BACKUP_METRIC, new Set()],
  ]);
  for (const [, name = '', type] of metrics.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
    for (const suffix of type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''])
      series.set(name + suffix, new Set());
  }
  for (const [, name = '', labels = ''] of metrics.matchAll(/^(\w+)\{(.*)\} /gm)) {
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) series.get(name)?.add(label);
  }
  return series;
}

describe('the files for Prometheus and Grafana', () => {
  it('use only metrics and labels that the service has, in balanced expressions', async () => {
    const [alerts, dashboard, series] = await Promise.all([readAlerts(), readDashboard(), readSeries()]);
    const expressions = [
      ...alerts.groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
      ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ];
    expect(expressions.length).toBeGreaterThan(40);
    for (const expression of expressions) {
      expect(isBalanced(expression), expression).toBe(true);
      const names = metricsIn(expression);
      expect(names.length, expression).toBeGreaterThan(0);
      for (const name of names) expect([...series.keys()]).toContain(name);
      for (const [, name = '', selector = ''] of expression.matchAll(/(\w+)\{([^}]*)\}/g)) {
        const known = [...(series.get(name) ?? []), 'instance', 'job'];
        const used = [...selector.matchAll(/(\w+)(?:=~|!~|!=|=)/g)].map(([, label]) => label);
        // Series of an authority exist only with TSA_URL.
        if (!name.startsWith('timestamp_')) expect(known, expression).toEqual(expect.arrayContaining(used));
      }
    }
  });

  it('have the parts that Grafana and Prometheus require', async () => {
    const { panels, templating } = await readDashboard();
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(templating.list.map(({ name }) => name)).toEqual(['datasource', 'instance']);
    for (const { type, gridPos, targets = [] } of panels) {
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      expect(targets.length > 0).toBe(type !== 'row');
      for (const { datasource } of targets) expect(datasource.uid).toBe('$' + '{datasource}');
    }
    const scrape = parse(await readDeployed('prometheus.yaml'));
    expect(scrape.rule_files).toEqual(['prometheus-alerts.yaml']);
    expect(scrape.scrape_configs[0].job_name).toBe('provenance-registry');
  });

  it('have alerts that docs/operating.md explains, each', async () => {
    const { groups } = await readAlerts();
    const page = await readFile(new URL('../../../../docs/operating.md', import.meta.url), 'utf8');
    const explained = [...page.matchAll(/^\| `(Registry\w+)`/gm)].map(([, name]) => name);
    const rules = groups.flatMap((group) => group.rules);
    expect(explained).toEqual(rules.map(({ alert }) => alert));
    const headings = [...page.matchAll(/^##+ (.+)$/gm)].map(([, heading = '']) =>
      heading.toLowerCase().replaceAll(' ', '-'),
    );
    for (const { alert, annotations } of rules) {
      expect(headings, alert).toContain(annotations.page.replace('docs/operating.md#', ''));
    }
  });

  it('have alerts that fire when they should, and not before', async () => {
    const [firing, quiet] = parse(await readDeployed('prometheus-alerts.test.yaml')).tests;
    const { groups } = await readAlerts();
    const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
    for (const { alert_rule_test: tested } of [firing, quiet]) {
      expect(tested.map(({ alertname }: { alertname: string }) => alertname)).toEqual(alerts);
    }
    const folder = fileURLToPath(new URL('../../../../deploy', import.meta.url));
    await promisify(execFile)('promtool', ['test', 'rules', 'prometheus-alerts.test.yaml'], { cwd: folder });
  });
});
