// Real servers of domains (domainHost.mjs): DNS and https, and the settings of a service that checks domains there.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Type from 'typebox';
import { Value } from 'typebox/value';
import { afterAll } from 'vitest';
import { temporaryFolder } from './service.js';
import { createAuthority, createSelfSignedCertificate, type ServerCertificate } from './tls.js';

/** What the web server of a domain answers. */
export interface Page {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The body never ends. */
  readonly isEndless?: boolean;
  /** Nothing is answered. */
  readonly isSilent?: boolean;
  /** The body repeats the challenge of a webhook. */
  readonly answersChallenges?: boolean;
}

export interface DomainHost {
  /** Settings of a service that looks for domains here. */
  readonly settings: Readonly<Record<'DOMAIN_DNS_SERVERS' | 'DOMAIN_LOOPBACK_PORT' | 'NODE_EXTRA_CA_CERTS', string>>;
  /** Each query gets the next list, and the last one again and again; null is no answer at all. */
  setRecords(
    type: 'A' | 'AAAA' | 'TXT',
    name: string,
    ...answers: readonly (readonly string[] | null)[]
  ): Promise<void>;
  /** A web server at 127.0.0.1, with a certificate of an authority that the service trusts. */
  setSite(
    host: string,
    page: Page,
    certificate?: 'valid' | 'expired' | 'self-signed' | 'of another host',
  ): Promise<void>;
  /** Host and path of the requests to web servers so far. */
  listRequests(): Promise<string[]>;
}

const program = fileURLToPath(new URL('./domainHost.mjs', import.meta.url));

const Ports = Type.Object({ dnsPort: Type.Number(), webPort: Type.Number() });
const Reply = Type.Object({ id: Type.Number(), requests: Type.Array(Type.String()) });

const running: (() => Promise<void>)[] = [];
afterAll(async () => {
  await Promise.all(running.map((stop) => stop()));
});

export async function startDomainHost(): Promise<DomainHost> {
  const authority = await createAuthority();
  const authorityFile = join(await temporaryFolder(), 'authority.pem');
  await writeFile(authorityFile, authority.pem);
  const child = fork(program, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  running.push(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'close');
    child.kill('SIGKILL');
    await ended;
  });
  const message = await new Promise<unknown>((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', () => reject(new Error('the servers of domains stopped')));
  });
  const { dnsPort, webPort } = Value.Parse(Ports, message);

  let count = 0;
  function send(content: object): Promise<string[]> {
    count += 1;
    const id = count;
    return new Promise((resolve) => {
      const listen = (reply: unknown) => {
        const { id: repliedId, requests } = Value.Parse(Reply, reply);
        if (repliedId !== id) return;
        child.off('message', listen);
        resolve(requests);
      };
      child.on('message', listen);
      child.send({ id, ...content });
    });
  }

  const certificates = {
    valid: (host) => authority.issue(host),
    expired: (host) => authority.issue(host, { validToDays: -1 }),
    'self-signed': createSelfSignedCertificate,
    'of another host': () => authority.issue('another.example'),
  } satisfies Record<string, (host: string) => Promise<ServerCertificate>>;

  const setRecords: DomainHost['setRecords'] = async (type, name, ...answers) => {
    await send({ set: { type, name, answers } });
  };
  return {
    settings: {
      DOMAIN_DNS_SERVERS: `127.0.0.1:${dnsPort}`,
      DOMAIN_LOOPBACK_PORT: String(webPort),
      NODE_EXTRA_CA_CERTS: authorityFile,
    },
    setRecords,
    async setSite(host, page, certificate = 'valid') {
      await send({ site: { host, page, certificate: await certificates[certificate](host) } });
      await setRecords('A', host, ['127.0.0.1']);
    },
    listRequests: () => send({}),
  };
}
