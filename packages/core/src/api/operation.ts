// What an operation of the API is. Each is declared once, as data: the server validates by it,
// the OpenAPI document is written from it, and clients take their types from it.

import Type, { type Static, type TObject, type TSchema } from 'typebox';
import type { ErrorCode } from '../errors.js';
import { uuidPattern } from '../text.js';

export type Tag =
  | 'Accounts'
  | 'Organizations'
  | 'Marks'
  | 'API keys'
  | 'Limits'
  | 'Artifacts'
  | 'Public'
  | 'Resolution'
  | 'Operator'
  | 'Operating';

export interface Operation {
  /** Unique; also the name of the call in clients. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With parameters in braces: `/api/v1/marks/{markId}`. */
  readonly path: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description: string;
  /** `bearer`: a user's token or an API key. `operator`: the token set by the one who runs the service. */
  readonly auth: 'none' | 'bearer' | 'operator';
  readonly params?: TObject;
  readonly query?: TObject;
  readonly headers?: TObject;
  readonly body?: TObject;
  /** The fields of a form that the operation takes as well as JSON. */
  readonly multipart?: TObject;
  /** The body may be a file of any media type. */
  readonly anyFile?: boolean;
  readonly success: {
    readonly status: 200 | 201 | 204;
    readonly description: string;
    /** `application/json` when left out. */
    readonly mediaType?: string;
    /** Left out when the answer has no body. */
    readonly schema?: TSchema;
    readonly example?: unknown;
  };
  /** What this operation refuses, and why; failures that any operation may have are added to it. */
  readonly errors: Partial<Record<ErrorCode, string>>;
  /** What the runnable example sends. Ids of `exampleIds` become shell variables in it. */
  readonly exampleBody?: unknown;
  readonly exampleQuery?: Readonly<Record<string, string>>;
}

export type ParamsOf<O extends Operation> = O extends { params: infer S extends TSchema } ? Static<S> : undefined;
export type QueryOf<O extends Operation> = O extends { query: infer S extends TSchema } ? Static<S> : undefined;
export type HeadersOf<O extends Operation> = O extends { headers: infer S extends TSchema } ? Static<S> : object;
type JsonOf<O extends Operation> = O extends { body: infer S extends TSchema } ? Static<S> : never;
type FormOf<O extends Operation> = O extends { multipart: infer S extends TSchema } ? Static<S> : never;
export type BodyOf<O extends Operation> = [JsonOf<O> | FormOf<O>] extends [never] ? undefined : JsonOf<O> | FormOf<O>;
// biome-ignore lint/suspicious/noConfusingVoidType: a rule that answers nothing returns nothing
export type ResultOf<O extends Operation> = O['success'] extends { schema: infer S extends TSchema } ? Static<S> : void;

/** The things that examples speak of, by the shell variable that stands for their id. */
export const exampleIds = {
  USER_ID: '5f1d7f1e-6a0b-4a0e-9f57-2d6c2f5f0b11',
  ORGANIZATION_ID: '0b8f2a52-9e0c-4e5c-8f0b-6d1c3d8a7e21',
  MARK_ID: 'c3b1f0a4-6f7e-4a53-9d0e-8b1f2c7d6a32',
  KEY_ID: '9a7d3c52-1e4b-4f86-b0c9-5d2e8f1a7b43',
} as const;

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

/** How a user appears to everybody else. */
export const Person = Type.Object({ id: Uuid('The user.'), name: Type.String() }, { title: 'Person' });
export type Person = Static<typeof Person>;
