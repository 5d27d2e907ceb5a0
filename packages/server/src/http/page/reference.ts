// The API reference: pages of the web build, completed with the base URL when the first of them is requested.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { escapeHtml } from '@provenance-registry/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { Value } from 'typebox/value';
import { sendWithEtag } from '../responses/etag.js';
import { renderHead } from './htmlHead.js';

const BuiltReference = Type.Object({
  /** The placeholder for the base URL. */
  baseUrl: Type.String(),
  pages: Type.Array(
    Type.Object({ title: Type.String(), description: Type.String(), path: Type.String(), html: Type.String() }),
  ),
});

const headers = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "manifest-src 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-cache',
};

export function referenceRoutes(app: FastifyInstance, folder: string, baseUrl: string): void {
  let pages: ReadonlyMap<string, Buffer> | undefined;
  const send = (request: FastifyRequest, reply: FastifyReply, path: string) => {
    pages ??= readPages(folder, baseUrl);
    const page = pages.get(path);
    if (!page) return reply.callNotFound();
    return sendWithEtag(request, reply.headers(headers), 'text/html; charset=utf-8', page);
  };
  app.get('/api/reference', (request, reply) => send(request, reply, '/api/reference'));
  app.get<{ Params: { '*': string } }>('/api/reference/*', (request, reply) =>
    send(request, reply, `/api/reference/${request.params['*']}`),
  );
}

function readPages(folder: string, baseUrl: string): ReadonlyMap<string, Buffer> {
  const built = Value.Parse(BuiltReference, JSON.parse(readFileSync(join(folder, 'reference.json'), 'utf8')));
  return new Map(
    built.pages.map(({ title, description, path, html }) => {
      const { head } = renderHead({ status: 200, title, description, path, text: [] }, baseUrl);
      const completed = html.replaceAll(built.baseUrl, () => escapeHtml(baseUrl)).replace('<!-- head -->', () => head);
      return [path, Buffer.from(completed)];
    }),
  );
}
