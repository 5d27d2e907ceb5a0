// CORS for the endpoints that pages of every origin may call without credentials.
// @fastify/cors does not fit: choosing by path needs its delegator, which puts `Vary: Origin` on every response.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const openPaths =
  /^\/(api\/c2pa|api\/v1\/public|c2pa|\.well-known\/(c2pa-soft-binding-resolution|did\.json|provenance-registry))(\/|\?|$)/;
const preflightRoutes = [
  '/api/c2pa/*',
  '/api/v1/public/*',
  '/c2pa/*',
  '/.well-known/c2pa-soft-binding-resolution',
  '/.well-known/did.json',
  '/.well-known/provenance-registry',
  '/.well-known/provenance-registry/*',
];
/** A day. Browsers cap it at two hours or more. */
const PREFLIGHT_MAX_AGE_SECONDS = 86_400;

export function enableCors(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => addCorsHeaders(request, reply));
  for (const path of preflightRoutes) {
    app.options(path, async (_request, reply) => {
      reply.headers({
        'access-control-allow-methods': 'GET, POST',
        'access-control-allow-headers': 'authorization, content-type, idempotency-key, x-request-id',
        'access-control-max-age': PREFLIGHT_MAX_AGE_SECONDS,
      });
      return reply.code(204).send();
    });
  }
}

/** Exported for errors that the router reports before any hook runs. */
export function addCorsHeaders(request: FastifyRequest, reply: FastifyReply): void {
  if (!openPaths.test(request.url)) return;
  reply.headers({
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'link, location, retry-after, x-request-id',
  });
}
