// Serves the published files of the log, to pages of every origin.

import { RegistryError } from '@provenance-registry/core';
import type { FastifyInstance } from 'fastify';
import type { LogFiles } from '../../../domain/ports/index.js';
import { isLogPath, LOG_FOLDER, logFileHeaders } from '../../../files/names.js';

export function logFileRoutes(app: FastifyInstance, files: Pick<LogFiles, 'read'>): void {
  app.get<{ Params: { '*': string } }>(`/${LOG_FOLDER}/*`, async (request, reply) => {
    const path = request.params['*'];
    // Also on a 404, so that pages of other sites can tell that a file does not exist.
    reply.header('access-control-allow-origin', '*');
    const bytes = isLogPath(path) ? await files.read(path) : undefined;
    if (!bytes) throw new RegistryError('NOT_FOUND', 'File not found.');
    return reply.headers(logFileHeaders(path)).send(bytes);
  });
}
