// Routes of look-alikes: the public search, and the list of a Mark.

import { api, type BodyOf, MAX_QUERY_BYTES, type QueryHash, RegistryError } from '@provenance-registry/core';
import type { UploadedFile } from '../../../domain/artifacts/creationRequest.js';
import { findLookalikes, listMarkLookalikes } from '../../../domain/lookups/lookalikes.js';
import type { Ports } from '../../../domain/ports/index.js';
import { FairLimit } from '../../../workers/fairLimit.js';
import type { Router } from '../../router.js';
import type { UploadOptions } from '../artifacts/artifacts.js';

/** A search may be for 24 codes, each of which is compared with all images. Searches that run together share the passes. */
const budget = {
  name: 'lookalikes',
  maxRunning: 8,
  /** Half, so that the queries of one client do not take all. */
  maxRunningPerClient: 4,
  maxWaiting: 128,
  maxWaitingPerClient: 32,
  maxWaitingPerLane: 32,
  maxWaitMs: 5_000,
};

/**
 * Files of clients without an account are decoded in the workers that read the files of registrations: fewer at a time, for
 * all these clients together, than there are workers, so that registrations do not go without codes.
 */
const fileBudget = {
  name: 'lookalike-files',
  maxRunning: 2,
  maxRunningPerClient: 1,
  /** Each keeps its file in memory. */
  maxWaiting: 64,
  maxWaitingPerClient: 32,
  maxWaitingPerLane: 32,
  /** A file of the largest size takes some seconds. */
  maxWaitMs: 60_000,
};
const FILE_CLIENT = 'lookalikes';

export function lookalikeRoutes(route: Router, ports: Ports, { maxUploadBytes, requestMs }: UploadOptions): void {
  const limit = new FairLimit(budget);
  const limitFiles = new FairLimit(fileBudget);
  const maxBytes = Math.min(maxUploadBytes, MAX_QUERY_BYTES);

  route(
    api.findLookalikes,
    async ({ body, file }, { client, signal }) => {
      const { codes, chromaprint } = file
        ? await limitFiles.run({ client, signal }, () => readFile(ports, file))
        : readBody(body);
      const query = { codes, chromaprint, maxDistance: body.maxDistance, limit: body.limit };
      const lookalikes = await limit.run({ client, signal }, () => findLookalikes(ports, query));
      return { lookalikes, codes: [...codes], ...(chromaprint !== undefined && { chromaprint }) };
    },
    {
      timeoutMs: requestMs,
      takesNoTurn: true,
      upload: { maxBytes, maxBufferedBytes: maxBytes, needsWhole: () => true },
    },
  );

  route(
    api.listMarkLookalikes,
    ({ caller, params, query }, { signal }) =>
      limit.run({ client: caller.user.id, signal }, () => listMarkLookalikes(ports, caller, params.markId, query)),
    { takesNoTurn: true },
  );
}

interface Codes {
  readonly codes: readonly QueryHash[];
  readonly chromaprint?: string | undefined;
}

function readBody(body: BodyOf<typeof api.findLookalikes>): Codes {
  const { codes = [], chromaprint } = 'file' in body ? {} : body;
  if (codes.length > 0 || chromaprint !== undefined) return { codes, chromaprint };
  throw new RegistryError('BAD_REQUEST', 'Send "codes", a "chromaprint" or a file.');
}

/** A file without codes, as one of another kind or of one color, has no look-alikes. */
async function readFile({ media }: Ports, file: UploadedFile): Promise<Codes> {
  if (!file.isWhole) throw new RegistryError('UNAVAILABLE', 'The service is reading too many files right now.');
  const { queries = [], chromaprint } = await media.inspect(file.bytes, undefined, {
    client: FILE_CLIENT,
    isQuery: true,
  });
  return { codes: queries, chromaprint };
}
