// A witness of public logs (c2sp.org/tlog-witness): signs checkpoints that extend what it has signed before, and no others.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  cosignNote,
  formatNote,
  LogFormatError,
  MAX_WITNESS_REQUEST_LENGTH,
  parseWitnessRequest,
  requireExtension,
  type VerifierKey,
  WITNESS_SIZE_TYPE,
  WitnessRefusal,
} from '@provenance-registry/log';
import { systemReason } from '../errors.js';
import { treeHasher } from './hasher.js';
import { type ListenOptions, listen } from './listen.js';
import type { WitnessState } from './witnessState.js';

const PATH = '/add-checkpoint';
/** A log waits for a second. */
const REQUEST_TIMEOUT_MS = 5_000;
/** Any number of characters of a request fit, and no more. */
const MAX_BYTES = 4 * MAX_WITNESS_REQUEST_LENGTH;

export interface Answer {
  readonly status: number;
  readonly type?: string;
  readonly body: string;
}

export interface WitnessOptions {
  readonly state: WitnessState;
  readonly logKeys: readonly VerifierKey[];
  readonly log: (line: string) => void;
}

/** Answers requests one after another: what was signed last must not change between its check and its storage. */
export function createWitness({ state, logKeys, log }: WitnessOptions): (body: string) => Promise<Answer> {
  let last: Promise<unknown> = Promise.resolve();

  async function answer(body: string): Promise<Answer> {
    try {
      const request = parseWitnessRequest(body);
      const { origin, size, text } = await requireExtension(request, logKeys, state.read, treeHasher);
      await state.write(origin, request.checkpoint);
      const time = Math.floor(Date.now() / 1_000);
      const signatures = [await cosignNote(text, time, state.signer)];
      log(`${origin}: signed ${size} leaves`);
      return { status: 200, body: formatNote({ text: '', signatures }).slice(1) };
    } catch (error) {
      if (error instanceof LogFormatError) return { status: 400, body: `${error.message}\n` };
      if (!(error instanceof WitnessRefusal)) throw error;
      log(`refused: ${error.message}`);
      if (error.size !== undefined) return { status: 409, type: WITNESS_SIZE_TYPE, body: `${error.size}\n` };
      return { status: error.status, body: `${error.message}\n` };
    }
  }

  return (body) => {
    const answered = last.then(() => answer(body));
    last = answered.catch(() => {});
    return answered;
  };
}

/** Serves it until the signal. */
export async function serveWitness(
  witness: (body: string) => Promise<Answer>,
  { log, ...options }: ListenOptions & { readonly log: (line: string) => void },
): ReturnType<typeof listen> {
  const server = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS },
    (request, response) => {
      respond(witness, request, response).catch((error: unknown) => {
        log(`failed: ${systemReason(error)}`);
        if (!response.headersSent) response.writeHead(500);
        response.end();
      });
    },
  );
  return listen(server, options);
}

async function respond(
  witness: (body: string) => Promise<Answer>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const send = ({ status, type = 'text/plain; charset=utf-8', body }: Answer) => {
    response.writeHead(status, { 'content-type': type, 'x-content-type-options': 'nosniff' });
    response.end(body);
  };
  if (new URL(request.url ?? '/', 'http://witness').pathname !== PATH)
    return send({ status: 404, body: 'Not found.\n' });
  if (request.method !== 'POST') return send({ status: 405, body: 'Only POST.\n' });
  const body = await readBody(request);
  if (body === undefined) {
    response.setHeader('connection', 'close');
    return send({ status: 413, body: 'The request is too long.\n' });
  }
  send(await witness(body));
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length > MAX_BYTES) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}
