// An honest service and an honest node whose responses are recorded, so that thousands of lies about them can be told
// without the network: a `fetch` that answers from the recordings, with a lie.

import { AsyncLocalStorage } from 'node:async_hooks';
import { api } from '@provenance-registry/core';
import { isObject } from '../../../../test/support/tamperingJson.js';
import type { NodeLie, RpcCall, RpcExchange, RpcReply } from '../../../../test/support/tamperingNode.js';
import {
  jsonResponse,
  kindOf,
  parseJson,
  readResponse,
  type ServiceLie,
  type ServiceResponse,
  type ServiceResponses,
} from '../../../../test/support/tamperingService.js';

export interface Lies {
  readonly service?: ServiceLie;
  readonly node?: NodeLie;
}

export interface RecordedSources {
  /**
   * Runs the work with a `fetch` that answers from the recordings; what is missing there is read from the honest source.
   * The service, which may run in this process, keeps the honest `fetch`.
   */
  runWith<T>(lies: Lies, work: () => Promise<T>): Promise<T>;
  /** What was read since the last call, by kind. */
  takeResponses(): { readonly service: ServiceResponses; readonly node: readonly RpcExchange[] };
  /** Restores the honest `fetch` for everyone. */
  close(): void;
}

/** Any other host, such as one that a lie names. */
const ELSEWHERE: ServiceResponse = { status: 404, type: 'text/plain', body: new TextEncoder().encode('Not here.') };

/** The SDK has its own ABI; parsing this one took a quarter of the time of a verification. */
function withoutAbi(kind: string, response: ServiceResponse): ServiceResponse {
  return kind === api.getContract.id ? jsonResponse({ ...Object(parseJson(response)), abi: [] }) : response;
}

export function recordSources(serviceUrl: string, rpcUrl: string): RecordedSources {
  const honestFetch = globalThis.fetch;
  /** The lies of the work that is under way; the requests of others have none. */
  const told = new AsyncLocalStorage<Lies>();
  globalThis.fetch = (...request) => {
    const lies = told.getStore();
    return lies ? told.exit(() => fetchWith(lies, ...request)) : honestFetch(...request);
  };
  const recorded = new Map<string, Promise<ServiceResponse>>();
  const replies = new Map<string, Promise<RpcReply>>();
  const kinds = new Map<string, string>();
  let service = new Map<string, ServiceResponse>();
  let node = new Map<string, RpcExchange>();

  function readOnce<T>(cache: Map<string, Promise<T>>, key: string, read: () => Promise<T>): Promise<T> {
    const known = cache.get(key) ?? read();
    cache.set(key, known);
    // A source may be unavailable for a moment.
    known.catch(() => cache.delete(key));
    return known;
  }

  async function askNode(call: RpcCall): Promise<RpcReply> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: call.method, params: call.params });
    const response = await honestFetch(rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const { result, error } = JSON.parse(await response.text());
    return error ? { error } : { result };
  }

  async function replyTo(message: unknown, lie: NodeLie | undefined): Promise<unknown> {
    if (!isObject(message)) throw new Error('not a JSON-RPC call');
    const { id, method, params = [] } = message;
    const call = { method: String(method), params: Array.isArray(params) ? params : [] };
    const key = JSON.stringify(call);
    const reply = await readOnce(replies, key, () => askNode(call));
    if (!node.has(key)) node.set(key, { call, reply });
    return { jsonrpc: '2.0', id, ...(lie?.tamper(call, reply) ?? reply) };
  }

  async function askService(url: URL, init: RequestInit, lie: ServiceLie | undefined): Promise<ServiceResponse> {
    const headers = new Headers(init.headers);
    const { method = 'GET' } = init;
    const [path, accept] = [url.pathname + url.search, headers.get('accept') ?? '*/*'];
    const key = [method, path, accept, headers.get('authorization')].join(' ');
    const kind = kinds.get(key) ?? kindOf(method, path, accept);
    kinds.set(key, kind);
    const honest = await readOnce(recorded, key, async () =>
      withoutAbi(kind, await readResponse(await honestFetch(url, { method, headers }))),
    );
    // A busy service may be unavailable for a moment.
    if (honest.status >= 500) recorded.delete(key);
    if (honest.status === 200) service.set(kind, honest);
    return lie?.tamper(kind, honest) ?? honest;
  }

  async function fetchWith(lies: Lies, ...[input, init = {}]: Parameters<typeof fetch>): Promise<Response> {
    const url = new URL(String(input));
    if (url.href === new URL(rpcUrl).href) {
      const message: unknown = JSON.parse(String(init.body));
      const reply = Array.isArray(message)
        ? await Promise.all(message.map((one) => replyTo(one, lies.node)))
        : await replyTo(message, lies.node);
      return new Response(JSON.stringify(reply));
    }
    const response = url.origin === serviceUrl ? await askService(url, init, lies.service) : ELSEWHERE;
    return new Response(response.body, { status: response.status, headers: { 'content-type': response.type } });
  }

  return {
    runWith: (lies, work) => told.run(lies, work),
    takeResponses: () => {
      const taken = { service, node: [...node.values()] };
      [service, node] = [new Map(), new Map()];
      return taken;
    },
    close: () => {
      globalThis.fetch = honestFetch;
    },
  };
}
