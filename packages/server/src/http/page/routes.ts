// The page that people use: built files, compressed beforehand, kept by browsers for good; and the document that loads
// them, at every address that the page knows, with a head that says what is there.

import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Ports } from '../../domain/ports/index.js';
import { answerUnknownPath, RETRY_AFTER_SECONDS } from '../errors.js';
import { sendTagged } from '../etag.js';
import { artifactHead, type Head, markHead, renderHead, stillHeads, unknownHead } from './htmlHead.js';

const mediaTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};
const FOR_GOOD = 'public, max-age=31536000, immutable';
/** The best first. Browsers take Brotli over TLS alone. */
const encodings = [
  { name: 'br', extension: '.br' },
  { name: 'gzip', extension: '.gz' },
] as const;

/** Asked by programs: what is unknown there stays a refusal in JSON, whoever asks. */
const machinePaths = /^\/(api|c2pa|cdn|assets|badge|tsa|\.well-known)(\/|\?|$)/;

/** What is one's own is nothing for search engines. */
const robots = 'User-agent: *\nDisallow: /dashboard\nDisallow: /login\nDisallow: /signup\n';

export interface PageOptions {
  /** Where the built page is. */
  readonly folder: string;
  /** Where else the page reads from: published files, a node of the chain. */
  readonly origins: readonly string[];
}

export function webRoutes(app: FastifyInstance, ports: Ports, { folder, origins }: PageOptions): void {
  const render = documentIn(folder, ports.baseUrl);
  const headers = {
    'content-security-policy': contentSecurityPolicy(origins),
    'cross-origin-opener-policy': 'same-origin',
    'cache-control': 'no-cache',
  };
  const send = (request: FastifyRequest, reply: FastifyReply, head: Head) => {
    reply.code(head.status).headers(headers);
    if (head.status === 503) {
      request.log.warn({ err: head.cause }, 'request could not be served');
      reply.header('retry-after', RETRY_AFTER_SECONDS);
    }
    return sendTagged(request, reply, 'text/html; charset=utf-8', render(head));
  };

  for (const [path, head] of Object.entries(stillHeads)) {
    app.get(path, (request, reply) => send(request, reply, head));
  }
  // Not `:fingerprint`, which would refuse long ones before anyone is asked.
  app.get<{ Params: { '*': string } }>('/artifacts/*', async (request, reply) =>
    send(request, reply, await artifactHead(ports, request.params['*'])),
  );
  app.get<{ Params: { '*': string } }>('/marks/*', async (request, reply) =>
    send(request, reply, await markHead(ports, request.params['*'])),
  );
  app.setNotFoundHandler((request, reply) =>
    isForPeople(request) ? send(request, reply, unknownHead) : answerUnknownPath(request, reply),
  );
  app.get('/robots.txt', (_request, reply) => reply.type('text/plain; charset=utf-8').send(robots));
  assetRoutes(app, join(folder, 'assets'));
}

function assetRoutes(app: FastifyInstance, folder: string): void {
  for (const name of readdirSync(folder)) {
    const mediaType = mediaTypes[extname(name)];
    if (!mediaType) continue;
    app.get(`/assets/${name}`, (request, reply) => sendAsset(request, reply, join(folder, name), mediaType));
    // Asked for where no document names another.
    if (/^icon-.*\.svg$/.test(name)) app.get('/favicon.ico', (_request, reply) => reply.redirect(`/assets/${name}`));
  }
}

/** The built document has two places for what differs from page to page. */
function documentIn(folder: string, baseUrl: string): (head: Head) => string {
  const [start, middle, end] = readFileSync(join(folder, 'index.html'), 'utf8').split(/<!-- (?:head|text) -->/);
  if (end === undefined) throw new Error(`${folder}/index.html has no place for head and text`);
  return (of) => {
    const { head, text } = renderHead(of, baseUrl);
    return `${start}${head}${middle}${text}${end}`;
  };
}

function isForPeople({ method, url, headers }: FastifyRequest): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && /\btext\/html\b/.test(headers.accept ?? '') && !machinePaths.test(url);
}

async function sendAsset(request: FastifyRequest, reply: FastifyReply, path: string, mediaType: string) {
  const encoding = encodings.find(({ name }) => takes(request.headers['accept-encoding'], name));
  reply.type(mediaType).headers({ 'cache-control': FOR_GOOD, vary: 'accept-encoding' });
  if (encoding) reply.header('content-encoding', encoding.name);
  return reply.send(await readFile(encoding ? path + encoding.extension : path));
}

function takes(acceptEncoding = '', name: string): boolean {
  return acceptEncoding.split(',').some((part) => {
    const [encoding, quality] = part.split(';').map((word) => word.trim().toLowerCase());
    return encoding === name && !/^q=0(\.0*)?$/.test(quality ?? '');
  });
}

function contentSecurityPolicy(origins: readonly string[]): string {
  const others = origins.map((origin) => ` ${origin}`).join('');
  return [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "worker-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: blob:${others}`,
    `connect-src 'self'${others}`,
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}
