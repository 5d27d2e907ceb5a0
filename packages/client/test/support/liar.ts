// A service that lies: a proxy in front of an honest one, which changes some of what it says.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';
import { afterAll } from 'vitest';

const Facts = Type.Object({});
/** What lies are about: an Artifact's Mark and metadata, or what a lookup has found. */
const Honest = Type.Object({
  mark: Type.Optional(Facts),
  metadata: Type.Optional(Type.Object({ author: Type.Optional(Facts) })),
  matches: Type.Optional(Type.Array(Facts)),
});

export type Lie = (honest: Static<typeof Honest>) => unknown;

export interface Lies {
  /** By the beginning of a path, what becomes of the JSON that is answered there; of a list, of each of its members. */
  readonly json?: Readonly<Record<string, Lie>>;
  /** What becomes of sidecars. */
  readonly sidecar?: (honest: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>;
}

const opened: (() => void)[] = [];
afterAll(() => {
  for (const close of opened) close();
});

/** Answers with its address. */
export async function startLiar(serviceUrl: string, { json = {}, sidecar }: Lies): Promise<string> {
  const server = createServer(async (request, response) => {
    const { url = '', method = 'GET', headers } = request;
    const { accept = '*/*', authorization } = headers;
    const honest = await fetch(serviceUrl + url, {
      method,
      headers: { accept, ...(authorization && { authorization }) },
    });
    const bytes = new Uint8Array(await honest.arrayBuffer());
    const type = honest.headers.get('content-type') ?? '';
    const lie = Object.entries(json).find(([path]) => url.startsWith(path))?.[1];
    const said =
      lie && type.startsWith('application/json')
        ? Buffer.from(JSON.stringify(changed(JSON.parse(Buffer.from(bytes).toString()), lie)))
        : type === 'application/c2pa' && sidecar
          ? sidecar(bytes)
          : bytes;
    response
      .writeHead(lie ? 200 : honest.status, { 'content-type': type, 'access-control-allow-origin': '*' })
      .end(said);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function changed(answer: unknown, lie: Lie): unknown {
  return Array.isArray(answer) ? answer.map((one) => changed(one, lie)) : lie(Value.Parse(Honest, answer));
}
