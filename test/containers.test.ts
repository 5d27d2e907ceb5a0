// The container file and the compose file, as far as they can be judged without running them.

import { execFile } from 'node:child_process';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { validate } from 'dockerfile-utils';
import Type from 'typebox';
import { Value } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig, settings } from '../packages/server/src/config.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFile(join(root, path), 'utf8');

const Compose = Type.Object({
  services: Type.Record(
    Type.String(),
    Type.Object({
      environment: Type.Optional(Type.Record(Type.String(), Type.String())),
      volumes: Type.Optional(Type.Array(Type.String())),
    }),
  ),
});
const text = await read('compose.yaml');
const { services } = Value.Parse(Compose, parse(text, { merge: true }));

/** Values as an operator would fill them in. */
const filled: Record<string, string> = {
  SITE: 'registry.example.com',
  DATABASE_PASSWORD: 'made-up',
  REPLICATION_PASSWORD: 'made-up-as-well',
  JWT_SECRET: 'thirty-two characters, or a few more',
  SIGNING_CERT_FILE: 'chain.pem',
  SIGNING_KEY_FILE: 'key.pem',
  TSA_URL: 'https://time.example.com',
  STORAGE_URL: 's3://bucket/prefix',
  CDN_URL: 'https://files.example.com/prefix',
  AWS_ENDPOINT_URL: '',
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'name',
  AWS_SECRET_ACCESS_KEY: 'made-up',
  RPC_URL: 'https://node.example.com',
  PUBLIC_RPC_URL: '',
  CHAIN_ID: '1',
  REGISTRY_ADDRESS: `0x${'1'.repeat(40)}`,
  CHAIN_PRIVATE_KEY: `0x${'2'.repeat(64)}`,
  CHAIN_CONFIRMATIONS: '',
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

  it('starts what is built', async () => {
    const command = /^CMD \["node", "(.*)"\]$/m.exec(await read('Dockerfile'))?.[1];
    await access(join(root, command ?? 'there is no command'));
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
    expect(Object.keys(filled).toSorted()).toEqual([...asked].toSorted());
  });

  it.each(['api', 'worker'])('gives %s settings that the service knows and takes', (service) => {
    const environment = environmentOf(service);
    const unknown = Object.keys(environment).filter((name) => !(name in settings || name.startsWith('AWS_')));
    expect(unknown).toEqual([]);
    // Docker puts the secrets there; here any file stands for them.
    const here = { SIGNING_CERT_FILE: join(root, 'compose.yaml'), SIGNING_KEY_FILE: join(root, 'compose.yaml') };
    expect(environment).toMatchObject({
      SIGNING_CERT_FILE: '/run/secrets/signing_certificate',
      SIGNING_KEY_FILE: '/run/secrets/signing_key',
    });
    expect(loadConfig({ ...environment, ...here })).toMatchObject({
      role: service,
      baseUrl: 'https://registry.example.com',
      databaseUrl: 'postgres://provenance:made-up@database:5432/provenance',
      storage: { bucket: 'bucket', prefix: 'prefix' },
      chainConfirmations: 12,
    });
  });

  it('gives the key that writes on chain to the workers alone', () => {
    const holders = Object.keys(services).filter((service) => 'CHAIN_PRIVATE_KEY' in environmentOf(service));
    expect(holders).toEqual(['worker']);
  });
});
