// What is published about an Artifact under a private Mark — report, sidecar, card, signed image, and everything on chain —
// names neither its author, Mark nor file: not as text in any encoding, and not as a hash that can be guessed.

import { createHash } from 'node:crypto';
import { contentRegistryAbi } from '@provenance-registry/contract';
import { createPublicClient, decodeFunctionData, http, keccak256, stringToBytes } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { createMark, createOrganization, type TestUser } from '../../../../test/support/accounts.js';
import {
  fetchPublishedFiles,
  fieldParts,
  filePart,
  getArtifact,
  type Registry,
  sendForm,
  startRegistry,
} from '../../../../test/support/artifacts.js';
import { randomUUID } from '../../../../test/support/random.js';
import { call, signUp } from '../../../../test/support/service.js';
import { draw } from '../support/pictures.js';

const FILENAME = 'Marzipan-Lighthouse.jpg';
const MARK = 'Zinnober Vexillology';
const ORGANIZATION = 'Ostrander Quillworks';

let service: Registry;
let owner: TestUser;
let privateMark: { id: string };
let publicMark: { id: string };

beforeAll(async () => {
  service = await startRegistry();
  const account = { name: 'Philomena Tattersall', email: 'philomena.tattersall@mailbox.example' };
  owner = await signUp(service, account);
  await call(service, 'PUT', '/api/v1/subscription', { token: owner.token, body: { tier: 'enterprise' } });
  const organizationId = await createOrganization(service, owner, 0, ORGANIZATION);
  const fields = { name: MARK, organizationId, license: 'BSD-3-Clause' };
  privateMark = (await createMark(service, owner, { ...fields, visibility: 'private' })).body;
  publicMark = (await createMark(service, owner, fields)).body;
});

let seed = 100;

/** Registers a new image, returned with its manifest embedded; resolves when both are on chain. */
async function register(markId: string, more: Record<string, string> = {}) {
  const image = await newImage();
  const parts = [filePart(image, FILENAME, 'image/jpeg'), ...fieldParts({ markId, ...more })];
  const path = '/api/c2pa/manifests' as const;
  const { status, headers, bytes } = await sendForm(service, owner, parts, { path, headers: { accept: 'image/*' } });
  expect([status, headers.get('content-type')]).toEqual([201, 'image/jpeg']);
  const fingerprint = `0x${createHash('sha256').update(image).digest('hex')}`;
  // The signed image too, so that its registration is not in a transaction with the next one.
  const readCopies = async () => (await getArtifact(service, owner, fingerprint)).body.renditions;
  await expect.poll(readCopies).toMatchObject([{ status: 'submitted' }]);
  const { body: artifact } = await getArtifact(service, owner, fingerprint);
  const files = await fetchPublishedFiles(service, artifact.id);
  const { input, chain } = await readTransaction(artifact.transactionHash);
  const { chain: chainOfImage } = await readTransaction(artifact.renditions[0].transactionHash);
  return {
    fingerprint,
    registrant: registrantIn(input, fingerprint),
    published: { ...files, image: bytes, headers: Buffer.from(JSON.stringify([...headers])), chain, chainOfImage },
  };
}

/** The calldata; and with topics and data of all events, as bytes. */
async function readTransaction(hash: `0x${string}`): Promise<{ input: `0x${string}`; chain: Buffer }> {
  const client = createPublicClient({ transport: http(service.settings['RPC_URL']) });
  const [{ input }, { logs }] = await Promise.all([
    client.getTransaction({ hash }),
    client.getTransactionReceipt({ hash }),
  ]);
  const values = [input, ...logs.flatMap(({ topics, data }) => [...topics, data])];
  return { input, chain: Buffer.concat(values.map((value) => Buffer.from(value.slice(2), 'hex'))) };
}

/** What stands for the user in the registration of that fingerprint. */
function registrantIn(input: `0x${string}`, fingerprint: string): string | undefined {
  const { functionName, args } = decodeFunctionData({ abi: contentRegistryAbi, data: input });
  if (functionName !== 'registerManifests') throw new Error(`unexpected call of ${functionName}`);
  return args[0].find((registration) => registration.fingerprint === fingerprint)?.userIdHash;
}

/** Everything that could stand for a text: the text in several encodings, and hashes of it. */
function traces(text: string): Buffer[] {
  const spellings = [text, text.toLowerCase(), text.toUpperCase()];
  const raw = spellings.flatMap((spelling) => {
    const utf8 = Buffer.from(spelling);
    const utf16 = Buffer.from(spelling, 'utf16le');
    return [utf8, utf16, Buffer.from(utf16).swap16()];
  });
  const hashes = [text, text.toLowerCase()].flatMap((spelling) => [
    ...['md5', 'sha1', 'sha256', 'sha512'].map((name) => createHash(name).update(spelling).digest()),
    Buffer.from(keccak256(stringToBytes(spelling)).slice(2), 'hex'),
    // The topic of an event is the hash of the value.
    Buffer.from(keccak256(keccak256(stringToBytes(spelling))).slice(2), 'hex'),
  ]);
  return [...raw, ...hashes].flatMap((bytes) => [
    bytes,
    Buffer.from(bytes.toString('hex')),
    Buffer.from(bytes.toString('hex').toUpperCase()),
    ...base64Alignments(bytes),
  ]);
}

/** The part of its base64 that does not depend on what surrounds the bytes, for each of the three alignments. */
function base64Alignments(bytes: Buffer): Buffer[] {
  return [0, 1, 2].map((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    return Buffer.from(padded.slice(Math.ceil((offset * 8) / 6), -2));
  });
}

const secretsOf = (markId: string) => ({
  author: owner.name,
  email: owner.email,
  'user id': owner.id,
  'user id in bytes': owner.id.replaceAll('-', ''),
  Mark: MARK,
  'Mark id': markId,
  file: FILENAME,
  'name without extension': 'Marzipan-Lighthouse',
  organization: ORGANIZATION,
  license: 'BSD-3-Clause',
});

function findTraces(published: Readonly<Record<string, Buffer>>, markId: string): string[] {
  return Object.entries(secretsOf(markId)).flatMap(([what, text]) => {
    const found = traces(text);
    const id = /^[0-9a-f]{32}$/.test(text) ? [Buffer.from(text, 'hex')] : [];
    return Object.entries(published)
      .filter(([, bytes]) => [...found, ...id].some((trace) => bytes.includes(trace)))
      .map(([where]) => `${what} in ${where}`);
  });
}

/** Registers a file without waiting for the chain. */
async function publish(user: TestUser, markId: string, bytes: Uint8Array, filename: string, previous?: string) {
  const fields = fieldParts({ markId, ...(previous && { previousFingerprint: previous }) });
  const path = '/api/c2pa/manifests';
  const { status, body } = await sendForm(service, user, [filePart(bytes, filename), ...fields], { path });
  expect(status).toBe(201);
  const fingerprint = `0x${createHash('sha256').update(bytes).digest('hex')}`;
  return { fingerprint, files: await fetchPublishedFiles(service, body.manifestId) };
}

async function signCopy(user: TestUser, image: Uint8Array, fingerprint: string): Promise<Buffer> {
  const path = `/api/v1/artifacts/${fingerprint}/signed-copy` as const;
  const { status, bytes } = await sendForm(service, user, [filePart(image, 'image.jpg')], { path });
  expect(status).toBe(201);
  return bytes;
}

const newText = () => Buffer.from(randomUUID());

async function newImage(): Promise<Uint8Array> {
  seed += 1;
  return new Uint8Array(await draw({ seed, width: 64, height: 64, cell: 8 }).jpeg().toBuffer());
}

async function hideMark(markId: string) {
  const hidden = await call(service, 'PUT', `/api/v1/marks/${markId}`, {
    token: owner.token,
    body: { visibility: 'private' },
  });
  expect(hidden.status).toBe(200);
}

async function hideContent(_markId: string, fingerprint: string) {
  const hidden = await call(service, 'PUT', `/api/v1/artifacts/${fingerprint}/visibility`, {
    token: owner.token,
    body: { contentVisibility: 'private' },
  });
  expect(hidden.status).toBe(200);
}

/** Without those of the author, who may be that of the later version too. */
const tracesOfFirst = (published: Readonly<Record<string, Buffer>>, markId: string) =>
  findTraces(published, markId).filter((trace) => /^(Mark|file|name)/.test(trace));

describe('what is published', () => {
  it('under a public Mark names author, Mark and file, which shows that this test finds them', async () => {
    const { published } = await register(publicMark.id);
    const found = findTraces(published, publicMark.id);
    for (const where of ['json', 'c2pa', 'image']) {
      expect(found).toEqual(expect.arrayContaining([`author in ${where}`, `Mark in ${where}`, `file in ${where}`]));
    }
    // Its keccak-256, by which users find their own registrations.
    expect(found).toContain('user id in chain');
    expect(found.filter((trace) => trace.startsWith('email'))).toEqual([]);
  });

  it('under a private Mark names none of them', async () => {
    const { published } = await register(privateMark.id);
    expect(Object.values(published).map(({ length }) => length)).not.toContain(0);
    expect(findTraces(published, privateMark.id)).toEqual([]);
  });

  it('under a private Mark names nothing of a previous version that is public', async () => {
    const { fingerprint: previousFingerprint } = await register(publicMark.id);
    const { fingerprint, published } = await register(privateMark.id, { previousFingerprint });
    expect(findTraces(published, privateMark.id)).toEqual([]);
    // It is recorded all the same, for those who may read it.
    expect((await getArtifact(service, owner, fingerprint)).body.metadata).toMatchObject({ previousFingerprint });
  });

  it.each([
    ['Mark is private, also if the caller may write under it', hideMark, false],
    ['Mark is private to the caller', hideMark, true],
    ['content is private', hideContent, false],
  ] as const)('about a previous version names nothing once its %s', async (_, hide, isStranger) => {
    const caller = isStranger ? await signUp(service, { name: 'Stranger' }) : owner;
    const { body: mark } = await createMark(service, owner, { name: MARK });
    const { body: own } = await createMark(service, caller, { name: 'Own' });
    const first = await publish(owner, mark.id, newText(), FILENAME);
    const image = await newImage();
    const next = await publish(caller, own.id, image, 'next.jpg', first.fingerprint);
    // Registered before, it names the first version, which shows that this test finds the names.
    expect(tracesOfFirst(next.files, mark.id)).toContain('file in c2pa');

    await hide(mark.id, first.fingerprint);
    const later = await publish(caller, own.id, newText(), 'later.txt', first.fingerprint);
    expect(tracesOfFirst(later.files, mark.id)).toEqual([]);
    const afterNext = await publish(caller, own.id, newText(), 'third.txt', next.fingerprint);
    expect(tracesOfFirst(afterNext.files, mark.id)).toEqual([]);
    const copy = await signCopy(caller, image, next.fingerprint);
    expect(tracesOfFirst({ copy }, mark.id)).toEqual([]);
  });

  it('in a signed copy names neither file nor previous version once the content is private', async () => {
    const first = await publish(owner, publicMark.id, newText(), 'first-version.txt');
    const image = await newImage();
    const { fingerprint, files } = await publish(owner, publicMark.id, image, FILENAME, first.fingerprint);
    const find = (bytes: Buffer) => [FILENAME, 'first-version.txt'].filter((name) => bytes.includes(name));
    expect(find(files.c2pa)).toHaveLength(2);
    await hideContent(publicMark.id, fingerprint);
    expect(find(await signCopy(owner, image, fingerprint))).toEqual([]);
  });

  it('on chain differs for each private Mark, so that registrations of one user cannot be linked', async () => {
    const { body: other } = await createMark(service, owner, { name: 'Another', visibility: 'private' });
    const registrants = [];
    for (const markId of [privateMark.id, privateMark.id, other.id, publicMark.id]) {
      registrants.push((await register(markId)).registrant);
    }
    const [first, again, elsewhere, open] = registrants;
    expect(again).toBe(first);
    expect(new Set([first, elsewhere, open]).size).toBe(3);
    expect(open).toBe(keccak256(stringToBytes(owner.id)));
  });
});
