// The container file and the compose file, as far as they can be judged without running them.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { api } from '@provenance-registry/core';
import { validate } from 'dockerfile-utils';
import Type from 'typebox';
import { Value } from 'typebox/value';
import { describe, expect, inject, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../packages/server/src/config/config.js';
import { secretSettings, settings } from '../packages/server/src/config/settings.js';
import { createMark, createUser } from './support/accounts.js';
import { fieldParts, filePart, sendForm } from './support/artifacts.js';
import { freePort } from './support/ports.js';
import { createDatabase } from './support/postgres.js';
import { call, temporaryFolder } from './support/service.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFile(join(root, path), 'utf8');

const Compose = Type.Object({
  services: Type.Record(
    Type.String(),
    Type.Object({
      environment: Type.Optional(Type.Record(Type.String(), Type.String())),
      volumes: Type.Optional(Type.Array(Type.String())),
      secrets: Type.Optional(Type.Array(Type.String())),
    }),
  ),
  secrets: Type.Record(Type.String(), Type.Object({ file: Type.String() })),
});
const text = await read('compose.yaml');
const document: unknown = parse(text, { merge: true });
const { services, secrets } = Value.Parse(Compose, document);

/** Values as an operator would fill them in; what is missing is left empty. */
const filled: Record<string, string> = {
  SITE: 'registry.example.com',
  SECRETS: './secrets',
  TSA_URL: 'https://time.example.com',
  STORAGE_URL: 's3://bucket/prefix',
  CDN_URL: 'https://files.example.com/prefix',
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'name',
  CHAIN_ID: '1',
  REGISTRY_ADDRESS: `0x${'1'.repeat(40)}`,
  MAIL_FROM: 'Registry <registry@example.com>',
};
/** What the files contain, by the name of the secret. */
const secretTexts: Record<string, string> = {
  aws_secret_access_key: 'made-up',
  chain_private_key: `0x${'2'.repeat(64)}`,
  claim_trust: api.getTimestampRoots.success.example,
  database_read_url: 'postgres://provenance:made-up@standby:5432/provenance',
  database_url: 'postgres://provenance:made-up@database:5432/provenance',
  document_certificate: 'PEM',
  document_key: 'PEM',
  domain_secret: 'for domains, thirty-two characters or more',
  identity_key: 'PEM',
  jwt_secret: 'thirty-two characters, or a few more',
  log_key: 'PEM',
  link_secret: 'for links, thirty-two characters or more',
  mail_stop_secret: 'for mail stops, thirty-two characters or more',
  operator_token: 'made-up',
  pseudonym_secret: 'another thirty-two characters, or more',
  smtp_url: 'smtps://registry:password@mail.example',
  rpc_url: 'https://node.example.com/key',
  second_factor_secret: 'for second factors, thirty-two characters or more',
  signing_certificate: 'PEM',
  signing_key: 'PEM',
  signing_roots: api.getSignerRoots.success.example,
  timestamp_roots: api.getTimestampRoots.success.example,
  webhook_secret: 'for webhooks, thirty-two characters or more',
};

/** Settings that make no sense there. */
const leftOut = {
  PORT: 'the image has one port',
  HOST: 'set in the image',
  DATA_DIR: 'set in the image',
  CHAIN_PORT: 'of the development chain',
  SIGNING_COMMAND: 'instead of a key file',
  SIGNING_URL: 'instead of a key file',
  DOMAIN_LOOPBACK_PORT: 'for development',
  WEBHOOK_LOOPBACK: 'for development',
  LOG_WITNESSES: 'needs a file of its own',
  TIERS_FILE: 'needs a file of its own',
  AWS_SESSION_TOKEN: 'expires, and is not renewed there',
};

const replaced = (value: string) =>
  value.replace(/\$\{(\w+):[?-]([^}]*)\}/g, (_all, name: string, otherwise: string) => filled[name] || otherwise);

function environmentOf(service: string): Record<string, string> {
  const entries = Object.entries(services[service]?.environment ?? {});
  return Object.fromEntries(entries.map(([name, value]) => [name, replaced(value)]));
}

describe('the container file', () => {
  it('is in order', async () => {
    expect(validate(await read('Dockerfile'))).toEqual([]);
  });

  it('copies all that the service needs, and no sources', async () => {
    const copied = [...(await read('Dockerfile')).matchAll(/^COPY --from=build \/app\/(\S+) \/app\/(\S+)$/gm)];
    const folder = await temporaryFolder();
    for (const [, from = '', to = ''] of copied) {
      expect([from, /(^|\/)(src|test|scripts)(\/|$)/.test(from)]).toEqual([from, false]);
      await mkdir(dirname(join(folder, to)), { recursive: true });
      // Packages are found through the link as they would be in their own folder.
      if (from === 'node_modules') await symlink(join(root, from), join(folder, to));
      else await cp(join(root, from), join(folder, to), { recursive: true });
    }
    const command = /^CMD \["node", "(.*)"\]$/m.exec(await read('Dockerfile'))?.[1] ?? 'there is no command';
    const port = String(await freePort());
    const child = spawn(process.execPath, [command], {
      cwd: folder,
      env: {
        PATH: process.env['PATH'] ?? '',
        PORT: port,
        CHAIN_PORT: String(await freePort()),
        DATA_DIR: await temporaryFolder(),
        DATABASE_URL: await createDatabase(inject('postgresUrl')),
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = once(child, 'close');
    try {
      let messages = '';
      for await (const chunk of child.stderr) {
        messages += chunk;
        if (messages.includes('is ready')) break;
      }
      expect(messages).toContain('is ready');
      const service = { url: `http://127.0.0.1:${port}` };
      for (const path of ['/readyz', '/readyz/writes', '/', '/docs/', '/api/reference']) {
        expect([path, (await call(service, 'GET', path)).status]).toEqual([path, 200]);
      }
      const user = await createUser(service);
      const { id: markId } = (await createMark(service, user)).body;
      const picture = Buffer.from(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
        'base64',
      );
      const parts = [...fieldParts({ markId }), filePart(picture, 'dot.png')];
      const { status } = await sendForm(service, user, parts, { path: '/api/c2pa/manifests' });
      expect(status).toBe(201);
    } finally {
      child.kill();
      await ended;
    }
  });

  it('does not run as root, and asks whether it can answer', async () => {
    const lines = await read('Dockerfile');
    expect(lines).toMatch(/^USER node$/m);
    expect(lines).toMatch(/HEALTHCHECK[\s\S]*\/readyz/);
  });
});

describe('the compose file', () => {
  it('is in order', async () => {
    await promisify(execFile)(join(root, 'node_modules/.bin/dclint'), ['--quiet', 'compose.yaml'], { cwd: root });
  });

  it('mounts files that are there', async () => {
    const mounted = Object.values(services).flatMap(({ volumes = [] }) => volumes);
    const own = mounted.flatMap((volume) => /^\.\/([^:]+):/.exec(volume)?.[1] ?? []);
    expect(own).toHaveLength(3);
    for (const path of own) await access(join(root, path));
  });

  it('asks for what the example names, and for nothing else', async () => {
    const asked = new Set([...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name));
    const named = [...(await read('deploy/example.env')).matchAll(/^(\w+)=/gm)].map(([, name]) => name);
    expect(named.toSorted()).toEqual([...asked].toSorted());
  });

  it('has every setting of the service, as a value or a file, or there is a reason', () => {
    const given = Object.keys(environmentOf('worker')).map((name) =>
      name in settings ? name : name.replace(/_FILE$/, ''),
    );
    expect([...given, ...Object.keys(leftOut)].toSorted()).toEqual(Object.keys(settings).toSorted());
  });

  it('gives every secret as a file, to containers that use it', () => {
    for (const name of secretSettings) {
      if (name in leftOut || name === 'AWS_ACCESS_KEY_ID') continue;
      expect(Object.keys(environmentOf('worker'))).toContain(`${name}_FILE`);
    }
    for (const [service, { environment = {}, secrets: mounted = [] }] of Object.entries(services)) {
      const used = Object.values(environment).flatMap((value) => /^\/run\/secrets\/(\w+)$/.exec(value)?.[1] ?? []);
      expect([service, used.toSorted()]).toEqual([service, mounted.toSorted()]);
      for (const name of mounted) expect(secrets).toHaveProperty(name);
    }
  });

  it.each(['api', 'worker'])('gives %s settings that the service takes', async (service) => {
    const folder = await temporaryFolder();
    for (const [name, content] of Object.entries(secretTexts)) await writeFile(join(folder, name), `${content}\n`);
    const entries = Object.entries(environmentOf(service));
    const environment = Object.fromEntries(
      entries.map(([name, value]) => [name, value.replace('/run/secrets', folder)]),
    );
    expect(loadConfig(environment)).toMatchObject({
      role: service,
      baseUrl: 'https://registry.example.com',
      databaseUrl: secretTexts['database_url'],
      storage: { bucket: 'bucket', prefix: 'prefix' },
      chainConfirmations: 12,
      billing: 'operator',
      operatorToken: 'made-up',
      trustedProxies: ['172.30.77.0/24'],
      chainPrivateKey: service === 'worker' ? secretTexts['chain_private_key'] : undefined,
    });
  });

  it('gives the key that writes on chain to the workers alone', () => {
    const holders = Object.keys(services).filter((service) =>
      services[service]?.secrets?.includes('chain_private_key'),
    );
    expect(holders).toEqual(['worker']);
  });

  it('limits what each container can do', () => {
    const limited = Object.fromEntries(
      Object.keys(services).map((name) => [
        name,
        {
          init: true,
          read_only: true,
          cap_drop: ['ALL'],
          security_opt: ['no-new-privileges:true'],
          mem_limit: expect.any(String),
          cpus: expect.any(Number),
          pids_limit: expect.any(Number),
        },
      ]),
    );
    expect(document).toMatchObject({ services: limited });
  });
});
