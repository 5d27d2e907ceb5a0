// What an operation of the API is. Each is declared once, as data: the server validates by it,
// the OpenAPI document is written from it, and clients take their types from it.

import Type, { type Static, type TObject, type TSchema } from 'typebox';
import type { ErrorCode } from '../errors.js';
import { uuidPattern } from '../text.js';

export type Tag = 'Accounts' | 'Operator' | 'Operating';

export interface Operation {
  /** Unique; also the name of the call in clients. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With parameters in braces: `/api/v1/marks/{markId}`. */
  readonly path: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description: string;
  /** `bearer`: a user's token. `operator`: the token set by the one who runs the service. */
  readonly auth: 'none' | 'bearer' | 'operator';
  readonly params?: TObject;
  readonly body?: TObject;
  readonly success: {
    readonly status: 200 | 201 | 204;
    readonly description: string;
    /** `application/json` when left out. */
    readonly mediaType?: string;
    readonly schema: TSchema;
    readonly example: unknown;
  };
  /** What this operation refuses, and why; failures that any operation may have are added to it. */
  readonly errors: Partial<Record<ErrorCode, string>>;
  /** Sent as it stands by the runnable example. */
  readonly exampleBody?: unknown;
}

export type ParamsOf<O extends Operation> = O extends { params: infer S extends TSchema } ? Static<S> : undefined;
export type BodyOf<O extends Operation> = O extends { body: infer S extends TSchema } ? Static<S> : undefined;
export type ResultOf<O extends Operation> = Static<O['success']['schema']>;

/** The shape of every error answer. */
export const ErrorBody = Type.Object(
  {
    error: Type.String({ description: 'For people; may change at any time.' }),
    code: Type.String({ description: 'For programs; one of a closed set.' }),
  },
  { title: 'Error' },
);

export const Uuid = (description: string) => Type.String({ format: 'uuid', pattern: uuidPattern, description });

export const Timestamp = (description: string) => Type.String({ format: 'date-time', description });
