import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { InvalidResultError, NodeUnavailableError, ResponseTooLargeError } from './errors.js';
import { type JsonRpcCall, JsonRpcError } from './jsonRpc.js';
import { createJsonRpcClient } from './jsonRpcClient.js';

interface Message extends JsonRpcCall {
  readonly id: number;
}

const server = createServer(async (request, response) => {
  const body = JSON.parse(await text(request));
  requests.push({ messages: [body].flat(), request });
  respond(response, [body].flat());
});
let requests: { messages: Message[]; request: IncomingMessage }[] = [];
let respond: (response: ServerResponse, messages: readonly Message[]) => void;
let url: string;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  requests = [];
  respond = respondWithMethod;
});

/** The address of a server that is gone. */
async function closedAddress(): Promise<string> {
  const gone = createServer().listen(0, '127.0.0.1');
  await once(gone, 'listening');
  const address = gone.address();
  gone.close();
  await once(gone, 'close');
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

/** The result of each call is its method, in reverse order. */
function respondWithMethod(response: ServerResponse, messages: readonly Message[]): void {
  const results = messages.map(({ id, method }) => ({ jsonrpc: '2.0', id, result: method })).reverse();
  response.end(JSON.stringify(results.length === 1 ? results[0] : results));
}

describe('calls of the same tick', () => {
  it('share one request, and get their results by id', async () => {
    const node = createJsonRpcClient({ url });
    const calls = ['one', 'two', 'three'].map((method) => node.request({ method }));
    expect(await Promise.all(calls)).toEqual(['one', 'two', 'three']);
    expect(requests.map(({ messages }) => messages.map(({ method }) => method))).toEqual([['one', 'two', 'three']]);
  });

  it('take several requests when they are more than a hundred', async () => {
    const node = createJsonRpcClient({ url });
    await Promise.all(Array.from({ length: 201 }, () => node.request({ method: 'many' })));
    expect(requests.map(({ messages }) => messages.length).toSorted((a, b) => a - b)).toEqual([1, 100, 100]);
  });

  it('all fail when the node refuses the request as a whole', async () => {
    respond = (response) => response.end('{"error":{"code":-32005,"message":"no batches"}}');
    const node = createJsonRpcClient({ url });
    const results = await Promise.allSettled([node.request({ method: 'one' }), node.request({ method: 'two' })]);
    const error = new JsonRpcError(-32_005, 'no batches');
    expect(results).toEqual([
      { status: 'rejected', reason: error },
      { status: 'rejected', reason: error },
    ]);
  });
});

describe('a call with a signal', () => {
  it('has a request of its own', async () => {
    const node = createJsonRpcClient({ url });
    const { signal } = new AbortController();
    await Promise.all([node.request({ method: 'one' }, { signal }), node.request({ method: 'two' })]);
    expect(requests.map(({ messages }) => messages.length)).toEqual([1, 1]);
  });

  it('ends with the reason of the signal, and its request is canceled', async () => {
    const stop = new AbortController();
    const canceled = new Promise((resolve) => {
      respond = (response) => {
        response.on('close', resolve);
        stop.abort(new Error('enough'));
      };
    });
    const call = createJsonRpcClient({ url }).request({ method: 'slow' }, { signal: stop.signal });
    await expect(call).rejects.toThrow('enough');
    await canceled;
    await expect(createJsonRpcClient({ url }).request({ method: 'late' }, { signal: stop.signal })).rejects.toThrow(
      'enough',
    );
    expect(requests).toHaveLength(1);
  });
});

describe('an unusable response', () => {
  it.each<[string, (response: ServerResponse) => void]>([
    ['that does not come', () => {}],
    ['that stops in the middle', (response) => response.write('{')],
  ])('%s is a NodeUnavailableError', async (_, misbehave) => {
    respond = misbehave;
    const { message, isPermanent } = await failWith(NodeUnavailableError, { timeoutMs: 100 });
    expect([message, isPermanent]).toEqual(['no response from the node within 0.1 s', false]);
  });

  it.each<[string, (response: ServerResponse) => void, string, { isPermanent: boolean }]>([
    ['that breaks off', (response) => response.destroy(), 'the node cannot be reached', { isPermanent: false }],
    ['with status 502', (response) => response.writeHead(502).end('bad'), 'status 502', { isPermanent: false }],
    ['with status 429', (response) => response.writeHead(429).end('slow'), 'status 429', { isPermanent: false }],
    ['with status 401', (response) => response.writeHead(401).end('key?'), 'status 401', { isPermanent: true }],
    [
      'that redirects',
      (response) => response.writeHead(308, { location: 'https://user:pw@other.example/secret' }).end(),
      'the node redirects to https://other.example',
      { isPermanent: true },
    ],
  ])('%s is a NodeUnavailableError', async (_, misbehave, message, properties) => {
    respond = misbehave;
    const error = await failWith(NodeUnavailableError);
    expect(error).toMatchObject(properties);
    expect(error.message).toContain(message);
    expect(error.message).not.toContain('secret');
  });

  it.each([
    ['a page, as a captive portal sends it', '<!doctype html><title>Log in</title>'],
    ['nothing', ''],
    ['a result for another call', '{"id":99,"result":"0x"}'],
    ['neither result nor error', '{"jsonrpc":"2.0","id":1}'],
    ['a list of other things', '[1,"x",null]'],
  ])('with status 200 and %s is an InvalidResultError', async (_, body) => {
    respond = (response) => response.end(body);
    expect((await failWith(InvalidResultError)).message).toBe('the response of the node is not JSON-RPC');
  });

  async function failWith<T extends Error>(type: new (...parts: never[]) => T, options = {}): Promise<T> {
    const call = createJsonRpcClient({ url, ...options }).request({ method: 'one' });
    const error = await call.catch((reason: unknown) => reason);
    if (!(error instanceof type)) throw new Error(`expected ${type.name}, got ${error}`);
    return error;
  }

  it('that is too large is an error, as a whole or in one of its results', async () => {
    respond = (response, [call]) => response.end(JSON.stringify({ id: call?.id, result: 'x'.repeat(2_000) }));
    const limits = [{ maxResponseBytes: 1_000 }, { maxResultLength: 1_000 }];
    for (const limit of limits) {
      const call = createJsonRpcClient({ url, ...limit }).request({ method: 'one' });
      await expect(call).rejects.toThrow(ResponseTooLargeError);
    }
    expect(await createJsonRpcClient({ url }).request({ method: 'one' })).toHaveLength(2_000);
  });
});

describe('the URL of a node, which may hold an API key', () => {
  const key = 'abcdef0123456789';

  it.each([
    ['in its path', (base: string) => `${base}/v2/${key}`],
    ['in its query', (base: string) => `${base}/?apikey=${key}`],
    ['as its password', (base: string) => base.replace('://', `://user:${key}@`)],
  ])('with the key %s, is used and appears in no error', async (_, withKey) => {
    const node = createJsonRpcClient({ url: withKey(url) });
    expect(await node.request({ method: 'one' })).toBe('one');
    const { url: path, headers } = requests[0]?.request ?? {};
    const credentials = Buffer.from(headers?.authorization?.replace('Basic ', '') ?? '', 'base64');
    expect(`${path} ${credentials}`).toContain(key);

    const failures: (typeof respond)[] = [
      (response) => response.writeHead(401).end(`unknown key ${key}`),
      (response) =>
        response.writeHead(401).end(`{"error":{"code":-32000,"message":"unknown key ${key} at ${url}/v2/${key}"}}`),
      (response) => response.end(`unknown key ${key}`),
      (response) => response.destroy(),
    ];
    for (const failure of failures) {
      respond = failure;
      expect(describeError(await node.request({ method: 'one' }).catch((reason: unknown) => reason))).not.toContain(
        key,
      );
    }
    const unreachable = [
      // A label of more than 63 characters does not exist, without asking a name server.
      [`http://${'x'.repeat(64)}.invalid`, 'the host of the node does not exist'],
      ['http://127.0.0.1:1', 'the host of the node has a port that no web service may use'],
      [await closedAddress(), 'the node cannot be reached'],
    ] as const;
    for (const [base, message] of unreachable) {
      const elsewhere = createJsonRpcClient({ url: withKey(base) });
      const error = await elsewhere.request({ method: 'one' }).catch((reason: unknown) => reason);
      expect(describeError(error)).toContain(message);
      expect(describeError(error)).not.toContain(key);
    }
  });

  it('is redacted from messages of the node', async () => {
    respond = (response, [call]) =>
      response.end(JSON.stringify({ id: call?.id, error: { code: -32_000, message: `no such project ${key}` } }));
    const call = createJsonRpcClient({ url: `${url}/v2/${key}` }).request({ method: 'one' });
    await expect(call).rejects.toThrow('no such project …');
  });

  it('is in no error either when it is not a URL', () => {
    expect(() => createJsonRpcClient({ url: `not a url ${key}` })).toThrow(
      new TypeError('The URL of the node is not a valid URL.'),
    );
  });

  function describeError(error: unknown): string {
    expect(error).toBeInstanceOf(Error);
    return `${error} ${error instanceof Error && error.stack} ${JSON.stringify(error)}`;
  }
});
