// Examples of every operation in curl, TypeScript and Python. They run as they stand: ids and tokens come from environment
// variables.

import { exampleIds, type Operation } from '../api/operation.js';

export interface CodeSample {
  readonly lang: 'shell' | 'typescript' | 'python';
  readonly label: string;
  readonly source: string;
}

/** The longest value that is written in one line. */
const MAX_LINE = 72;

const tokenVariables = { none: undefined, bearer: 'TOKEN', operator: 'OPERATOR_TOKEN', monitoring: undefined } as const;

const variablesByValue: ReadonlyMap<unknown, string> = new Map(
  Object.entries(exampleIds).map(([variable, value]) => [value, variable]),
);

export function codeSamples(operation: Operation, baseUrl: string): CodeSample[] {
  return [
    { lang: 'shell', label: 'curl', source: curlSample(operation, baseUrl) },
    { lang: 'typescript', label: 'TypeScript', source: typeScriptSample(operation, baseUrl) },
    { lang: 'python', label: 'Python', source: pythonSample(operation, baseUrl) },
  ];
}

function curlSample(operation: Operation, baseUrl: string): string {
  const token = tokenVariables[operation.auth];
  const { method, exampleBody, exampleFile, acceptsRawFile } = operation;
  const defaultMethod = exampleBody || exampleFile || acceptsRawFile ? 'POST' : 'GET';
  return [
    `curl "${buildUrl(operation, baseUrl, (variable) => `$${variable}`)}"`,
    ...(method === defaultMethod ? [] : [`  --request ${method}`]),
    ...(token ? [`  --header "Authorization: Bearer $${token}"`] : []),
    ...(exampleBody ? [`  --json '${quoteForShell(exampleBody)}'`] : []),
    ...(exampleFile ? [`  --form-string 'file=${exampleFile}'`] : []),
    ...(acceptsRawFile ? ['  --header "Content-Type: application/octet-stream"', "  --data-binary 'hello'"] : []),
    ...(isEventStream(operation) ? ['  --header "Last-Event-ID: 0"', '  --no-buffer --max-time 5'] : []),
  ].join(' \\\n');
}

/** It goes on until the client leaves. */
function isEventStream({ success }: Operation): boolean {
  return success.mediaType === 'text/event-stream';
}

/** Escapes a text for use inside single quotes: a shell variable has to close and reopen them. */
function quoteForShell(body: unknown): string {
  return insertVariables(JSON.stringify(body, null, 2).replaceAll("'", "'\\''"), (variable) => `'"$${variable}"'`);
}

function buildUrl(
  { path, exampleQuery = {} }: Operation,
  baseUrl: string,
  write: (variable: string) => string,
): string {
  const query = Object.entries(exampleQuery).map(
    ([name, value]) => `${name}=${insertVariables(encodeURIComponent(value), write)}`,
  );
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => write(variableOf(name)));
  return `${baseUrl}${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`;
}

function insertVariables(text: string, write: (variable: string) => string): string {
  return Object.entries(exampleIds).reduce((result, [variable, id]) => result.replaceAll(id, write(variable)), text);
}

/** `markId` in the path is the variable `MARK_ID`. */
function variableOf(parameter: string): string {
  return parameter.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

/** Source text in place of a value: the name of a variable, a constructor. */
class Expression {
  constructor(readonly source: string) {}
}

interface Syntax {
  readonly indent: string;
  readonly constants: Readonly<Record<'true' | 'false' | 'null', string>>;
  readonly quote: (text: string) => string;
  readonly key: (name: string) => string;
  readonly variable: (name: string) => string;
  /** What is inside the braces of an object in one line. */
  readonly padding: string;
}

const typeScript: Syntax = {
  indent: '  ',
  constants: { true: 'true', false: 'false', null: 'null' },
  quote: (text) => `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`,
  key: (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`),
  variable: (name) => name,
  padding: ' ',
};

const python: Syntax = {
  indent: '    ',
  constants: { true: 'True', false: 'False', null: 'None' },
  quote: (text) => JSON.stringify(text),
  key: (name) => JSON.stringify(name),
  variable: (name) => `os.environ["${name}"]`,
  padding: '',
};

/** @param known the variables that the value uses are added to it */
function writeValue(syntax: Syntax, value: unknown, known: Set<string>, indent = ''): string {
  if (value instanceof Expression) return value.source;
  const variable = variablesByValue.get(value);
  if (variable !== undefined) {
    known.add(variable);
    return syntax.variable(variable);
  }
  if (typeof value === 'string') return syntax.quote(value);
  if (value === true || value === false || value === null) return syntax.constants[`${value}`];
  if (typeof value !== 'object') return String(value);
  const inner = indent + syntax.indent;
  const items = Array.isArray(value)
    ? value.map((item) => writeValue(syntax, item, known, inner))
    : Object.entries(value ?? {}).map(([name, member]) => {
        const written = writeValue(syntax, member, known, inner);
        return `${syntax.key(name)}: ${written}`;
      });
  const [open, close, padding] = Array.isArray(value) ? ['[', ']', ''] : ['{', '}', syntax.padding];
  if (items.length === 0) return `${open}${close}`;
  const line = `${open}${padding}${items.join(', ')}${padding}${close}`;
  if (line.length <= MAX_LINE && !line.includes('\n')) return line;
  return `${open}\n${items.map((item) => `${inner}${item},\n`).join('')}${indent}${close}`;
}

function typeScriptSample(operation: Operation, baseUrl: string): string {
  const variables = new Set<string>();
  const input = writeValue(typeScript, sdkInput(operation, variables), variables);
  const token = tokenVariables[operation.auth];
  const hasFingerprint = variables.has('FINGERPRINT');
  const names = [...variables].map((name) => (name === 'FINGERPRINT' ? name : `${name} = ''`));
  const options = { baseUrl, ...(token && { credential: new Expression(token) }) };
  const imports = [
    'createClient',
    ...(isEventStream(operation) ? ['followEvents'] : []),
    ...(hasFingerprint ? ['type Fingerprint'] : []),
  ];
  const call = `await client.${operation.id}(${input === '{}' ? '' : input})`;
  return [
    `import { ${imports.join(', ')} } from '@provenance-registry/client';`,
    '',
    ...(token || names.length > 0
      ? [`const { ${[...(token ? [token] : []), ...names].join(', ')} } = process.env;`]
      : []),
    `const client = createClient(${writeValue(typeScript, options, variables)});`,
    ...writeResult(operation, call),
  ].join('\n');
}

function writeResult(operation: Operation, call: string): string[] {
  const { success, id } = operation;
  if (!success.schema) return [`${call};`];
  if (isEventStream(operation)) {
    const start = "for await (const event of followEvents(client, { after: '0' })) {";
    return [start, '  console.log(event);', '  break;', '}'];
  }
  // It returns a stream, since it may be of any size.
  if (id === 'exportAccount') return [`const stream = ${call};`, 'console.log(await new Response(stream).json());'];
  return [`const result = ${call};`, 'console.log(result);'];
}

/** Path parameters, query and body in one object. */
function sdkInput(operation: Operation, variables: Set<string>): Record<string, unknown> {
  const { params, query, exampleQuery = {}, exampleBody, exampleFile, acceptsRawFile } = operation;
  const fromPath = Object.keys(params?.properties ?? {}).map((name) => {
    const variable = variableOf(name);
    variables.add(variable);
    return [name, new Expression(variable === 'FINGERPRINT' ? 'FINGERPRINT as Fingerprint' : variable)];
  });
  const fromQuery = Object.entries(exampleQuery).map(([name, value]) => {
    const { type } = { type: undefined, ...query?.properties[name] };
    return [name, type === 'integer' || type === 'boolean' ? JSON.parse(value) : value];
  });
  const content = exampleFile ?? (acceptsRawFile ? 'hello' : undefined);
  return {
    ...Object.fromEntries([...fromPath, ...fromQuery]),
    ...(typeof exampleBody === 'object' && exampleBody),
    ...(content !== undefined && { file: new Expression(`new Blob([${typeScript.quote(content)}])`) }),
  };
}

function pythonSample(operation: Operation, baseUrl: string): string {
  const { method, exampleBody, exampleFile, acceptsRawFile } = operation;
  const token = tokenVariables[operation.auth];
  const url = buildUrl(operation, baseUrl, (variable) => `{os.environ['${variable}']}`);
  const variables = new Set<string>();
  const headers = {
    ...(token && { Authorization: new Expression(`f"Bearer {os.environ['${token}']}"`) }),
    ...(exampleBody !== undefined && { 'Content-Type': 'application/json' }),
    ...(exampleFile !== undefined && { 'Content-Type': new Expression('f"multipart/form-data; boundary={boundary}"') }),
    ...(acceptsRawFile && { 'Content-Type': 'application/octet-stream' }),
  };
  const body = writePythonBody(operation, variables);
  const data = exampleBody === undefined ? 'body' : 'json.dumps(body).encode()';
  const options = [
    ...(body.length > 0 ? [`data=${data}`] : []),
    ...(Object.keys(headers).length > 0 ? [`headers=${writeValue(python, headers, variables, '    ')}`] : []),
    ...(method === (body.length > 0 ? 'POST' : 'GET') ? [] : [`method="${method}"`]),
  ];
  const address = `${url.includes('{') ? 'f' : ''}"${url}"`;
  const lines = [address, ...options].map((argument) => `    ${argument},\n`);
  const code = [
    ...body,
    `request = Request(${options.length === 0 ? address : `\n${lines.join('')}`})`,
    'with urlopen(request) as response:',
    `    print(${pythonResult(operation)})`,
  ].join('\n');
  const modules = ['json', 'os'].filter((name) => new RegExp(`\\b${name}\\.(dumps|load|environ)\\b`).test(code));
  return [...modules.map((name) => `import ${name}`), 'from urllib.request import Request, urlopen', '', code].join(
    '\n',
  );
}

function writePythonBody({ exampleBody, exampleFile, acceptsRawFile }: Operation, variables: Set<string>): string[] {
  if (exampleBody !== undefined) return [`body = ${writeValue(python, exampleBody, variables)}`];
  if (acceptsRawFile) return ['body = b"hello"'];
  if (exampleFile === undefined) return [];
  return [
    'boundary = "a-text-that-is-not-in-the-file"',
    `file = b'${exampleFile}'`,
    'start = f\'--{boundary}\\r\\nContent-Disposition: form-data; name="file"; filename="image"\\r\\n\\r\\n\'',
    'body = start.encode() + file + f"\\r\\n--{boundary}--\\r\\n".encode()',
  ];
}

function pythonResult(operation: Operation): string {
  const { success } = operation;
  if (!success.schema) return 'response.status';
  if (isEventStream(operation)) return 'response.readline().decode()';
  const { mediaType = 'application/json' } = success;
  if (mediaType === 'application/json') return 'json.load(response)';
  const isText = mediaType.startsWith('text/') || mediaType.endsWith('pem-file');
  return isText ? 'response.read().decode()' : 'len(response.read()), "bytes"';
}
