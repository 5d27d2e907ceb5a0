// A front of an honest service that says nothing, something else, or nonsense about who it is, and forwards everything else.

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { RegistryIdentity } from '@provenance-registry/core';
import { afterAll } from 'vitest';

export const IDENTITY_PATH = '/.well-known/provenance-registry';

const json = { 'content-type': 'application/json' };
const fail = (status: number) => (response: ServerResponse) =>
  response.writeHead(status, json).end(JSON.stringify({ error: 'No.', code: 'NOPE' }));

/** What the request for the identity gets, by a name for tests. */
const faults = {
  'is not found': fail(404),
  fails: fail(500),
  'wants a login': fail(401),
  'is not answered': () => {},
  'is cut off': (response: ServerResponse) => response.writeHead(200, { ...json, 'content-length': 99 }).destroy(),
  'is a web page': (response: ServerResponse) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>'),
  'is another document': (response: ServerResponse) => response.writeHead(200, json).end('{"name":"Example"}'),
  'redirects to another host': (response: ServerResponse) =>
    response.writeHead(302, { location: `http://127.0.0.2:9${IDENTITY_PATH}` }).end(),
  'redirects to itself': (response: ServerResponse) => response.writeHead(302, { location: IDENTITY_PATH }).end(),
} as const;
export type IdentityFault = keyof typeof faults;
export const identityFaults = Object.keys(faults).filter((name): name is IdentityFault => name in faults);

export interface IdentityFront {
  readonly url: string;
  /** Requests since the last call: method, path, and whether they had a credential. */
  takeRequests(): { readonly path: string; readonly hasCredential: boolean }[];
  /** From now on. */
  setIdentity(answer: 'honest' | IdentityFault | Partial<RegistryIdentity>): void;
  /** Nothing responds any more. */
  close(): void;
}

const opened: (() => void)[] = [];
afterAll(() => {
  for (const close of opened) close();
});

export async function startIdentityFront(serviceUrl: string): Promise<IdentityFront> {
  let answer: 'honest' | IdentityFault | Partial<RegistryIdentity> = 'honest';
  let requests: { path: string; hasCredential: boolean }[] = [];
  const server = createServer(async (request, response) => {
    const { url: path = '', method = 'GET', headers } = request;
    requests.push({ path, hasCredential: headers.authorization !== undefined });
    if (path === IDENTITY_PATH && typeof answer === 'string' && answer !== 'honest') {
      faults[answer](response);
      return;
    }
    const { host: _, connection: _connection, 'content-length': _length, ...sent } = headers;
    const body = method === 'GET' ? null : await buffer(request);
    // Header values of requests are single texts or lists of them; fetch takes the former.
    const forwarded = Object.entries(sent).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : [],
    );
    const honest = await fetch(serviceUrl + path, { method, headers: Object.fromEntries(forwarded), body });
    const bytes = Buffer.from(await honest.arrayBuffer());
    const type = honest.headers.get('content-type');
    response.writeHead(honest.status, type === null ? {} : { 'content-type': type });
    const isChanged = path === IDENTITY_PATH && typeof answer !== 'string';
    response.end(isChanged ? JSON.stringify({ ...JSON.parse(bytes.toString()), ...Object(answer) }) : bytes);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  opened.push(close);
  // An address, because it listens on a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    takeRequests() {
      const taken = requests;
      requests = [];
      return taken;
    },
    setIdentity(next) {
      answer = next;
    },
    close,
  };
}
