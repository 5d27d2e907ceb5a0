// The lies that can be told with a signed manifest: every value in its boxes changed, every box removed or replaced by
// another Artifact's, the time-stamp exchanged, and the whole manifest signed by another authority.

import { childrenOf, contentOf, labelOf } from '@provenance-registry/c2pa';
import { decodeCbor, encodeCbor } from '../../packages/server/src/c2pa/manifest/cbor.js';
import { box } from '../../packages/server/src/c2pa/manifest/jumbf.js';
import {
  type Assertion,
  buildManifestStore,
  type Signing,
} from '../../packages/server/src/c2pa/manifest/manifestStore.js';
import { isObject, type JsonLie, listJsonLies } from './tamperingJson.js';

export interface ManifestLie {
  /** A name such as `cawg.metadata /dc:creator/0 changed`. */
  readonly name: string;
  readonly sidecar: Uint8Array<ArrayBuffer>;
  /** Valid, but signed by the forger. */
  readonly isForged?: boolean;
}

const HEADER_BYTES = 8;
const SIGNATURE = 'c2pa.signature';
const CLAIM = 'c2pa.claim.v2';
/** The CBOR tag of a COSE_Sign1, in one byte. */
const SIGN1_TAG = Buffer.from([0xd2]);
/** Places in which the bytes of each box are changed. */
const BYTE_PLACES = [0.05, 0.3, 0.55, 0.8, 0.95];
/** The token is not covered by the signature: it is changed in more places. */
const TOKEN_PLACES = Array.from({ length: 24 }, (_, index) => (index + 0.5) / 24);

/** Every lie about this sidecar. Another Artifact's provides what is replaced; `forger` signs with keys of its own. */
export async function listManifestLies(
  honest: Uint8Array,
  others: Uint8Array,
  forger: Signing,
): Promise<ManifestLie[]> {
  const [store, theirs] = [Buffer.from(honest), Buffer.from(others)];
  return [
    { name: 'not a manifest', sidecar: copy(Buffer.from('not a manifest')) },
    ...listBoxLies(store, theirs),
    ...(await listTimestampLies(store, forger)),
    ...(await listForgeries(store, forger)),
  ];
}

function listBoxLies(store: Buffer, theirs: Buffer): ManifestLie[] {
  return listBoxes(store).flatMap(({ path, name, bytes }) => {
    const lie = (what: string, ...replacement: Buffer[]) => ({
      name: `${name} ${what}`,
      sidecar: copy(replaceBox(store, path, replacement)),
    });
    const same = listBoxes(theirs).find((one) => one.name === name);
    const whole = [
      lie('removed'),
      lie('twice', bytes, bytes),
      ...(same ? [lie("replaced by another Artifact's", same.bytes)] : []),
    ];
    if (typeOf(bytes) === 'jumb') return whole;
    const content = bytes.subarray(HEADER_BYTES);
    const inBytes = BYTE_PLACES.map((place) =>
      lie(`changed at ${place * 100} %`, box(typeOf(bytes), flipByte(content, place))),
    );
    const values = listContentLies(name, bytes, same?.bytes).map(({ name: what, tamper }) =>
      lie(what, box(typeOf(bytes), Buffer.from(tamper(content) as Uint8Array))),
    );
    return [...whole, ...inBytes, ...values];
  });
}

interface StoreBox {
  /** The position in each box on the way from the store. */
  readonly path: readonly number[];
  /** The labels on the way; the active manifest is `active`, its ancestors are numbered. */
  readonly name: string;
  readonly bytes: Buffer;
}

function listBoxes(store: Buffer): StoreBox[] {
  const manifests = childBoxes(store);
  return manifests.flatMap((bytes, index) => {
    const name = index === 0 ? 'store description' : index === manifests.length - 1 ? 'active' : `ancestor ${index}`;
    return listInside({ path: [index], name, bytes });
  });
}

function listInside(parent: StoreBox): StoreBox[] {
  if (typeOf(parent.bytes) !== 'jumb') return [parent];
  const children = childBoxes(parent.bytes).flatMap((bytes, index) => {
    const type = typeOf(bytes);
    const label = type === 'jumb' ? labelOf(bytes) : type === 'jumd' ? 'description' : 'content';
    return listInside({ path: [...parent.path, index], name: `${parent.name}/${label}`, bytes });
  });
  return [parent, ...children];
}

function childBoxes(parent: Buffer): Buffer[] {
  const children: Buffer[] = [];
  for (let offset = HEADER_BYTES; offset < parent.length; ) {
    const length = parent.readUInt32BE(offset);
    children.push(parent.subarray(offset, offset + length));
    offset += length;
  }
  return children;
}

function replaceBox(parent: Buffer, [index = 0, ...rest]: readonly number[], replacement: readonly Buffer[]): Buffer {
  const children = childBoxes(parent);
  const child = children[index] ?? Buffer.alloc(0);
  const changed = rest.length === 0 ? replacement : [replaceBox(child, rest, replacement)];
  return box(typeOf(parent), ...children.toSpliced(index, 1, ...changed));
}

function typeOf(bytes: Buffer): string {
  return bytes.toString('latin1', 4, HEADER_BYTES);
}

function flipByte(bytes: Buffer, place: number): Buffer {
  const changed = Buffer.from(bytes);
  const index = Math.floor(bytes.length * place);
  changed[index] = (changed[index] ?? 0) ^ 1;
  return changed;
}

/** Lies about the decoded values of a content box. */
function listContentLies(name: string, honest: Buffer, others: Buffer | undefined): JsonLie[] {
  const codec = codecOf(name, typeOf(honest));
  if (!codec) return [];
  const decode = (bytes: Uint8Array) => codec.decode(Buffer.from(bytes));
  const theirs = others && decode(others.subarray(HEADER_BYTES));
  return listJsonLies(decode(honest.subarray(HEADER_BYTES)), theirs).map((lie) => ({
    name: lie.name,
    tamper: (content) => codec.encode(lie.tamper(decode(content as Uint8Array))),
  }));
}

interface Codec {
  decode(bytes: Buffer): unknown;
  encode(value: unknown): Buffer;
}

const cbor: Codec = {
  decode: (bytes) => toJson(decodeCbor(bytes)),
  encode: (value) => encodeCbor(fromJson(value)),
};
const json: Codec = {
  decode: (bytes) => JSON.parse(bytes.toString()),
  encode: (value) => Buffer.from(JSON.stringify(value) ?? ''),
};
const cose: Codec = {
  decode: (bytes) => cbor.decode(bytes.subarray(SIGN1_TAG.length)),
  encode: (value) => Buffer.concat([SIGN1_TAG, cbor.encode(value)]),
};

function codecOf(name: string, type: string): Codec | undefined {
  if (name.endsWith(`${SIGNATURE}/content`)) return cose;
  return { cbor, json }[type];
}

/** Byte strings become hexadecimal texts. */
function toJson(value: unknown): unknown {
  if (value instanceof Uint8Array) return `0x${Buffer.from(value).toString('hex')}`;
  if (Array.isArray(value)) return value.map(toJson);
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, toJson(one)])) : value;
}

function fromJson(value: unknown): unknown {
  if (typeof value === 'string' && /^0x([0-9a-f]{2})*$/.test(value)) return Buffer.from(value.slice(2), 'hex');
  if (Array.isArray(value)) return value.map(fromJson);
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fromJson(one)])) : value;
}

/** Tokens that were damaged, or issued by the forger for the honest signature. */
async function listTimestampLies(store: Buffer, { timestamper }: Signing): Promise<ManifestLie[]> {
  const signature = listBoxes(store).find(({ name }) => name === `active/${SIGNATURE}/content`);
  if (!signature) throw new Error('the manifest has no signature');
  const sign1 = decodeCbor(signature.bytes.subarray(HEADER_BYTES + SIGN1_TAG.length));
  const [header, , , signed] = sign1 as [Uint8Array, unknown, null, Uint8Array];
  const token = Buffer.from(readToken(sign1));
  const withToken = (name: string, val: Uint8Array): ManifestLie => {
    const changed = encodeCbor([header, { sigTst2: { tstTokens: [{ val }] } }, null, signed]);
    const content = box(typeOf(signature.bytes), SIGN1_TAG, changed);
    return { name: `time-stamp ${name}`, sidecar: copy(replaceBox(store, signature.path, [content])) };
  };
  const forged = await timestamper.stamp(
    encodeCbor(['CounterSignature', header, Buffer.alloc(0), encodeCbor(Buffer.from(signed))]),
  );
  return [
    withToken('by another authority', forged),
    ...TOKEN_PLACES.map((place) => withToken(`changed at ${Math.round(place * 100)} %`, flipByte(token, place))),
  ];
}

function readToken(sign1: unknown): Uint8Array {
  const [, { sigTst2 }] = sign1 as [unknown, { sigTst2: { tstTokens: [{ val: Uint8Array }] } }];
  return sigTst2.tstTokens[0].val;
}

/** Whole manifests of this file with the same label, signed by another authority under the same names. */
async function listForgeries(store: Buffer, forger: Signing): Promise<ManifestLie[]> {
  const manifests = childrenOf(store);
  const active = manifests.at(-1) ?? Buffer.alloc(0);
  const claim = decodeCbor(contentOf(childrenOf(active).find((one) => labelOf(one) === CLAIM) ?? active));
  const { 'dc:title': title } = claim as { 'dc:title'?: string };
  const honest = readAssertions(active);
  const forge = async (name: string, assertions: readonly Assertion[], newTitle = title): Promise<ManifestLie> => {
    const ancestors = manifests.slice(0, -1);
    const content = { label: labelOf(active), title: newTitle, assertions, ingredientManifests: ancestors };
    const sidecar = copy(await buildManifestStore(content, forger));
    return { name: `signed by another authority, ${name}`, sidecar, isForged: true };
  };
  const change = (label: string, value: unknown) =>
    honest.map((assertion) =>
      assertion.label === label
        ? { ...assertion, content: { ...Object(assertion.content), ...Object(value) } }
        : assertion,
    );
  const changes: [string, string, unknown][] = [
    ['with another author', 'cawg.metadata', { 'dc:creator': ['Mallory'] }],
    ['with another Mark', 'cawg.metadata', { 'dc:publisher': ['Mallory'] }],
    ['with another Mark id', 'cawg.metadata', { 'dc:identifier': 'urn:uuid:11111111-1111-4111-8111-111111111111' }],
    ['with another license', 'cawg.metadata', { 'dc:rights': 'Public domain' }],
    ['with AI training allowed', 'cawg.training-mining', { entries: { 'cawg.ai_training': { use: 'allowed' } } }],
  ];
  return Promise.all([
    forge('otherwise the same', honest),
    forge('with another title', honest, 'mallory.jpg'),
    forge(
      'without statements',
      honest.filter(({ origin }) => origin === 'created'),
    ),
    ...changes.map(([name, label, value]) => forge(name, change(label, value))),
  ]);
}

function readAssertions(manifest: Buffer): Assertion[] {
  const assertions = childrenOf(manifest).find((one) => labelOf(one) === 'c2pa.assertions') ?? manifest;
  return childrenOf(assertions).map((assertion) => {
    const label = labelOf(assertion);
    const isJson = typeOf(childBoxes(assertion)[1] ?? assertion) === 'json';
    const content = isJson ? JSON.parse(contentOf(assertion).toString()) : decodeCbor(contentOf(assertion));
    return {
      label,
      format: isJson ? 'json' : 'cbor',
      content,
      origin: label.startsWith('cawg.') ? 'gathered' : 'created',
    };
  });
}

function copy(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(bytes);
}
