import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { api, defaultTiers } from '@provenance-registry/core';
import { describe, expect, it } from 'vitest';
import { noTrust } from '../evidence/claimTrust.js';
import { ConfigError, loadConfig } from './config.js';
import { secretSettings, settings } from './settings.js';

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    loadConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

const folder = mkdtempSync(join(tmpdir(), 'settings-'));
function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe('settings', () => {
  it('have the defaults that are documented', () => {
    expect(loadConfig({})).toEqual({
      host: '127.0.0.1',
      port: 8080,
      baseUrl: 'http://127.0.0.1:8080',
      registryName: 'Provenance registry',
      cdnUrl: 'http://127.0.0.1:8080/cdn',
      trustedProxies: [],
      dataDir: resolve('./data'),
      databaseUrl: undefined,
      databaseReadUrl: undefined,
      storage: undefined,
      rpcUrl: undefined,
      chainPort: 8545,
      registryAddress: undefined,
      chainPrivateKey: undefined,
      chainConfirmations: 1,
      chainId: undefined,
      chainRetry: { attempts: 10, ms: 86_400_000 },
      signing: undefined,
      timestampUrls: [],
      signingRoots: undefined,
      timestampRoots: undefined,
      secrets: {},
      provider: undefined,
      identityKeyFile: undefined,
      logKeyFile: undefined,
      logContract: undefined,
      logAnchorIntervalMs: 60_000,
      claimTrust: noTrust,
      domains: { dnsServers: undefined, loopbackPort: undefined },
      webhooks: { dnsServers: undefined, allowsLoopback: false },
      billing: 'self-serve',
      mail: undefined,
      downloadsMs: 3_600_000,
      eventRetentionMonths: 13,
      drainMs: 0,
      operatorToken: undefined,
      tiers: defaultTiers,
      maxUploadBytes: 256 * 1024 * 1024,
      role: 'all',
      logLevel: 'info',
      logReadsSample: 1,
      tracing: undefined,
    });
  });

  it('that are empty count as not set', () => {
    expect(loadConfig(Object.fromEntries(Object.keys(settings).map((name) => [name, ' '])))).toEqual(loadConfig({}));
  });

  it('have defaults that depend on others: BASE_URL on host and port, CDN_URL on BASE_URL', () => {
    expect(loadConfig({ HOST: '::1', PORT: '9000' }).baseUrl).toBe('http://[::1]:9000');
    expect(loadConfig({ BASE_URL: 'https://registry.example/', BILLING: 'operator' })).toMatchObject({
      baseUrl: 'https://registry.example',
      cdnUrl: 'https://registry.example/cdn',
    });
  });

  it('are parsed', () => {
    expect(
      loadConfig({
        STORAGE_URL: 's3://my-bucket/some/prefix',
        AUTH_JWKS_URL: 'https://login.example/keys',
        AUTH_ISSUER: 'https://login.example/',
        AUTH_AUDIENCE: 'registry',
        ROLE: 'api',
        TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8,2001:db8::/32',
        DOMAIN_DNS_SERVERS: '10.0.0.53, 127.0.0.1:5353,2001:db8::53,[2001:db8::53]:5353',
        DOMAIN_LOOPBACK_PORT: '8443',
        WEBHOOK_LOOPBACK: 'true',
        DOWNLOADS_SECONDS: '60',
        DRAIN_SECONDS: '4',
        DATABASE_URL: 'postgres://someone@db.example/registry',
        RPC_URL: 'https://rpc.example/v2/key',
        EXPLORER_URL: 'https://explorer.example/',
        REGISTRY_ADDRESS: `0x${'aB'.repeat(20)}`,
        LOG_CONTRACT: `0x${'cD'.repeat(20)}`,
        LOG_ANCHOR_SECONDS: '3600',
      }),
    ).toMatchObject({
      storage: { bucket: 'my-bucket', prefix: 'some/prefix' },
      provider: {
        jwksUrl: new URL('https://login.example/keys'),
        issuer: 'https://login.example/',
        audience: 'registry',
      },
      role: 'api',
      trustedProxies: ['127.0.0.1', '10.0.0.0/8', '2001:db8::/32'],
      domains: {
        dnsServers: ['10.0.0.53', '127.0.0.1:5353', '2001:db8::53', '[2001:db8::53]:5353'],
        loopbackPort: 8443,
      },
      downloadsMs: 60_000,
      drainMs: 4_000,
      explorerUrl: 'https://explorer.example',
      registryAddress: `0x${'aB'.repeat(20)}`,
      logContract: `0x${'cD'.repeat(20)}`,
      logAnchorIntervalMs: 3_600_000,
    });
  });

  it('name every problem at once, one line each', () => {
    const problems = problemsOf({
      PORT: 'http',
      BASE_URL: 'registry.example',
      BILLING: 'free',
      ROLE: 'boss',
      TSA_URL: 'x',
    });
    expect(problems.map((problem) => problem.split(':')[0])).toEqual([
      'PORT',
      'BASE_URL',
      'TSA_URL',
      'BILLING',
      'ROLE',
    ]);
    expect(problems.every((problem) => !problem.includes('\n'))).toBe(true);
  });

  it.each([
    ['PORT', '0'],
    ['PORT', '65536'],
    ['PORT', '80.5'],
    ['PORT', '-1'],
    ['PORT', '1e3'],
    ['HOST', 'not a host'],
    ['BASE_URL', 'ftp://registry.example'],
    ['REGISTRY_NAME', 'Regi\u202Estry'],
    ['REGISTRY_NAME', 'x'.repeat(121)],
    ['DATABASE_URL', 'mysql://registry.example/db'],
    ['DATABASE_URL', 'postgres://one.example,two.example/db?target_session_attrs=read-write'],
    ['STORAGE_URL', 'https://bucket.example'],
    ['STORAGE_URL', 's3://'],
    ['STORAGE_URL', 's3://bucket/a/../b'],
    ['CHAIN_CONFIRMATIONS', '0'],
    ['JWT_SECRET', 'too short'],
    ['OPERATOR_TOKEN', 'two words'],
    ['MAX_UPLOAD_BYTES', '256 MiB'],
    ['TIERS_FILE', '/no/such/file'],
    ['BILLING', 'Operator'],
    ['TRUSTED_PROXIES', 'proxy.example'],
    ['TRUSTED_PROXIES', '10.0.0.1,'],
    ['TRUSTED_PROXIES', '10.0.0.0/33'],
    ['TRUSTED_PROXIES', '10.0.0.0/8/8'],
    ['TRUSTED_PROXIES', '::1/-1'],
    ['TRUSTED_PROXIES', 'fe80::1%eth0'],
    ['DOMAIN_DNS_SERVERS', 'dns.example'],
    ['DOMAIN_DNS_SERVERS', '10.0.0.53,'],
    ['DOMAIN_DNS_SERVERS', '10.0.0.53:0'],
    ['DOMAIN_DNS_SERVERS', '[10.0.0.53]:53'],
    ['DOMAIN_LOOPBACK_PORT', '0'],
    ['WEBHOOK_LOOPBACK', 'yes'],
    ['DOWNLOADS_SECONDS', '-1'],
    ['EVENT_RETENTION_MONTHS', '1'],
    ['DRAIN_SECONDS', '5'],
    ['LOG_LEVEL', 'loud'],
    ['LOG_READS_SAMPLE', '1.5'],
    ['LOG_READS_SAMPLE', '-0.5'],
    ['LOG_READS_SAMPLE', 'half'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_TRACES_SAMPLER_ARG', '10%'],
  ] as const)('refuse %s = %s', (name, value) => {
    expect(problemsOf({ [name]: value })).toEqual([expect.stringMatching(`^${name}: `)]);
  });

  it('never show a secret in a problem', () => {
    const secrets = {
      JWT_SECRET: 'hush-hush',
      OPERATOR_TOKEN: 'hush hush',
      CHAIN_PRIVATE_KEY: 'hush-hush',
      DATABASE_URL: 'mysql://me:hush-hush@db.example',
      RPC_URL: 'wss://rpc.example/hush-hush',
      SMTP_URL: 'smtp://me:hush-hush@mail.example/?hush=1',
      MAIL_FROM: 'registry@example.com',
    };
    const problems = problemsOf(secrets);
    expect(problems.length).toBeGreaterThanOrEqual(6);
    expect(problems.join('\n')).not.toMatch(/hush/);
  });

  it.each([
    [
      'a certificate without a signing key',
      { SIGNING_CERT_FILE: file('cert.pem', 'x') },
      'SIGNING_CERT_FILE requires exactly one of',
    ],
    [
      'a signing program without a certificate',
      { SIGNING_COMMAND: '/bin/sign' },
      'SIGNING_CERT_FILE requires exactly one of',
    ],
    [
      'two sources of the signing key',
      { SIGNING_CERT_FILE: file('cert.pem', 'x'), SIGNING_URL: 'http://kms.example', SIGNING_COMMAND: 'sign' },
      'SIGNING_CERT_FILE requires exactly one of',
    ],
    [
      'a certificate of documents without its key',
      { DOCUMENT_CERT_FILE: file('cert.pem', 'x') },
      'DOCUMENT_CERT_FILE and DOCUMENT_KEY_FILE must be set together',
    ],
    [
      'a fallback time-stamp authority without a first one',
      { TSA_FALLBACK_URL: 'http://tsa.example' },
      'requires TSA_URL',
    ],
    [
      'roots of a signer without a certificate',
      { SIGNING_ROOTS_FILE: file('roots.pem', api.getSignerRoots.success.example) },
      'SIGNING_ROOTS_FILE requires SIGNING_CERT_FILE',
    ],
    [
      'roots of a time-stamp authority without its address',
      { TSA_ROOTS_FILE: file('roots.pem', api.getTimestampRoots.success.example) },
      'TSA_ROOTS_FILE requires TSA_URL',
    ],
    ['an incomplete OpenID provider', { AUTH_ISSUER: 'x' }, 'AUTH_JWKS_URL, AUTH_ISSUER and AUTH_AUDIENCE'],
    [
      'a chain without a registry',
      { RPC_URL: 'http://rpc.example', CHAIN_PRIVATE_KEY: `0x${'1'.repeat(64)}` },
      'RPC_URL requires REGISTRY_ADDRESS',
    ],
    [
      'a chain without a key',
      { RPC_URL: 'http://rpc.example', REGISTRY_ADDRESS: `0x${'1'.repeat(40)}` },
      'RPC_URL requires CHAIN_PRIVATE_KEY',
    ],
    [
      'a mail server without a sender',
      { SMTP_URL: 'smtps://mail.example' },
      'SMTP_URL and MAIL_FROM must be set together',
    ],
    ['a sender without a mail server', { MAIL_FROM: 'a@b.example' }, 'SMTP_URL and MAIL_FROM must be set together'],
    ['a registry without a chain', { REGISTRY_ADDRESS: `0x${'1'.repeat(40)}` }, 'REGISTRY_ADDRESS requires RPC_URL'],
    ['a contract of the log without a chain', { LOG_CONTRACT: `0x${'1'.repeat(40)}` }, 'LOG_CONTRACT requires RPC_URL'],
    ['a chain id without a chain', { CHAIN_ID: '1' }, 'CHAIN_ID requires RPC_URL'],
    ['one port for two servers', { PORT: '8545' }, 'PORT and CHAIN_PORT are both 8545'],
    [
      'a replica of an embedded database',
      { DATABASE_READ_URL: 'postgres://replica.example/db' },
      'DATABASE_READ_URL requires DATABASE_URL',
    ],
    ['a worker on an embedded database', { ROLE: 'worker' }, 'ROLE=worker requires DATABASE_URL'],
    ['a public service without BILLING', { BASE_URL: 'https://registry.example' }, 'BILLING must be set'],
    [
      'domains on this machine for a public service',
      { BASE_URL: 'https://registry.example', BILLING: 'operator', DOMAIN_LOOPBACK_PORT: '443' },
      'BASE_URL must be a loopback address',
    ],
    [
      'receivers on this machine for a public service',
      { BASE_URL: 'https://registry.example', BILLING: 'operator', WEBHOOK_LOOPBACK: 'true' },
      'WEBHOOK_LOOPBACK is for development',
    ],
    ['all addresses of a machine without BILLING', { HOST: '0.0.0.0' }, 'BILLING must be set'],
    [
      'a host that only begins like a loopback address',
      { BASE_URL: 'http://127.0.0.1.registry.example' },
      'BILLING must be set',
    ],
  ])('refuse contradictions: %s', (_, environment, problem) => {
    expect(problemsOf(environment)).toEqual([expect.stringContaining(problem)]);
  });

  it.each(['http://localhost:9000', 'http://127.1.2.3', 'http://[::1]:8080'])(
    'let users choose their tier by default while only this machine can reach the service: %s',
    (BASE_URL) => {
      expect(loadConfig({ BASE_URL }).billing).toBe('self-serve');
    },
  );

  it.each([
    ['smtps://mail.example', { host: 'mail.example', port: 465, implicitTls: true, isLoopback: false }],
    ['smtp://mail.example/', { host: 'mail.example', port: 587, implicitTls: false, isLoopback: false }],
    ['smtp://[::1]:2525', { host: '::1', port: 2525, implicitTls: false, isLoopback: true }],
    ['smtp://localhost:25', { host: 'localhost', port: 25, implicitTls: false, isLoopback: true }],
    ['smtp://127.0.0.1.example', { host: '127.0.0.1.example', port: 587, implicitTls: false, isLoopback: false }],
    [
      'smtps://me%40example.com:p%3Aw@mail.example:2465',
      { host: 'mail.example', port: 2465, credentials: { user: 'me@example.com', password: 'p:w' } },
    ],
  ])('name a mail server: %s', (SMTP_URL, server) => {
    expect(loadConfig({ SMTP_URL, MAIL_FROM: 'a@b.example' }).mail?.server).toMatchObject(server);
  });

  it.each([
    ['registry@example.com', { name: undefined, address: 'registry@example.com' }],
    [
      'Registry of Ada, Inc. <registry@example.com>',
      { name: 'Registry of Ada, Inc.', address: 'registry@example.com' },
    ],
    ['"Registry" <registry@example.com>', { name: 'Registry', address: 'registry@example.com' }],
  ])('name a sender of mails: %s', (MAIL_FROM, from) => {
    expect(loadConfig({ SMTP_URL: 'smtps://mail.example', MAIL_FROM }).mail?.from).toEqual(from);
  });

  it.each([
    { SMTP_URL: 'mail.example:25' },
    { SMTP_URL: 'https://mail.example' },
    { SMTP_URL: 'smtp://' },
    { SMTP_URL: 'smtp://mail.example/?tls=no' },
    { SMTP_URL: 'smtp://me@mail.example' },
    { SMTP_URL: 'smtp://me:100%@mail.example' },
    { MAIL_FROM: 'registry' },
    { MAIL_FROM: 'a@b.example, c@d.example' },
    { MAIL_FROM: 'Registry <registry>' },
    { MAIL_FROM: 'Regi\u202Estry <registry@example.com>' },
  ])('refuse %s', (bad) => {
    const settings = { SMTP_URL: 'smtps://mail.example', MAIL_FROM: 'a@b.example', ...bad };
    expect(problemsOf(settings)).toEqual([expect.stringMatching(`^${Object.keys(bad)[0]}: `)]);
  });

  it('have secrets that can be read from files', () => {
    const secrets = {
      DATABASE_URL: 'postgres://someone:hush@db.example/registry',
      DATABASE_READ_URL: 'postgres://reader:hush@replica.example/registry',
      AWS_ACCESS_KEY_ID: 'some-key',
      AWS_SECRET_ACCESS_KEY: 'hush',
      AWS_SESSION_TOKEN: 'hush-hush',
      RPC_URL: 'https://rpc.example/v2/hush',
      CHAIN_PRIVATE_KEY: `0x${'1'.repeat(64)}`,
      JWT_SECRET: 'hush '.repeat(8).trim(),
      PSEUDONYM_SECRET: 'hush-hush '.repeat(4).trim(),
      LINK_SECRET: 'hush-link '.repeat(4).trim(),
      SECOND_FACTOR_SECRET: 'hush-code '.repeat(4).trim(),
      WEBHOOK_SECRET: 'hush-hook '.repeat(4).trim(),
      DOMAIN_SECRET: 'hush-name '.repeat(4).trim(),
      MAIL_STOP_SECRET: 'hush-mail '.repeat(4).trim(),
      SMTP_URL: 'smtps://someone:hush@mail.example',
      OPERATOR_TOKEN: 'hush',
    } satisfies Record<(typeof secretSettings)[number], string>;
    const others = {
      STORAGE_URL: 's3://bucket',
      MAIL_FROM: 'registry@example.com',
      REGISTRY_ADDRESS: `0x${'1'.repeat(40)}`,
    };
    const inFiles = Object.entries(secrets).map(([name, secret]) => [`${name}_FILE`, file(name, `${secret}\n`)]);
    const config = loadConfig({ ...others, ...Object.fromEntries(inFiles) });
    expect(config).toMatchObject({
      databaseUrl: secrets.DATABASE_URL,
      databaseReadUrl: secrets.DATABASE_READ_URL,
      rpcUrl: secrets.RPC_URL,
      chainPrivateKey: secrets.CHAIN_PRIVATE_KEY,
      secrets: {
        tokens: secrets.JWT_SECRET,
        pseudonyms: secrets.PSEUDONYM_SECRET,
        links: secrets.LINK_SECRET,
        secondFactors: secrets.SECOND_FACTOR_SECRET,
        webhooks: secrets.WEBHOOK_SECRET,
        domains: secrets.DOMAIN_SECRET,
        mailStops: secrets.MAIL_STOP_SECRET,
      },
      operatorToken: secrets.OPERATOR_TOKEN,
      mail: { server: { host: 'mail.example', credentials: { user: 'someone', password: 'hush' } } },
      storage: { environment: { AWS_ACCESS_KEY_ID: 'some-key', AWS_SECRET_ACCESS_KEY: 'hush' } },
    });
    expect(config.storage?.environment['AWS_SESSION_TOKEN']).toBe('hush-hush');
  });

  it.each([
    [
      'cannot be read',
      { JWT_SECRET_FILE: '/no/such/file' },
      'JWT_SECRET_FILE: "/no/such/file" cannot be read (ENOENT)',
    ],
    ['is empty', { OPERATOR_TOKEN_FILE: file('empty', '\n') }, 'OPERATOR_TOKEN_FILE: '],
    [
      'is set beside the secret itself',
      { OPERATOR_TOKEN: 'hush', OPERATOR_TOKEN_FILE: file('token', 'hush') },
      'OPERATOR_TOKEN_FILE: OPERATOR_TOKEN is set too',
    ],
    ['has a bad secret', { JWT_SECRET_FILE: file('short', 'hush') }, 'JWT_SECRET: shorter than 32 characters'],
  ])('refuse a file of a secret that %s, without showing the secret', (_, environment, problem) => {
    const problems = problemsOf(environment);
    expect(problems).toEqual([expect.stringContaining(problem)]);
    expect(problems.join()).not.toContain('hush');
  });

  it('accept a tier table that overrides parts of the built-in one', () => {
    const path = file('tiers.json', JSON.stringify({ free: { maxMarks: 10, privateMarks: true } }));
    const { tiers } = loadConfig({ TIERS_FILE: path });
    expect(tiers.free).toEqual({ ...defaultTiers.free, maxMarks: 10, privateMarks: true });
    expect(tiers.creator).toEqual(defaultTiers.creator);
  });

  it.each([
    ['not JSON', '{'],
    ['not an object', '[]'],
    ['an unknown tier', '{"gold":{}}'],
    ['an unknown limit', '{"free":{"maxMark":1}}'],
    ['a limit below -1', '{"free":{"maxMarks":-2}}'],
    ['a limit that is a string', '{"free":{"maxMarks":"3"}}'],
  ])('refuse a tier table that is %s', (_, text) => {
    expect(problemsOf({ TIERS_FILE: file('bad-tiers.json', text) })).toEqual([expect.stringMatching(/^TIERS_FILE: /)]);
  });

  it('are all explained in docs/settings.md, with their defaults', () => {
    const page = readFileSync(new URL('../../../../docs/settings.md', import.meta.url), 'utf8').replace(/ +/g, ' ');
    for (const [name, [fallback, meaning]] of Object.entries(settings)) {
      expect(page).toContain(`| \`${name}\` | ${fallback} | ${meaning} |`);
    }
    for (const name of secretSettings) expect(page).toContain(`\`${name}_FILE\``);
  });
});
