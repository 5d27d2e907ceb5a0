// The words of the API reference that are not in the OpenAPI document.

export const texts = {
  title: 'API reference',
  lead: (operations: number, groups: number) =>
    `${operations} operations in ${groups} groups. Every request is checked against the document that these pages are made from.`,
  description: 'Every operation of the HTTP API with its fields, errors, and examples in curl, TypeScript and Python.',
  groupDescription: (group: string) => `The operations of the group ${group}, with fields, errors and examples.`,
  overview: 'Overview',
  objects: 'Objects',
  objectsLead: 'What several operations send or return. Operations link to them by name.',
  operations: 'Operations',
  find: 'Find an operation',
  close: 'Close',
  document: 'OpenAPI document (JSON)',
  docs: 'Documentation',
  sdk: 'TypeScript SDK',
  groups: 'Groups',
  operationCount: (count: number) => (count === 1 ? '1 operation' : `${count} operations`),

  authentication: 'Authentication',
  noToken: 'No token needed.',
  monitoringToken: 'The operator token, unless the client is on the same machine.',
  operatorToken: 'The operator token of this service, as `Authorization: Bearer …`.',
  userToken: 'A user token. API keys cannot call this.',
  userTokenOrKey: (scope: string) =>
    scope === 'read'
      ? 'A user token, or an API key of any scope.'
      : `A user token, or an API key: one without a scope, or with the scope \`${scope}\`.`,

  parameters: { path: 'Path parameters', query: 'Query parameters', header: 'Headers' } satisfies Record<
    string,
    string
  >,
  body: 'Body',
  otherBody: (mediaType: string) => `Or as ${mediaType}`,
  sameFields: (mediaType: string) => `The fields of ${mediaType}; these are different:`,
  sameFieldsOnly: (mediaType: string) => `The fields of ${mediaType}.`,
  noFields: 'No fields: an empty object.',
  response: (status: string) => `Response ${status}`,
  otherResponse: (mediaType: string) => `With \`Accept: ${mediaType}\`:`,
  lines: 'One JSON value a line, each:',
  headers: 'Headers:',
  noBody: 'No body.',
  errors: 'Errors',
  exampleLanguages: (summary: string) => `Language of the example of ${summary}`,
  copy: 'Copy',
  copyExample: (language: string, summary: string) => `Copy ${language} example of ${summary}`,
  responseExample: 'Example of the response',
  linesExample: 'Example of the lines',

  required: 'required',
  optional: 'optional',
  file: 'file',
  anything: 'any value',
  or: ' or ',
  arrayOf: (type: string) => `array of ${type}`,
  mapOf: (type: string) => `object with values of type ${type}`,
  oneOf: (values: string) => `One of ${values}.`,
  always: (value: string) => `Always ${value}.`,
  defaultValue: (value: string) => `Default: ${value}.`,
  pattern: (pattern: string) => `Pattern: ${pattern}.`,
  range: (from: string | undefined, to: string | undefined, unit: string) => {
    if (from === undefined) return `At most ${to}${unit}.`;
    if (to === undefined) return `At least ${from}${unit}.`;
    return from === to ? `${from}${unit}.` : `${from} to ${to}${unit}.`;
  },
  characters: ' characters',
  items: ' items',
};

interface Section {
  readonly id: string;
  readonly title: string;
  /** Texts with `code` between backticks. */
  readonly paragraphs: readonly string[];
  readonly code?: string;
}

/** What holds for all operations. */
export const conventions = (baseUrl: string): readonly Section[] => [
  {
    id: 'examples',
    title: 'Run the examples',
    paragraphs: [
      `The service is at \`${baseUrl}\`. Every example runs as it stands, in a shell, with Node and the SDK, or with the standard library of Python. Ids and tokens come from environment variables: \`TOKEN\` is the \`token\` that signing up or logging in returns, or an API key; other names in capitals are ids from earlier responses.`,
      'The examples of curl need version 7.82 or newer, for `--json`. A test runs all of them in all three languages.',
    ],
    code: 'export TOKEN=… ORGANIZATION_ID=… MARK_ID=…',
  },
  {
    id: 'authentication',
    title: 'Authentication',
    paragraphs: [
      'Send `Authorization: Bearer …` with the token of a user or with an API key of an organization. Operations that anyone may call are marked; they need no token.',
      'An API key without a scope acts as the owner of its organization. One with a scope may do less: `read` only reads, `register` reads and registers files, `manage` reads and manages the organization. Each operation names the scope that it needs; keys with another one get 403 `FORBIDDEN`.',
    ],
  },
  {
    id: 'pagination',
    title: 'Pages of lists',
    paragraphs: [
      'Long lists come in pages. Send `nextCursor` of a page as `cursor` to get the next one, until `nextCursor` is null. `limit` is the size of a page.',
    ],
  },
  {
    id: 'idempotency',
    title: 'Safe repetition',
    paragraphs: [
      'Creations of Artifacts accept the header `Idempotency-Key`, any text of up to 255 characters. Within 24 hours, the same request with the same key returns the first response and creates nothing again; another request with that key gets 409 `CONFLICT`. The SDK sends such keys by itself.',
    ],
  },
  {
    id: 'caching',
    title: 'Caching and limits',
    paragraphs: [
      'Public reads have an `ETag`: send it as `If-None-Match`, and an unchanged response is 304 without a body. 503 has `Retry-After`, the seconds to wait. `X-Request-Id` is on every response and in the log of the service.',
    ],
  },
  {
    id: 'errors',
    title: 'Errors',
    paragraphs: [
      'Errors have the form below. Branch on `code`, which is one of a closed set; the text in `error` may change. If fields are the reason, `problems` names each by a JSON Pointer, with what is wrong. A field that an operation does not have is refused, with the one that was probably meant.',
    ],
    code: JSON.stringify(
      {
        error: '"filename" must be a file name.',
        code: 'BAD_REQUEST',
        problems: [{ path: '/filename', message: '"filename" must be a file name.' }],
      },
      null,
      2,
    ),
  },
];
