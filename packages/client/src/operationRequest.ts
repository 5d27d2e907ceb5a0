// How operations of the API are requested. `operations.generated.ts` has this of each, from its declaration.

import type { api, Operation } from '@provenance-registry/core';

/** The name of an operation and of its method. */
export type OperationId = keyof typeof api;

/** How an operation is requested. The names are those of its fields. */
export interface OperationRequest {
  readonly method: Operation['method'];
  /** Path with parameters in braces. */
  readonly path: string;
  /** Status of a success. */
  readonly status: number;
  /** Media type of the result. Default: JSON. */
  readonly accept?: string;
  /** True when it needs no credential. */
  readonly isPublic?: boolean;
  /** True when it takes an idempotency key. */
  readonly isCreation?: boolean;
  readonly query?: readonly string[];
  readonly body?: readonly string[];
  readonly form?: readonly string[];
  /** The body is a file. */
  readonly acceptsRawFile?: boolean;
}

export function hasInput({ path, query, body, form }: OperationRequest): boolean {
  return path.includes('{') || [query, body, form].some((names) => names !== undefined);
}
