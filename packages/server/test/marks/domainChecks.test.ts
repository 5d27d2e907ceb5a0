// Checks of domains against real DNS and web servers, honest and hostile ones. All domains are added first, and
// their checks run side by side. Webhooks lead to the same servers.

import { DOMAIN_FILE_PATH, type MarkDomain } from '@provenance-registry/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { createMark, createUser, type TestUser } from '../../../../test/support/accounts.js';
import { type RegistryProcess, startRegistryProcess } from '../../../../test/support/artifacts.js';
import { type DomainHost, type Page, startDomainHost } from '../../../../test/support/domainHost.js';
import { call } from '../../../../test/support/service.js';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import { createDomainChecker } from '../../src/domainVerification/checker.js';

/** Prepares the servers of the domain before the Mark claims it. */
type Setup = (host: DomainHost, domain: string, markId: string) => Promise<unknown>;

const otherMark = '00000000-0000-4000-8000-000000000000';
const record = (domain: string) => `_provenance-registry.${domain}`;
const naming = (...marks: string[]): Page => ({ body: JSON.stringify({ marks }) });
const redirectTo = (location: string, status = 302): Page => ({ status, headers: { location } });
const site =
  (page: Page, ...certificate: Parameters<DomainHost['setSite']>[2][]): Setup =>
  (host, domain) =>
    host.setSite(domain, page, ...certificate);

/** Ids that a comparison of a part, or of a prefix, would take for the Mark's. */
function nearMisses(markId: string): string[] {
  const otherDigit = (digit: string) => (digit === '0' ? '1' : '0');
  return [
    '',
    markId.slice(0, 8),
    markId.slice(0, -1),
    markId.slice(1),
    markId.replaceAll('-', ''),
    `${otherDigit(markId.charAt(0))}${markId.slice(1)}`,
    `${markId.slice(0, -1)}${otherDigit(markId.charAt(35))}`,
    `${markId}0`,
    `urn:uuid:${markId}`,
  ];
}

const confirmed: Record<string, { expected: 'dns' | 'file'; setup: Setup }> = {
  'a TXT record': {
    expected: 'dns',
    setup: (host, domain, markId) => host.setRecords('TXT', record(domain), [`mark=${markId}`]),
  },
  'one of many TXT records, over TCP': {
    expected: 'dns',
    setup: (host, domain, markId) =>
      host.setRecords('TXT', record(domain), [
        ...Array.from({ length: 20 }, (_, n) => `mark=00000000-0000-4000-8000-0000000000${n + 10}`),
        `mark=${markId.toUpperCase()}`,
      ]),
  },
  'a file': {
    expected: 'file',
    setup: (host, domain, markId) => host.setSite(domain, naming(otherMark, markId)),
  },
  'both, of which the record counts': {
    expected: 'dns',
    async setup(host, domain, markId) {
      await host.setRecords('TXT', record(domain), [`mark=${markId}`]);
      await host.setSite(domain, naming(markId));
    },
  },
  'a file, while the record names another Mark': {
    expected: 'file',
    async setup(host, domain, markId) {
      await host.setRecords('TXT', record(domain), [`mark=${otherMark}`]);
      await host.setSite(domain, naming(markId));
    },
  },
  'a file after redirects to its own www': {
    expected: 'file',
    async setup(host, domain, markId) {
      await host.setSite(domain, redirectTo(`https://www.${domain}/marks.json`, 301));
      await host.setSite(`www.${domain}`, naming(markId));
    },
  },
  'a file whose name resolves to a private address from the second query on': {
    expected: 'file',
    async setup(host, domain, markId) {
      await host.setSite(domain, naming(markId));
      await host.setRecords('A', domain, ['127.0.0.1'], ['10.1.2.3']);
    },
  },
};

const notPublic = /has an address that is not public/;
const elsewhere = /redirects elsewhere than to an https address of the domain/;
const tooSlow = /File: The server did not answer in time/;

const refused: Record<string, { expected: RegExp; setup: Setup }> = {
  'nothing at all': {
    expected: /TXT record: There is no such record\. File: .* has no address/,
    setup: async () => {},
  },
  'a TXT record of another Mark': {
    expected: /TXT record: It names another Mark, or none/,
    setup: (host, domain) => host.setRecords('TXT', record(domain), [`mark=${otherMark}`]),
  },
  'a TXT record that only contains the Mark': {
    expected: /TXT record: It names another Mark, or none/,
    setup: (host, domain, markId) => host.setRecords('TXT', record(domain), [`not mark=${markId}`, markId]),
  },
  'TXT records that nearly name the Mark': {
    expected: /TXT record: It names another Mark, or none/,
    setup: (host, domain, markId) =>
      host.setRecords('TXT', record(domain), [
        ...nearMisses(markId).map((id) => `mark=${id}`),
        `mark= ${markId}`,
        `mark =${markId}`,
        `marks=${markId}`,
        `mark=${markId};`,
        `mark="${markId}"`,
        `mark=${markId} mark=${otherMark}`,
      ]),
  },
  'a TXT record at the domain itself': {
    expected: /TXT record: There is no such record/,
    setup: (host, domain, markId) => host.setRecords('TXT', domain, [`mark=${markId}`]),
  },
  'name servers that do not answer': {
    expected: /TXT record: The name servers did not answer in time/,
    setup: (host, domain) => host.setRecords('TXT', record(domain), null),
  },
  'a file that nearly names the Mark': {
    expected: /File: It does not name this Mark/,
    setup: (host, domain, markId) => host.setSite(domain, naming(...nearMisses(markId), `mark=${markId}`)),
  },
  'a file of another Mark': { expected: /File: It does not name this Mark/, setup: site(naming(otherMark)) },
  'a page instead of the file': {
    expected: /is not JSON with a list of Marks/,
    setup: site({ body: '<html></html>' }),
  },
  'a file of another form': {
    expected: /is not JSON with a list of Marks/,
    setup: (host, domain, markId) => host.setSite(domain, { body: JSON.stringify({ marks: { 0: markId } }) }),
  },
  'no file': { expected: /answered with status 404/, setup: site({ status: 404 }) },
  'a file that is too large': {
    expected: /larger than 16384 bytes/,
    setup: (host, domain, markId) =>
      host.setSite(domain, { body: `${JSON.stringify({ marks: [markId] })}${' '.repeat(16_384)}` }),
  },
  'an endless file': { expected: tooSlow, setup: site({ isEndless: true }) },
  'a silent server': { expected: tooSlow, setup: site({ isSilent: true }) },
  'an expired certificate': {
    expected: /could not be reached safely \(CERT_HAS_EXPIRED\)/,
    setup: (host, domain, markId) => host.setSite(domain, naming(markId), 'expired'),
  },
  'a self-signed certificate': {
    expected: /could not be reached safely \(DEPTH_ZERO_SELF_SIGNED_CERT\)/,
    setup: (host, domain, markId) => host.setSite(domain, naming(markId), 'self-signed'),
  },
  "another host's certificate": {
    expected: /could not be reached safely \(ERR_TLS_CERT_ALTNAME_INVALID\)/,
    setup: (host, domain, markId) => host.setSite(domain, naming(markId), 'of another host'),
  },
  'a private address': {
    expected: notPublic,
    setup: (host, domain) => host.setRecords('A', domain, ['169.254.169.254']),
  },
  'one good and one private address': {
    expected: notPublic,
    async setup(host, domain, markId) {
      await host.setSite(domain, naming(markId));
      await host.setRecords('A', domain, ['127.0.0.1', '10.1.2.3']);
    },
  },
  'a mapped private address': {
    expected: notPublic,
    async setup(host, domain, markId) {
      await host.setSite(domain, naming(markId));
      await host.setRecords('AAAA', domain, ['::ffff:10.1.2.3']);
    },
  },
  'a redirect to a name with a private address': {
    expected: notPublic,
    async setup(host, domain) {
      await host.setSite(domain, redirectTo(`https://inside.${domain}${DOMAIN_FILE_PATH}`));
      await host.setRecords('A', `inside.${domain}`, ['10.1.2.3']);
    },
  },
  'a redirect to another domain': {
    expected: elsewhere,
    async setup(host, domain, markId) {
      await host.setSite(domain, redirectTo(`https://not-${domain}${DOMAIN_FILE_PATH}`));
      await host.setSite(`not-${domain}`, naming(markId));
    },
  },
  'a redirect to a private address': { expected: elsewhere, setup: site(redirectTo('https://10.1.2.3/')) },
  'a redirect to plain http': {
    expected: elsewhere,
    setup: (host, domain) => host.setSite(domain, redirectTo(`http://${domain}${DOMAIN_FILE_PATH}`)),
  },
  'a redirect to another port': {
    expected: elsewhere,
    setup: (host, domain) => host.setSite(domain, redirectTo(`https://${domain}:22/`)),
  },
  'endless redirects': { expected: /more than 3 redirects/, setup: site(redirectTo(DOMAIN_FILE_PATH)) },
};

let host: DomainHost;
let service: RegistryProcess;
let user: TestUser;
const domains = new Map<string, { domain: string; markId: string }>();

beforeAll(async () => {
  host = await startDomainHost();
  service = await startRegistryProcess({ ...host.settings, WEBHOOK_LOOPBACK: 'true' });
  user = await createUser(service, 'creator');
  for (const [index, [what, { setup }]] of Object.entries({ ...confirmed, ...refused }).entries()) {
    const mark = await createMark(service, user);
    expect(mark.status).toBe(201);
    const [markId, domain] = [String(mark.body.id), `case-${index}.example`];
    await setup(host, domain, markId);
    const claim = { token: user.token, body: { domain } };
    expect((await call(service, 'POST', `/api/v1/marks/${markId}/domains`, claim)).status).toBe(201);
    domains.set(what, { domain, markId });
  }
});

/** Waits for the result of a check: a busy machine may need a second one. */
async function waitForCheck(what: string, isExpected: (domain: MarkDomain) => boolean): Promise<MarkDomain> {
  const { markId } = domains.get(what) ?? {};
  let found: MarkDomain | undefined;
  await waitUntil(async () => {
    const { body } = await call(service, 'GET', `/api/v1/marks/${markId}/domains`, user);
    found = body[0];
    return found !== undefined && isExpected(found);
  }, `the check has the expected result: ${what}`).catch((error: Error) => {
    throw new Error(`${error.message}; it has ${JSON.stringify(found)}`);
  });
  if (!found) throw new Error('no domain');
  return found;
}

describe('A domain is verified by', () => {
  it.each(Object.entries(confirmed))('%s', async (what, { expected }) => {
    const found = await waitForCheck(what, ({ status }) => status === 'verified');
    expect(found).toMatchObject({ method: expected, lastError: null, lapsesAt: null });
    const { markId, domain } = domains.get(what) ?? {};
    const { body } = await call(service, 'GET', `/api/v1/public/marks/${markId}`);
    expect(body.verifiedDomains).toEqual([
      { domain, method: expected, since: found.since, lastChecked: found.lastChecked },
    ]);
  });
});

describe('A domain is not verified by', () => {
  it.each(Object.entries(refused))('%s', async (what, { expected }) => {
    const found = await waitForCheck(what, ({ lastError }) => lastError !== null && expected.test(lastError));
    expect(found).toMatchObject({ status: 'pending', method: null, since: null, lastChecked: null });
    const { markId } = domains.get(what) ?? {};
    expect((await call(service, 'GET', `/api/v1/public/marks/${markId}`)).body.verifiedDomains).toEqual([]);
  });
});

it('No server is asked for more than the file, and none whose addresses are not all allowed', async () => {
  const { domain } = domains.get('one good and one private address') ?? {};
  const requests = await host.listRequests();
  expect(requests.length).toBeGreaterThan(0);
  expect(requests.filter((request) => request.startsWith(`${domain}/`))).toEqual([]);
  expect(requests.filter((request) => !request.endsWith(DOMAIN_FILE_PATH) && !request.endsWith('/marks.json'))).toEqual(
    [],
  );
});

it('Metrics count the checks', async () => {
  const metrics = String((await call(service, 'GET', '/metrics')).body);
  expect(metrics).toMatch(/^domain_checks_total\{outcome="confirmed"\} [1-9]/m);
  expect(metrics).toMatch(/^domain_checks_total\{outcome="failed"\} [1-9]/m);
  expect(metrics).toMatch(/^domain_checks_due \d+$/m);
  expect(metrics).toMatch(/^domains_failing 0$/m);
});

it('A private Mark is confirmed by a token, which tells neither the Mark nor its other domains, or by its id', async () => {
  const { body: mark } = await createMark(service, user, { visibility: 'private' });
  const path = `/api/v1/marks/${mark.id}/domains`;
  const claim = async (domain: string): Promise<MarkDomain> =>
    (await call(service, 'POST', path, { token: user.token, body: { domain } })).body;
  const remove = (domain: string) => call(service, 'DELETE', `${path}/${domain}`, user);
  const names = ['by-record.example', 'by-file.example', 'of-another.example', 'by-id.example'] as const;
  const [byRecord, byFile, ofAnother, byId] = names;
  const claimed = await Promise.all(names.map(claim));
  const texts = claimed.map(({ dnsRecord, file }) => {
    const text = dnsRecord.value.slice('mark='.length);
    expect([text, file.content]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), JSON.stringify({ marks: [text] })]);
    return text;
  });
  expect(new Set([...texts, mark.id.replaceAll('-', '')]).size).toBe(5);
  // The first check comes at once: the records have to be there before.
  await Promise.all(names.map(remove));
  await host.setRecords('TXT', record(byRecord), [`mark=${texts[0]}`]);
  await host.setSite(byFile, naming(texts[1] ?? ''));
  await host.setRecords('TXT', record(ofAnother), [`mark=${texts[0]}`]);
  await host.setRecords('TXT', record(byId), [`mark=${mark.id}`]);
  expect((await Promise.all(names.map(claim))).map(({ dnsRecord }) => dnsRecord.value)).toEqual(
    texts.map((text) => `mark=${text}`),
  );
  const list = async (): Promise<MarkDomain[]> => (await call(service, 'GET', path, user)).body;
  const isChecked = ({ status, lastError }: MarkDomain) => status === 'verified' || lastError !== null;
  await waitUntil(async () => (await list()).every(isChecked), 'all are checked');
  const methods = new Map((await list()).map(({ domain, method }) => [domain, method]));
  expect(names.map((domain) => methods.get(domain))).toEqual(['dns', 'file', null, 'dns']);
  // Whoever reads the record of a public Mark can find it.
  const change = { token: user.token, body: { visibility: 'public' } };
  expect((await call(service, 'PUT', `/api/v1/marks/${mark.id}`, change)).status).toBe(200);
  expect(new Set((await list()).map(({ dnsRecord }) => dnsRecord.value))).toEqual(new Set([`mark=${mark.id}`]));
});

it('A domain on this machine is refused without DOMAIN_LOOPBACK_PORT', async () => {
  await host.setSite('loopback.example', naming(otherMark));
  const dnsServers = [host.settings.DOMAIN_DNS_SERVERS];
  const result = await createDomainChecker({ dnsServers, loopbackPort: undefined }).check('loopback.example', [
    otherMark,
  ]);
  expect(result).toEqual({ error: expect.stringMatching(notPublic) });
});

it('A webhook is delivered over https to a name with a valid certificate, and to no other', async () => {
  const port = host.settings.DOMAIN_LOOPBACK_PORT;
  const deliveries = async (name: string, certificate?: Parameters<DomainHost['setSite']>[2]) => {
    await host.setSite(name, { status: 202, answersChallenges: true }, certificate);
    const body = { url: `https://${name}:${port}/hook`, types: ['webhook.created'] };
    const { id } = (await call(service, 'POST', '/api/v1/webhooks', { token: user.token, body })).body;
    const read = async (path = '') => (await call(service, 'GET', `/api/v1/webhooks/${id}${path}`, user)).body;
    const find = async () => ({ webhook: await read(), deliveries: (await read('/deliveries')).deliveries });
    const wasTried = ({ webhook, deliveries: tried }: Awaited<ReturnType<typeof find>>) =>
      webhook.challengeError !== null || tried.length > 0;
    await waitUntil(async () => wasTried(await find()), 'it was tried');
    return find();
  };
  expect(await deliveries('receiver.example')).toMatchObject({
    webhook: { status: 'active' },
    deliveries: [{ type: 'webhook.created', attempt: 1, status: 202, error: null }],
  });
  expect(await deliveries('impostor.example', 'of another host')).toMatchObject({
    webhook: { status: 'unverified', challengeError: expect.stringMatching(/could not be reached safely/) },
    deliveries: [],
  });
  const requests = (await host.listRequests()).filter((request) => request.endsWith('/hook'));
  // It is also told of the second webhook.
  expect([...new Set(requests)]).toEqual(['receiver.example/hook']);
});
