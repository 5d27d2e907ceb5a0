// The lies of a dishonest service: one for each field of each response, and some that span several of them.

import {
  aiPreferencesOf,
  api,
  type Fingerprint,
  type Operation,
  SOFT_BINDING_ALGORITHM,
  softBindingValue,
} from '@provenance-registry/core';
import { isObject, listJsonLies } from './tamperingJson.js';

export interface ServiceResponse {
  readonly status: number;
  readonly type: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** What a service responds instead of the truth, by the kind of the response. */
export interface ServiceLie {
  /** A name such as `getPublicArtifact /mark/name changed`. */
  readonly name: string;
  tamper(kind: string, honest: ServiceResponse): ServiceResponse;
}

/** Honest responses, by their kind. */
export type ServiceResponses = ReadonlyMap<string, ServiceResponse>;

export const SIDECAR = 'sidecar';
const JSON_TYPE = 'application/json';
const NOT_FOUND = jsonResponse({ error: 'Not found.', code: 'NOT_FOUND' }, 404);
const CAPTIVE_PORTAL = {
  status: 200,
  type: 'text/html',
  body: encode('<html><body>Log in to the Wi-Fi</body></html>'),
};
const EARLY = '2001-01-01T00:00:00.000Z';
const recordKinds: readonly string[] = [api.getPublicArtifact.id, api.getArtifact.id];

/** The operation's id, or `sidecar`, `report` or `card` for published files. */
export function kindOf(method: string, path: string, accept: string): string {
  const pathname = path.replace(/\?.*$/, '');
  const file = { c2pa: SIDECAR, json: 'report', png: 'card' }[/^\/cdn\/.*\.(c2pa|json|png)$/.exec(pathname)?.[1] ?? ''];
  if (file !== undefined) return file;
  const operation = Object.values(api).find((one: Operation) => one.method === method && matches(one.path, pathname));
  if (operation?.id === api.getManifest.id && accept.includes('c2pa')) return SIDECAR;
  return operation?.id ?? pathname;
}

function matches(template: string, pathname: string): boolean {
  const [parts, given] = [template.split('/'), pathname.split('/')];
  return parts.length === given.length && parts.every((part, index) => part.startsWith('{') || part === given[index]);
}

/** Every field of these responses, one at a time. Those of another Artifact provide what fields are replaced by. */
export function listServiceLies(honest: ServiceResponses, others: ServiceResponses): ServiceLie[] {
  return [...honest].flatMap(([kind, response]) => listResponseLies(kind, response, others.get(kind)));
}

/** Lies that span several fields or responses, as a service tells them that knows what is compared. */
export function listConspiracies(
  honest: ServiceResponses,
  others: ServiceResponses,
  forgeries: readonly { readonly name: string; readonly sidecar: Uint8Array<ArrayBuffer> }[],
  forgersRootPem: string,
): ServiceLie[] {
  const records = [...honest].filter(([kind]) => recordKinds.includes(kind));
  const single = records
    .flatMap(([kind, response]) => listResponseLies(kind, response, others.get(kind)))
    .filter(({ name }) => !isIncomparable(name));
  const several = listRecordLies(honest, others);
  const redacted = several.filter(({ name }) => name.includes('redacted'));
  return [
    ...several,
    // What a lie about the record adds when less of the truth is left to compare it with.
    ...[...single, ...several].flatMap((lie) => [
      combine(lie, 'no file name', hideContent),
      combine(lie, 'no file name, no manifest', hideContent, dropManifest),
    ]),
    ...redacted.flatMap((lie) =>
      forgeries.flatMap((forgery) => [
        combine(lie, forgery.name, serveManifest(forgery)),
        combine(lie, `${forgery.name}, its root published`, serveManifest(forgery), publishRoot(forgersRootPem)),
      ]),
    ),
  ];
}

export function serveManifest({ sidecar }: { readonly sidecar: Uint8Array<ArrayBuffer> }): ServiceLie['tamper'] {
  return (kind, honest) => (kind === SIDECAR ? { ...honest, body: sidecar } : honest);
}

function listResponseLies(kind: string, honest: ServiceResponse, others: ServiceResponse | undefined): ServiceLie[] {
  const replace = (name: string, response: ServiceResponse): ServiceLie => ({
    name: `${kind} ${name}`,
    tamper: (which, response_) => (which === kind ? response : response_),
  });
  const whole = [
    replace('missing', NOT_FOUND),
    replace('answered by a captive portal', CAPTIVE_PORTAL),
    ...(others ? [replace("replaced by another Artifact's", others)] : []),
  ];
  if (honest.type !== JSON_TYPE) return whole;
  const lies = listJsonLies(parseJson(honest), others && parseJson(others), walkable(schemaOf(kind)));
  const fields = lies
    .filter(({ name }) => !skipsAbi(name))
    .map((lie) => ({
      name: `${kind} ${lie.name}`,
      tamper: (which: string, response: ServiceResponse) =>
        which === kind ? jsonResponse(lie.tamper(parseJson(response))) : response,
    }));
  return [...whole, ...fields];
}

/** Nothing that a service can hide would contradict what it says about these: one lie at a time is enough. */
function isIncomparable(name: string): boolean {
  return /\/(mark\/aiPreferences|claims|authorshipStated|verifiedDomains|domainsAtRegistration|artifactCount|namesakeCount|representedBy)\b/.test(
    name,
  );
}

/** The parts of an ABI are not facts: a client uses its own. One lie about the whole is enough. */
function skipsAbi(name: string): boolean {
  return name.startsWith('/abi/');
}

function schemaOf(kind: string): unknown {
  return Object.values(api).find((one: Operation) => one.id === kind)?.success;
}

function walkable(success: unknown): unknown {
  return isObject(success) ? success['schema'] : undefined;
}

/** Lies that change several fields at once, as a service would that knows what is compared. */
function listRecordLies(honest: ServiceResponses, others: ServiceResponses): ServiceLie[] {
  return recordKinds.flatMap((kind) => {
    const [response, other] = [honest.get(kind), others.get(kind)];
    if (!response || !other) return [];
    const theirs = parseRecord(other);
    const lyingDomain = { domain: 'mallory.example', method: 'dns', since: EARLY, lastChecked: EARLY };
    const person = { id: '11111111-1111-4111-8111-111111111111', name: 'Mallory' };
    const withMetadata = (change: Fields) => (record: Fields) => ({
      metadata: { ...objectAt(record, 'metadata'), ...change },
    });
    const lies: [string, (record: Fields) => Fields][] = [
      [
        'with author and Mark replaced',
        (record) => ({
          mark: theirs['mark'],
          createdBy: theirs['createdBy'],
          ...withMetadata({
            author: objectAt(theirs, 'metadata')['author'],
            mark: objectAt(theirs, 'metadata')['mark'],
          })(record),
        }),
      ],
      [
        'with another author throughout',
        (record) => ({ createdBy: person, ...withMetadata({ author: person })(record) }),
      ],
      [
        'with the Mark renamed throughout',
        (record) => {
          const mark = { ...objectAt(record, 'mark'), name: 'Mallory' };
          const recorded = { id: mark['id' as never], name: 'Mallory' };
          return { mark, ...withMetadata({ mark: recorded })(record) };
        },
      ],
      [
        'with another license throughout',
        (record) => {
          const license = { name: 'Public domain', url: null };
          return { license, licenseKey: 'CC0-1.0', ...withMetadata({ license, licenseKey: 'CC0-1.0' })(record) };
        },
      ],
      [
        'with AI training allowed throughout',
        (record) => ({
          allowAiTraining: true,
          aiPreferences: aiPreferencesOf({ allowAiTraining: true }),
          ...withMetadata({ allowAiTraining: true })(record),
        }),
      ],
      [
        'with data mining allowed, which no hash on chain covers',
        (record) => ({ aiPreferences: { ...objectAt(record, 'aiPreferences'), data_mining: { use: 'allowed' } } }),
      ],
      [
        'redacted',
        (record) => ({
          mark: { id: objectAt(record, 'mark')['id'], visibility: 'private' },
          createdBy: null,
          contentVisibility: 'private',
          license: undefined,
          licenseKey: undefined,
          allowAiTraining: undefined,
          aiPreferences: undefined,
          metadata: { kind: objectAt(record, 'metadata')['kind'] },
        }),
      ],
      [
        'redacted, with a Mark of its own',
        (record) => ({
          mark: { id: person.id, visibility: 'private' },
          createdBy: null,
          contentVisibility: 'private',
          metadata: { kind: objectAt(record, 'metadata')['kind'] },
        }),
      ],
      [
        'with possession and authorship throughout',
        (record) => ({ fileSeen: true, authorshipStated: true, ...withMetadata({ fileSeen: true })(record) }),
      ],
      [
        'with a verified domain throughout',
        (record) => ({
          mark: { ...objectAt(record, 'mark'), verifiedDomains: [lyingDomain] },
          verifiedDomains: [{ ...lyingDomain, verifiedAtRegistration: true }],
          domainsAtRegistration: [{ domain: lyingDomain.domain, method: 'dns', since: lyingDomain.since, until: null }],
        }),
      ],
      ['contested', () => ({ claims: { contested: true, open: 1, checked: 1, supersededBy: null } })],
      ['superseded', () => ({ claims: { contested: false, open: 0, checked: 0, supersededBy: person } })],
      ['never submitted', () => ({ status: 'pending', transactionHash: null })],
      ['failed', () => ({ status: 'failed', errorReason: 'Mallory', transactionHash: null })],
    ];
    return lies.map(([name, change]) => {
      const lie: ServiceLie = { name: `${kind} ${name}`, tamper: changeRecord([kind], change) };
      return lie;
    });
  });
}

function combine(lie: ServiceLie, name: string, ...more: readonly ServiceLie['tamper'][]): ServiceLie {
  return {
    name: `${lie.name}, ${name}`,
    tamper: (kind, honest) => more.reduce((response, tamper) => tamper(kind, response), lie.tamper(kind, honest)),
  };
}

function publishRoot(pem: string): ServiceLie['tamper'] {
  const roots = [{ subject: 'CN=Development authority', sha256: '0'.repeat(64), pem, isBuiltIn: false }];
  return (kind, honest) => {
    if (kind !== api.getRegistryIdentity.id) return honest;
    return jsonResponse({ ...parseRecord(honest), signerRoots: roots, timestampRoots: roots });
  };
}

/** Says that the content is private, so that the hash on chain cannot be compared. */
const hideContent = changeRecord(recordKinds, (record) => {
  const { filename: _, ...metadata } = objectAt(record, 'metadata');
  return { metadata, contentVisibility: 'private' };
});

const dropManifest: ServiceLie['tamper'] = (kind, honest) => (kind === SIDECAR ? NOT_FOUND : honest);

type Fields = Record<string, unknown>;

function changeRecord(kinds: readonly string[], change: (record: Fields) => Fields): ServiceLie['tamper'] {
  return (kind, honest) => {
    if (!kinds.includes(kind) || honest.type !== JSON_TYPE || honest.status !== 200) return honest;
    const record = parseRecord(honest);
    return jsonResponse({ ...record, ...change(record) });
  };
}

function parseRecord(response: ServiceResponse): Fields {
  const record = parseJson(response);
  return isObject(record) ? record : {};
}

function objectAt(record: Fields, key: string): Fields {
  const value = record[key];
  return isObject(value) ? value : {};
}

/** The responses that verification reads about a file, over HTTP. */
export async function readServiceResponses(
  serviceUrl: string,
  fingerprint: Fingerprint,
  token?: string,
): Promise<ServiceResponses> {
  const responses = new Map<string, ServiceResponse>();
  const read = async (path: string, accept = JSON_TYPE) => {
    const headers = { accept, ...(token !== undefined && { authorization: `Bearer ${token}` }) };
    const response = await readResponse(await fetch(serviceUrl + path, { headers }));
    if (response.status === 200) responses.set(kindOf('GET', path, accept), response);
    return response;
  };
  const query = new URLSearchParams({ alg: SOFT_BINDING_ALGORITHM, value: softBindingValue(fingerprint) });
  await read(`${api.findByBinding.path}?${query}`);
  const record = parseRecord(await read(api.getPublicArtifact.path.replace('{fingerprint}', fingerprint)));
  if (token !== undefined) await read(api.getArtifact.path.replace('{fingerprint}', fingerprint));
  const manifest = api.getManifest.path.replace('{manifestId}', String(record['id']));
  await read(manifest);
  await read(manifest, 'application/c2pa');
  for (const { path } of [api.getContract, api.getRegistryIdentity, api.getServiceStatus]) await read(path);
  return responses;
}

export async function readResponse(response: Response): Promise<ServiceResponse> {
  const type = response.headers.get('content-type')?.split(';', 1)[0] ?? '';
  return { status: response.status, type, body: new Uint8Array(await response.arrayBuffer()) };
}

export function parseJson({ body }: ServiceResponse): unknown {
  return JSON.parse(new TextDecoder().decode(body));
}

export function jsonResponse(body: unknown, status = 200): ServiceResponse {
  return { status, type: JSON_TYPE, body: encode(JSON.stringify(body)) };
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}
