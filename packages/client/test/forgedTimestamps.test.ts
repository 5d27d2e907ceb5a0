// Time-stamps of manifests: the table of honest and forged ones, read by the SDK and by the Python package, each over the
// signature of a certificate that has expired, so that a forged one would also make that signature count.

import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { makeStampTable, type StampCase } from '../../../test/support/forgedTimestamps.js';
import { python, pythonVariables } from '../../../test/support/python.js';
import { temporaryFolder } from '../../../test/support/service.js';
import { newImage, signImage } from '../../../test/support/signedImages.js';
import { makeExpiredSigner, makeStore, type StampHeader, stampStore } from '../../../test/support/stampedManifests.js';
import { asStamper, makeAuthority, STAMPED_AT } from '../../../test/support/timestampForge.js';
import { TimestampAuthority } from '../../server/src/c2pa/timestamps/timestampAuthority.js';
import { readEmbeddedManifest } from '../src/index.js';
import { readManifest } from '../src/verification/manifest.js';
import { readSigningTimes } from '../src/verification/signingTime.js';

const readScript = `
import base64, datetime, json, sys
from provenance_registry.certificates import parse_roots
from provenance_registry.manifests import ManifestError, NotUnderstoodError, read_manifest
now = datetime.datetime.now(datetime.timezone.utc)
results = []
for store, roots, timestamp_roots in json.load(sys.stdin):
    try:
        found = read_manifest(base64.b64decode(store), parse_roots(roots), parse_roots(timestamp_roots), now)
        results.append([found.timestamp and int(found.timestamp.timestamp()), found.is_trusted])
    except (ManifestError, NotUnderstoodError) as error:
        results.append(["refused", str(error)])
print(json.dumps(results))
`;

const DAY_MS = 86_400_000;
const SHA256 = Buffer.alloc(32, 7);
const [table, signer] = await Promise.all([makeStampTable(), makeExpiredSigner()]);
const store = await makeStore(signer, SHA256);
const rootsOf = ({ rootsPem = table.rootsPem }: StampCase) => ({ signer: signer.rootPem, timestamp: rootsPem });
const stampedSecond = Math.floor(STAMPED_AT.getTime() / 1000);

const stampAll = (cases: readonly StampCase[], header: StampHeader) =>
  Promise.all(cases.map(async (one) => ({ ...one, store: await stampStore(store, header, one.token) })));
const [honest, forged] = await Promise.all([stampAll(table.honest, 'sigTst2'), stampAll(table.forged, 'sigTst2')]);

test('the table has every kind of forgery', () => {
  expect(new Set([...table.honest, ...table.forged].map(({ name }) => name)).size).toBe(honest.length + forged.length);
  expect(forged.length).toBeGreaterThan(120);
});

test.each(['sigTst2', 'sigTst'] as const)('only honest time-stamps in the header %s give a date', async (header) => {
  const dated: string[] = [];
  for (const one of [...(await stampAll(table.honest, header)), ...(await stampAll(table.forged, header))]) {
    const [time] = (await readSigningTimes(one.store, rootsOf(one))).values();
    const isDated = time?.at !== undefined && Math.floor(time.at.getTime() / 1000) === stampedSecond;
    expect([one.name, time?.isSignerValid, time?.isSignerTrusted]).toEqual([one.name, isDated, isDated]);
    if (time?.at) dated.push(one.name);
  }
  expect(dated).toEqual(table.honest.map(({ name }) => name));
});

test('a time-stamp over what belongs into the other header gives no date', async () => {
  const [one] = table.honest;
  if (!one) throw new Error('the table is empty');
  let data: Buffer = Buffer.alloc(0);
  await stampStore(store, 'sigTst', (bytes) => {
    data = bytes;
    return bytes;
  });
  const swapped = await stampStore(store, 'sigTst2', () => one.token(data));
  expect([...(await readSigningTimes(swapped, rootsOf(one))).values()]).toMatchObject([{ at: undefined }]);
});

test('a manifest whose signer has expired counts with an honest time-stamp alone', async () => {
  const timestamp = { at: expect.stringMatching(/^2024-05-01T12:00:00/), isIndependent: true };
  for (const one of honest) {
    const found = await readManifest(one.store, 'a test', { caller: rootsOf(one) });
    // c2pa-rs judges the certificate at the present time then, whatever it is told.
    const judged = one.isUnknownToC2paRs ? [['signingCredential.expired'], undefined] : [[], 'caller'];
    expect([one.name, found.timestamp, found.failures, found.trustedBy]).toEqual([one.name, timestamp, ...judged]);
  }
  // c2pa-rs gets none of them: a few show it.
  for (const one of forged.filter((_, index) => index % 12 === 0)) {
    const found = await readManifest(one.store, 'a test', { caller: rootsOf(one) });
    expect([one.name, found.timestamp, found.trustedBy]).toEqual([one.name, undefined, undefined]);
    expect([one.name, found.failures]).toEqual([one.name, expect.arrayContaining(['signingCredential.expired'])]);
  }
});

test('a signer below an authority that has expired is trusted only with a time-stamp of the time before', async () => {
  const valid = { validTo: new Date(Date.now() + 1000 * DAY_MS) };
  const root = await makeAuthority({ key: 'p256', ...valid });
  const issuer = await makeAuthority({
    name: 'CN=Issuer',
    issuer: root,
    key: 'p256',
    validTo: new Date(Date.now() - DAY_MS),
  });
  const below = await makeExpiredSigner({ issuer, ...valid });
  const chained = { ...below, signer: { ...below.signer, certificates: [...below.signer.certificates, issuer.raw] } };
  const signing = {
    ...chained,
    generator: { name: 'Test', version: '1.0' },
    timestamper: { stamp: async () => SHA256 },
  };
  const oldStamp = async (data: Uint8Array) => table.honest[0]?.token(Buffer.from(data)) ?? SHA256;
  const signed = await signImage(signing, 'image/jpeg', await newImage('image/jpeg'), { oldStamp });
  const trustAnchorsPem = root.pem;
  const unknown = await readEmbeddedManifest(signed, { trustAnchorsPem });
  expect([unknown?.state, unknown?.trustedBy]).toEqual(['intact', undefined]);
  const known = await readEmbeddedManifest(signed, { trustAnchorsPem, timestampAnchorsPem: table.rootsPem });
  expect([known?.state, known?.trustedBy]).toEqual(['intact', 'caller']);
});

test('the built-in authority and that of OpenSSL date manifests', async () => {
  const valid = { validTo: new Date(Date.now() + 1000 * DAY_MS) };
  const root = await makeAuthority({ key: 'p256', ...valid });
  const stamper = await makeAuthority({
    issuer: root,
    name: 'CN=Stamper',
    key: 'p256',
    extensions: asStamper(),
    ...valid,
  });
  const keyPem = String(stamper.key.export({ type: 'pkcs8', format: 'pem' }));
  const builtIn = new TimestampAuthority({ keyPem, certificatePem: stamper.pem }, () => new Date());
  const current = await makeExpiredSigner(valid);
  const unstamped = await makeStore(current, SHA256);
  const stamps = {
    builtIn: (data: Buffer) => builtIn.stamp(data),
    openSsl: await openSslAuthority(stamper.pem, keyPem),
  };
  for (const [name, stamp] of Object.entries(stamps)) {
    for (const header of ['sigTst2', 'sigTst'] as const) {
      const before = Math.floor(Date.now() / 1000) * 1000;
      const stamped = await stampStore(unstamped, header, stamp);
      const { timestamp, failures } = await readManifest(stamped, 'a test', {
        caller: { signer: current.rootPem, timestamp: root.pem },
      });
      expect([name, failures, timestamp?.isIndependent]).toEqual([name, [], true]);
      expect(Date.parse(timestamp?.at ?? '')).toBeGreaterThanOrEqual(before);
    }
  }
});

/** `openssl ts` as an authority: returns its response. */
async function openSslAuthority(certificatePem: string, keyPem: string) {
  const folder = await temporaryFolder();
  const inFolder = (name: string) => join(folder, name);
  const settings = [
    '[tsa]\ndefault_tsa=here\n[here]\nserial=serial\ncrypto_device=builtin\nsigner_cert=tsa.pem\nsigner_key=tsa.key',
    'signer_digest=sha256\ndefault_policy=1.2.3.4\ndigests=sha256\naccuracy=secs:1\ness_cert_id_alg=sha256\n',
  ].join('\n');
  const files = { 'tsa.pem': certificatePem, 'tsa.key': keyPem, 'tsa.cnf': settings, serial: '01' };
  await Promise.all(Object.entries(files).map(([name, content]) => writeFile(inFolder(name), content)));
  const run = (...options: string[]) => execFileSync('openssl', ['ts', ...options], { cwd: folder, stdio: 'pipe' });
  return async (data: Buffer) => {
    await writeFile(inFolder('data'), data);
    run('-query', '-data', 'data', '-sha256', '-cert', '-out', 'query');
    return run('-reply', '-queryfile', 'query', '-config', 'tsa.cnf');
  };
}

test('the Python package accepts the same ones', () => {
  const all = [...honest, ...forged];
  const input = all.map((one) => {
    const { signer: roots, timestamp } = rootsOf(one);
    return [Buffer.from(one.store).toString('base64'), roots, timestamp];
  });
  const options = { input: JSON.stringify(input), encoding: 'utf8', env: pythonVariables, maxBuffer: 2 ** 26 } as const;
  const results: readonly unknown[] = JSON.parse(execFileSync(python, ['-c', readScript], options));
  const refused = ['refused', 'the certificate of the signer was not valid when it signed'];
  const isExpected = (_: unknown, index: number) =>
    isDeepStrictEqual(results[index], index < honest.length ? [stampedSecond, true] : refused);
  expect(all.filter((one, index) => !isExpected(one, index)).map(({ name }) => name)).toEqual([]);
});
