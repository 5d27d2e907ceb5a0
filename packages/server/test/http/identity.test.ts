// Who the registry is, as anyone can read it: with development keys, and with an operator's own certificates.

import { createPublicKey } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@provenance-registry/client';
import { certificateFingerprint } from '@provenance-registry/core';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { makeRegistryCertificates, openssl } from '../../../../test/support/certificates.js';
import { createDatabase } from '../../../../test/support/postgres.js';
import { call, newDataFolder, type Service, startService, temporaryFolder } from '../../../../test/support/service.js';
import { prepareConfiguredSigning } from '../../src/composition/signing.js';
import { loadConfig } from '../../src/config/config.js';

const PATH = '/.well-known/provenance-registry';

/** Nothing is time-stamped in these tests. */
const TSA_URL = 'http://127.0.0.1:9';

let at: Awaited<ReturnType<typeof makeRegistryCertificates>>;
beforeAll(async () => {
  at = await makeRegistryCertificates();
});

describe('with development keys', () => {
  let service: Service;
  let dataDir: string;
  const startedAt = Date.now();
  beforeAll(async () => {
    dataDir = await newDataFolder();
    service = await startService({ DATA_DIR: dataDir, DATABASE_URL: await createDatabase(inject('postgresUrl')) });
  });

  it('the identity names chain, contract, the built-in roots and the beginning', async () => {
    const client = createClient({ baseUrl: service.url });
    const identity = await client.getRegistryIdentity();
    const pem = await readFile(join(dataDir, 'keys', 'authority.pem'), 'utf8');
    const root = {
      subject: 'CN=Development authority, O=Provenance registry',
      sha256: certificateFingerprint(pem),
      pem: expect.any(String),
      isBuiltIn: true,
    };
    const { address, chainId } = await client.getContract();
    expect(identity).toEqual({
      name: 'Provenance registry',
      url: service.url,
      chainId,
      contract: address,
      signerRoots: [root],
      timestampRoots: [root],
      documentRoots: [
        { ...root, subject: expect.stringContaining('authority of documents'), sha256: expect.any(String) },
      ],
      crossCertificates: [],
      since: expect.stringMatching(/Z$/),
    });
    const { signerRoots, timestampRoots, documentRoots = [] } = identity;
    for (const { pem: published, sha256 } of [...signerRoots, ...timestampRoots, ...documentRoots]) {
      expect(certificateFingerprint(published)).toBe(sha256);
    }
    expect(Date.parse(identity.since)).toBeGreaterThanOrEqual(startedAt - 1_000);
    expect(Date.parse(identity.since)).toBeLessThanOrEqual(Date.now());
  });

  it('the roots are PEM files that openssl reads', async () => {
    const folder = await temporaryFolder();
    for (const name of ['signer-roots.pem', 'timestamp-roots.pem', 'document-roots.pem']) {
      const { body, headers } = await call(service, 'GET', `${PATH}/${name}`);
      expect(headers.get('content-type')).toBe('application/x-pem-file');
      const file = join(folder, name);
      await writeFile(file, body);
      expect(await openssl('x509', '-in', file, '-noout', '-subject')).toContain('Development authority');
    }
    expect((await call(service, 'GET', '/tsa/authority.pem')).status).toBe(200);
  });

  it('the DID document has the public part of the key that was generated, and only that', async () => {
    const file = join(dataDir, 'identity-key.pem');
    const { x } = createPublicKey(await readFile(file, 'utf8')).export({ format: 'jwk' });
    const document = await createClient({ baseUrl: service.url }).getDidDocument();
    // No reader would resolve the name of this machine.
    expect(document.id).toMatch(/^did:jwk:[\w-]+$/);
    const { id } = document;
    const publicKeyJwk = { kty: 'OKP', crv: 'Ed25519', x };
    const method = { id: `${id}#0`, type: 'JsonWebKey2020', controller: id, publicKeyJwk };
    expect(document).toEqual({ '@context': ['https://www.w3.org/ns/did/v1'], id, assertionMethod: [method] });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('caches keep it, ask whether it changed, and pages of any origin read it', async () => {
    for (const path of [PATH, `${PATH}/signer-roots.pem`, '/.well-known/did.json']) {
      const { headers } = await call(service, 'GET', path, { headers: { origin: 'https://pages.example' } });
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('cache-control')).toBe('public, no-cache');
      const again = await call(service, 'GET', path, { headers: { 'if-none-match': headers.get('etag') ?? '' } });
      expect([path, again.status, again.body]).toEqual([path, 304, '']);
    }
  });
});

describe('with certificates of an operator', () => {
  const signing = () => ({ SIGNING_CERT_FILE: at('signer.pem'), SIGNING_KEY_FILE: at('signer.key'), TSA_URL });
  const digest = async (name: string) => certificateFingerprint(await readFile(at(name), 'utf8'));

  it('a change of root is published with both roots and the cross-certificate, each once', async () => {
    const chain = at('chain.pem');
    await writeFile(chain, (await readFile(at('signer.pem'), 'utf8')) + (await readFile(at('root.pem'), 'utf8')));
    const service = await startService({
      ...signing(),
      SIGNING_CERT_FILE: chain,
      SIGNING_ROOTS_FILE: at('roots.pem'),
      REGISTRY_NAME: 'Example Press',
    });
    const { body } = await call(service, 'GET', PATH);
    expect(body).toMatchObject({
      name: 'Example Press',
      signerRoots: [
        { subject: 'O=Example Press, CN=Registry root 1', sha256: await digest('root.pem'), isBuiltIn: false },
        { subject: 'O=Example Press, CN=Registry root 2', sha256: await digest('root2.pem'), isBuiltIn: false },
      ],
    });
    expect(body.crossCertificates.map(certificateFingerprint)).toEqual([await digest('cross.pem')]);
    // What is not known is missing, and told at the start.
    expect(body.timestampRoots).toEqual([]);
    expect((await call(service, 'GET', `${PATH}/timestamp-roots.pem`)).status).toBe(404);
    const { messages } = service.output();
    expect(messages).toContain('The roots of the time-stamp authorities are not published');
    expect(messages).not.toContain('The root of the signing certificate is not published');
  });

  const prepare = (settings: Record<string, string>) =>
    prepareConfiguredSigning(loadConfig({ ...signing(), ...settings }), () => new Date());

  it('IDENTITY_KEY_FILE is the key of the DID document; a file without one is a bad setting', async () => {
    await openssl('genpkey', '-algorithm', 'ed25519', '-out', at('identity.key'));
    const settings = { BASE_URL: 'https://registry.example', BILLING: 'operator', DATA_DIR: await temporaryFolder() };
    const { issuer } = await prepare({ ...settings, IDENTITY_KEY_FILE: at('identity.key') });
    expect(issuer.document.id).toBe('did:web:registry.example');
    const refused = prepare({ ...settings, IDENTITY_KEY_FILE: at('signer.pem') });
    await expect(refused).rejects.toThrow(/^IDENTITY_KEY_FILE: /);
  });

  it('roots are taken from the chain or from their file; without either none is published', async () => {
    const published = async (settings: Record<string, string>) => {
      const { signerRoots, timestampRoots } = (await prepare(settings)).publishedRoots;
      return [signerRoots, timestampRoots].map((roots) => roots.map(({ sha256, isBuiltIn }) => [sha256, isBuiltIn]));
    };
    const root = [await digest('root.pem'), false];
    const root2 = [await digest('root2.pem'), false];
    expect(await published({})).toEqual([[], []]);
    expect(await published({ SIGNING_CERT_FILE: at('chain.pem') })).toEqual([[root], []]);
    const files = { SIGNING_ROOTS_FILE: at('root.pem'), TSA_ROOTS_FILE: at('root2.pem') };
    expect(await published(files)).toEqual([[root], [root2]]);
  });

  const notARoot = 'is neither a root nor a cross-certificate of one';
  it.each([
    ['signer.pem', `the certificate "O=Example Press, CN=Registry signer" ${notARoot}`],
    ['cross.pem', `the certificate "O=Example Press, CN=Registry root 2" ${notARoot}`],
    ['signer.key', 'contains no certificate'],
    ['missing.pem', 'cannot be read (ENOENT)'],
  ])('a file that has other content than roots is a bad setting: %s', (name, problem) => {
    const files = { SIGNING_ROOTS_FILE: at(name), TSA_ROOTS_FILE: at(name) };
    const problems = [/^SIGNING_ROOTS_FILE: /, /^TSA_ROOTS_FILE: /].map((start) => expect.stringMatching(start));
    expect(() => loadConfig({ ...signing(), ...files })).toThrow(expect.objectContaining({ problems }));
    expect(() => loadConfig({ ...signing(), ...files })).toThrow(problem);
  });

  it('roots that the signing certificate does not lead to are a bad setting', async () => {
    const problems = ['SIGNING_CERT_FILE: its chain leads to no root of SIGNING_ROOTS_FILE'];
    await expect(prepare({ SIGNING_ROOTS_FILE: at('root2.pem') })).rejects.toMatchObject({ problems });
  });
});
