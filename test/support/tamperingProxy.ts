// A proxy in front of an honest service that changes some of its responses.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';
import { afterAll } from 'vitest';

const Facts = Type.Object({});
/** The fields that tests tamper with: an Artifact's Mark and metadata, or the matches of a lookup. */
const HonestBody = Type.Object({
  mark: Type.Optional(Facts),
  metadata: Type.Optional(Type.Object({ author: Type.Optional(Facts) })),
  matches: Type.Optional(Type.Array(Facts)),
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

/** Returns the URL of the proxy. */
export async function startTamperingProxy(serviceUrl: string, { json = {}, sidecar }: Tamperings): Promise<string> {
  const server = createServer(async (request, response) => {
    const { url = '', method = 'GET', headers } = request;
    const { accept = '*/*', authorization } = headers;
    const honest = await fetch(serviceUrl + url, {
      method,
      headers: { accept, ...(authorization && { authorization }) },
    });
    const bytes = new Uint8Array(await honest.arrayBuffer());
    const type = honest.headers.get('content-type') ?? '';
    const tampering = Object.entries(json).find(([path]) => url.startsWith(path))?.[1];
    const body =
      tampering && type.startsWith('application/json')
        ? Buffer.from(JSON.stringify(tamperWith(JSON.parse(Buffer.from(bytes).toString()), tampering)))
        : type === 'application/c2pa' && sidecar
          ? sidecar(bytes)
          : bytes;
    response
      .writeHead(tampering ? 200 : honest.status, { 'content-type': type, 'access-control-allow-origin': '*' })
      .end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function tamperWith(body: unknown, tampering: Tampering): unknown {
  return Array.isArray(body)
    ? body.map((item) => tamperWith(item, tampering))
    : tampering(Value.Parse(HonestBody, body));
}
