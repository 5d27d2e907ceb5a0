// The table of time-stamps for all readers: honest ones of every kind, and forged ones, each wrong in one thing.

import { TAG } from '@provenance-registry/c2pa';
import { der } from '../../packages/server/src/asn1/der.js';
import {
  type Authority,
  type AuthorityOptions,
  asRoot,
  asStamper,
  attribute,
  CONTENT_TYPE,
  criticalExtension,
  hashOf,
  issuerAndSerial,
  MESSAGE_DIGEST,
  makeAuthority,
  makeResponse,
  makeToken,
  number,
  octets,
  oid,
  SIGNING_CERTIFICATE_V2,
  STAMPED_AT,
  sequence,
  type TokenOptions,
  x509,
} from './timestampForge.js';

/** A token over the data, to be read with the roots of the table unless it has its own. */
export interface StampCase {
  readonly name: string;
  readonly token: (data: Buffer) => Buffer;
  readonly rootsPem?: string;
  /** c2pa-rs cannot read it, although it is valid. */
  readonly isUnknownToC2paRs?: boolean;
}

export interface StampTable {
  readonly rootsPem: string;
  readonly honest: readonly StampCase[];
  readonly forged: readonly StampCase[];
}

type Stamp = (options?: Partial<TokenOptions>) => StampCase['token'];
/** Of one that differs from the honest one in these options, or otherwise. */
type Row = readonly [name: string, change: Partial<TokenOptions> | StampCase['token'], rootsPem?: string];

interface Authorities {
  readonly root: Authority;
  readonly intermediate: Authority;
  readonly stamper: Authority;
  readonly stamp: Stamp;
}

const HOUR_MS = 3_600_000;
/** How many days before and after STAMPED_AT the certificate of a signer should be valid; those of authorities are longer. */
export const SIGNER_DAYS = 50;
const SIGNING_CERTIFICATE = '2a864886f70d010910020c';
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';
const OTHER_PURPOSE = '1.3.6.1.5.5.7.3.3';
const ANY_PURPOSE = '2.5.29.37.0';
const SHA1_WITH_ECDSA = '2a8648ce3d0401';
const SHA512_WITH_ECDSA = '2a8648ce3d040304';
const SHA256_WITH_RSA = '2a864886f70d01010b';
const ID_DATA = '2a864886f70d010701';
const { keyCertSign, digitalSignature, keyEncipherment } = x509.KeyUsageFlags;
const UNKNOWN_EXTENSION = new x509.Extension('1.2.3.4', true, Buffer.from([5, 0]));
/** Permits names below example.com; readers must refuse it also where it is not critical, because they do not check names. */
const NAME_CONSTRAINTS = new x509.Extension(
  '2.5.29.30',
  false,
  sequence(der(0xa0, sequence(der(0x82, Buffer.from('example.com'))))),
);
const OTHER = Buffer.alloc(32, 1);

const later = (hours: number) => new Date(STAMPED_AT.getTime() + hours * HOUR_MS);
const sha256 = (data: Uint8Array) => hashOf('sha256', data);
const time = (text: string, tag: number = TAG.generalizedTime) => der(tag, Buffer.from(text));
const without = (index: number) => (all: Buffer[]) => all.toSpliced(index, 1);
const replace = (index: number, element: Buffer) => (all: Buffer[]) => all.with(index, element);
const insert = (index: number, element: Buffer) => (all: Buffer[]) => all.toSpliced(index, 0, element);
const hasType = (type: string) => (one: Buffer) => one.includes(Buffer.from(type, 'hex'));
const certId = (hash: Buffer, ...rest: Buffer[]) => sequence(octets(hash), ...rest);
const namedBy = (type: string, id: Buffer) => attribute(type, sequence(sequence(id)));
const makeStamper = (options: AuthorityOptions) =>
  makeAuthority({ name: 'CN=Stamper, O=Test', serial: '0a', key: 'p256', extensions: asStamper(), ...options });

/** Makes the few keys that the table needs: of EC, because RSA keys take a second each, but for one. */
export async function makeStampTable(): Promise<StampTable> {
  const root = await makeAuthority({ key: 'p256' });
  const intermediate = await makeAuthority({ name: 'CN=Intermediate', issuer: root, serial: '02', key: 'p256' });
  const stamper = await makeStamper({ issuer: intermediate });
  const stamp: Stamp = (options) => (data) =>
    makeToken({ imprint: sha256(data), signer: stamper, certificates: [stamper.raw, intermediate.raw], ...options });
  const authorities = { root, intermediate, stamper, stamp };
  const toCase = ([name, change, rootsPem]: Row): StampCase => ({
    name,
    token: typeof change === 'function' ? change : stamp(change),
    ...(rootsPem !== undefined && { rootsPem }),
    ...(name.includes('RSA-PSS') && { isUnknownToC2paRs: true }),
  });
  const forged = [
    ...listImprints(authorities),
    ...listSignatures(authorities),
    ...listAttributes(authorities),
    ...listStructures(authorities),
    ...listContents(),
    ...(await listStampers(authorities)),
    ...(await listIssuers(authorities)),
    ...(await listRoots(authorities)),
  ];
  return { rootsPem: root.pem, honest: (await listHonest(authorities)).map(toCase), forged: forged.map(toCase) };
}

async function listHonest({ root, stamper, intermediate, stamp }: Authorities): Promise<Row[]> {
  const kinds = [
    ['p256', 'sha512'],
    ['p384', 'sha384'],
    ['p521', 'sha512'],
    ['ed25519', 'sha512'],
  ] as const;
  const byKind = kinds.map(async ([key, digest]): Promise<Row> => {
    const signer = await makeStamper({ issuer: root, key });
    return [`of a key of the kind ${key} with ${digest}`, { signer, digest, certificates: [signer.raw] }];
  });
  const signer = await makeStamper({ issuer: root, key: 'rsa' });
  const byRsa = { signer, certificates: [signer.raw] };
  const stranger = await makeAuthority({ name: 'CN=Stranger', key: 'p256' });
  const { issuer, serial } = issuerAndSerial(stamper.raw);
  const numbered = certId(sha256(stamper.raw), sequence(sequence(der(0xa4, issuer)), serial));
  return [
    ['as a token', {}],
    ['as a response', (data) => makeResponse(0, stamp()(data))],
    ['as a response with modifications', (data) => makeResponse(1, stamp()(data))],
    ...(await Promise.all(byKind)),
    ['of RSA with SHA-256', byRsa],
    ['of RSA with SHA-512', { ...byRsa, digest: 'sha512' }],
    ['of RSA-PSS with SHA-256', { ...byRsa, scheme: 'pss' }],
    ['of RSA-PSS with SHA-384', { ...byRsa, scheme: 'pss', digest: 'sha384' }],
    ['over a SHA-512', (data) => stamp({ imprint: hashOf('sha512', data), imprintDigest: 'sha512' })(data)],
    ['by the first name of its certificate', oldName(hashOf('sha1', stamper.raw))],
    [
      'by issuer and number of its certificate',
      { named: null, moreAttributes: [namedBy(SIGNING_CERTIFICATE_V2, numbered)] },
    ],
    ['with a fraction of a second', { timeElement: time('20240501120000.5Z') }],
    [
      'with accuracy, ordering and nonce',
      { accuracySeconds: 1, changeInfo: (all) => [...all, der(TAG.boolean, Buffer.of(0xff)), number(99)] },
    ],
    ['with the certificate of a stranger', { certificates: [stranger.raw, stamper.raw, intermediate.raw] }],
    ['with its root', { certificates: [stamper.raw, intermediate.raw, root.raw] }],
    ['below a root without an authority between', await below(root)],
  ];
}

async function below(issuer: Authority, options: AuthorityOptions = {}): Promise<Partial<TokenOptions>> {
  const signer = await makeStamper({ issuer, ...options });
  return { signer, certificates: [signer.raw] };
}

function oldName(hash: Buffer): Partial<TokenOptions> {
  return { named: null, moreAttributes: [namedBy(SIGNING_CERTIFICATE, certId(hash))] };
}

function listImprints({ stamp }: Authorities): Row[] {
  const identifier = (parameters: Buffer) => sequence(oid('608648016503040201'), parameters);
  return [
    ['over other data', { imprint: OTHER }],
    ['over nothing', { imprint: sha256(Buffer.alloc(0)) }],
    ['over the hash of its hash', (data) => stamp({ imprint: sha256(sha256(data)) })(data)],
    ['with a SHA-256 under the name of SHA-384', { imprintDigest: 'sha384' }],
    ['with a SHA-1', (data) => stamp({ imprint: hashOf('sha1', data), imprintDigest: 'sha1' })(data)],
    ['with half of the hash', (data) => stamp({ imprint: sha256(data).subarray(0, 16) })(data)],
    ['with a byte behind the hash', (data) => stamp({ imprint: Buffer.concat([sha256(data), Buffer.of(0)]) })(data)],
    ['with an empty hash', { imprint: Buffer.alloc(0) }],
    [
      'with a parameter of the hash',
      (data) => stamp({ changeInfo: replace(2, sequence(identifier(number(1)), octets(sha256(data)))) })(data),
    ],
    [
      'with two hashes',
      (data) => {
        const hashes = [octets(sha256(data)), octets(OTHER)];
        return stamp({ changeInfo: replace(2, sequence(identifier(der(TAG.null)), ...hashes)) })(data);
      },
    ],
  ];
}

function listSignatures({ stamper }: Authorities): Row[] {
  const algorithm = (type: string, ...parameters: Buffer[]) => ({
    changeSignerInfo: replace(4, sequence(oid(type), ...parameters)),
  });
  const signature = (change: (bytes: Buffer) => Buffer) => ({
    changeSignerInfo: (all: Buffer[]) => all.with(5, octets(change(Buffer.from(all[5]?.subarray(2) ?? [])))),
  });
  return [
    ['signed with SHA-1', { digest: 'sha1' }],
    ['under the name of ECDSA with SHA-1', algorithm(SHA1_WITH_ECDSA)],
    ['under the name of ECDSA with SHA-512', algorithm(SHA512_WITH_ECDSA)],
    ['under the name of RSA', algorithm(SHA256_WITH_RSA, der(TAG.null))],
    ['under the name of RSA-PSS without parameters', algorithm('2a864886f70d01010a')],
    ['under the name of RSA-PSS with SHA-1', algorithm('2a864886f70d01010a', sequence())],
    ['under the name of Ed25519', algorithm('2b6570')],
    ['under an unknown name', algorithm('2a0304')],
    ['with another hash of the attributes', { changeSignerInfo: replace(2, sequence(oid('608648016503040203'))) }],
    ['with a bit of the signature changed', signature((bytes) => bytes.with(-1, (bytes.at(-1) ?? 0) ^ 1) as Buffer)],
    ['with an empty signature', signature(() => Buffer.alloc(0))],
    ['with a signature of zeros', signature(() => sequence(number(0), number(0)))],
    ['with a signature of ones', signature(() => sequence(number(1), number(1)))],
    ['with a signature that is no DER', signature(() => Buffer.alloc(64, 7))],
    ['with a byte behind the signature', signature((bytes) => Buffer.concat([bytes, Buffer.of(0)]))],
    ['signed by the key of another', { signed: () => OTHER }],
    ['whose attributes are signed under another tag', { signed: (all) => der(TAG.context0, ...all) }],
    ['without attributes, signed over the content', { signed: (_, info) => info, changeSignerInfo: without(3) }],
    ['with no attributes', { signed: () => der(TAG.set), changeAttributes: () => [] }],
    ['under the number of another certificate', { changeSignerInfo: renumber(stamper) }],
  ];
}

function renumber({ raw }: Authority): (all: Buffer[]) => Buffer[] {
  return replace(1, sequence(issuerAndSerial(raw).issuer, number(11)));
}

function listAttributes({ stamper, intermediate }: Authorities): Row[] {
  const more = (...attributes: Buffer[]) => ({ moreAttributes: attributes });
  const named = (id: Buffer) => ({ named: null, moreAttributes: [namedBy(SIGNING_CERTIFICATE_V2, id)] });
  const { issuer } = issuerAndSerial(stamper.raw);
  const right = sha256(stamper.raw);
  return [
    ['without a content type', leaveOut(CONTENT_TYPE)],
    ['without the hash of its content', leaveOut(MESSAGE_DIGEST)],
    ['that names no certificate', { named: null }],
    ['with two content types', more(attribute(CONTENT_TYPE, oid(ID_DATA)))],
    ['with two hashes of its content', more(attribute(MESSAGE_DIGEST, octets(OTHER)))],
    ['with two names of its certificate', more(namedBy(SIGNING_CERTIFICATE_V2, certId(OTHER)))],
    ['with two values of an attribute', more(sequence(oid('2a0304'), der(TAG.set, number(1), number(2))))],
    ['with an attribute without a value', more(sequence(oid('2a0304'), der(TAG.set)))],
    ['of another content type', { contentType: oid(ID_DATA) }],
    ['with the hash of another content', { contentDigest: OTHER }],
    ['with the hash of its content in another form', { contentDigest: Buffer.alloc(0) }],
    [
      'with an attribute removed after it was signed',
      {
        ...more(attribute('2a0304', der(TAG.null))),
        changeAttributes: (all) => all.filter((one) => !hasType('06032a0304')(one)),
      },
    ],
    [
      'with an attribute added after it was signed',
      { changeAttributes: (all) => [...all, attribute('2a0304', der(TAG.null))] },
    ],
    ['that names another certificate', { named: intermediate.raw }],
    ['that names a certificate that is not there', { named: OTHER }],
    [
      'that names its certificate by SHA-1 in the second version',
      named(sequence(sequence(oid('2b0e03021a')), octets(hashOf('sha1', stamper.raw)))),
    ],
    [
      'that names its certificate under another number',
      named(certId(right, sequence(sequence(der(0xa4, issuer)), number(11)))),
    ],
    [
      'that names its certificate under another issuer',
      named(certId(right, sequence(sequence(der(0xa4, sequence())), number(10)))),
    ],
    ['that names another certificate by the first version', oldName(hashOf('sha1', intermediate.raw))],
    [
      'that names another certificate by one of the versions',
      more(namedBy(SIGNING_CERTIFICATE, certId(hashOf('sha1', intermediate.raw)))),
    ],
    [
      'with an empty list of names',
      { named: null, moreAttributes: [attribute(SIGNING_CERTIFICATE_V2, sequence(sequence()))] },
    ],
  ];
}

/** From what is signed, too. */
function leaveOut(type: string): Partial<TokenOptions> {
  const filter = (all: readonly Buffer[]) => all.filter((one) => !hasType(type)(one));
  return { signed: (all) => der(TAG.set, ...filter(all)), changeAttributes: filter };
}

function listStructures({ stamp, stamper, intermediate }: Authorities): Row[] {
  const sent = (change: (token: Buffer) => Buffer) => (data: Buffer) => change(stamp()(data));
  return [
    ['with a byte behind its end', sent((token) => Buffer.concat([token, Buffer.of(0)]))],
    ['with an element behind its end', sent((token) => Buffer.concat([token, number(1)]))],
    ['cut off', sent((token) => token.subarray(0, -1))],
    ['that is empty', () => Buffer.alloc(0)],
    [
      'with an indefinite length',
      sent((token) => Buffer.concat([Buffer.from([0x30, 0x80]), token.subarray(4), Buffer.alloc(2)])),
    ],
    [
      'with a length that is longer than it needs to be',
      sent((token) => Buffer.concat([Buffer.from([0x30, 0x83, 0]), token.subarray(2)])),
    ],
    ['nested deeply', () => nest(2000)],
    ['with more elements than any authority writes', () => sequence(Buffer.alloc(60_000, Buffer.from([5, 0])))],
    [
      'of another kind of content',
      sent((token) => replaceBytes(token, oid('2a864886f70d010702'), oid('2a864886f70d010703'))),
    ],
    [
      'with data of another kind',
      {
        changeSignedData: (all) =>
          all.with(2, replaceBytes(all[2] ?? OTHER, oid('2a864886f70d0109100104'), oid('2a864886f70d0109100105'))),
      },
    ],
    ['without content', { changeSignedData: replace(2, sequence(oid('2a864886f70d0109100104'))) }],
    ['with an element behind the signers', { changeSignedData: (all) => [...all, number(1)] }],
    ['with two signers', { moreSigners: true }],
    ['without signers', { changeSignedData: replace(4, der(TAG.set)) }],
    ['without its certificate', { certificates: [intermediate.raw] }],
    ['without certificates', { changeSignedData: without(3) }],
    ['without the certificate between', { certificates: [stamper.raw] }],
    [
      'with more certificates than any authority has',
      { certificates: [stamper.raw, intermediate.raw, ...Array(15).fill(stamper.raw)] },
    ],
    ['in a response that rejects', sent((token) => makeResponse(2, token))],
    ['in a response that promises', sent((token) => makeResponse(3, token))],
    ['missing in its response', () => makeResponse(0)],
    ['in a response with more behind it', sent((token) => sequence(sequence(number(0)), token, number(1)))],
  ];
}

function replaceBytes(bytes: Buffer, from: Buffer, to: Buffer): Buffer {
  const changed = Buffer.from(bytes);
  to.copy(changed, changed.indexOf(from));
  return changed;
}

function nest(depth: number): Buffer {
  let bytes: Buffer = Buffer.alloc(0);
  for (let level = 0; level < depth; level += 1) bytes = sequence(bytes);
  return bytes;
}

/** Of TSTInfo. */
function listContents(): Row[] {
  const times: readonly (readonly [string, Buffer])[] = [
    ['without a time zone', time('20240501120000')],
    ['in another time zone', time('20240501140000+0200')],
    ['without seconds', time('202405011200Z')],
    ['with a zero at the end of its fraction', time('20240501120000.50Z')],
    ['with a fraction of zero', time('20240501120000.0Z')],
    ['with an empty fraction', time('20240501120000.Z')],
    ['with a comma before its fraction', time('20240501120000,5Z')],
    ['in the form of two digits', time('240501120000Z', TAG.utcTime)],
    ['on a day that does not exist', time('20240431120000Z')],
    ['in the hour 24', time('20240501240000Z')],
    ['in the second 60', time('20240501120060Z')],
    ['in lower case', time('20240501120000z')],
    ['with a space before it', time(' 20240501120000Z')],
    ['before the signer’s certificate began', time(timeText(later(-24 * (SIGNER_DAYS + 1))))],
    ['after the signer’s certificate ended', time(timeText(later(24 * (SIGNER_DAYS + 1))))],
    ['before its own certificate began', time('20200501120000Z')],
    ['after its own certificate ended', time('20280501120000Z')],
  ];
  return [
    ...times.map(([name, timeElement]): Row => [`at a time ${name}`, { timeElement }]),
    ['with two times', { changeInfo: insert(5, time('20240502120000Z')) }],
    ['without a time', { changeInfo: without(4) }],
    ['of another version', { changeInfo: replace(0, number(2)) }],
    ['without a number', { changeInfo: without(3) }],
    ['with an unknown element', { changeInfo: (all) => [...all, octets(OTHER)] }],
    ['with an ordering that is true only in BER', { changeInfo: (all) => [...all, der(TAG.boolean, Buffer.of(1))] }],
    ['with a critical extension', { extensions: criticalExtension }],
    ['with an accuracy of an hour', { accuracySeconds: 3600 }],
    [
      'with a version written longer than it needs to be',
      { changeInfo: replace(0, der(TAG.integer, Buffer.of(0, 1))) },
    ],
    [
      'whose content was changed',
      { changeContent: (content) => replaceBytes(content, time('20240501120000Z'), time('20240401120000Z')) },
    ],
    ['with a byte behind its content', { changeContent: (content) => Buffer.concat([content, Buffer.of(0)]) }],
  ];
}

function timeText(at: Date): string {
  return `${at.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`;
}

/** Certificates that sign time-stamps and must not. */
async function listStampers({ root, intermediate }: Authorities): Promise<Row[]> {
  const [constraints = UNKNOWN_EXTENSION, usage = UNKNOWN_EXTENSION, purpose = UNKNOWN_EXTENSION] = asStamper();
  const uses = (flags: number) => [constraints, new x509.KeyUsagesExtension(flags, true), purpose];
  const rows: readonly (readonly [string, AuthorityOptions])[] = [
    ['without a purpose', { extensions: asStamper([]) }],
    ['for another purpose', { extensions: asStamper([OTHER_PURPOSE]) }],
    ['for any purpose', { extensions: asStamper([ANY_PURPOSE]) }],
    ['for time-stamps and another purpose', { extensions: asStamper([TIME_STAMPING, OTHER_PURPOSE]) }],
    ['for time-stamps and any purpose', { extensions: asStamper([TIME_STAMPING, ANY_PURPOSE]) }],
    ['whose purpose is not critical', { extensions: asStamper([TIME_STAMPING], false) }],
    [
      'that is an authority',
      { extensions: [new x509.BasicConstraintsExtension(true, undefined, true), usage, purpose] },
    ],
    ['that may sign certificates', { extensions: uses(digitalSignature | keyCertSign) }],
    ['that may encrypt keys', { extensions: uses(digitalSignature | keyEncipherment) }],
    ['that may only encrypt keys', { extensions: uses(keyEncipherment) }],
    ['with an unknown critical extension', { extensions: [...asStamper(), UNKNOWN_EXTENSION] }],
    ['with constraints of names', { extensions: [...asStamper(), NAME_CONSTRAINTS] }],
    ['that had expired', { validTo: later(-1) }],
    ['that was not valid yet', { validFrom: later(1) }],
    ['with a key that is too short', { key: 'rsa1024' }],
  ];
  const made = rows.map(
    async ([name, options]): Promise<Row> => [`by a certificate ${name}`, await below(root, options)],
  );
  const bySha1 = await makeAuthority({ name: 'CN=Old', issuer: root, serial: '0b', key: 'p256sha1' });
  return [
    ...(await Promise.all(made)),
    ['by a certificate signed with SHA-1', await chainOf(bySha1)],
    ['by the authority between', { signer: intermediate, certificates: [intermediate.raw] }],
    ['by the root', { signer: root, certificates: [root.raw] }],
    ['by a certificate that signed itself', await selfSigned()],
  ];
}

async function selfSigned(): Promise<Partial<TokenOptions>> {
  const signer = await makeStamper({});
  return { signer, certificates: [signer.raw] };
}

/** Issued by the first of these, which the token has. */
async function chainOf(...issuers: readonly [Authority, ...Authority[]]): Promise<Partial<TokenOptions>> {
  const signer = await makeStamper({ issuer: issuers[0] });
  return { signer, certificates: [signer, ...issuers].map(({ raw }) => raw) };
}

/** Authorities between the root and the certificate, which may not be there. */
async function listIssuers({ root }: Authorities): Promise<Row[]> {
  const [constraints = UNKNOWN_EXTENSION, usage = UNKNOWN_EXTENSION] = asRoot();
  const rows: readonly (readonly [string, AuthorityOptions])[] = [
    ['that is no authority', { extensions: asStamper() }],
    ['without constraints', { extensions: [usage] }],
    [
      'that may not sign certificates',
      { extensions: [constraints, new x509.KeyUsagesExtension(digitalSignature, true)] },
    ],
    ['for other purposes', { extensions: [...asRoot(), new x509.ExtendedKeyUsageExtension([OTHER_PURPOSE])] }],
    ['with an unknown critical extension', { extensions: [...asRoot(), UNKNOWN_EXTENSION] }],
    ['with constraints of names', { extensions: [...asRoot(), NAME_CONSTRAINTS] }],
    ['that had expired', { validTo: later(-1) }],
    ['that was not valid yet', { validFrom: later(1) }],
  ];
  const made = rows.map(async ([name, options]): Promise<Row> => {
    const issuer = await makeAuthority({ name: 'CN=Issuer', issuer: root, serial: '05', key: 'p256', ...options });
    return [`below an authority ${name}`, await chainOf(issuer)];
  });
  const last = await makeAuthority({ name: 'CN=Last', issuer: root, serial: '06', key: 'p256', extensions: asRoot(0) });
  const lower = await makeAuthority({ name: 'CN=Lower', issuer: last, serial: '07', key: 'p256' });
  const forger = await makeAuthority({ name: 'CN=Issuer', key: 'p256' });
  const renamed = await makeAuthority({
    name: 'CN=Issuer',
    issuer: { ...forger, certificate: root.certificate },
    key: 'p256',
  });
  return [
    ...(await Promise.all(made)),
    ['below an authority that may not have one below it', await chainOf(lower, last)],
    ['below an authority that the root did not sign', await chainOf(renamed)],
  ];
}

async function listRoots({ root, stamper, stamp }: Authorities): Promise<Row[]> {
  const makeRoot = (options: AuthorityOptions = {}) =>
    makeAuthority({ name: 'CN=Other root', key: 'p256', ...options });
  const stranger = await makeRoot();
  const namesake = await makeAuthority({ key: 'p256' });
  const kinds: readonly (readonly [string, AuthorityOptions])[] = [
    ['that is no authority', { extensions: asStamper() }],
    ['without constraints', { extensions: [] }],
    ['for other purposes', { extensions: [...asRoot(), new x509.ExtendedKeyUsageExtension([OTHER_PURPOSE])] }],
    ['with constraints of names', { extensions: [...asRoot(), NAME_CONSTRAINTS] }],
    ['that had expired', { validTo: later(-1) }],
    ['that was not valid yet', { validFrom: later(1) }],
  ];
  const wrong = kinds.map(async ([name, options]): Promise<Row> => {
    const pinned = await makeRoot(options);
    return [`below a pinned root ${name}`, stamp(await below(pinned)), pinned.pem];
  });
  const own = await selfSigned();
  return [
    ...(await Promise.all(wrong)),
    ['below a root that only the token has', { ...(await chainOf(stranger)) }],
    ['below a root of the same name that only the token has', { ...(await chainOf(namesake)) }],
    ['below a root that is not in it', await below(stranger)],
    ['whose root is not pinned', {}, stranger.pem],
    ['whose own certificate is pinned', {}, stamper.pem],
    ['whose own certificate, which signed itself, is pinned', own, own.signer?.pem ?? ''],
    ['by a pinned root', { signer: root, certificates: [] }],
  ];
}
