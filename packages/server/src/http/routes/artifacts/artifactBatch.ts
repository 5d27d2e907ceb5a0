// Routes of batches of Artifacts, and of the list across Marks.

import {
  type Artifact,
  api,
  BATCH_ITEM_BYTES,
  type BatchResult,
  parseFileTime,
  RegistryError,
} from '@provenance-registry/core';
import type { FastifyRequest } from 'fastify';
import { listOwnArtifacts } from '../../../domain/artifacts/artifacts.js';
import { createArtifacts } from '../../../domain/artifacts/createArtifacts.js';
import type { CreationRequest } from '../../../domain/artifacts/creationRequest.js';
import { authenticate, type Caller } from '../../../domain/caller.js';
import type { Ports } from '../../../domain/ports/index.js';
import { mapInSlices } from '../../../workers/slices.js';
import { bearerToken } from '../../authentication.js';
import { createBatchBudget } from '../../budgets/batchBudget.js';
import type { CallOrigin } from '../../callOrigin.js';
import { definedFields } from '../../definedFields.js';
import { describeError } from '../../errors.js';
import type { Item } from '../../parsing/ndjson.js';
import { requireValidItem } from '../../parsing/validation.js';
import { normalize, type Router } from '../../router.js';
import { optionalFields } from './artifacts.js';

/** Checked in a millisecond. */
const ITEMS_PER_SLICE = 20;
/** A thousand creations take ten seconds on two cores, and a few times that when others register too. */
const BATCH_MS = 120_000;

export function artifactBatchRoutes(route: Router, ports: Ports): void {
  const runBatch = createBatchBudget();

  async function createAll(
    request: FastifyRequest,
    origin: CallOrigin,
    { user }: Caller,
    items: readonly Item[],
  ): Promise<BatchResult[]> {
    const token = bearerToken(request);
    const requests = await mapInSlices(
      user.id,
      items,
      ITEMS_PER_SLICE,
      (item) => item.error ?? toCreationRequest(request, item.value),
    );
    const { signal } = origin;
    const results = await runBatch({ client: user.id, bytes: items.length * BATCH_ITEM_BYTES, signal }, () =>
      createArtifacts(ports, () => authenticate(ports, token, origin), requests, signal),
    );
    // The response may have begun before: its end does not follow the write.
    ports.markListCache.invalidate(user.id);
    return results.map((result) => toBatchResult(request, result));
  }

  route(
    api.createArtifacts,
    ({ caller, items }, origin, request) =>
      items.respond(async (piece) => {
        try {
          return await createAll(request, origin, caller, piece);
        } catch (reason) {
          // At the beginning, it is the response.
          if (piece[0]?.number === 1) throw reason;
          return piece.map(() => toBatchResult(request, { status: 'rejected', reason }));
        }
      }),
    { timeoutMs: BATCH_MS, takesNoTurn: true },
  );

  route(api.listOwnArtifacts, ({ caller, query: { from, to, ...query } }) =>
    listOwnArtifacts(ports, caller, {
      ...query,
      ...definedFields({ from: toDate(from), to: toDate(to) }),
    }),
  );
}

function toCreationRequest(request: FastifyRequest, item: unknown): CreationRequest | RegistryError {
  const { item: schema } = api.createArtifacts.lines;
  normalize(item, schema);
  try {
    const { markId, fingerprint, filename, idempotencyKey, ...fields } = requireValidItem(request, schema, item);
    return { markId, fingerprint, filename, ...optionalFields(fields), ...definedFields({ idempotencyKey }) };
  } catch (error) {
    if (error instanceof RegistryError) return error;
    throw error;
  }
}

function toBatchResult(request: FastifyRequest, result: PromiseSettledResult<Artifact>): BatchResult {
  if (result.status === 'fulfilled') return { status: api.createArtifact.success.status, artifact: result.value };
  const {
    status,
    body: { problems, ...body },
  } = describeError(result.reason, request);
  return { status, ...body, ...(problems && { problems: [...problems] }) };
}

/** The time that the schema has checked. */
function toDate(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(parseFileTime(text) ?? Number.NaN);
}
