// Built files whose names contain a hash of their content, precompressed and cached forever.

import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

const MAX_AGE_MS = 365 * 24 * 60 * 60 * 1000;

export function assetRoutes(app: FastifyInstance, folder: string, prefix: string): void {
  app.register(async (scope) => {
    // The plugin's type for scripts is obsolete (RFC 9239), and it has no option for another.
    scope.addHook('onSend', async ({ url }, reply) => {
      if (url.endsWith('.js')) reply.type('text/javascript; charset=utf-8');
    });
    scope.register(fastifyStatic, {
      root: folder,
      prefix,
      // One route per file: the files never change while the service runs.
      wildcard: false,
      index: false,
      globIgnore: ['**/*.{br,gz}'],
      preCompressed: true,
      immutable: true,
      maxAge: MAX_AGE_MS,
    });
  });
}
