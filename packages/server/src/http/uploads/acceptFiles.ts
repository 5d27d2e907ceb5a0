// Bodies with files: forms, and files that are the whole body.

import { type Operation, RegistryError } from '@provenance-registry/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { TakeFileTurn } from '../budgets/fileTurns.js';
import { CallOrigin, clientOf } from '../callOrigin.js';
import { isForm } from '../parsing/validation.js';
import {
  declaredBytes,
  fileTooLargeError,
  MAX_FORM_BYTES,
  type ReceivedFile,
  receiveFile,
  receiveForm,
  releaseFile,
  type UploadLimits,
} from './uploads.js';
import type { UploadsInProgress } from './uploadsInProgress.js';

declare module 'fastify' {
  interface FastifyRequest {
    file: ReceivedFile | undefined;
    /** Once set, the handler releases the file. */
    isHandled: boolean;
  }
}

/** Reads forms, and files of any type if the operation allows that, as they arrive. */
export function acceptFiles(
  scope: FastifyInstance,
  { acceptsRawFile, auth }: Operation,
  limits: UploadLimits,
  uploads: UploadsInProgress,
  takeTurn: TakeFileTurn,
): FastifyInstance {
  const isPublic = auth === 'none';
  // Releases the file of a request that fails, or whose client disconnects, before its handler runs.
  scope.addHook('onRequest', async (request, reply) => {
    reply.raw.once('close', () => {
      if (request.file && !request.isHandled) releaseFile(request.file);
    });
  });
  scope.addContentTypeParser('multipart/form-data', async (request: FastifyRequest) => {
    requireDeclaredSize(request, limits.maxBytes + MAX_FORM_BYTES);
    const upload = uploads(clientOf(request), request.raw.socket, { isPublic });
    const { file, ...fields } = await receiveForm(request.raw, limits, upload).finally(upload.finish);
    attachFile(request, file);
    // The schema requires a text called `file`; the file itself is in the request.
    return file ? { ...fields, file: '' } : fields;
  });
  const { needsWhole } = limits;
  if (needsWhole) {
    const maxBytes = limits.maxBufferedBytes + MAX_FORM_BYTES;
    scope.addHook('preParsing', async (request, reply) => {
      if (!(acceptsRawFile || isForm(request)) || !needsWhole(request)) return;
      const bytes = declaredBytes(request.raw) ?? maxBytes;
      // Until its turn, nothing of it is read. A larger file is not buffered.
      if (bytes <= maxBytes) await takeTurn(new CallOrigin(request, reply), bytes, { isPublic });
    });
  }
  if (!acceptsRawFile) return scope;
  scope.removeContentTypeParser('application/json');
  scope.addContentTypeParser('*', async (request: FastifyRequest) => {
    requireDeclaredSize(request, limits.maxBytes);
    const mediaType = request.headers['content-type'];
    const upload = uploads(clientOf(request), request.raw.socket, { isPublic });
    const facts = { mediaType, expectedBytes: declaredBytes(request.raw) };
    attachFile(request, await receiveFile(request.raw, limits, upload, facts).finally(upload.finish));
  });
  return scope;
}

/** Refuses at once what would be refused later. */
function requireDeclaredSize({ raw }: FastifyRequest, maxBytes: number): void {
  if ((declaredBytes(raw) ?? 0) > maxBytes) throw fileTooLargeError();
}

function attachFile(request: FastifyRequest, file: ReceivedFile | undefined): void {
  request.file = file;
  if (!file || !request.raw.socket.destroyed) return;
  releaseFile(file);
  throw new RegistryError('BAD_REQUEST', 'The client closed the connection.');
}
