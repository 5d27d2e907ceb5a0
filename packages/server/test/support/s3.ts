// A real S3-compatible store, which checks signatures, behind a proxy that injects faults.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../../test/support/ports.js';

const faults = {
  'answers 503': (response: ServerResponse) => sendError(response, 503, 'SlowDown'),
  'refuses writes': (response: ServerResponse) => sendError(response, 403, 'AccessDenied'),
  'breaks off': (response: ServerResponse) => response.destroy(),
  hangs: () => {},
};
/** Does what the request asks for, and breaks off instead of responding. */
const DONE_WITHOUT_RESPONSE = 'breaks off when done';
export type Fault = keyof typeof faults | typeof DONE_WITHOUT_RESPONSE;

export interface S3 {
  /** The environment of a process with access. */
  readonly environment: Readonly<Record<string, string>>;
  readonly bucket: string;
  /** How many requests have arrived. */
  requests(): number;
  /** The next requests fail in that way. */
  fail(how: Fault, times: number): void;
  stop(): Promise<void>;
}

const SESSION = 'a-session';

export async function startS3(folder: string): Promise<S3> {
  const bucket = 'published';
  const port = await freePort();
  const program = fileURLToPath(new URL('../../../../test/support/s3Server.mjs', import.meta.url));
  const store = spawn(process.execPath, [program, String(port), folder, bucket], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(store.stdout, 'data');

  let fault: Fault = 'answers 503';
  let faultsLeft = 0;
  let requests = 0;
  const proxy = createServer(async (request, response) => {
    requests += 1;
    const body = await buffer(request);
    if (faultsLeft > 0 && !(fault === 'refuses writes' && request.method === 'GET')) {
      faultsLeft -= 1;
      if (fault !== DONE_WITHOUT_RESPONSE) faults[fault](response);
      else forward(request, body, port, response, true);
    } else if (request.headers.authorization !== undefined && request.headers['x-amz-security-token'] !== SESSION) {
      sendError(response, 403, 'InvalidToken');
    } else {
      forward(request, body, port, response);
    }
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');

  return {
    bucket,
    environment: {
      AWS_ENDPOINT_URL: `http://127.0.0.1:${address.port}`,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'S3RVER',
      AWS_SECRET_ACCESS_KEY: 'S3RVER',
      AWS_SESSION_TOKEN: SESSION,
    },
    requests: () => requests,
    fail: (how, times) => {
      fault = how;
      faultsLeft = times;
    },
    stop: async () => {
      proxy.closeAllConnections();
      proxy.close();
      const ended = once(store, 'exit');
      store.kill();
      await ended;
    },
  };
}

function sendError(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`);
}

/** With all headers: the signature covers the host. */
function forward(
  { method, url, headers }: IncomingMessage,
  body: Buffer,
  port: number,
  response: ServerResponse,
  isCutOff = false,
) {
  const upstream = sendRequest({ host: '127.0.0.1', port, method, path: url, headers }, (result) => {
    if (isCutOff) {
      result.resume().once('end', () => response.destroy());
      return;
    }
    response.writeHead(result.statusCode ?? 500, result.headers);
    result.pipe(response);
  });
  upstream.once('error', () => response.destroy());
  upstream.end(body);
}
