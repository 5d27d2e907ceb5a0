// Where strangers find out whose a file is, over HTTP: open to every page, without credentials.

import { api, fingerprintOf, RegistryError, SOFT_BINDING_ALGORITHM } from '@provenance-registry/core';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  describeStatus,
  findManifest,
  findMatches,
  parseBinding,
  readSidecar,
  requireSupportedAlgorithm,
} from '../../domain/matches.js';
import type { Ports } from '../../domain/ports/index.js';
import { BinaryAnswer, type Router } from '../route.js';

export interface RegistryContract {
  readonly address: string;
  readonly abi: readonly object[];
  /** Undefined until a node has told it. */
  readonly chainId?: number | undefined;
  /** A node that anyone may ask. */
  readonly rpcUrl?: string | undefined;
}

export interface ResolutionOptions {
  readonly contract: RegistryContract;
  readonly maxUploadBytes: number;
  readonly requestMs: number;
}

const SPEC_VERSION = '2.2';
const SIDECAR = 'application/c2pa';
const openPaths = /^\/(api\/c2pa|api\/v1\/public|c2pa|\.well-known\/c2pa-soft-binding-resolution)(\/|\?|$)/;
/** A day: browsers ask again after two hours at most. */
const PREFLIGHT_SECONDS = 86_400;

export function resolutionRoutes(route: Router, ports: Ports, options: ResolutionOptions): void {
  const endpoint = `${ports.baseUrl}/api/c2pa`;

  route(api.findByBinding, ({ query }) => findMatches(ports, parseBinding(query.alg, query.value), query.maxResults));
  route(api.findByLargeBinding, ({ body, query }) =>
    findMatches(ports, parseBinding(body.alg, body.value), query.maxResults),
  );
  route(
    api.findByContent,
    ({ file, query }) => {
      if (query.alg !== undefined) requireSupportedAlgorithm(query.alg);
      if (!file) throw new RegistryError('BAD_REQUEST', 'There is no file.');
      return findMatches(ports, fingerprintOf(file.digest), query.maxResults);
    },
    { timeMs: options.requestMs, upload: { maxBytes: options.maxUploadBytes, keepBytes: 0 } },
  );
  route(api.getManifest, async ({ params, query, headers }) => {
    if (wantsSidecar(headers.accept)) {
      const sidecar = await readSidecar(ports, params.manifestId, query.returnActiveManifest === 'true');
      return new BinaryAnswer(SIDECAR, sidecar);
    }
    const { manifestUrl, manifestBinaryUrl } = await findManifest(ports, params.manifestId);
    return { manifestUrl, manifestBinaryUrl };
  });
  route(api.getAlgorithms, () => ({ fingerprints: [{ alg: SOFT_BINDING_ALGORITHM }] }));
  route(api.getCapabilities, () => ({
    c2paSpecificationVersion: SPEC_VERSION,
    supportedCapabilities: ['byBinding', 'byContent', 'manifests'],
  }));
  route(api.getServiceStatus, () => describeStatus(ports));
  route(api.getWellKnown, () => ({
    apiEndpoint: endpoint,
    c2paSpecificationVersion: SPEC_VERSION,
    capabilitiesEndpoint: `${endpoint}/services/capabilities`,
    statusEndpoint: `${endpoint}/services/status`,
  }));
  route(api.getContract, () => {
    const { address, abi, chainId, rpcUrl } = options.contract;
    return {
      address,
      abi: [...abi],
      ...(chainId !== undefined && { chainId }),
      ...(rpcUrl !== undefined && { rpcUrl }),
    };
  });
}

/** Who names the sidecar's type, and does not say that it is unwelcome. */
function wantsSidecar(accept = ''): boolean {
  return accept
    .toLowerCase()
    .split(',')
    .map((part) => part.split(';').map((word) => word.trim()))
    .some(([type, ...parameters]) => type === SIDECAR && !parameters.some((text) => /^q=0(\.0*)?$/.test(text)));
}

/** Pages of every origin may ask, also those errors that are answered before a route is found. */
export function openToPages(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => letPageRead(request, reply));
  for (const path of ['/api/c2pa/*', '/api/v1/public/*', '/c2pa/*', '/.well-known/c2pa-soft-binding-resolution']) {
    app.options(path, async (_request, reply) => {
      reply.headers({
        'access-control-allow-methods': 'GET, POST',
        'access-control-allow-headers': 'authorization, content-type, idempotency-key, x-request-id',
        'access-control-max-age': PREFLIGHT_SECONDS,
      });
      return reply.code(204).send();
    });
  }
}

function letPageRead(request: FastifyRequest, reply: FastifyReply): void {
  if (!openPaths.test(request.url)) return;
  reply.headers({
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'link, location, retry-after, x-request-id',
  });
}

/** What the router could not read has passed no hook. As the id of a manifest it is none, and there is no such manifest. */
export function unreadable(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  letPageRead(request, reply);
  if (!/^\/api\/c2pa\/manifests\/[^/?]+/.test(request.url)) return error;
  return new RegistryError('NOT_FOUND', 'There is no such manifest.', { cause: error });
}
