// The API reference: pages made from the OpenAPI document when the first of them is requested.

import { openApiDocument } from '@provenance-registry/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createStaticPageRenderer, staticPageHeaders } from '../page/staticPage.js';
import { sendWithEtag } from '../responses/etag.js';
import { renderReference } from './pages.js';

interface ReferenceOptions {
  /** Contains the built template. */
  readonly folder: string;
  readonly baseUrl: string;
  readonly version: string;
}

export function referenceRoutes(app: FastifyInstance, { folder, baseUrl, version }: ReferenceOptions): void {
  let pages: ReadonlyMap<string, Buffer> | undefined;
  const renderPages = () => {
    const render = createStaticPageRenderer(folder, baseUrl);
    const contents = renderReference(openApiDocument(baseUrl, version), baseUrl);
    return new Map(contents.map((page) => [page.path, Buffer.from(render(page))]));
  };
  const send = (request: FastifyRequest, reply: FastifyReply, path: string) => {
    pages ??= renderPages();
    const page = pages.get(path);
    if (!page) return reply.callNotFound();
    return sendWithEtag(request, reply.headers(staticPageHeaders), 'text/html; charset=utf-8', page);
  };
  app.get('/api/reference', (request, reply) => send(request, reply, '/api/reference'));
  app.get<{ Params: { '*': string } }>('/api/reference/*', (request, reply) =>
    send(request, reply, `/api/reference/${request.params['*']}`),
  );
}
