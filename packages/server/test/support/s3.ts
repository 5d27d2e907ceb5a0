// A real S3-compatible store behind a proxy that checks signatures (which the store does not) and injects faults.

import { spawn } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../../test/support/ports.js';

const faults = {
  'answers 503': (response: ServerResponse) => sendError(response, 503, 'SlowDown'),
  'refuses writes': (response: ServerResponse) => sendError(response, 403, 'AccessDenied'),
  'breaks off': (response: ServerResponse) => response.destroy(),
  hangs: () => {},
};
export type Fault = keyof typeof faults;

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

const secret = 'S3RVER';

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
      faults[fault](response);
    } else if (request.headers.authorization !== undefined && !isSigned(request, body)) {
      sendError(response, 403, 'SignatureDoesNotMatch');
    } else {
      await forward(request, body, port, response);
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
      AWS_SECRET_ACCESS_KEY: secret,
      AWS_SESSION_TOKEN: 'a-session',
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

async function forward(request: IncomingMessage, body: Buffer, port: number, response: ServerResponse): Promise<void> {
  const headers = new Headers();
  for (const name of ['authorization', 'content-type', 'cache-control', 'x-amz-date', 'x-amz-content-sha256']) {
    const value = request.headers[name];
    if (typeof value === 'string') headers.set(name, value);
  }
  const upstream = await fetch(`http://127.0.0.1:${port}${request.url}`, {
    method: request.method ?? 'GET',
    headers,
    ...(body.length > 0 && { body }),
  });
  response.writeHead(upstream.status, [...upstream.headers].flat()).end(Buffer.from(await upstream.arrayBuffer()));
}

/** Checks AWS Signature Version 4 over the received request. */
function isSigned(request: IncomingMessage, body: Buffer): boolean {
  const parts = /Credential=[^/]+\/(\d+)\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)/.exec(
    request.headers.authorization ?? '',
  );
  const [, day = '', region = '', signedHeaders = '', signature] = parts ?? [];
  const given = request.headers['x-amz-content-sha256'];
  if (given !== 'UNSIGNED-PAYLOAD' && given !== createHash('sha256').update(body).digest('hex')) return false;
  for (const name of ['host', 'x-amz-date', 'x-amz-security-token']) {
    if (!signedHeaders.split(';').includes(name)) return false;
  }

  const { pathname, searchParams } = new URL(request.url ?? '', 'http://host');
  const query = [...searchParams].map((pair) => pair.map(awsEscape).join('=')).sort();
  const canonical = [
    request.method,
    decodeURIComponent(pathname).split('/').map(awsEscape).join('/'),
    query.join('&'),
    ...signedHeaders.split(';').map((name) => `${name}:${request.headers[name]}`),
    '',
    signedHeaders,
    given,
  ].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const hash = createHash('sha256').update(canonical).digest('hex');
  const text = ['AWS4-HMAC-SHA256', request.headers['x-amz-date'], scope, hash].join('\n');
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secret}`);
  return hmac(key, text).toString('hex') === signature;
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function awsEscape(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
