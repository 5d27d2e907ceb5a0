// What a body must not have: fields that its operation does not have, in any of its objects, and more bytes, values or levels
// than it takes. It is refused, and nothing is done. Two exceptions for fields: the organization of a Mark, and the bodies of
// the resolution API.

import { api, jsonLimitsOf, linesMediaType, type Operation } from '@provenance-registry/core';
import type { TSchema } from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMark, createOrganization, createUser, type TestUser } from '../../../../test/support/accounts.js';
import {
  BOUNDARY,
  createArtifact,
  fieldParts,
  filePart,
  fingerprintOf,
  newArtifact,
  newFingerprint,
  type Registry,
  sendForm,
  startRegistry,
  unreachableChain,
} from '../../../../test/support/artifacts.js';
import { randomUUID } from '../../../../test/support/random.js';
import { call, signUp } from '../../../../test/support/service.js';
import { openStateSnapshots, type StateSnapshots } from '../fuzz/stateSnapshot.js';

const OPERATOR_TOKEN = 'operator-of-this-test';
let service: Registry;
let owner: TestUser;
let markId: string;
let snapshots: StateSnapshots;
/** Of the parameters and fields that name something: with it, the requests would succeed. */
let values: Readonly<Record<string, string>>;

beforeAll(async () => {
  service = await startRegistry({ ...(await unreachableChain()), OPERATOR_TOKEN });
  owner = await createUser(service, 'enterprise');
  const organizationId = await createOrganization(service, owner, 3);
  markId = (await createMark(service, owner)).body.id;
  const fingerprint = newFingerprint();
  await createArtifact(service, owner, newArtifact({ markId, fingerprint }));
  values = { markId, organizationId, userId: owner.id, domain: 'a.example' };
  snapshots = await openStateSnapshots(service.databaseUrl, service.dataDir);
});

afterAll(() => snapshots.close());

const post = (path: string, body: unknown, token: string | undefined = owner.token, method = 'POST') =>
  call(service, method, path, { body, ...(token !== undefined && { token }) });

interface Node extends TSchema {
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly items?: Node;
  readonly enum?: readonly unknown[];
}

interface ObjectPlace {
  /** Names and indexes on the way to the object. */
  readonly steps: readonly string[];
  readonly fields: readonly string[];
}

/** Every object that a body may have, with the first item of each list. */
function listPlaces({ properties, items }: Node, steps: readonly string[] = []): ObjectPlace[] {
  if (items) return listPlaces(items, [...steps, '0']);
  if (!properties) return [];
  const inner = Object.entries(properties).flatMap(([name, field]) => listPlaces(field, [...steps, name]));
  return [{ steps, fields: Object.keys(properties) }, ...inner];
}

/** A valid value of the objects that no example has. */
function sampleOf({ properties = {}, required = [], enum: choices }: Node): unknown {
  if (choices) return choices[0];
  return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] ?? {})]));
}

/** The value with a member added to the object in that place, which is made if it is missing. */
function addMember(
  value: unknown,
  schema: Node | undefined,
  [step, ...steps]: readonly string[],
  name: string,
): unknown {
  const whole = value ?? sampleOf(schema ?? {});
  if (Array.isArray(whole)) return whole.map((item) => addMember(item, schema?.items, steps, name));
  const members = Object.entries(Object(whole));
  const changed =
    step === undefined
      ? [name, 1]
      : [step, addMember(new Map(members).get(step), schema?.properties?.[step], steps, name)];
  return Object.fromEntries([...members.filter(([other]) => other !== changed[0]), changed]);
}

function exampleOf({ body, exampleBody }: Operation): object {
  const known = Object.entries(values).filter(([name]) => name in (body?.properties ?? {}));
  return { ...Object(exampleBody), ...Object.fromEntries(known) };
}

function send(operation: Operation, body: unknown) {
  return post(fillPath(operation), body, tokenFor(operation), operation.method);
}

function fillPath({ path }: Operation): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) =>
    name === 'fingerprint' ? newFingerprint() : (values[name] ?? randomUUID()),
  );
}

function tokenFor({ auth }: Operation): string | undefined {
  return { operator: OPERATOR_TOKEN, bearer: owner.token, none: undefined, monitoring: '' }[auth];
}

/** The refusal: of the whole, or of the first item of a batch. */
function refusalOf({ status, body }: Awaited<ReturnType<typeof send>>): unknown {
  const { results } = body;
  const { error, code, problems } = results ? results[0] : body;
  return [results ? results[0].status : status, code, error, problems];
}

const operations = Object.values<Operation>(api).filter(({ method }) => method !== 'GET');
const isLenient = ({ path }: Operation) => path.startsWith('/api/c2pa/');
const strict = operations.filter((operation) => operation.body && !isLenient(operation));
const places = strict.flatMap((operation) =>
  listPlaces(operation.body ?? {}).map((place) => ({
    operation,
    place,
    name: [operation.id, ...place.steps].join('/'),
  })),
);

describe('an unknown field is refused', () => {
  it.each(places)('in $name, and nothing changes', async ({ operation, place: { steps, fields } }) => {
    const before = await snapshots.take();
    const [field = ''] = fields;
    for (const [typed, advice] of [
      ['xyzxyz', fields.length > 8 ? 'Known fields are ' : 'Known fields: '],
      [`${field}s`, fields.includes(`${field}s`) ? '' : `Did you mean ${field}?`],
    ] as const) {
      const path = ['', ...steps, typed].join('/');
      // Items of a batch are checked by themselves.
      const shown = operation.id === 'createArtifacts' && steps.length > 0 ? `/${typed}` : path;
      const body = addMember(exampleOf(operation), operation.body, steps, typed);
      const message = `Unknown field ${shown.slice(1)}. ${advice}`;
      const expected = expect.stringContaining(message);
      expect(refusalOf(await send(operation, body))).toEqual([
        400,
        'BAD_REQUEST',
        expected,
        [{ path: shown, message: expected }],
      ]);
    }
    expect(await snapshots.take()).toBe(before);
  });

  it('where an operation takes no body', async () => {
    const without = operations.filter(({ body, multipart, acceptsRawFile }) => !body && !multipart && !acceptsRawFile);
    expect(without.length).toBeGreaterThan(10);
    const before = await snapshots.take();
    for (const operation of without) {
      const { status, body } = await send(operation, { overlapHours: 0 });
      const error = 'Unknown field overlapHours. No fields are expected here.';
      expect([operation.id, status, body.error]).toEqual([operation.id, 400, error]);
    }
    expect(await snapshots.take()).toBe(before);
  });

  it('in a line, which alone is refused', async () => {
    const fingerprint = newFingerprint();
    const sendLines = async (path: string, lines: readonly unknown[]) => {
      const response = await fetch(`${service.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': linesMediaType, authorization: `Bearer ${owner.token}` },
        body: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
      });
      const text = await response.text();
      return text
        .trim()
        .split('\n')
        .map((line): unknown => JSON.parse(line));
    };
    const error = 'Unknown field fingerprints. Did you mean fingerprint?';
    expect(await sendLines('/api/v1/public/lookups', [{ fingerprint, fingerprints: [] }, { fingerprint }])).toEqual([
      { line: 1, error, code: 'BAD_REQUEST' },
      expect.objectContaining({ fingerprint, match: 'none' }),
    ]);
    const item = newArtifact({ markId });
    expect(await sendLines('/api/v1/artifacts/batch', [{ ...item, authorshipState: true }, item])).toEqual([
      expect.objectContaining({ status: 400, error: 'Unknown field authorshipState. Did you mean authorshipStated?' }),
      expect.objectContaining({ status: 201 }),
    ]);
  });

  it('in a form, also if it is a file, and nothing changes', async () => {
    const before = await snapshots.take();
    const content = Buffer.from('bytes of a file');
    const fields = fieldParts({ markId, fingerprint: fingerprintOf(content), filename: 'a.txt' });
    const { size: _, ...file } = { ...filePart(content), size: 0 };
    for (const [parts, error] of [
      [
        [...fields, file, ...fieldParts({ authorshipStatd: 'true' })],
        /^Unknown field authorshipStatd. Did you mean authorshipStated\?$/,
      ],
      [[...fields, { ...file, name: 'flie' }], /^Unknown field flie. Did you mean file\?$/],
      [[...fields, file, { ...file, name: 'mediaType' }], /^"mediaType" must be a media type/],
      [[...fields, file, { ...file, name: 'constructor' }], /"constructor" is not allowed/],
      [[...fields, file, ...fieldParts({ ['__proto__']: 'x' })], /"__proto__" is not allowed/],
    ] as const) {
      const refused = await sendForm(service, owner, parts);
      expect([refused.status, refused.body.code, refused.body.error]).toEqual([
        400,
        'BAD_REQUEST',
        expect.stringMatching(error),
      ]);
    }
    // However the type is written.
    const misspelled = [...fields, file, ...fieldParts({ sise: '5' })];
    for (const type of ['Multipart/Form-Data', 'multipart/form-data ', 'multipart/form-data; a=b']) {
      const headers = { 'content-type': `${type}; boundary=${BOUNDARY}` };
      const { status, body } = await sendForm(service, owner, misspelled, { headers });
      expect([type, status, body.error]).toEqual([type, 400, 'Unknown field sise. Did you mean size?']);
    }
    expect(await snapshots.take()).toBe(before);
  });

  it('although the idempotency key of the request has a response', async () => {
    const key = randomUUID();
    const body = newArtifact({ markId });
    const first = await createArtifact(service, owner, body, { key });
    const again = await createArtifact(service, owner, { ...body, sise: 5 }, { key });
    expect([first.status, again.status, again.body.error]).toEqual([
      201,
      400,
      'Unknown field sise. Did you mean size?',
    ]);
    expect((await createArtifact(service, owner, body, { key })).body).toEqual(first.body);
  });

  it('first of several problems, of which each is listed', async () => {
    const { status, body } = await post('/api/v1/marks', {
      nmae: 'Ada',
      visibility: 'hidden',
      aiPreferences: { ai: null },
    });
    expect([status, body]).toEqual([
      400,
      {
        error: 'Unknown field nmae. Did you mean name? 3 more fields are not valid.',
        code: 'BAD_REQUEST',
        problems: [
          { path: '/nmae', message: 'Unknown field nmae. Did you mean name?' },
          { path: '/name', message: '"name" is missing.' },
          { path: '/visibility', message: '"visibility" must be one of public, private.' },
          {
            path: '/aiPreferences/ai',
            message:
              'Unknown field aiPreferences/ai. Known fields: data_mining, ai_inference, ai_training, ai_generative_training.',
          },
        ],
      },
    ]);
  });

  it('in a body of many of them, of which a few are listed', async () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`field${index}`, index]));
    const { status, body } = await post('/api/v1/marks', { name: 'Ada', ...many });
    expect([status, body.problems.length]).toEqual([400, 5]);
    const long = await post('/api/v1/marks', { name: 'Ada', ['\u{1F512}'.repeat(5_000)]: 1 });
    expect([long.status, JSON.stringify(long.body).length < 3_000]).toEqual([400, true]);
  });

  it.each([
    ['as __proto__', '{"name":"Ada","__proto__":{"license":"MIT"}}', /__proto__/],
    ['as an escaped __proto__', '{"name":"Ada","\\u005f_proto__":1}', /__proto__/],
    ['as constructor, deep inside', '{"name":"Ada","aiPreferences":{"ai_training":{"constructor":1}}}', /constructor/],
    ['as a member that all objects inherit', '{"name":"Ada","toString":1}', /^Unknown field toString\./],
    ['with the name of a keyword', '{"name":"Ada","properties":1}', /^Unknown field properties\./],
    ['twice', '{"name":"Ada","licence":1,"licence":2}', /^Unknown field licence\. Did you mean license\?$/],
    ['that is nested', `{"name":"Ada","x":${'['.repeat(10)}${']'.repeat(10)}}`, /^Unknown field x\./],
    ['in other letters', '{"name":"Ada","AllowAITraining":false}', /Did you mean allowAiTraining\?$/],
    [
      'in letters of another script',
      '{"name":"Ada","аllowAiTraining":false}',
      /\\u0430llowAiTraining". Did you mean allowAiT/,
    ],
    ['in a list in place of an object', '[{"name":"Ada"}]', /^The body must be a JSON object\.$/],
  ])('%s', async (_, body, error) => {
    for (const type of [
      'application/json',
      'application/json; charset=utf-8',
      'Application/JSON',
      'application/json ;a=b',
    ]) {
      const response = await fetch(`${service.url}/api/v1/marks`, {
        method: 'POST',
        headers: { authorization: `Bearer ${owner.token}`, 'content-type': type },
        body,
      });
      expect([type, response.status, await response.json()]).toEqual([
        type,
        400,
        expect.objectContaining({ error: expect.stringMatching(error), code: 'BAD_REQUEST' }),
      ]);
    }
  });

  it('only of a caller with a valid token', async () => {
    expect((await post('/api/v1/marks', { nmae: 'Ada' }, 'no token')).status).toBe(401);
    expect((await signUp(service, { tier: 'enterprise' })).response.body.error).toBe(
      'Unknown field tier. Known fields: email, password, name.',
    );
  });
});

describe('an unknown field is ignored', () => {
  it.each([randomUUID(), 'x', null, { a: [1] }])(
    'as the organization of a Mark that is updated: %j',
    async (organizationId) => {
      const { body: before } = await call(service, 'GET', `/api/v1/marks/${markId}`, { token: owner.token });
      const { status, body } = await post(`/api/v1/marks/${markId}`, { organizationId }, owner.token, 'PUT');
      expect([status, body]).toEqual([200, before]);
    },
  );

  it('in the bodies of the resolution API', async () => {
    const body = { ...api.findByLargeBinding.exampleBody, region: {} };
    expect(await post('/api/c2pa/matches/byBinding', body)).toMatchObject({ status: 200, body: { matches: [] } });
    const path = '/api/c2pa/manifests' as const;
    const manifest = { ...newArtifact({ markId }), repository: 'x' };
    expect((await createArtifact(service, owner, manifest, { path })).status).toBe(201);
    const form = [...fieldParts({ markId, repository: 'x' }), filePart('a new file')];
    expect((await sendForm(service, owner, form, { path })).status).toBe(201);
  });
});

describe('a body that is more than its operation takes', () => {
  /** `isDeclared`: its length is told beforehand. */
  async function sendText(operation: Operation, sent: string, isDeclared = true) {
    const token = tokenFor(operation);
    const response = await fetch(service.url + fillPath(operation), {
      method: operation.method,
      headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      ...(isDeclared ? { body: sent } : { body: new Blob([sent]).stream(), duplex: 'half' }),
    });
    const text = await response.text();
    const { code, error } = text === '' ? {} : JSON.parse(text);
    return [response.status, code, error];
  }

  // The whole body of the others is a file.
  const limited = operations.filter(({ acceptsRawFile }) => !acceptsRawFile);

  it.each(limited)('is refused by $id, and nothing changes', async (operation) => {
    const before = await snapshots.take();
    const { maxBytes, maxValues, maxDepth } = jsonLimitsOf(operation);
    // Valid, but for white space.
    const large = JSON.stringify(exampleOf(operation)).padEnd(maxBytes + 1);
    const tooLarge = [413, 'PAYLOAD_TOO_LARGE', expect.stringContaining(`${maxBytes} bytes`)];
    expect(await sendText(operation, large)).toEqual(tooLarge);
    expect(await sendText(operation, large, false)).toEqual(tooLarge);
    const tooMany = [400, 'BAD_REQUEST', `The body has more than ${maxValues} values.`];
    expect(await sendText(operation, `[${'0,'.repeat(maxValues)}0]`)).toEqual(tooMany);
    const tooDeep = [400, 'BAD_REQUEST', 'The body is nested too deeply.'];
    // It is not looked at any further, and not decoded.
    expect(await sendText(operation, `${'{"a":['.repeat(maxDepth / 2)}[ this is no JSON`)).toEqual(tooDeep);
    expect(await snapshots.take()).toBe(before);
  });

  it('is refused, but not if white space makes it as large as it may be', async () => {
    const { maxBytes } = jsonLimitsOf(api.createMark);
    const body = JSON.stringify({ name: 'Ada' }).padEnd(maxBytes);
    expect((await sendText(api.createMark, body))[0]).toBe(201);
  });
});
