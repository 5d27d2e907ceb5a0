// Who this registry is: its identity document, its roots as PEM files, and its DID document.

import { api, type DidDocument, RegistryError, type RegistryIdentity, type TrustRoot } from '@provenance-registry/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendWithEtag } from '../../responses/etag.js';

/** Kept by caches, which ask each time whether it has changed: a client must notice a change at once. */
const CACHE_CONTROL = 'public, no-cache';

export function identityRoutes(app: FastifyInstance, identity: () => RegistryIdentity, didDocument: DidDocument): void {
  const send = (request: FastifyRequest, reply: FastifyReply, type: string, text: string) =>
    sendWithEtag(request, reply.header('cache-control', CACHE_CONTROL), type, text);

  const documents = [
    [api.getRegistryIdentity, identity],
    [api.getDidDocument, () => didDocument],
  ] as const;
  for (const [{ path }, read] of documents) {
    app.get(path, async (request, reply) =>
      send(request, reply, 'application/json; charset=utf-8', JSON.stringify(read())),
    );
  }
  const pemFiles = [
    [api.getSignerRoots, (): readonly TrustRoot[] => identity().signerRoots],
    [api.getTimestampRoots, (): readonly TrustRoot[] => identity().timestampRoots],
    [api.getDocumentRoots, (): readonly TrustRoot[] => identity().documentRoots ?? []],
  ] as const;
  for (const [operation, roots] of pemFiles) {
    app.get(operation.path, async (request, reply) => {
      const text = roots()
        .map(({ pem }) => pem)
        .join('');
      if (text === '') throw new RegistryError('NOT_FOUND', operation.errors.NOT_FOUND);
      return send(request, reply, operation.success.mediaType, text);
    });
  }
}
