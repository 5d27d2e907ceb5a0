// A JSON-RPC node of the chain: one question at a time, within a time and a size. Its address, which may hold a key,
// appears in no error.

import Type from 'typebox';
import { Check } from 'typebox/schema';
import { type Surroundings, world } from '../environment.js';
import { exchange, Fault } from '../exchange.js';
import { persist } from '../retries.js';
import { follow } from '../signals.js';

const CALL_MS = 10_000;
/** Somebody waits for a verdict, and one without the chain is one as well. */
const ATTEMPTS = 2;
/** The receipt of a full batch has half a megabyte. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
/** What a node says is shown to people: a line, not a page. */
const MAX_COMPLAINT_LENGTH = 300;

const Failure = Type.Object({ code: Type.Integer(), message: Type.String(), data: Type.Optional(Type.Unknown()) });
const Failed = Type.Object({ error: Failure });
const Done = Type.Object({ result: Type.Unknown() });

export interface Node {
  /** Throws what the node says against it as Refused, and whatever else is in the way as ServiceUnreachableError. */
  request(method: string, ...params: readonly unknown[]): Promise<unknown>;
}

/** The node has answered, and the answer is no. */
export class Refused extends Error {
  constructor(
    message: string,
    readonly data: unknown,
  ) {
    super(message);
  }
}

export function connectTo(rpcUrl: string, caller?: AbortSignal, surroundings: Surroundings = world): Node {
  const { url, headers } = understand(rpcUrl);

  async function ask(method: string, params: readonly unknown[], signal: AbortSignal): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const sent = { url, init: { method: 'POST', headers, body }, timeMs: CALL_MS, maxBytes: MAX_ANSWER_BYTES };
    const answer = await exchange(surroundings, sent, signal);
    const message = parsed(new TextDecoder().decode(answer.body));
    if (Check(Failed, message)) {
      throw new Refused(message.error.message.slice(0, MAX_COMPLAINT_LENGTH), message.error.data);
    }
    if (Check(Done, message)) return message.result;
    throw new Fault(`the node answered something else than JSON-RPC (status ${answer.status})`);
  }

  return {
    async request(method, ...params) {
      const { signal, release } = follow(caller);
      try {
        return await persist(
          () => ask(method, params, signal),
          { operation: `${method} at the node`, attempts: ATTEMPTS, signal, onRetry: undefined },
          surroundings,
        );
      } finally {
        release();
      }
    },
  };
}

/** fetch takes no address with a name and password: they are sent the way browsers send them. */
function understand(rpcUrl: string) {
  const url = new URL(rpcUrl);
  const { username, password } = url;
  url.username = '';
  url.password = '';
  const authorization = `Basic ${btoa(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)}`;
  return { url: url.href, headers: { 'content-type': 'application/json', ...(username && { authorization }) } };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
