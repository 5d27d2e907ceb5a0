// JSON-RPC over HTTP to a node, under viem: calls made at the same moment travel together and have one deadline, an
// answer has a size and is matched to its call by its id, and the node's address, which may hold an API key, appears in
// no error. viem's own HTTP transport shares its batches between all clients of an address, deadlines included, hands
// out answers by their place in the batch, and puts the address into its errors.

import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';
import { BaseError, type CustomTransport, custom, RpcRequestError } from 'viem';

/** As many as public nodes take. */
const MAX_CALLS_TOGETHER = 100;
/** What a node says is for the log: a line, not a page. */
const MAX_COMPLAINT_LENGTH = 500;
/** Shorter parts of an address, such as `v2` and `rpc`, are words. */
const SHORTEST_SECRET = 6;
/** In errors, where viem wants an address. */
const UNNAMED_NODE = 'the node';

export interface TransportOptions {
  readonly url: string;
  readonly callMs: number;
  /** Of all that travels together. */
  readonly maxAnswerBytes: number;
  /** Of one result, when that is a text, as what a contract returns is. */
  readonly maxResultLength?: number;
}

/** The node could not be reached, came too late, or said nothing that makes sense. */
export class NodeUnavailableError extends BaseError {
  constructor(reason: string) {
    super(reason, { name: 'NodeUnavailableError', details: reason });
  }
}

/** The answer was longer than anybody here wants to hear. */
export class ResponseTooLargeError extends NodeUnavailableError {
  constructor() {
    super('the node answered too much');
  }
}

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

const Failure = Type.Object({ code: Type.Integer(), message: Type.String(), data: Type.Optional(Type.Unknown()) });
const Failed = Type.Object({ id: Type.Integer(), error: Failure });
const Done = Type.Object({ id: Type.Integer(), result: Type.Unknown() });
/** Of everything at once: a node that takes no batches, or not now. */
const Refusal = Type.Object({ error: Failure });

type Answer = { readonly error: Static<typeof Failure> } | { readonly result: unknown };

export function nodeTransport(options: TransportOptions): CustomTransport {
  const { address, headers, secrets } = understand(options.url);
  let gathered: Call[] = [];
  let lastId = 0;

  function request({ method, params }: { method: string; params?: unknown }): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (gathered.length === 0) setImmediate(send);
      lastId += 1;
      gathered.push({ id: lastId, method, params, resolve, reject });
    });
  }

  function send(): void {
    const calls = gathered;
    gathered = [];
    for (let next = 0; next < calls.length; next += MAX_CALLS_TOGETHER) {
      void exchange(calls.slice(next, next + MAX_CALLS_TOGETHER));
    }
  }

  async function exchange(calls: readonly Call[]): Promise<void> {
    try {
      const messages = calls.map(({ id, method, params }) => ({ jsonrpc: '2.0', id, method, params }));
      const text = await post(JSON.stringify(messages.length === 1 ? messages[0] : messages));
      hand(text, calls);
    } catch (error) {
      for (const { reject } of calls) reject(error);
    }
  }

  async function post(body: string): Promise<{ ok: boolean; status: number; text: string }> {
    const late = new AbortController();
    const deadline = setTimeout(() => late.abort(), options.callMs);
    try {
      const response = await fetch(address, { method: 'POST', headers, body, signal: late.signal });
      const chunks: Uint8Array[] = [];
      let length = 0;
      for await (const chunk of response.body ?? []) {
        length += chunk.length;
        if (length > options.maxAnswerBytes) throw new ResponseTooLargeError();
        chunks.push(chunk);
      }
      return { ok: response.ok, status: response.status, text: Buffer.concat(chunks).toString('utf8') };
    } catch (error) {
      if (error instanceof NodeUnavailableError) throw error;
      if (late.signal.aborted) throw new NodeUnavailableError('the node did not answer in time');
      throw new NodeUnavailableError(`the node cannot be reached (${codeOf(error)})`);
    } finally {
      clearTimeout(deadline);
    }
  }

  function hand({ ok, status, text }: { ok: boolean; status: number; text: string }, calls: readonly Call[]): void {
    const message = parsed(text);
    const answers = answersIn(message);
    const refusal = Value.Check(Refusal, message) ? message : undefined;
    const nonsense = ok
      ? 'the node answered something that is not JSON-RPC'
      : `the node answered with status ${status}`;
    for (const call of calls) settle(call, answers.get(call.id) ?? refusal, nonsense);
  }

  function settle(call: Call, answer: Answer | undefined, nonsense: string): void {
    if (!answer) call.reject(new NodeUnavailableError(nonsense));
    else if ('error' in answer) call.reject(complaint(call.method, answer.error));
    else if (isTooLong(answer.result)) call.reject(new ResponseTooLargeError());
    else call.resolve(answer.result);
  }

  function isTooLong(result: unknown): boolean {
    return typeof result === 'string' && result.length > (options.maxResultLength ?? Number.POSITIVE_INFINITY);
  }

  function complaint(method: string, { code, message, data }: Static<typeof Failure>): RpcRequestError {
    // Nodes tell people which key they do not know.
    const shown = secrets.reduce((text, secret) => text.replaceAll(secret, '…'), message);
    const error = { code, data, message: shown.slice(0, MAX_COMPLAINT_LENGTH) };
    return new RpcRequestError({ body: { method }, error, url: UNNAMED_NODE });
  }

  return custom({ request }, { key: 'node', name: 'node', retryCount: 0 });
}

/** Node's fetch takes no address with a name and password: they are sent the way browsers send them. */
function understand(url: string) {
  const address = new URL(url);
  const { username, password, pathname, searchParams } = address;
  const [name, word] = [decodeURIComponent(username), decodeURIComponent(password)];
  address.username = '';
  address.password = '';
  const authorization = `Basic ${Buffer.from(`${name}:${word}`).toString('base64')}`;
  const secrets = [url, name, word, password, ...pathname.split('/'), ...searchParams.values()];
  return {
    address,
    headers: { 'content-type': 'application/json', ...(username || password ? { authorization } : {}) },
    secrets: secrets.filter((text) => text.length >= SHORTEST_SECRET),
  };
}

/** Some nodes put both into an answer, one of them null. */
function answersIn(message: unknown): Map<number, Answer> {
  const answers = new Map<number, Answer>();
  for (const answer of Array.isArray(message) ? message : [message]) {
    if (Value.Check(Failed, answer)) answers.set(answer.id, { error: answer.error });
    else if (Value.Check(Done, answer)) answers.set(answer.id, { result: answer.result });
  }
  return answers;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The code alone: messages about connections name the host. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'the connection broke';
}
