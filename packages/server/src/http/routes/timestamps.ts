// The built-in time-stamp authority over HTTP, as RFC 3161 describes it.

import type { FastifyInstance, FastifyRequest } from 'fastify';

export interface TimestampService {
  /** A TimeStampReq in, a TimeStampResp out. */
  readonly timestamps: { respond(request: Uint8Array): Buffer };
  /** The root of its certificate, for those who verify. */
  readonly rootPem: string;
}

/** A request holds a hash, a number and little else. */
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
