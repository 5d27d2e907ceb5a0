// Writes the OpenAPI 3.1 document from the table of operations.

import { api } from './api/index.js';
import { ErrorBody, exampleIds, type Operation, type Tag } from './api/operation.js';
import { type ErrorCode, errorStatus } from './errors.js';

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly [member: string]: unknown;
}

const tags: Record<Tag, string> = {
  Accounts: 'Who you are, and the tokens that say so.',
  Organizations: 'Those who own Marks together.',
  Marks: 'Authorship identities, and the gallery of the public ones.',
  'API keys': 'Machine access to an organization, on the enterprise tier.',
  Limits: 'What the tier allows.',
  Artifacts: 'The record that a fingerprint is bound to a Mark.',
  Public: 'What anyone may read of Artifacts and Marks, without a token.',
  Resolution: 'Whose is this file? For anyone, without a token.',
  Operator: 'For the one who runs the service.',
  Operating: 'Health, metrics and this document.',
};

/** Failures that have nothing to do with what an operation does. */
const anywhere: Partial<Record<ErrorCode, string>> = {
  BAD_REQUEST: 'The request is malformed.',
  URI_TOO_LONG: 'The address is too long.',
  HEADERS_TOO_LARGE: 'The headers are too large.',
  INTERNAL: 'A fault of the server.',
  UNAVAILABLE: 'Something the service stands on is away; `Retry-After` says when to try again.',
};
const withBody: Partial<Record<ErrorCode, string>> = {
  REQUEST_TIMEOUT: 'The request took too long to arrive.',
  PAYLOAD_TOO_LARGE: 'The body is too large.',
  UNSUPPORTED_MEDIA_TYPE: 'The body is not `application/json`.',
};
const withCredential: Record<Operation['auth'], Partial<Record<ErrorCode, string>>> = {
  none: {},
  bearer: {
    UNAUTHORIZED: 'The token is missing, malformed, expired or revoked.',
    WORKSPACE_FROZEN: "The API key's organization is frozen.",
  },
  operator: { UNAUTHORIZED: 'The token is not that of the operator.' },
};

const security = {
  none: [],
  bearer: [{ bearer: [] }],
  operator: [{ operator: [] }],
} satisfies Record<Operation['auth'], unknown[]>;

const tokenVariable = { none: undefined, bearer: 'TOKEN', operator: 'OPERATOR_TOKEN' } as const;

export function openApiDocument(baseUrl: string, version: string): OpenApiDocument {
  const schemas = new Map<string, unknown>();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of Object.values<Operation>(api)) {
    const path = paths[operation.path] ?? {};
    path[operation.method.toLowerCase()] = describe(operation, baseUrl, schemas);
    paths[operation.path] = path;
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Provenance registry',
      version,
      description: [
        'Binds the fingerprint of a file to an authorship identity, for good.',
        '',
        'Every example can be run in a shell as it stands. `TOKEN` is the `token` that signing up or logging in',
        'answers with; other capital names stand for ids that an earlier answer gave you:',
        '',
        '```sh',
        'export TOKEN=… ORGANIZATION_ID=… MARK_ID=…',
        '```',
        '',
        'Errors have the shape `{error, code}`: branch on `code`, show people a sentence of your own.',
      ].join('\n'),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'A token of this service, or of the OpenID provider it trusts.',
        },
        operator: { type: 'http', scheme: 'bearer', description: 'The `OPERATOR_TOKEN` of this service.' },
      },
    },
  };
}

function describe(operation: Operation, baseUrl: string, schemas: Map<string, unknown>) {
  const { success } = operation;
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: operation.description,
    security: security[operation.auth],
    ...((operation.params || operation.query || operation.headers) && { parameters: parameters(operation, schemas) }),
    ...requestBody(operation, schemas),
    responses: {
      [success.status]: {
        description: success.description,
        ...(success.schema && {
          content: {
            [success.mediaType ?? 'application/json']: {
              schema: hoist(success.schema, schemas),
              example: success.example,
            },
          },
        }),
      },
      ...errorResponses(operation, schemas),
    },
    'x-codeSamples': [{ lang: 'shell', label: 'curl', source: curlExample(operation, baseUrl) }],
  };
}

function requestBody({ body, multipart, anyFile, exampleBody }: Operation, schemas: Map<string, unknown>) {
  if (!body && !multipart && !anyFile) return {};
  const file = { schema: { type: 'string', format: 'binary' } };
  return {
    requestBody: {
      required: true,
      content: {
        ...(body && { 'application/json': { schema: hoist(body, schemas), example: exampleBody } }),
        ...(multipart && { 'multipart/form-data': { schema: hoist(multipart, schemas) } }),
        ...(anyFile && { '*/*': file }),
      },
    },
  };
}

function parameters(operation: Operation, schemas: Map<string, unknown>) {
  const inPath = Object.entries(operation.params?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'path',
    required: true,
    schema: hoist(schema, schemas),
  }));
  const inQuery = Object.entries(operation.query?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: operation.query?.required?.includes(name) ?? false,
    schema: hoist(schema, schemas),
  }));
  const inHeaders = Object.entries(operation.headers?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'header',
    required: false,
    schema: hoist(schema, schemas),
  }));
  return [...inPath, ...inQuery, ...inHeaders];
}

function errorResponses(operation: Operation, schemas: Map<string, unknown>) {
  const reasons = {
    ...anywhere,
    ...((operation.body || operation.multipart || operation.anyFile) && withBody),
    ...withCredential[operation.auth],
    ...operation.errors,
  };
  const byStatus: Record<string, { code: string; reason: string }[]> = {};
  for (const [code, status] of Object.entries(errorStatus)) {
    const reason = reasons[code as ErrorCode];
    if (reason) byStatus[status] = [...(byStatus[status] ?? []), { code, reason }];
  }
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, failures]) => [
      status,
      {
        description: failures.map(({ code, reason }) => `\`${code}\`: ${reason}`).join('\n\n'),
        content: {
          'application/json': {
            schema: hoist(ErrorBody, schemas),
            examples: Object.fromEntries(
              failures.map(({ code, reason }) => [code, { value: { error: reason, code } }]),
            ),
          },
        },
      },
    ]),
  );
}

/** A schema that has a title stands once, among the components, and is referred to by that name. */
function hoist(schema: unknown, schemas: Map<string, unknown>): unknown {
  if (Array.isArray(schema)) return schema.map((item) => hoist(item, schemas));
  if (typeof schema !== 'object' || schema === null) return schema;
  const members = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, hoist(value, schemas)]));
  const { title } = members;
  if (typeof title !== 'string') return members;
  schemas.set(title, members);
  return { $ref: `#/components/schemas/${title}` };
}

/** A curl command that does the operation; ids and tokens come from shell variables. */
function curlExample(operation: Operation, baseUrl: string): string {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => `$${shellVariable(name)}`);
  const query = Object.entries(operation.exampleQuery ?? {}).map(
    ([name, value]) => `${name}=${withVariables(encodeURIComponent(value))}`,
  );
  const address = `${baseUrl}${path}${query.length > 0 ? `?${query.join('&')}` : ''}`;
  const token = tokenVariable[operation.auth];
  const methodOfCurl = operation.exampleBody || operation.anyFile ? 'POST' : 'GET';
  return [
    `curl "${address}"`,
    ...(operation.method === methodOfCurl ? [] : [`  --request ${operation.method}`]),
    ...(token ? [`  --header "Authorization: Bearer $${token}"`] : []),
    ...(operation.exampleBody ? [`  --json '${quotedBody(operation.exampleBody)}'`] : []),
    ...(operation.anyFile ? ['  --header "Content-Type: application/octet-stream"', "  --data-binary 'hello'"] : []),
  ].join(' \\\n');
}

function withVariables(text: string, before = '', after = ''): string {
  return Object.entries(exampleIds).reduce(
    (changed, [variable, id]) => changed.replaceAll(id, `${before}$${variable}${after}`),
    text,
  );
}

/** For single quotes, which a shell variable has to step out of. */
function quotedBody(body: unknown): string {
  return withVariables(JSON.stringify(body, null, 2).replaceAll("'", "'\\''"), '\'"', '"\'');
}

function shellVariable(parameter: string): string {
  return parameter.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}
