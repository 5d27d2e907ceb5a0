// Signing and time-stamping: rejected certificates, external signers, failing authorities.

import { execFile } from 'node:child_process';
import { createPrivateKey, sign, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { signingPurposes } from '@provenance-registry/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReader } from '../../../../test/support/manifestReader.js';
import { randomBytes, randomUUID } from '../../../../test/support/random.js';
import { launchService, newDataFolder, startService, temporaryFolder } from '../../../../test/support/service.js';
import { createManifestWriter } from '../../src/c2pa/manifest/manifestWriter.js';
import type { ClaimSigner, Timestamper } from '../../src/c2pa/signing/cose.js';
import { commandSigner, httpSigner, localSigner } from '../../src/c2pa/signing/signers.js';
import { expiryWarning, readSigningCertificate } from '../../src/c2pa/signing/signingCertificate.js';
import { prepareSigning } from '../../src/c2pa/signing/signingSetup.js';
import { timestampClient } from '../../src/c2pa/timestamps/timestampClient.js';
import { prepareConfiguredSigning } from '../../src/composition/signing.js';
import { loadConfig } from '../../src/config/config.js';
import { type CertificateOptions, makeCertificate, startEngine, x509 } from '../support/manifests.js';

let fixture: Awaited<ReturnType<typeof startEngine>>;
const servers: ReturnType<typeof createServer>[] = [];

beforeAll(async () => {
  fixture = await startEngine();
});
afterAll(() => {
  for (const server of servers) server.closeAllConnections();
  for (const server of servers) server.close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return `http://127.0.0.1:${address.port}/`;
}

/** Makes the files with that signer and that authority; the engine itself reads them back. */
async function createWith(signer: ClaimSigner, timestamper: Timestamper, rootPem: string) {
  const reader = await createReader(`${rootPem}\n${fixture.trustAnchorsPem}`);
  const engine = createManifestWriter({ signer, timestamper, generator: { name: 'Test', version: '0' } }, reader);
  const { report } = await engine.create({
    client: 'ada',
    artifactId: randomUUID(),
    fingerprint: randomBytes(32),
    claims: { allowAiTraining: null },
  });
  return JSON.parse(report.toString()).validation_results.activeManifest.success.map(
    ({ code }: { code: string }) => code,
  );
}

/** The settings of a certificate of that kind, in files of a new folder. */
async function certificateSettings(options: CertificateOptions, { withRoot = true } = {}) {
  const folder = await temporaryFolder();
  const { certificatePem, rootPem, keyPem } = await makeCertificate(options);
  const at = (name: string) => join(folder, name);
  await writeFile(at('cert.pem'), withRoot ? certificatePem + rootPem : certificatePem);
  await writeFile(at('key.pem'), keyPem);
  return { SIGNING_CERT_FILE: at('cert.pem'), SIGNING_KEY_FILE: at('key.pem'), DATA_DIR: at('data') };
}

/** As at the start of the service; returns its warnings. */
async function prepare(settings: Record<string, string>): Promise<string[]> {
  const warnings: string[] = [];
  await prepareConfiguredSigning(
    loadConfig(settings),
    () => new Date(),
    (warning) => warnings.push(warning),
  );
  return warnings;
}

describe('a signing certificate', () => {
  const { emailProtection, timeStamping, ocspSigning, serverAuth } = x509.ExtendedKeyUsage;
  const { digitalSignature, keyEncipherment, keyCertSign } = x509.KeyUsageFlags;
  const { claimSigning, documentSigning } = signingPurposes;
  const anyPurpose = '2.5.29.37.0';
  const noPurpose = 'its extended key usage has none of emailProtection, documentSigning, claimSigning';

  it.each([
    ['is self-signed', { selfSigned: true }, 'the certificate is self-signed'],
    ['is that of an authority', { isAuthority: true }, 'it is the certificate of an authority'],
    ['is for something else', { keyUsage: keyEncipherment }, 'its key usage lacks digitalSignature'],
    ['also signs certificates', { keyUsage: digitalSignature | keyCertSign }, 'its key usage has keyCertSign'],
    ['has no purpose', { purposes: [] }, noPurpose],
    ['has another purpose', { purposes: [serverAuth] }, noPurpose],
    ['is for time-stamps', { purposes: [timeStamping] }, noPurpose],
    ['is for anything', { purposes: [emailProtection, anyPurpose] }, 'its extended key usage has anyExtendedKeyUsage'],
    [
      'is also for time-stamps',
      { purposes: [emailProtection, timeStamping] },
      'its extended key usage has timeStamping or',
    ],
    [
      'is also for OCSP',
      { purposes: [claimSigning, ocspSigning] },
      'its extended key usage has timeStamping or OCSPSigning',
    ],
    ['does not name its authority’s key', { withAuthorityKey: false }, 'it has no authority key identifier'],
    ['has a weak key', { algorithm: 'rsa1024' }, 'its RSA key is shorter than 2048 bits'],
    ['has expired', { validFromDays: -10, validToDays: -1 }, 'it expired on'],
    ['is not valid yet', { validFromDays: 1 }, 'it is not valid before'],
  ] satisfies [string, CertificateOptions, string][])(
    'that %s is a bad setting, and no key is created',
    async (_, options, reason) => {
      const settings = await certificateSettings(options);
      const problems = [expect.stringMatching(new RegExp(`^SIGNING_CERT_FILE: ${reason}`))];
      await expect(prepare(settings)).rejects.toMatchObject({ problems });
      expect(existsSync(settings.DATA_DIR)).toBe(false);
    },
  );

  it.each<[string, CertificateOptions]>([
    ['emailProtection', {}],
    ['documentSigning', { purposes: [documentSigning] }],
    ['claimSigning', { purposes: [claimSigning], algorithm: 'p256' }],
    ['claimSigning and another', { purposes: [serverAuth, claimSigning], algorithm: 'rsa2048' }],
  ])('with the purpose %s is accepted, with and without its root', async (_, options) => {
    expect(await prepare(await certificateSettings(options))).toEqual([]);
    expect(await prepare(await certificateSettings(options, { withRoot: false }))).toEqual([]);
  });

  it('of a signer that does not respond is checked nevertheless, with a warning', async () => {
    const broken = async (options: CertificateOptions) => {
      const { SIGNING_KEY_FILE: _, ...settings } = await certificateSettings(options);
      return prepare({ ...settings, SIGNING_COMMAND: '/no/such/program' });
    };
    expect(await broken({})).toEqual(['The signer could not be checked: spawn /no/such/program ENOENT.']);
    await expect(broken({ isAuthority: true })).rejects.toThrow('it is the certificate of an authority');
  });

  it('is rejected if it is missing or not signed by the next one', async () => {
    const [one, other] = [await makeCertificate(), await makeCertificate()];
    expect(() => readSigningCertificate('nothing', new Date())).toThrow('no certificate');
    expect(() => readSigningCertificate(one.certificatePem + other.rootPem, new Date())).toThrow('not in order');
    const certificate = readSigningCertificate(one.certificatePem, new Date());
    expect(() => localSigner(certificate, other.keyPem)).toThrow('does not belong');
  });

  it('is warned about 30 days before it expires', async () => {
    const warning = async (days: number) => {
      const { certificatePem } = await makeCertificate({ validToDays: days });
      return expiryWarning(readSigningCertificate(certificatePem, new Date()), new Date());
    };
    expect(await warning(31)).toBeUndefined();
    expect(await warning(29)).toContain('expires on');
  });

  it('that readers refuse stops the start with the reason and exit code 2, before anything is written', async () => {
    const settings = await certificateSettings({ purposes: [emailProtection, anyPurpose] });
    const service = await launchService(settings);
    const [code] = await once(service.process, 'close');
    expect(code).toBe(2);
    expect(service.output()).toEqual({
      log: '',
      messages: 'SIGNING_CERT_FILE: its extended key usage has anyExtendedKeyUsage\n',
    });
    expect(existsSync(settings.DATA_DIR)).toBe(false);
  });
});

describe('an operator’s own key', () => {
  it.each(['ed25519', 'p256'] as const)(
    'of type %s signs what the reference implementation accepts',
    async (algorithm) => {
      const { certificatePem, rootPem, keyPem } = await makeCertificate({ algorithm });
      const signer = localSigner(readSigningCertificate(certificatePem + rootPem, new Date()), keyPem);
      expect(await createWith(signer, fixture.signing.timestamper, rootPem)).toContain('signingCredential.trusted');
      expect(await createWith(signer, fixture.signing.timestamper, '')).not.toContain('signingCredential.trusted');
    },
  );
});

describe('an external signer', () => {
  const program = `
    const { createPrivateKey, sign } = require('node:crypto');
    const chunks = [];
    process.stdin.on('data', (chunk) => chunks.push(chunk)).on('end', () => {
      const key = createPrivateKey(require('node:fs').readFileSync(process.argv[1]));
      process.stdout.write(sign('sha256', Buffer.concat(chunks), { key, dsaEncoding: process.argv[2] }));
    });`;

  async function material() {
    const made = await makeCertificate({ algorithm: 'p256' });
    const keyFile = join(await temporaryFolder(), 'key.pem');
    await writeFile(keyFile, made.keyPem);
    return { ...made, keyFile, certificate: readSigningCertificate(made.certificatePem + made.rootPem, new Date()) };
  }

  it('as a program signs what the reference implementation accepts', async () => {
    const { certificate, rootPem, keyFile } = await material();
    const signer = commandSigner(certificate, [process.execPath, '-e', program, keyFile, 'ieee-p1363']);
    expect(await createWith(signer, fixture.signing.timestamper, rootPem)).toContain('signingCredential.trusted');
  });

  it('behind HTTP signs what the reference implementation accepts', async () => {
    const { certificate, rootPem, keyPem } = await material();
    const url = await serve(async (request, response) => {
      const data = Buffer.concat(await request.toArray());
      response.end(sign('sha256', data, { key: createPrivateKey(keyPem), dsaEncoding: 'ieee-p1363' }));
    });
    expect(await createWith(httpSigner(certificate, url), fixture.signing.timestamper, rootPem)).toContain(
      'signingCredential.trusted',
    );
  });

  it('that fails, signs wrongly or hangs makes the creation UNAVAILABLE', async () => {
    const { certificate, keyFile } = await material();
    const node = process.execPath;
    const refusing = await serve((_, response) => response.writeHead(500).end());
    const silent = await serve(() => {});
    const garbage = await serve((_, response) => response.end(randomBytes(64)));
    for (const signer of [
      commandSigner(certificate, [node, '-e', 'process.exit(3)']),
      commandSigner(certificate, [node, '-e', program, keyFile, 'der']),
      commandSigner(certificate, [node, '-e', 'setInterval(() => {}, 1000)'], 500),
      commandSigner(certificate, ['/no/such/program']),
      httpSigner(certificate, refusing),
      httpSigner(certificate, garbage),
      httpSigner(certificate, silent, 300),
    ]) {
      await expect(signer.sign(Buffer.from('claim'))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    }
  });
});

describe('development keys', () => {
  it('are created once and readable by their owner only', async () => {
    const folder = await temporaryFolder();
    const service = await startService({ DATA_DIR: folder });
    for (const name of ['signer.key', 'timestamps.key', 'manifest-timestamps.key', 'authority.pem']) {
      expect((await stat(join(folder, 'keys', name))).mode & 0o777).toBe(0o600);
    }
    const before = await readFile(join(folder, 'keys', 'signer.pem'), 'utf8');
    await service.end();
    await startService({ DATA_DIR: folder });
    expect(await readFile(join(folder, 'keys', 'signer.pem'), 'utf8')).toBe(before);
  });

  it('of an earlier version, which had one key for all time-stamps, are kept', async () => {
    const dataDir = await newDataFolder();
    const at = (name: string) => join(dataDir, 'keys', name);
    const stampManifest = async () => {
      const prepared = await prepareSigning({
        dataDir,
        version: '0',
        source: undefined,
        timestampUrls: [],
        clock: () => new Date(),
      });
      const { signer, timestamper } = prepared.signing;
      expect(await createWith(signer, timestamper, prepared.trustAnchorsPem)).toContain('timeStamp.trusted');
      return Buffer.from(await timestamper.stamp(Buffer.from('data')));
    };
    const certificateOf = async (name: string) => new X509Certificate(await readFile(at(name))).raw;
    expect((await stampManifest()).includes(await certificateOf('manifest-timestamps.pem'))).toBe(true);
    for (const name of ['manifest-timestamps.pem', 'manifest-timestamps.key']) await rm(at(name));
    expect((await stampManifest()).includes(await certificateOf('timestamps.pem'))).toBe(true);
    expect(existsSync(at('manifest-timestamps.pem'))).toBe(false);
  });
});

describe('the built-in time-stamp authority', () => {
  it('creates time-stamps that openssl verifies', async () => {
    const service = await startService();
    const folder = await temporaryFolder();
    const run = promisify(execFile);
    const at = (name: string) => join(folder, name);
    await writeFile(at('data'), 'something');
    await writeFile(at('ca.pem'), await (await fetch(`${service.url}/tsa/authority.pem`)).text());
    for (const flags of [
      ['-sha256', '-cert'],
      ['-sha512', '-cert'],
      ['-sha384', '-cert', '-no_nonce'],
    ]) {
      await run('openssl', ['ts', '-query', '-data', at('data'), ...flags, '-out', at('query')]);
      const response = await fetch(`${service.url}/tsa`, {
        method: 'POST',
        headers: { 'content-type': 'application/timestamp-query' },
        body: await readFile(at('query')),
      });
      expect(response.headers.get('content-type')).toBe('application/timestamp-reply');
      await writeFile(at('reply'), Buffer.from(await response.arrayBuffer()));
      const { stdout, stderr } = await run('openssl', [
        'ts',
        '-verify',
        '-in',
        at('reply'),
        '-queryfile',
        at('query'),
        '-CAfile',
        at('ca.pem'),
      ]);
      expect(stdout + stderr).toContain('Verification: OK');
    }
  });

  it('rejects garbage as in the RFC, and too large bodies with 413', async () => {
    const service = await startService();
    const post = (body: Buffer, type = 'application/timestamp-query') =>
      fetch(`${service.url}/tsa`, { method: 'POST', headers: { 'content-type': type }, body });
    const rejected = Buffer.from(await (await post(Buffer.from('rubbish'))).arrayBuffer());
    expect(rejected.subarray(0, 7).toString('hex')).toMatch(/^30..30..020102/);
    expect((await post(Buffer.alloc(10_000))).status).toBe(413);
    expect((await post(Buffer.from('{}'), 'application/json')).status).toBeLessThan(500);
  });
});

describe('an external time-stamp authority', () => {
  const authority: RequestListener = async (request, response) => {
    const query = Buffer.concat(await request.toArray());
    response.setHeader('content-type', 'application/timestamp-reply').end(fixture.authority?.timestamps.respond(query));
  };

  it('is used over HTTP, with valid time-stamps', async () => {
    const timestamper = timestampClient([await serve(authority)]);
    expect(await createWith(fixture.signing.signer, timestamper, '')).toContain('timeStamp.trusted');
  });

  it('whose time-stamps readers refuse is a bad setting; one that does not respond is warned about', async () => {
    const settings = await certificateSettings({});
    // A token that matches the request, but whose signature does not cover it.
    const TSA_URL = await serve(async (request, response) => {
      const query = Buffer.concat(await request.toArray());
      const reply = Buffer.from(fixture.authority?.timestamps.respond(query) ?? '');
      reply.writeUInt8(reply.readUInt8(reply.length - 1) ^ 1, reply.length - 1);
      response.end(reply);
    });
    await expect(prepare({ ...settings, TSA_URL })).rejects.toMatchObject({
      problems: [expect.stringMatching(/^TSA_URL: C2PA readers refuse its time-stamps: /)],
    });
    expect(await prepare({ ...settings, TSA_URL: await serve(authority) })).toEqual([]);
    const refusing = await serve((_, response) => response.writeHead(503).end());
    expect(await prepare({ ...settings, TSA_URL: refusing })).toEqual([
      'The time-stamp authority could not be checked: the time-stamp authority responded with status 503.',
    ]);
  });

  it('that fails once is tried again', async () => {
    let asked = 0;
    const url = await serve((request, response) => {
      asked += 1;
      if (asked === 1) response.writeHead(503).end();
      else authority(request, response);
    });
    await timestampClient([url]).stamp(Buffer.from('data'));
    expect(asked).toBe(2);
  });

  it.each<[string, RequestListener]>([
    ['hangs', () => {}],
    ['responds with garbage', (_, response) => response.end(randomBytes(500))],
    ['answers nothing', (_, response) => response.end()],
    ['refuses', (_, response) => response.end(fixture.authority?.timestamps.respond(Buffer.from('x')))],
    [
      'stamps something else',
      async (_, response) => {
        const token = await fixture.signing.timestamper.stamp(Buffer.from('something else'));
        response.end(
          Buffer.concat([
            Buffer.from([0x30, 0x82, (token.length + 5) >> 8, (token.length + 5) & 255, 0x30, 3, 2, 1, 0]),
            token,
          ]),
        );
      },
    ],
  ])('that %s is replaced by the second one; alone it makes creations UNAVAILABLE', async (_, faulty) => {
    const [bad, good] = [await serve(faulty), await serve(authority)];
    // A busy machine lets the good one wait, too; the bad one alone may be given up at once.
    const both = timestampClient([bad, good]);
    expect((await both.stamp(Buffer.from('data'))).length).toBeGreaterThan(100);
    const alone = timestampClient([bad], 100);
    await expect(alone.stamp(Buffer.from('data'))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});
