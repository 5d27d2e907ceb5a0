// A proxy in front of an honest service that changes some of its responses.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Fingerprint } from '@provenance-registry/core';
import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';
import { afterAll } from 'vitest';
import { jsonResponse, kindOf, parseJson, readResponse, type ServiceResponse, SIDECAR } from './tamperingService.js';

const Facts = Type.Object({});
/** The fields that tests tamper with: an Artifact's Mark and metadata. */
const HonestBody = Type.Object({
  mark: Type.Optional(Facts),
  metadata: Type.Optional(Type.Object({ author: Type.Optional(Facts) })),
});

export type Tampering = (honest: Static<typeof HonestBody>) => unknown;

export interface Tamperings {
  /** Changes JSON responses, by path prefix; each element of a list is changed. */
  readonly json?: Readonly<Record<string, Tampering>>;
  /** Changes sidecar files. */
  readonly sidecar?: (honest: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>;
}

const opened: (() => void)[] = [];
afterAll(() => {
  for (const close of opened) close();
});

/** The start of the paths of lists of fingerprints by prefix. */
export const LISTS = '/api/v1/public/fingerprints/';

/** Such a list with this entry alone, or with none. */
export function listOnly(entry?: {
  readonly fingerprint: Fingerprint;
  readonly manifestId: string;
  readonly source?: string;
}) {
  return (honest: object) => ({ ...honest, entries: entry ? [entry] : [] });
}

/** Returns the URL of the proxy. */
export async function startTamperingProxy(serviceUrl: string, tamperings: Tamperings): Promise<string> {
  const server = createServer(async (request, response) => {
    const { url = '', method = 'GET', headers } = request;
    const { accept = '*/*', authorization } = headers;
    const sent = { method, headers: { accept, ...(authorization && { authorization }) } };
    const honest = await readResponse(await fetch(serviceUrl + url, sent));
    const { status, type, body } = tamperWithResponse(honest, kindOf(method, url, accept), url, tamperings);
    response.writeHead(status, { 'content-type': type, 'access-control-allow-origin': '*' }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function tamperWithResponse(
  honest: ServiceResponse,
  kind: string,
  path: string,
  { json = {}, sidecar }: Tamperings,
): ServiceResponse {
  const tampering = Object.entries(json).find(([prefix]) => path.startsWith(prefix))?.[1];
  if (tampering && honest.type === 'application/json') return jsonResponse(tamperWith(parseJson(honest), tampering));
  return kind === SIDECAR && sidecar ? { ...honest, body: sidecar(honest.body) } : honest;
}

function tamperWith(body: unknown, tampering: Tampering): unknown {
  return Array.isArray(body)
    ? body.map((item) => tamperWith(item, tampering))
    : tampering(Value.Parse(HonestBody, body));
}
