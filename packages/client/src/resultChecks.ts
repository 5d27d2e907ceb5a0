// Checks results of the service against their schemas. Loaded with the first call.

import type { ErrorBody, FeedEvent } from '@provenance-registry/core';
import type { Static } from 'typebox';
// Interpreted, so that it works under a Content-Security-Policy without 'unsafe-eval'. `typebox/value` does the same
// and takes three times as long to load.
import { Check, Errors } from 'typebox/schema';
import { InvalidResponseError } from './errors.js';
import type { OperationId } from './operationRequest.js';
import { errorBodySchema, feedEventSchema, resultSchemas } from './resultSchemas.generated.js';

/** The result of an operation, or undefined when it has none. Throws InvalidResponseError when it is another one. */
export function requireResult(id: OperationId, read: () => unknown): unknown {
  const schema = resultSchemas[id];
  if (!schema) return undefined;
  const result = read();
  if (Check(schema, result)) return result;
  const [, problems] = Errors(schema, result);
  const missing = problems.flatMap((problem) =>
    problem.keyword === 'required' ? problem.params.requiredProperties : [],
  );
  // Services of earlier versions do not send the fields that were added since.
  const lack = `: it lacks ${[...new Set(missing)].join(', ')}. The service may be of an earlier version than this client`;
  throw new InvalidResponseError(
    `The response to ${id} does not have the documented form${missing.length === 0 ? '' : lack}.`,
  );
}

export function isErrorBody(body: unknown): body is Static<typeof ErrorBody> {
  return Check(errorBodySchema, body);
}

export function isFeedEvent(event: unknown): event is FeedEvent {
  return Check(feedEventSchema, event);
}
