// JSON-RPC 2.0 over HTTP, for clients on this machine and for pages in its browsers.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { errorCodes, type JsonRpcCall, JsonRpcError } from '@provenance-registry/chain-client';
import Type from 'typebox';
import { Value } from 'typebox/value';

export interface JsonRpcServer {
  readonly url: string;
  /** Lets requests under way finish. */
  close(): Promise<void>;
}

export interface JsonRpcServerOptions {
  /** Answers a call, or throws a JsonRpcError. */
  readonly handle: (call: JsonRpcCall) => Promise<unknown>;
  /** 0: any that is free. */
  readonly port: number;
  readonly host?: string;
  /** Told of what went wrong inside; the client learns only that something did. */
  readonly onFault: (error: unknown) => void;
}

/** geth's limit: the largest transactions take a few hundred kilobytes, and batches hold many. */
const MAX_BODY_BYTES = 5 * 2 ** 20;
/** geth's limit, too. */
const MAX_BATCH = 1_000;
/** On one machine a request of any allowed size arrives within a second. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Clients that poll every few seconds keep their connection. */
const KEEP_ALIVE_MS = 60_000;
/** Calls take milliseconds; whoever has not got an answer by then has stopped reading. */
const CLOSE_MS = 5_000;

const anybody = { 'access-control-allow-origin': '*' };

const Id = Type.Union([Type.String(), Type.Number(), Type.Null()]);
const Request = Type.Object({
  jsonrpc: Type.Literal('2.0'),
  method: Type.String(),
  params: Type.Optional(Type.Unknown()),
  id: Type.Optional(Id),
});
const Params = Type.Array(Type.Unknown());

type Answer = { readonly jsonrpc: '2.0'; readonly id: string | number | null } & (
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: string } }
);

export async function serveJsonRpc(options: JsonRpcServerOptions): Promise<JsonRpcServer> {
  const { port, host = '127.0.0.1', onFault } = options;
  let closing = false;
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS, keepAliveTimeout: KEEP_ALIVE_MS });
  server.on('request', (request, response) => {
    response.on('error', () => {});
    reply(request, response, options, () => closing).catch((error) => {
      // A client that went away in the middle of its request is no fault.
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
      closing = true;
      const closed = once(server, 'close');
      server.close();
      const cutOff = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
      await closed;
      clearTimeout(cutOff);
    },
  };
}

async function reply(
  request: IncomingMessage,
  response: ServerResponse,
  options: JsonRpcServerOptions,
  isClosing: () => boolean,
): Promise<void> {
  if (request.method === 'OPTIONS') {
    response.writeHead(204, {
      ...anybody,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': '*',
      'access-control-max-age': '86400',
    });
    response.end();
    return;
  }
  if (request.method !== 'POST') {
    response.writeHead(405, { ...anybody, allow: 'POST, OPTIONS', 'content-type': 'text/plain; charset=utf-8' });
    response.end(
      'This is the JSON-RPC address of an Ethereum development chain. Send JSON-RPC 2.0 requests by POST.\n',
    );
    return;
  }
  const body = await readBody(request);
  const answer = body === undefined ? tooLarge() : await answerBody(body, options);
  const headers = { ...anybody, ...(isClosing() ? { connection: 'close' } : {}) };
  if (answer === undefined) {
    response.writeHead(204, headers).end();
    return;
  }
  const text = Buffer.from(JSON.stringify(answer));
  response.writeHead(body === undefined ? 413 : 200, {
    ...headers,
    'content-type': 'application/json',
    'content-length': text.length,
  });
  response.end(text);
}

/** Undefined: too large. The rest is read all the same, because a client that is cut off sees no answer. */
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

/** Undefined: nothing is answered, because nothing was asked that wants an answer. */
async function answerBody(body: string, options: JsonRpcServerOptions): Promise<Answer | Answer[] | undefined> {
  let request: unknown;
  try {
    request = JSON.parse(body);
  } catch {
    return failure(null, new JsonRpcError(errorCodes.parse, 'The body is not JSON.'));
  }
  if (!Array.isArray(request)) return answerOne(request, options);
  if (request.length === 0) return invalid(null, 'A batch must not be empty.');
  if (request.length > MAX_BATCH) return invalid(null, `A batch may hold ${MAX_BATCH} requests.`);
  const answers: Answer[] = [];
  // One after the other: a later one may ask for what an earlier one has done.
  for (const one of request) {
    const answer = await answerOne(one, options);
    if (answer) answers.push(answer);
  }
  return answers.length > 0 ? answers : undefined;
}

async function answerOne(request: unknown, { handle, onFault }: JsonRpcServerOptions): Promise<Answer | undefined> {
  if (!Value.Check(Request, request)) return invalid(idOf(request), 'This is not a JSON-RPC 2.0 request.');
  const { id, method, params = [] } = request;
  let answer: Answer;
  try {
    if (!Value.Check(Params, params)) {
      throw new JsonRpcError(errorCodes.invalidParams, 'Parameters are given as a list.');
    }
    answer = { jsonrpc: '2.0', id: id ?? null, result: (await handle({ method, params })) ?? null };
  } catch (error) {
    if (!(error instanceof JsonRpcError)) onFault(error);
    answer = failure(
      id ?? null,
      error instanceof JsonRpcError ? error : new JsonRpcError(errorCodes.internal, 'Something went wrong inside.'),
    );
  }
  return id === undefined ? undefined : answer;
}

function failure(id: string | number | null, { code, message, data }: JsonRpcError): Answer {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } };
}

function invalid(id: string | number | null, message: string): Answer {
  return failure(id, new JsonRpcError(errorCodes.invalidRequest, message));
}

function tooLarge(): Answer {
  return invalid(null, `A request may have ${MAX_BODY_BYTES} bytes.`);
}

function idOf(request: unknown): string | number | null {
  const identified = Type.Object({ id: Id });
  return Value.Check(identified, request) ? request.id : null;
}
