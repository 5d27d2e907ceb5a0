// The parts of an OpenAPI 3.1 document that ours has.

import type { ApiKeyScope } from '../api/operation.js';
import type { CodeSample } from './codeSamples.js';

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly [kind: string]: unknown;
  };
  readonly [member: string]: unknown;
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly OpenApiParameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: OpenApiContent };
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
  readonly 'x-codeSamples': readonly CodeSample[];
  /** What an API key with a scope needs. */
  readonly 'x-keyScope'?: ApiKeyScope;
}

export interface OpenApiParameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

export interface OpenApiResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly $ref?: string; readonly description?: string }>>;
  readonly content?: OpenApiContent;
}

/** Content by media type. */
export type OpenApiContent = Readonly<
  Record<
    string,
    {
      readonly schema: JsonSchema;
      readonly example?: unknown;
      readonly examples?: Readonly<
        Record<string, { readonly value: { readonly error: string; readonly code: string } }>
      >;
      /** The schema of each line. */
      readonly 'x-itemSchema'?: JsonSchema;
    }
  >
>;

export interface JsonSchema {
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly anyOf?: readonly JsonSchema[];
  /** What each value of the enum means. */
  readonly 'x-enumDescriptions'?: Readonly<Record<string, string>>;
}
