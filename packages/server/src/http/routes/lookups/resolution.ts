// Routes of the C2PA soft binding resolution API: public, without credentials.

import { SPEC_VERSION } from '@provenance-registry/contract';
import { api, RegistryError, resolutionCapabilities, SOFT_BINDING_ALGORITHM } from '@provenance-registry/core';
import {
  describeStatus,
  findManifest,
  findMatches,
  findMatchesOfFile,
  parseBinding,
  readSidecar,
  requireSupportedAlgorithm,
} from '../../../domain/lookups/lookups.js';
import type { Ports } from '../../../domain/ports/index.js';
import { definedFields } from '../../definedFields.js';
import { preferredMediaType } from '../../responses/contentNegotiation.js';
import { BinaryResponse, type Router } from '../../router.js';

export interface RegistryContract {
  readonly address: string;
  readonly abi: readonly object[];
  /** Undefined until a node has responded. */
  readonly chainId?: number | undefined;
  /** A node that anyone may use. */
  readonly rpcUrl?: string | undefined;
}

export interface ResolutionOptions {
  readonly contract: RegistryContract;
  readonly maxUploadBytes: number;
  readonly requestMs: number;
}

/** Images up to this size are recognized by the manifest inside. Must fit into the memory for public uploads. */
const MAX_RECOGNIZED_BYTES = 20_000_000;
const SIDECAR_TYPE = 'application/c2pa';
/** Lookups of all clients share their queries to the database. */
const lookup = { takesNoTurn: true };

export function resolutionRoutes(route: Router, ports: Ports, options: ResolutionOptions): void {
  const endpoint = `${ports.baseUrl}/api/c2pa`;

  route(
    api.findByBinding,
    ({ query }) => findMatches(ports, parseBinding(query.alg, query.value), query.maxResults),
    lookup,
  );
  route(
    api.findByLargeBinding,
    ({ body, query }) => findMatches(ports, parseBinding(body.alg, body.value), query.maxResults),
    lookup,
  );
  route(
    api.findByContent,
    ({ file, query }, { client }) => {
      if (query.alg !== undefined) requireSupportedAlgorithm(query.alg);
      if (!file) throw new RegistryError('BAD_REQUEST', 'The file is missing.');
      return findMatchesOfFile(ports, client, file, query.maxResults);
    },
    {
      timeoutMs: options.requestMs,
      takesNoTurn: true,
      upload: {
        maxBytes: options.maxUploadBytes,
        maxBufferedBytes: MAX_RECOGNIZED_BYTES,
        onlyWithManifest: true,
        needsWhole: () => true,
      },
    },
  );
  route(api.getManifest, async ({ params, query, headers }) => {
    if (preferredMediaType(headers.accept, ['application/json', SIDECAR_TYPE]) === SIDECAR_TYPE) {
      const sidecar = await readSidecar(ports, params.manifestId, query.returnActiveManifest ?? false);
      return new BinaryResponse(SIDECAR_TYPE, sidecar);
    }
    const { manifestUrl, manifestBinaryUrl } = await findManifest(ports, params.manifestId);
    return { manifestUrl, manifestBinaryUrl };
  });
  route(api.getAlgorithms, () => ({ watermarks: [], fingerprints: [{ alg: SOFT_BINDING_ALGORITHM }] }));
  route(api.getCapabilities, () => ({
    c2paSpecificationVersion: SPEC_VERSION,
    supportedCapabilities: [...resolutionCapabilities],
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
    return { address, abi: [...abi], ...definedFields({ chainId, rpcUrl }) };
  });
}
