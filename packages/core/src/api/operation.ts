// The declaration of an API operation. The server validates requests with it, the OpenAPI document is generated
// from it, and the SDK derives its types from it.

import Type, { type Static, type TObject, type TSchema } from 'typebox';
import type { ErrorCode } from '../errors.js';
import { uuidPattern } from '../text/text.js';

export type Tag =
  | 'Accounts'
  | 'Sessions'
  | 'Invitations'
  | 'Organizations'
  | 'Marks'
  | 'API keys'
  | 'Limits'
  | 'Artifacts'
  | 'Claims'
  | 'Events'
  | 'Webhooks'
  | 'Public'
  | 'Resolution'
  | 'Operator'
  | 'Health';

/** What an API key with a scope may do. `register` and `manage` include reading. */
export const apiKeyScopes = ['read', 'register', 'manage'] as const;
export type ApiKeyScope = (typeof apiKeyScopes)[number];

export interface Operation {
  /** Unique; also the name of the SDK method. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with parameters in braces: `/api/v1/marks/{markId}`. */
  readonly path: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description: string;
  /**
   * `bearer`: a user token or an API key. `operator`: the service's `OPERATOR_TOKEN`. `monitoring`: that token too,
   * unless the client is on the same machine.
   */
  readonly auth: 'none' | 'bearer' | 'operator' | 'monitoring';
  /** Which API keys with a scope may call it. Default: `read` for GET, otherwise `manage`. */
  readonly keyScope?: ApiKeyScope;
  readonly params?: TObject;
  readonly query?: TObject;
  readonly headers?: TObject;
  readonly body?: TObject;
  /** What is checked of a body as a whole, if its items are checked one by one. Default: `body`. */
  readonly checkedBody?: TObject;
  /** The largest JSON body in bytes, if the operation handles less than its schema would allow. */
  readonly maxJsonBytes?: number;
  /** The fields of a form that is accepted as an alternative to JSON. */
  readonly multipart?: TObject;
  /** The body may be lines instead of JSON. The response is lines then too: one for each, in their order. */
  readonly lines?: LinesForm;
  /** The body may be the file itself, of any media type. */
  readonly acceptsRawFile?: boolean;
  /** Responses have an ETag, and a request with `If-None-Match` may get 304. */
  readonly hasEtag?: boolean;
  readonly success: {
    readonly status: 200 | 201 | 202 | 204;
    readonly description: string;
    /** Default: `application/json`. */
    readonly mediaType?: string;
    /** Absent when the response has no body. */
    readonly schema?: TSchema;
    readonly example?: unknown;
    /** Other forms of the response, for clients that ask for them with `Accept`. */
    readonly alternatives?: readonly { readonly mediaType: string; readonly schema: TSchema }[];
    /** The path of what was created: members of the result and path parameters in braces. Sent as `Location`. */
    readonly location?: string;
    /** Further response headers, with what they contain. */
    readonly headers?: Readonly<Record<string, string>>;
  };
  /** Errors specific to this operation; those that any operation may return are added to them. */
  readonly errors: Partial<Record<ErrorCode, string>>;
  /** The body of the runnable example. Ids from `exampleIds` become shell variables in it. */
  readonly exampleBody?: unknown;
  /** The file in the runnable example of an operation that only takes forms; without single quotes. */
  readonly exampleFile?: string;
  readonly exampleQuery?: Readonly<Record<string, string>>;
}

/** Newline-delimited JSON. */
export const linesMediaType = 'application/x-ndjson';

export interface LinesForm {
  /** Name of the list of items in the JSON body. The list of the results is called `results`. */
  readonly member: string;
  readonly maxLines: number;
  readonly maxLineBytes: number;
  readonly item: TSchema;
  readonly result: TSchema;
  readonly exampleItems: readonly unknown[];
  readonly exampleResults: readonly unknown[];
}

export type ParamsOf<O extends Operation> = O extends { params: infer S extends TSchema } ? Static<S> : undefined;
export type QueryOf<O extends Operation> = O extends { query: infer S extends TSchema } ? Static<S> : undefined;
export type HeadersOf<O extends Operation> = O extends { headers: infer S extends TSchema } ? Static<S> : object;
type JsonOf<O extends Operation> = O extends { body: infer S extends TSchema } ? Static<S> : never;
type FormOf<O extends Operation> = O extends { multipart: infer S extends TSchema } ? Static<S> : never;
export type BodyOf<O extends Operation> = [JsonOf<O> | FormOf<O>] extends [never] ? undefined : JsonOf<O> | FormOf<O>;
// biome-ignore lint/suspicious/noConfusingVoidType: a rule without a result returns nothing
export type ResultOf<O extends Operation> = O['success'] extends { schema: infer S extends TSchema } ? Static<S> : void;

/** What an API key with a scope needs for the operation. */
export function requiredScope({ keyScope, method }: Pick<Operation, 'keyScope' | 'method'>): ApiKeyScope {
  return keyScope ?? (method === 'GET' ? 'read' : 'manage');
}

/** Every scope includes reading. */
export function scopeIncludes(scope: ApiKeyScope, operation: Pick<Operation, 'keyScope' | 'method'>): boolean {
  const required = requiredScope(operation);
  return required === 'read' || required === scope;
}

/** Ids used in examples, by the shell variable that stands for them. */
export const exampleIds = {
  USER_ID: '5f1d7f1e-6a0b-4a0e-9f57-2d6c2f5f0b11',
  ORGANIZATION_ID: '0b8f2a52-9e0c-4e5c-8f0b-6d1c3d8a7e21',
  MARK_ID: 'c3b1f0a4-6f7e-4a53-9d0e-8b1f2c7d6a32',
  KEY_ID: '9a7d3c52-1e4b-4f86-b0c9-5d2e8f1a7b43',
  SESSION_ID: '3c5e8f1a-7b43-4d2e-9a7d-1e4b0c9f8652',
  INVITATION_ID: '6d1c3d8a-7e21-4e5c-8f0b-0b8f2a529e0c',
  WEBHOOK_ID: '8d3a1f6c-2b7e-4c95-a1d4-7e0f3b9c5a26',
  CLAIM_ID: '2f8e1a7b-4311-4d2e-9a7d-8f1a7b431e4b',
  MEMBER_ID: '7b2e9c1d-4f3a-4d8b-a6e5-1c0f9d8e7b54',
  LINK_TOKEN: 'token-from-the-link',
  TOTP_CODE: '123456',
} as const;

/** A file, in a form or as a whole body. */
export const BinaryFile = (description: string) =>
  Type.Unsafe<unknown>({ type: 'string', format: 'binary', description });

/** The body of every error response. */
export const ErrorBody = Type.Object(
  {
    error: Type.String({ description: 'A message for people; may change at any time.' }),
    code: Type.String({ description: 'For programs: one of a closed set.' }),
    problems: Type.Optional(
      Type.Array(
        Type.Object(
          {
            path: Type.String({
              description: 'A JSON Pointer (RFC 6901) into the body; for parameters, `/` and their name.',
            }),
            message: Type.String({ description: 'What is wrong with it, for people: a sentence.' }),
          },
          { title: 'FieldProblem' },
        ),
        { description: 'The invalid fields, if fields are the reason: all of those declared, and some unknown ones.' },
      ),
    ),
  },
  { title: 'ErrorBody' },
);

export const Uuid = (description: string) => Type.String({ format: 'uuid', pattern: uuidPattern, description });

export const Timestamp = (description: string) => Type.String({ format: 'date-time', description });

/** A user as shown to other users. */
export const Person = Type.Object({ id: Uuid('The user.'), name: Type.String() }, { title: 'Person' });
export type Person = Static<typeof Person>;
