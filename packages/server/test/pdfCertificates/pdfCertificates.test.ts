// Certificates as the service issues them: what other programs read in them, their signature, and who may see what.

import { execFile } from 'node:child_process';
import { once, setMaxListeners } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { createMark, createUser, type TestUser } from '../../../../test/support/accounts.js';
import { createArtifact, newFingerprint, type Registry, startRegistry } from '../../../../test/support/artifacts.js';
import { freePort } from '../../../../test/support/ports.js';
import { query } from '../../../../test/support/postgres.js';
import { call, temporaryFolder } from '../../../../test/support/service.js';
import { openDocumentSigner } from '../../src/composition/pdfCertificates.js';
import { loadConfig } from '../../src/config/config.js';
import { contest } from '../support/claims.js';

const run = promisify(execFile);

let service: Registry;
let owner: TestUser;
let folder: string;

beforeAll(async () => {
  // The document says that the registry runs its chain itself.
  service = await startRegistry({ REGISTRY_NAME: 'Hall of Records', CHAIN_PORT: String(await freePort()) });
  owner = await createUser(service, 'enterprise');
  folder = await temporaryFolder();
});

async function register(mark: Record<string, unknown>, filename = 'sunrise.jpg'): Promise<string> {
  const { body } = await createMark(service, owner, { license: 'CC-BY-4.0', ...mark });
  const { status, body: artifact } = await createArtifact(service, owner, {
    markId: body.id,
    fingerprint: newFingerprint(),
    filename,
    mediaType: 'image/jpeg',
    authorshipStated: true,
  });
  expect(status).toBe(201);
  return artifact.fingerprint;
}

const pathOf = (fingerprint: string) => `/api/v1/public/artifacts/${fingerprint}/certificate`;

async function awaitChain(fingerprint: string) {
  for (;;) {
    const { body } = await call(service, 'GET', `/api/v1/public/artifacts/${fingerprint}?wait=50`);
    if (body.status === 'submitted') return body;
  }
}

async function download(fingerprint: string): Promise<{ file: string; headers: Headers }> {
  const response = await fetch(service.url + pathOf(fingerprint));
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/pdf']);
  const file = join(folder, `${fingerprint}.pdf`);
  await writeFile(file, Buffer.from(await response.arrayBuffer()));
  return { file, headers: response.headers };
}

/** In the order of the page, with spaces and line breaks as one space. */
const textOf = async (file: string) => (await run('pdftotext', ['-raw', file, '-'])).stdout.replaceAll(/\s+/g, ' ');

describe('the certificate of a registration on chain', () => {
  let fingerprint: string;
  let file: string;
  let headers: Headers;
  let text: string;

  beforeAll(async () => {
    fingerprint = await register({ name: 'Ada Lovelace Studio' });
    await awaitChain(fingerprint);
    ({ file, headers } = await download(fingerprint));
    text = await textOf(file);
  });

  it('is a file for downloading that no cache keeps', () => {
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="certificate-${fingerprint.slice(2, 18)}.pdf"`,
    );
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('has a valid signature of the document key over the whole file, with a time-stamp', async () => {
    const { stdout } = await run('pdfsig', [file]);
    expect(stdout).toContain('Signature is Valid.');
    expect(stdout).toContain('Total document signed');
    expect(stdout).toContain('ETSI.CAdES.detached');
    expect(stdout).toContain('Signer Certificate Common Name: Development signer of documents');
    // By another program, up to the root that the registry publishes.
    const bytes = await readFile(file);
    const [, first = 0, second = 0, length = 0] =
      /\/ByteRange \[(\d+) (\d+) (\d+) (\d+)/.exec(bytes.toString('latin1'))?.slice(1).map(Number) ?? [];
    const names = { content: join(folder, 'content'), cms: join(folder, 'cms.der'), roots: join(folder, 'roots.pem') };
    const signed = Buffer.concat([bytes.subarray(0, first), bytes.subarray(second, second + length)]);
    await writeFile(names.content, signed);
    await writeFile(names.cms, Buffer.from(bytes.toString('latin1', first + 1, second - 1), 'hex'));
    const roots = await call(service, 'GET', '/.well-known/provenance-registry/document-roots.pem');
    await writeFile(names.roots, roots.body);
    const form = ['-inform', 'DER', '-in', names.cms];
    await run('openssl', [
      'cms',
      '-verify',
      ...form,
      '-content',
      names.content,
      '-binary',
      '-CAfile',
      names.roots,
      '-out',
      '/dev/null',
    ]);
    const { stdout: printed } = await run('openssl', ['cms', '-cmsout', '-print', ...form]);
    expect(printed).toContain('id-smime-aa-signingCertificateV2');
    expect(printed).toContain('id-smime-aa-timeStampToken');
  });

  it.each([
    ['text', (bytes: Buffer) => bytes.indexOf('stream\n') + 20],
    ['title', (bytes: Buffer) => bytes.indexOf('Certificate of registration')],
  ])('shows by its signature that a byte of the %s was changed', async (_, position) => {
    const bytes = await readFile(file);
    const at = position(bytes);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    const changed = join(folder, 'changed.pdf');
    await writeFile(changed, bytes);
    expect((await run('pdfsig', [changed])).stdout).toContain('Digest Mismatch');
  });

  it('states the fingerprint, the registrant, the chain and the signers, with UTC times to the second', async () => {
    const artifact = await awaitChain(fingerprint);
    const { body: identity } = await call(service, 'GET', '/.well-known/provenance-registry');
    for (const fact of [
      fingerprint,
      'Issued by Hall of Records',
      'Ada Lovelace Studio',
      'sunrise.jpg',
      'Creative Commons Attribution 4.0 International',
      'Only the fingerprint was sent: nothing shows that the registrant had the file.',
      'The registrant stated to have made this file or to speak for its maker.',
      `Chain id ${identity.chainId}`,
      identity.contract,
      artifact.transactionHash,
      `urn:c2pa:${artifact.id}`,
      'CN=Development signer, O=Provenance registry',
      'CN=Development time-stamps of manifests, O=Provenance registry',
      'This registry runs this authority itself: it is not another party.',
      'CN=Development signer of documents, O=Provenance registry',
      'The metadata in the service’s record have this hash.',
      'What this does not prove',
      'How to verify without us',
      'This registry runs its chain itself, for development.',
    ]) {
      expect(text).toContain(fact);
    }
    expect(text).toMatch(/Manifest time-stamped \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/);
    expect(text).toMatch(/Entry on chain \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/);
    expect(text).toMatch(/Block \d+ /);
    expect(text).toMatch(/Written by account 0x[0-9a-fA-F]{40} /);
  });

  it('is tagged, and has a title and a language', async () => {
    const { stdout } = await run('pdfinfo', [file]);
    expect(stdout).toMatch(/Tagged: +yes/);
    expect(stdout).toContain(`Certificate of registration: ${fingerprint}`);
    expect((await readFile(file)).includes('/Lang (en-US)')).toBe(true);
    const { stdout: structure } = await run('pdfinfo', ['-struct', file]);
    for (const element of ['H1', 'H2', 'Table', 'Figure']) expect(structure).toContain(element);
  });

  it('says that there are claims once there are', async () => {
    const contested = await register({ name: 'Contested' });
    expect((await contest(service, await createUser(service), contested)).status).toBe(201);
    const claimed = await textOf((await download(contested)).file);
    expect(claimed).toContain('There are open claims to this file');
    expect(claimed).toContain('1 open claim without checked evidence.');
    expect(text).not.toContain('open claim');
  });
});

it('names nothing that is hidden by a private Mark or by private content', async () => {
  const secret = await register({ name: 'Clandestine', visibility: 'private' }, 'plan-of-attack.jpg');
  const text = await textOf((await download(secret)).file);
  expect(text).toContain('A private Mark');
  expect(text).not.toMatch(/Clandestine|plan-of-attack|CC-BY|Creative Commons/);
  expect(text).not.toContain(owner.name);

  const hidden = await register({ name: 'Open' }, 'hidden-name.jpg');
  const visibility = { token: owner.token, body: { contentVisibility: 'private' } };
  await call(service, 'PUT', `/api/v1/artifacts/${hidden}/visibility`, visibility);
  const hiddenText = await textOf((await download(hidden)).file);
  expect(hiddenText).toContain('Open');
  expect(hiddenText).not.toContain('hidden-name');
});

it('is refused for unknown fingerprints and failed registrations', async () => {
  expect((await call(service, 'GET', pathOf(newFingerprint()))).body.code).toBe('NOT_FOUND');
  const failed = await register({ name: 'Failed' });
  await awaitChain(failed);
  await query(
    service.databaseUrl,
    `UPDATE artifacts SET status = 3, error_reason = 'refused' WHERE fingerprint = '\\x${failed.slice(2)}'`,
  );
  expect((await call(service, 'GET', pathOf(failed))).status).toBe(404);
});

it('one client has a bounded queue, which requests leave that are given up; another client has turns of its own', async () => {
  // Nothing is read until the end of the lock, and then quickly: that there is nothing.
  const path = pathOf(newFingerprint());
  const request = async (localAddress = '127.0.0.1', signal?: AbortSignal) => {
    const sent = get(service.url + path, { agent: false, localAddress, ...(signal && { signal }) });
    const [response]: IncomingMessage[] = await once(sent, 'response');
    response?.resume();
    return { status: response?.statusCode, retryAfter: response?.headers['retry-after'] };
  };
  const connection = new pg.Client({ connectionString: service.databaseUrl });
  await connection.connect();
  await connection.query('BEGIN; LOCK TABLE artifacts IN ACCESS EXCLUSIVE MODE');
  const leaving = new AbortController();
  setMaxListeners(0, leaving.signal);
  try {
    // One is made and 32 wait.
    const requests = Array.from({ length: 34 }, () => request('127.0.0.1', leaving.signal));
    expect(await Promise.race(requests)).toEqual({ status: 503, retryAfter: '2' });
    const other = request('127.0.0.2');
    leaving.abort();
    await Promise.allSettled(requests);
    await connection.end();
    expect((await other).status).toBe(404);
    expect((await request()).status).toBe(404);
  } finally {
    await connection.end();
  }
});

describe('the key of documents', () => {
  const open = async (settings: Record<string, string>) =>
    (await openDocumentSigner(loadConfig({ DATA_DIR: folder, ...settings }), new Date())).signer;

  it('is made once', async () => {
    const [one, other] = [await open({}), await open({})];
    expect(one.certificates[0]?.fingerprint256).toBe(other.certificates[0]?.fingerprint256);
    expect(one.certificates[0]?.publicKey.asymmetricKeyDetails?.modulusLength).toBe(3072);
  });

  it('can be given, and is refused with the reason when it is unusable', async () => {
    const at = (name: string) => join(folder, name);
    const self = ['-x509', '-nodes', '-subj', '/CN=Documents', '-days', '30'];
    const make = (name: string, ...args: string[]) =>
      run('openssl', ['req', ...self, ...args, '-keyout', at(`${name}.key`), '-out', at(`${name}.pem`)]);
    await make('rsa', '-newkey', 'rsa:2048');
    await make('curve', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256');
    await make('usage', '-newkey', 'rsa:2048', '-addext', 'keyUsage=critical,keyEncipherment');
    await writeFile(at('empty.pem'), 'nothing');
    const settings = (certificate: string, key: string) => ({
      DOCUMENT_CERT_FILE: at(`${certificate}.pem`),
      DOCUMENT_KEY_FILE: at(`${key}.key`),
    });
    expect((await open(settings('rsa', 'rsa'))).isBuiltIn).toBe(false);
    await expect(open(settings('curve', 'curve'))).rejects.toThrow('DOCUMENT_CERT_FILE: its key is of type ec');
    await expect(open(settings('usage', 'usage'))).rejects.toThrow('DOCUMENT_CERT_FILE: its key usage lacks');
    await expect(open(settings('empty', 'rsa'))).rejects.toThrow(
      'DOCUMENT_CERT_FILE: the file contains no certificate',
    );
    await expect(open(settings('rsa', 'usage'))).rejects.toThrow('DOCUMENT_KEY_FILE: the key does not belong');
    const noKey = { DOCUMENT_CERT_FILE: at('rsa.pem'), DOCUMENT_KEY_FILE: at('empty.pem') };
    await expect(open(noKey)).rejects.toThrow('DOCUMENT_KEY_FILE: the file contains no private key');
  });
});
