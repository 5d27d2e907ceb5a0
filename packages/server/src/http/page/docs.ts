// The documentation at /docs: a folder of files that scripts/docsSite.mjs generates.

import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendUnknownRoute } from '../errors.js';
import { preferredMediaType } from '../responses/contentNegotiation.js';
import { sendWithEtag } from '../responses/etag.js';
import { assetRoutes } from './assets.js';

const headers = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-cache',
};
const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  json: 'application/json; charset=utf-8',
};

export function docsRoutes(app: FastifyInstance, folder: string, baseUrl: string): void {
  const read = createFileReader(folder);
  const names = new Set(listFiles(folder));
  const redirects = readRedirects(folder);

  const sendFile = async (request: FastifyRequest, reply: FastifyReply, name: string) => {
    const path = name === 'index.html' ? '' : name;
    reply.headers(headers).header('link', `<${baseUrl}/docs/${path}>; rel="canonical"`);
    return sendWithEtag(request, reply, typeOf(name) ?? '', await read(name));
  };

  const sendNotFound = async (request: FastifyRequest, reply: FastifyReply) => {
    reply.header('vary', 'accept');
    const type = preferredMediaType(request.headers.accept, ['application/json', 'text/html']);
    if (type !== 'text/html') return sendUnknownRoute(request, reply, []);
    return sendWithEtag(request, reply.code(404).headers(headers), types['html'] ?? '', await read('404.html'));
  };

  app.get('/docs', (_request, reply) => reply.redirect('/docs/', 301));
  app.get<{ Params: { '*': string } }>('/docs/*', (request, reply) => {
    const name = request.params['*'];
    if (name === '') return sendFile(request, reply, 'index.html');
    if (name === 'index.html') return reply.redirect('/docs/', 301);
    if (names.has(name)) return sendFile(request, reply, name);
    // As the source files are called, and without an ending.
    const base = name.replace(/(\.md|\.html|\/)$/, '');
    const target = redirects.get(base) ?? `${base}.html`;
    if (redirects.has(base) || names.has(target)) return reply.redirect(`/docs/${target}`, 301);
    return sendNotFound(request, reply);
  });
  assetRoutes(app, join(folder, 'assets'), '/docs/assets/');
}

/** Lists the paths for the sitemap. */
export function listDocsPaths(folder: string): string[] {
  const pages = listFiles(folder).filter((name) => name.endsWith('.html'));
  return pages.map((name) => `/docs/${name === 'index.html' ? '' : name}`);
}

function listFiles(folder: string): string[] {
  return readdirSync(folder).filter((name) => typeOf(name) !== undefined && name !== '404.html');
}

/** Reads the addresses of former pages: a line each, with the name and what replaced it. */
function readRedirects(folder: string): Map<string, string> {
  const lines = readFileSync(join(folder, 'redirects.txt'), 'utf8').trim().split('\n');
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]));
}

function typeOf(name: string): string | undefined {
  return types[name.slice(name.lastIndexOf('.') + 1)];
}

/** Each file is read once, when it is first requested: its entity tag and its compressed forms are kept with its buffer. */
function createFileReader(folder: string): (name: string) => Promise<Buffer> {
  const files = new Map<string, Promise<Buffer>>();
  return (name) => {
    const known = files.get(name) ?? readFile(join(folder, name));
    files.set(name, known);
    return known;
  };
}
