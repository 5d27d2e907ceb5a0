// A JSON-RPC server in front of a chain that counts calls and injects faults: before a call runs, after it, or by never
// responding.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { errorCodes, JsonRpcError } from '@provenance-registry/chain-client';
import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';

/**
 * `httpError` and `rpcError`: an error, the call does not run. `responseLost`: the call runs, and the connection breaks.
 * `hangs`: the call does not run, no response. `hangsAfter`: the call runs, no response.
 */
export type NodeFault = 'httpError' | 'rpcError' | 'responseLost' | 'hangs' | 'hangsAfter';

export const nodeFaults: readonly NodeFault[] = ['httpError', 'rpcError', 'responseLost', 'hangs', 'hangsAfter'];

export interface FaultyNode {
  readonly url: string;
  /** By method. */
  readonly calls: Map<string, number>;
  /** Chooses the fault of each call, if any. */
  faultFor: (method: string) => NodeFault | undefined;
  /** Changes the result of a call. */
  tamper: (method: string, result: unknown, params: readonly unknown[]) => unknown;
  /** Called before and after each call runs. */
  onCall: (method: string, moment: 'before' | 'after') => void;
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
    faultFor: () => undefined,
    tamper: (_method, result) => result,
    onCall: () => {},
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Value.Parse(Body, JSON.parse(await text(request)));
    const results: object[] = [];
    for (const call of Array.isArray(body) ? body : [body]) {
      node.calls.set(call.method, (node.calls.get(call.method) ?? 0) + 1);
      const fault = node.faultFor(call.method);
      const result = await runWithFault(fault, call);
      if (!result) return interrupt(response, fault);
      results.push({ jsonrpc: '2.0', id: call.id, ...result });
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(Array.isArray(body) ? results : results[0]));
  }

  function interrupt(response: ServerResponse, fault: NodeFault | undefined): void {
    if (fault === 'httpError') response.writeHead(503).end('busy');
    else if (fault === 'responseLost') response.destroy();
  }

  /** Undefined if no response is to be sent. */
  async function runWithFault(
    fault: NodeFault | undefined,
    { method, params = [] }: Static<typeof Call>,
  ): Promise<object | undefined> {
    if (fault === 'hangs' || fault === 'httpError') return undefined;
    if (fault === 'rpcError') return { error: { code: errorCodes.internal, message: 'internal error' } };
    node.onCall(method, 'before');
    const result = await run(method, params);
    node.onCall(method, 'after');
    return fault === undefined ? result : undefined;
  }

  async function run(method: string, params: readonly unknown[]): Promise<object> {
    try {
      return { result: node.tamper(method, (await handle(method, params)) ?? null, params) };
    } catch (error) {
      if (!(error instanceof JsonRpcError)) throw error;
      return { error: { code: error.code, message: error.message, data: error.data } };
    }
  }

  return node;
}

/** Makes the next calls of that method fail; the returned function says whether all of them have. */
export function failNext(node: FaultyNode, method: string, fault: NodeFault, times = 1): () => boolean {
  let left = times;
  node.faultFor = (called) => {
    if (called !== method || left === 0) return undefined;
    left -= 1;
    return fault;
  };
  return () => left === 0;
}

export function totalCalls(node: FaultyNode): number {
  return [...node.calls.values()].reduce((sum, count) => sum + count, 0);
}

/** Pseudo-random numbers from 0 to 1 (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
