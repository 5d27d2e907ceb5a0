// Generates the OpenAPI 3.1 document from the declared operations.

import { DAILY_CHANGES } from '../api/events/eventLimits.js';
import { api } from '../api/index.js';
import { ErrorBody, linesMediaType, type Operation, requiredScope, type Tag } from '../api/operation.js';
import { errorDescriptions } from '../errorDescriptions.js';
import { type ErrorCode, errorStatus } from '../errors.js';
import { StringEnum } from '../text/text.js';
import { codeSamples } from './codeSamples.js';
import type {
  JsonSchema,
  OpenApiContent,
  OpenApiDocument,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiResponse,
} from './openApiTypes.js';

const tags: Record<Tag, string> = {
  Accounts: 'Sign-up, log-in, credentials, and closing the account.',
  Sessions: 'Where a user is logged in.',
  Organizations: 'Teams that own Marks together.',
  Invitations: 'How users become members of organizations and Marks.',
  Marks: 'Authorship identities and the gallery of public ones.',
  'API keys': 'Machine access to an organization, on the enterprise tier.',
  Limits: 'Limits of the subscription tiers and current usage.',
  Artifacts: 'The record that a fingerprint is bound to a Mark.',
  Claims: 'Users who contest an Artifact, and their evidence.',
  Events: 'What happened, in order.',
  Webhooks: 'Events that are sent to an address, signed.',
  Public: 'Artifacts and Marks as anyone may read them, without a token.',
  Resolution: 'Find the manifest of a file. Open to everyone, without a token.',
  Operator: 'For the operator of the service.',
  Health: 'Health, metrics and this document.',
};

/** The error as this version sends it. Clients accept codes that later versions may add. */
const PublishedErrorBody = {
  ...ErrorBody,
  properties: {
    ...ErrorBody.properties,
    code: {
      ...StringEnum(Object.keys(errorStatus), {
        title: 'ErrorCode',
        description: 'For programs. Says what went wrong.',
      }),
      'x-enumDescriptions': errorDescriptions,
    },
  },
};

/** Errors that any operation may return. */
const commonErrors: Partial<Record<ErrorCode, string>> = {
  BAD_REQUEST: 'The request is malformed.',
  URI_TOO_LONG: 'The URL is too long.',
  HEADERS_TOO_LARGE: 'The headers are too large.',
  INTERNAL: 'An internal server error.',
  UNAVAILABLE: 'The service is temporarily unavailable; `Retry-After` says when to retry.',
};
const bodyErrors: Partial<Record<ErrorCode, string>> = {
  REQUEST_TIMEOUT: 'The request took too long to arrive.',
  PAYLOAD_TOO_LARGE: 'The body is too large.',
  UNSUPPORTED_MEDIA_TYPE: 'The body is not `application/json`.',
};
const authentication = {
  none: { security: [], errors: {} },
  bearer: {
    security: [{ bearer: [] }],
    errors: {
      UNAUTHORIZED: 'The token is missing, malformed, expired or revoked.',
      WORKSPACE_FROZEN: "The API key's organization is frozen.",
    },
  },
  operator: {
    security: [{ operator: [] }],
    errors: { UNAUTHORIZED: 'The token is not the operator token.' },
  },
  monitoring: {
    security: [{}, { operator: [] }],
    errors: { UNAUTHORIZED: 'The token is not the operator token.' },
  },
} satisfies Record<Operation['auth'], { errors: Partial<Record<ErrorCode, string>>; [part: string]: unknown }>;

/** Of operations that change something. */
const changeErrors: Partial<Record<ErrorCode, string>> = {
  FORBIDDEN: "The API key's scope does not include this operation.",
  TIER_RESTRICTION: `The account has made ${DAILY_CHANGES} changes today (UTC), the most that are recorded.`,
};

/** Response headers by name, with what they contain. */
const responseHeaders = {
  'X-Request-Id': 'Identifies the request in the logs of the service; the one that was sent, if it is well-formed.',
  Location: 'The URL of what was created.',
  ETag: 'Identifies this version of the content, for `If-None-Match`.',
  Vary: 'Of `Accept` and `Accept-Encoding`, those that the form of the response depends on.',
  'WWW-Authenticate': '`Bearer`.',
  'Retry-After': 'After how many seconds to retry.',
} as const;

/** Schemas by their titles. */
type Schemas = Map<string, JsonSchema>;

export function openApiDocument(baseUrl: string, version: string): OpenApiDocument {
  const schemas: Schemas = new Map();
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const operation of Object.values<Operation>(api)) {
    const path = paths[operation.path] ?? {};
    path[operation.method.toLowerCase()] = describeOperation(operation, baseUrl, schemas);
    paths[operation.path] = path;
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Provenance registry',
      version,
      description: [
        'Permanently binds the fingerprint of a file to an authorship identity.',
        '',
        'Every example runs in a shell as it stands. `TOKEN` is the `token` returned by signing up or logging in;',
        'other names in capitals stand for ids from earlier responses:',
        '',
        '```sh',
        'export TOKEN=… ORGANIZATION_ID=… MARK_ID=…',
        '```',
        '',
        'Errors have the shape `{error, code}`. Branch on `code`; the text in `error` may change. When fields are not valid,',
        '`problems` lists each of them with what is expected. A known path with another method gets 405',
        '`METHOD_NOT_ALLOWED`, and the header `Allow` lists the methods that it has.',
        '',
        'Patterns use only what the regular expressions of all languages share. The service also checks the `format`',
        'beside them, which may be stricter: lone surrogates and bidirectional overrides are refused in names, for',
        'example.',
      ].join('\n'),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1))),
      headers: Object.fromEntries(
        Object.entries(responseHeaders).map(([name, description]) => [name, describeHeader(name, description)]),
      ),
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'A token issued by this service or by its configured OpenID provider, or an API key.',
        },
        operator: { type: 'http', scheme: 'bearer', description: 'The `OPERATOR_TOKEN` of this service.' },
      },
    },
  };
}

function describeOperation(operation: Operation, baseUrl: string, schemas: Schemas): OpenApiOperation {
  const { success, lines } = operation;
  const contents = success.schema
    ? [{ mediaType: 'application/json', ...success }, ...(success.alternatives ?? [])]
    : [];
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: operation.description,
    security: authentication[operation.auth].security,
    ...(operation.auth === 'bearer' && { 'x-keyScope': requiredScope(operation) }),
    ...((operation.params || operation.query || operation.headers) && {
      parameters: listParameters(operation, schemas),
    }),
    ...describeRequestBody(operation, schemas),
    responses: {
      [success.status]: {
        description: success.description,
        headers: {
          ...describeHeaders(operation, success.status),
          ...Object.fromEntries(
            Object.entries(success.headers ?? {}).map(([name, text]) => [
              name,
              { description: text, schema: { type: 'string' } },
            ]),
          ),
        },
        ...(contents.length > 0 && {
          content: {
            ...Object.fromEntries(
              contents.map(({ mediaType, schema, ...content }) => [
                mediaType,
                { schema: hoist(schema, schemas), ...('example' in content && { example: content.example }) },
              ]),
            ),
            ...(lines && describeLines(lines.result, lines.exampleResults, schemas)),
          },
        }),
      },
      ...(operation.hasEtag && {
        304: {
          description: 'Not changed since the version in `If-None-Match`.',
          headers: describeHeaders(operation, 304),
        },
      }),
      ...describeErrors(operation, schemas),
    },
    'x-codeSamples': codeSamples(operation, baseUrl),
  };
}

/** References to the headers of a response that follow from the declaration. */
function describeHeaders(operation: Operation, status: number) {
  const { hasEtag, success } = operation;
  const isSuccess = status === success.status;
  const names: (keyof typeof responseHeaders)[] = [
    'X-Request-Id',
    ...(isSuccess && success.location ? ['Location' as const] : []),
    ...(hasEtag && (isSuccess || status === 304) ? ['ETag' as const] : []),
    ...(success.alternatives || isCompressible(operation) ? ['Vary' as const] : []),
    ...(status === 401 ? ['WWW-Authenticate' as const] : []),
    ...(status === 503 ? ['Retry-After' as const] : []),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Whether responses are compressed: only those that anyone may read. */
function isCompressible({ auth, method, lines }: Operation): boolean {
  return auth === 'monitoring' || (auth === 'none' && (method === 'GET' || lines !== undefined));
}

function describeHeader(name: string, description: string) {
  // The form is not known yet when a request is refused early.
  return {
    description,
    ...(name !== 'Vary' && { required: true }),
    schema: { type: name === 'Retry-After' ? 'integer' : 'string' },
  };
}

function describeRequestBody({ body, multipart, acceptsRawFile, exampleBody, lines }: Operation, schemas: Schemas) {
  if (!body && !multipart && !acceptsRawFile) return {};
  const json = body && { 'application/json': { schema: hoist(body, schemas), example: exampleBody } };
  const form = multipart && { 'multipart/form-data': { schema: hoist(multipart, schemas) } };
  const file = acceptsRawFile && { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };
  // Some generators support the first form only: the one with the file, where a file is the usual case.
  const content = multipart?.required?.includes('file') ? { ...form, ...json, ...file } : { ...json, ...form, ...file };
  const asLines = lines && describeLines(lines.item, lines.exampleItems, schemas);
  return { requestBody: { required: true, content: { ...content, ...asLines } } };
}

/** JSON Schema cannot describe lines; the extension has the name that OpenAPI 3.2 gives to the schema of each. */
function describeLines(line: unknown, examples: readonly unknown[], schemas: Schemas): OpenApiContent {
  return {
    [linesMediaType]: {
      schema: { type: 'string', description: 'One JSON value a line.' },
      'x-itemSchema': hoist(line, schemas),
      example: examples.map((example) => `${JSON.stringify(example)}\n`).join(''),
    },
  };
}

function listParameters({ params, query, headers }: Operation, schemas: Schemas): OpenApiParameter[] {
  return Object.entries({ path: params, query, header: headers }).flatMap(([location, declared]) =>
    Object.entries(declared?.properties ?? {}).map(([name, schema]) => ({
      name,
      in: location,
      required: declared?.required?.includes(name) ?? false,
      schema: hoist(schema, schemas),
    })),
  );
}

function describeErrors(operation: Operation, schemas: Schemas): Record<string, OpenApiResponse> {
  const reasons = {
    ...commonErrors,
    ...((operation.body || operation.multipart || operation.acceptsRawFile) && bodyErrors),
    ...authentication[operation.auth].errors,
    ...(operation.auth === 'bearer' && requiredScope(operation) !== 'read' && changeErrors),
    ...operation.errors,
  };
  const errorsByStatus: Record<string, { code: string; reason: string }[]> = {};
  for (const [code, status] of Object.entries(errorStatus)) {
    const reason = reasons[code as ErrorCode];
    if (reason) errorsByStatus[status] = [...(errorsByStatus[status] ?? []), { code, reason }];
  }
  return Object.fromEntries(
    Object.entries(errorsByStatus).map(([status, errors]) => [
      status,
      {
        description: errors.map(({ code, reason }) => `\`${code}\`: ${reason}`).join('\n\n'),
        headers: describeHeaders(operation, Number(status)),
        content: {
          'application/json': {
            schema: hoist(PublishedErrorBody, schemas),
            examples: Object.fromEntries(errors.map(({ code, reason }) => [code, { value: { error: reason, code } }])),
          },
        },
      },
    ]),
  );
}

/** The schema with those that have a title replaced by references: they move to the components under that name. */
function hoist(schema: unknown, schemas: Schemas): JsonSchema {
  // TypeBox's schemas are JSON Schema; in a copy without their types.
  return replaceTitled(schema, schemas) as JsonSchema;
}

function replaceTitled(schema: unknown, schemas: Schemas): unknown {
  if (Array.isArray(schema)) return schema.map((item) => replaceTitled(item, schemas));
  if (typeof schema !== 'object' || schema === null) return schema;
  const members = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, replaceTitled(value, schemas)]),
  );
  const { title } = members;
  if (typeof title !== 'string') return members;
  schemas.set(title, members);
  return { $ref: `#/components/schemas/${title}` };
}
