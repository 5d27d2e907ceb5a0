// JSON-RPC 2.0 over HTTP, for programs on this machine and for the pages of one origin.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { errorCodes, type JsonRpcCall, JsonRpcError } from '@provenance-registry/chain-client';
import Type from 'typebox';
import { Value } from 'typebox/value';
import { type AccessOptions, checkAccess } from './access.js';

export interface JsonRpcServer {
  readonly url: string;
  /** Waits for pending requests. */
  close(): Promise<void>;
}

export interface Caller {
  /** The service itself. */
  readonly isOwn: boolean;
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
}

export interface JsonRpcServerOptions extends AccessOptions {
  /** Returns the result of a call, or throws a JsonRpcError or the reason of the caller's signal. */
  readonly handle: (call: JsonRpcCall, caller: Caller) => Promise<unknown>;
  /** 0: any free port. */
  readonly port: number;
  readonly host?: string;
  /** Called for internal errors; clients get no details. */
  readonly onFault: (error: unknown) => void;
}

/** geth's limit: the largest transactions have a few hundred kilobytes, and batches hold many. */
const MAX_BODY_BYTES = 5 * 2 ** 20;
/** geth's limit. */
const MAX_BATCH_SIZE = 1_000;
/** Ample: on one machine a request of any allowed size arrives within a second. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Clients that poll every few seconds reuse their connection. */
const KEEP_ALIVE_MS = 60_000;
/** Calls take milliseconds: a client without its response by then has stopped reading. */
const CLOSE_TIMEOUT_MS = 5_000;

const plainText = { 'content-type': 'text/plain; charset=utf-8' };

const Id = Type.Union([Type.String(), Type.Number(), Type.Null()]);
const Request = Type.Object({
  jsonrpc: Type.Literal('2.0'),
  method: Type.String(),
  params: Type.Optional(Type.Unknown()),
  id: Type.Optional(Id),
});
const Params = Type.Array(Type.Unknown());

type JsonRpcResponse = { readonly jsonrpc: '2.0'; readonly id: string | number | null } & (
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: string } }
);

export async function serveJsonRpc(options: JsonRpcServerOptions): Promise<JsonRpcServer> {
  const { port, host = '127.0.0.1', onFault } = options;
  let isClosing = false;
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS, keepAliveTimeout: KEEP_ALIVE_MS });
  server.on('request', (request, response) => {
    response.on('error', () => {});
    handleRequest(request, response, options, () => isClosing).catch((error) => {
      // A client that disconnects during its request is no error of the server.
      if (!request.destroyed || request.complete) onFault(error);
      response.destroy();
    });
  });
  const listening = once(server, 'listening');
  server.listen(port, host);
  await listening.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw Object.assign(new Error(`Port ${port} of ${host} is in use by another program.`, { cause: error }), {
      code: error.code,
    });
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The JSON-RPC server has no port.');
  return {
    url: `http://${host}:${address.port}`,
    async close() {
      isClosing = true;
      const closed = once(server, 'close');
      server.close();
      const cutOff = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS);
      await closed;
      clearTimeout(cutOff);
    },
  };
}

async function handleRequest(
  request: IncomingMessage,
  response: ServerResponse,
  options: JsonRpcServerOptions,
  isClosing: () => boolean,
): Promise<void> {
  const access = checkAccess(request, options);
  if (!access.isAllowed) {
    // The rest of the request is not read.
    response.writeHead(access.status, { ...plainText, connection: 'close' }).end(`${access.reason}\n`);
    return;
  }
  if (request.method === 'OPTIONS') {
    response.writeHead(204, {
      ...access.headers,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'content-type',
      'access-control-max-age': '86400',
    });
    response.end();
    return;
  }
  if (request.method !== 'POST') {
    response.writeHead(405, { ...access.headers, ...plainText, allow: 'POST, OPTIONS' });
    response.end(
      'This is the JSON-RPC endpoint of an Ethereum development chain. Send JSON-RPC 2.0 requests by POST.\n',
    );
    return;
  }
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const body = await readBody(request);
  const caller = { isOwn: access.isOwn, signal: gone.signal };
  const result = body === undefined ? bodyTooLarge() : await handleBody(body, options, caller);
  const headers = { ...access.headers, ...(isClosing() ? { connection: 'close' } : {}) };
  if (result === undefined) {
    response.writeHead(204, headers).end();
    return;
  }
  const text = Buffer.from(JSON.stringify(result));
  response.writeHead(body === undefined ? 413 : 200, {
    ...headers,
    'content-type': 'application/json',
    'content-length': text.length,
  });
  response.end(text);
}

/** Undefined when it is too large. It is read to its end all the same: otherwise the client would get no response. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length <= MAX_BODY_BYTES) chunks.push(chunk);
    else chunks.length = 0;
  });
  await once(request, 'end');
  return length > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks).toString('utf8');
}

/** Undefined when there are only notifications, which get no response. */
async function handleBody(
  body: string,
  options: JsonRpcServerOptions,
  caller: Caller,
): Promise<JsonRpcResponse | JsonRpcResponse[] | undefined> {
  let request: unknown;
  try {
    request = JSON.parse(body);
  } catch {
    return errorResponse(null, new JsonRpcError(errorCodes.parse, 'The body is not JSON.'));
  }
  if (!Array.isArray(request)) return handleCall(request, options, caller);
  if (request.length === 0) return invalidRequest(null, 'A batch must not be empty.');
  if (request.length > MAX_BATCH_SIZE) return invalidRequest(null, `A batch may hold ${MAX_BATCH_SIZE} requests.`);
  const responses: JsonRpcResponse[] = [];
  // In order: a later call may depend on an earlier one.
  for (const one of request) {
    if (caller.signal.aborted) return undefined;
    const response = await handleCall(one, options, caller);
    if (response) responses.push(response);
  }
  return responses.length > 0 ? responses : undefined;
}

async function handleCall(
  request: unknown,
  { handle, onFault }: JsonRpcServerOptions,
  caller: Caller,
): Promise<JsonRpcResponse | undefined> {
  if (!Value.Check(Request, request)) return invalidRequest(idOf(request), 'This is not a JSON-RPC 2.0 request.');
  const { id, method, params = [] } = request;
  let response: JsonRpcResponse;
  try {
    if (!Value.Check(Params, params)) {
      throw new JsonRpcError(errorCodes.invalidParams, 'The parameters must be an array.');
    }
    response = { jsonrpc: '2.0', id: id ?? null, result: (await handle({ method, params }, caller)) ?? null };
  } catch (error) {
    if (caller.signal.aborted) return undefined;
    if (!(error instanceof JsonRpcError)) onFault(error);
    response = errorResponse(
      id ?? null,
      error instanceof JsonRpcError ? error : new JsonRpcError(errorCodes.internal, 'Internal error.'),
    );
  }
  return id === undefined ? undefined : response;
}

function errorResponse(id: string | number | null, { code, message, data }: JsonRpcError): JsonRpcResponse {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } };
}

function invalidRequest(id: string | number | null, message: string): JsonRpcResponse {
  return errorResponse(id, new JsonRpcError(errorCodes.invalidRequest, message));
}

function bodyTooLarge(): JsonRpcResponse {
  return invalidRequest(null, `A request may have ${MAX_BODY_BYTES} bytes.`);
}

function idOf(request: unknown): string | number | null {
  const identified = Type.Object({ id: Id });
  return Value.Check(identified, request) ? request.id : null;
}
