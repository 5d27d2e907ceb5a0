// Routes of the built-in time-stamp authority (RFC 3161).

import type { FastifyInstance, FastifyRequest } from 'fastify';

export interface TimestampService {
  /** Takes a TimeStampReq, returns a TimeStampResp. */
  readonly timestamps: { respond(request: Uint8Array): Buffer };
  /** The root of its certificate, for verifiers. */
  readonly rootPem: string;
}

/** A request contains a hash, a nonce and little else. */
const MAX_REQUEST_BYTES = 4_096;

export function timestampRoutes(app: FastifyInstance, { timestamps, rootPem }: TimestampService): void {
  app.register(async (scope) => {
    scope.addContentTypeParser(
      'application/timestamp-query',
      { parseAs: 'buffer', bodyLimit: MAX_REQUEST_BYTES },
      async (_request: FastifyRequest, body: Buffer) => body,
    );
    scope.post<{ Body: Buffer }>('/tsa', async ({ body }, reply) =>
      reply.type('application/timestamp-reply').send(timestamps.respond(body ?? Buffer.alloc(0))),
    );
    scope.get('/tsa/authority.pem', async (_request, reply) => reply.type('application/x-pem-file').send(rootPem));
  });
}
