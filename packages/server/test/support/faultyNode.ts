// A JSON-RPC server in front of a chain that fails as it is told: before it has done what it was asked, after it, or by
// never answering. Counts what it is asked.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { errorCodes, JsonRpcError } from '@provenance-registry/chain-client';
import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';

/**
 * `refused`: an HTTP error, nothing done. `troubled`: a JSON-RPC error, nothing done. `answerLost`: done, and the
 * connection breaks. `hangs`: nothing done, no answer. `hangsAfter`: done, no answer.
 */
export type NodeFault = 'refused' | 'troubled' | 'answerLost' | 'hangs' | 'hangsAfter';

export const nodeFaults: readonly NodeFault[] = ['refused', 'troubled', 'answerLost', 'hangs', 'hangsAfter'];

export interface FaultyNode {
  readonly url: string;
  /** By method. */
  readonly calls: Map<string, number>;
  /** Asked before every call. Undefined: it works. */
  failing: (method: string) => NodeFault | undefined;
  /** Told before and after every call. */
  witness: (method: string, moment: 'before' | 'after') => void;
  close(): Promise<void>;
}

const Call = Type.Object({
  id: Type.Union([Type.String(), Type.Number()]),
  method: Type.String(),
  params: Type.Optional(Type.Array(Type.Unknown())),
});
const Body = Type.Union([Call, Type.Array(Call)]);

export async function serveFaulty(
  handle: (method: string, params: readonly unknown[]) => Promise<unknown>,
): Promise<FaultyNode> {
  const server = createServer((request, response) => {
    reply(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  const node: FaultyNode = {
    url: `http://127.0.0.1:${address.port}`,
    calls: new Map(),
    failing: () => undefined,
    witness: () => {},
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Value.Parse(Body, JSON.parse(await text(request)));
    const answers: object[] = [];
    for (const call of Array.isArray(body) ? body : [body]) {
      node.calls.set(call.method, (node.calls.get(call.method) ?? 0) + 1);
      const fault = node.failing(call.method);
      const answer = await answerWith(fault, call);
      if (!answer) return breakOff(response, fault);
      answers.push({ jsonrpc: '2.0', id: call.id, ...answer });
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(Array.isArray(body) ? answers : answers[0]));
  }

  function breakOff(response: ServerResponse, fault: NodeFault | undefined): void {
    if (fault === 'refused') response.writeHead(503).end('busy');
    else if (fault === 'answerLost') response.destroy();
  }

  /** Undefined when there is none to be sent. */
  async function answerWith(
    fault: NodeFault | undefined,
    { method, params = [] }: Static<typeof Call>,
  ): Promise<object | undefined> {
    if (fault === 'hangs' || fault === 'refused') return undefined;
    if (fault === 'troubled') return { error: { code: errorCodes.internal, message: 'internal error' } };
    node.witness(method, 'before');
    const answer = await outcome(method, params);
    node.witness(method, 'after');
    return fault === undefined ? answer : undefined;
  }

  async function outcome(method: string, params: readonly unknown[]): Promise<object> {
    try {
      return { result: (await handle(method, params)) ?? null };
    } catch (error) {
      if (!(error instanceof JsonRpcError)) throw error;
      return { error: { code: error.code, message: error.message, data: error.data } };
    }
  }

  return node;
}

/** The next so many calls of that method fail so; answers whether all of them have. */
export function failNext(node: FaultyNode, method: string, fault: NodeFault, times = 1): () => boolean {
  let left = times;
  node.failing = (called) => {
    if (called !== method || left === 0) return undefined;
    left -= 1;
    return fault;
  };
  return () => left === 0;
}

export function totalCalls(node: FaultyNode): number {
  return [...node.calls.values()].reduce((sum, count) => sum + count, 0);
}

/** Numbers from 0 to 1, the same ones for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
