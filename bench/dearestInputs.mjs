// For each operation of the API, the request that costs most of those it accepts: the longest texts and lists that its schema
// allows, or the largest file. It follows from the declaration; what that cannot tell is in `special`. A new operation whose
// input cannot be made fails a test.

import { createHash, randomBytes, randomInt, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { api, MAX_LOOKUPS } from '@provenance-registry/core';

/** @typedef {import('@provenance-registry/core').Operation} Operation */
/** @typedef {Record<string, any>} Schema */

/** @typedef {{ token: string, values: Record<string, any> }} User with values by the names of parameters and fields */

/**
 * What the requests refer to; can be written as JSON.
 * @typedef {object} Fixture
 * @property {User} reader who has much of everything
 * @property {User} writer
 * @property {string} leavingToken of the writer
 * @property {string} operatorToken
 * @property {string} photo path of a JPEG of the largest size that strangers may send
 * @property {string} largePhoto path of a JPEG of the largest size that is inspected
 * @property {string} smallPhoto
 * @property {string} signedPhoto path of a JPEG with a manifest of the service
 */

/**
 * @typedef {object} DearRequest
 * @property {string} method
 * @property {string} path with its query
 * @property {Record<string, string | number>} headers
 * @property {Buffer[]} body
 */

/**
 * What is special of a request, and of the values in its path and query.
 * @typedef {Partial<DearRequest> & { values?: Record<string, string>, query?: Record<string, string> }} Special
 */

const BOUNDARY = 'a-line-that-no-file-has';
/** Bytes behind the end of an image, which make another file of it. */
const SUFFIX_BYTES = 32;
const REGISTERED_PHOTOS = 100;

/** @type {Record<string, (operation: Operation, fixture: Fixture) => Special>} */
const special = {
  createArtifact: (operation, { writer, largePhoto }) => withFile(operation, writer, newPhoto(largePhoto)),
  createManifest: (operation, { writer, largePhoto }) => {
    const { headers, body } = withFile(operation, writer, newPhoto(largePhoto));
    return { headers: { ...headers, accept: 'image/*' }, body };
  },
  createSignedCopy(operation, { writer, largePhoto }) {
    const photo = registeredPhoto(largePhoto, randomInt(REGISTERED_PHOTOS));
    return { ...withFile(operation, writer, photo), values: { fingerprint: photo.fingerprint } };
  },
  createClaim: (operation, { reader, writer, photo }) => ({
    ...withFile(operation, writer, newPhoto(photo), { kind: 'manifest' }),
    values: reader.values,
  }),
  findLookalikes: (operation, { reader, photo }) => withFile(operation, reader, newPhoto(photo)),
  findByContent: (_operation, { signedPhoto }) => ({
    headers: { 'content-type': 'application/octet-stream' },
    body: newPhoto(signedPhoto).parts,
  }),
  createArtifacts(operation, { writer }) {
    // With the code of a recording, fewer would fit into the body.
    const { chromaprint: _, ...item } = largestFields(operation.lines?.item, writer);
    const artifacts = Array.from({ length: operation.lines?.maxLines ?? 0 }, () => ({
      ...item,
      fingerprint: newFingerprint(),
      idempotencyKey: randomUUID().padEnd(255, '-'),
    }));
    return asJson({ artifacts });
  },
  lookUpFingerprints: () => asJson({ fingerprints: Array.from({ length: MAX_LOOKUPS }, newFingerprint) }),
  // Of no file that is known: the chain is asked too.
  findByBinding: () => ({ query: { value: randomBytes(32).toString('base64') } }),
  findByLargeBinding: ({ body }, { writer }) =>
    asJson({ ...largestFields(body, writer), value: randomBytes(32).toString('base64') }),
  signUp: ({ body }, { writer }) => asJson({ ...largestFields(body, writer), email: `${randomUUID()}@example.com` }),
  logOut: (_operation, { leavingToken }) => ({ headers: { authorization: `Bearer ${leavingToken}` } }),
};

/** Operations that are dear in two ways: the other one is JSON instead of a file. */
const alsoAsJson = [api.createArtifact, api.findLookalikes];

/** All of them, by the id of the operation. @type {Record<string, (fixture: Fixture) => DearRequest>} */
export const dearestInputs = Object.fromEntries([
  ...Object.values(api).map((operation) => [operation.id, inputOf(operation, special[operation.id])]),
  ...alsoAsJson.map((operation) => [`${operation.id} (JSON)`, inputOf(operation)]),
]);

/** @param {Operation} operation @param {(operation: Operation, fixture: Fixture) => Special} [createSpecial] */
function inputOf(operation, createSpecial = asLargestJson) {
  return (/** @type {Fixture} */ fixture) => createRequest(operation, fixture, createSpecial(operation, fixture));
}

/** @param {Operation} operation @param {Fixture} fixture */
function asLargestJson({ body }, { writer }) {
  return body ? asJson(largestFields(body, writer)) : {};
}

/** What is registered has a new fingerprint. @param {Schema | undefined} schema @param {User} user */
function largestFields(schema, { values: { fingerprint: _, ...values } }) {
  return largestValue(schema, values);
}

/** @param {Operation} operation @param {Fixture} fixture @param {Special} own @returns {DearRequest} */
function createRequest(operation, fixture, own) {
  const { method, auth, path, query, headers } = operation;
  const { token, values } = method === 'GET' ? fixture.reader : fixture.writer;
  const filled = path.replace(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(requiredValue(name, { ...values, ...own.values })),
  );
  const search = new URLSearchParams({ ...largestQuery(query, values), ...own.query });
  const tokens = { none: undefined, bearer: token, operator: fixture.operatorToken, monitoring: undefined };
  const parts = own.body ?? [];
  return {
    method,
    path: search.size > 0 ? `${filled}?${search}` : filled,
    headers: {
      ...(headers?.properties?.['idempotency-key'] && { 'idempotency-key': randomUUID() }),
      ...(tokens[auth] !== undefined && { authorization: `Bearer ${tokens[auth]}` }),
      ...(parts.length > 0 && { 'content-length': parts.reduce((sum, part) => sum + part.length, 0) }),
      ...own.headers,
    },
    body: parts,
  };
}

/**
 * The first of the longest pages; filters would make it shorter, and waiting is not work.
 * @param {Schema | undefined} query
 * @param {Record<string, any>} values
 */
function largestQuery({ properties = {}, required = [] } = {}, values) {
  const names = Object.keys(properties).filter(
    (name) => required.includes(name) || ['integer', 'boolean'].includes(properties[name].type),
  );
  const known = { ...values, wait: '0' };
  return Object.fromEntries(names.map((name) => [name, String(largestValue(properties[name], known, name))]));
}

/** @param {unknown} value */
function asJson(value) {
  return { headers: { 'content-type': 'application/json' }, body: [Buffer.from(JSON.stringify(value))] };
}

/**
 * A form with the largest fields and this file.
 * @param {Operation} operation
 * @param {User} user
 * @param {ReturnType<typeof newPhoto>} file
 * @param {Record<string, string>} [fields] instead of the largest ones
 */
function withFile({ multipart }, user, { fingerprint, parts }, fields) {
  const { file: _, size: _size, ...largest } = largestFields(multipart, user);
  const all = Object.entries({ ...largest, ...('fingerprint' in largest && { fingerprint }), ...fields });
  const head = all.map(
    ([name, value]) => `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const filePart = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="photo.jpg"\r\n\r\n`;
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    body: [Buffer.from(head.join('') + filePart), ...parts, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)],
  };
}

/** @type {Map<string, { bytes: Buffer, hash: import('node:crypto').Hash }>} */
const files = new Map();

/** A file that is not registered. @param {string} path */
function newPhoto(path) {
  return photoWith(path, randomBytes(SUFFIX_BYTES));
}

/** @param {string} path @param {number} number */
export function registeredPhoto(path, number) {
  return photoWith(path, Buffer.alloc(SUFFIX_BYTES, String(number)));
}

/** @param {string} path @param {Buffer} suffix */
function photoWith(path, suffix) {
  const bytes = files.get(path)?.bytes ?? readFileSync(path);
  const hash = files.get(path)?.hash ?? createHash('sha256').update(bytes);
  files.set(path, { bytes, hash });
  return { fingerprint: `0x${hash.copy().update(suffix).digest('hex')}`, parts: [bytes, suffix] };
}

function newFingerprint() {
  return `0x${randomBytes(32).toString('hex')}`;
}

/** @param {string} name @param {Record<string, any>} values @returns {string} */
function requiredValue(name, values) {
  const value = values[name];
  if (value === undefined) throw new Error(`no value for ${name}: name one in the fixture`);
  return value;
}

/** Texts by format or pattern. @type {Record<string, () => string>} */
const texts = {
  'display-name': () => 'n'.repeat(64),
  filename: () => `${'n'.repeat(1020)}.jpg`,
  'email-address': () => `${'e'.repeat(241)}@example.com`,
  'media-type': () => `image/jpeg;${' '.repeat(240)}`,
  'file-time': () => '2026-06-01T12:00:00.000000001+00:00',
  'date-time': () => new Date(Date.now() + 86_400_000).toISOString(),
  'image-code': () => `0x${randomBytes(8).toString('hex')}`,
  'file-fingerprint': newFingerprint,
  binary: () => '',
};

/** Texts by the names of fields whose pattern tells too little. @type {Record<string, () => string>} */
const textsByName = {
  account: () => `0x${randomBytes(20).toString('hex')}`,
  chromaprint: noiseChromaprint,
  password: () => randomBytes(750).toString('base64'),
  newPassword: () => randomBytes(750).toString('base64'),
  url: () => `https://example.com/${'x'.repeat(980)}`,
};

/** Of a recording of noise, as long as the text may be: each item differs from the one before in random bits. */
function noiseChromaprint() {
  /** @type {number[]} */
  const bits = [];
  while (bits.length < 98_000) {
    for (let bit = randomInt(4, 7); bit <= 32; bit += randomInt(4, 7)) bits.push(0, 0, 1);
    bits.push(0, 0, 0);
  }
  const bytes = Buffer.alloc(4 + Math.ceil(bits.length / 8));
  const count = bits.filter(
    (_, index) => index % 3 === 2 && !bits[index] && !bits[index - 1] && !bits[index - 2],
  ).length;
  bytes.writeUInt32BE(0x0100_0000 + count);
  for (const [index, bit] of bits.entries())
    bytes[4 + (index >> 3)] = Number(bytes[4 + (index >> 3)]) | (bit << (index & 7));
  return bytes.toString('base64url');
}

/**
 * @param {Schema | undefined} schema
 * @param {Record<string, any>} values
 * @param {string} [name]
 * @returns {any}
 */
function largestValue(schema, values, name = '') {
  if (!schema) return undefined;
  const { type, properties, items, maxItems, uniqueItems, anyOf, enum: choices } = schema;
  if (Object.hasOwn(values, name)) return values[name];
  if (properties) {
    const members = Object.entries(properties).map(([key, field]) => [key, largestValue(field, values, key)]);
    return Object.fromEntries(members.filter(([, value]) => value !== undefined));
  }
  if (choices) return choices.toSorted((/** @type {any} */ a, /** @type {any} */ b) => length(b) - length(a))[0];
  if (items && uniqueItems) return items.enum.slice(0, maxItems);
  if (items) return Array.from({ length: maxItems }, () => largestValue(items, values));
  if (anyOf) return largestValue({ ...anyOf[0], ...(schema['format'] && { format: schema['format'] }) }, values, name);
  const [first] = [type ?? []].flat();
  if (first === 'integer') return schema['maximum'] ?? 1_000;
  if (first === 'boolean') return true;
  if (first === 'string') return largestText(schema, name);
  if (first === undefined) return undefined;
  throw new Error(`no largest ${first} of ${name}`);
}

/** @param {unknown} value */
function length(value) {
  return String(value).length;
}

/** @param {Schema} schema @param {string} name */
function largestText({ format, pattern, maxLength }, name) {
  const known = textsByName[name] ?? (format === undefined ? undefined : texts[format]);
  if (known) return known();
  const text = 'x'.repeat(maxLength ?? 0);
  if (text !== '' && (pattern === undefined || new RegExp(pattern, 'u').test(text))) return text;
  throw new Error(`no largest text for ${name}: name one in the fixture, or its format here`);
}
