// The Python package reads what the service writes, and verifies indexes by every kind of key that a registry may sign with.

import { execFileSync } from 'node:child_process';
import { constants, createHash, createPrivateKey, sign, webcrypto } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { buildFilter, FilterKeys, fillAiPreferences, PieceBuilder } from '@provenance-registry/core';
import { expect, it } from 'vitest';
import { python, pythonVariables } from '../../../../test/support/python.js';
import { temporaryFolder } from '../../../../test/support/service.js';

const verifyScript = `
import json, sys
from provenance_registry.certificates import SignatureError, parse_roots
from provenance_registry.signed_index import verify_index
for root, index in json.load(sys.stdin):
    try:
        verify_index(index, parse_roots(root))
        print("accepted")
    except SignatureError as error:
        print(error)
`;

const filterScript = `
import sys
from provenance_registry import Filter
data = sys.stdin.buffer.read()
size = int(sys.argv[1])
read = Filter(data[:size])
keys = [data[at:at + 8] for at in range(size, len(data), 8)]
half = len(keys) // 2
print(read.count, sum(key in read for key in keys[:half]), sum(key in read for key in keys[half:]))
`;
const pieceScript = `
import json, sys
from provenance_registry import Piece
print(json.dumps([[fingerprint.hex(), preferences] for fingerprint, preferences in Piece(sys.stdin.buffer.read())]))
`;

/** Runs the program at other times than now. */
const ageScript = `
import contextlib, datetime, io, json, sys
from provenance_registry.__main__ import main
question = json.load(sys.stdin)
for now in question["times"]:
    sys.stdin, out, err = io.StringIO("0x" + "00" * 32), io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(question["arguments"], clock=lambda: datetime.datetime.fromisoformat(now))
    print(code, out.getvalue().strip() or err.getvalue().strip())
`;

function runPython(script: string, input: string | Uint8Array, ...args: readonly string[]): string {
  return execFileSync(python, ['-c', script, ...args], {
    input,
    encoding: 'utf8',
    env: pythonVariables,
  }).trim();
}

it('A filter has no false negative in Python, and hardly any false positive', () => {
  // As many as a carry in the multiplication of 64 bits needs to matter for some.
  const count = 300_000;
  const keyOf = (number: number) => createHash('sha256').update(String(number)).digest().subarray(0, 8);
  const registered = Array.from({ length: count }, (_, number) => keyOf(number));
  const others = Array.from({ length: count }, (_, number) => keyOf(count + number));
  const keys = new FilterKeys();
  for (const key of registered.toSorted(Buffer.compare)) keys.add(key);
  const filter = buildFilter(keys.words);
  const output = runPython(filterScript, Buffer.concat([filter, ...registered, ...others]), String(filter.length));
  const [size, found, foundOthers] = output.split(' ').map(Number);
  expect([size, found]).toEqual([count, count]);
  // 1/256, with six standard deviations.
  expect(foundOthers).toBeGreaterThan(960);
  expect(foundOthers).toBeLessThan(1_380);
});

it('A piece of the snapshot reads the same in Python', () => {
  const records = [
    fillAiPreferences(() => null),
    fillAiPreferences((use) => (use === 'data_mining' ? { use: 'allowed' } : null)),
    fillAiPreferences((use) =>
      use === 'ai_generative_training'
        ? { use: 'constrained', constraint: 'Ask “Ada” first 𝄞' }
        : { use: 'notAllowed' },
    ),
  ].map((preferences, index) => ({ fingerprint: new Uint8Array(32).fill(index), preferences }));
  const piece = new PieceBuilder();
  for (const { fingerprint, preferences } of records) piece.add(fingerprint, preferences);
  expect(JSON.parse(runPython(pieceScript, piece.finish()))).toEqual(
    records.map(({ fingerprint, preferences }) => [Buffer.from(fingerprint).toString('hex'), preferences]),
  );
});

const signingKeys = {
  ES256: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  ES384: { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' },
  ES512: { name: 'ECDSA', namedCurve: 'P-521', hash: 'SHA-512' },
  PS256: {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    publicExponent: Uint8Array.of(1, 0, 1),
    modulusLength: 2048,
  },
  EdDSA: { name: 'Ed25519' },
} as const;

const DAY_MS = 86_400_000;
const validity = { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + DAY_MS) };
const authority = [
  new x509.BasicConstraintsExtension(true, undefined, true),
  new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
];
const encode = (data: string | Uint8Array) => Buffer.from(data).toString('base64url');

type Algorithm = keyof typeof signingKeys;

/** Signs with the key of one algorithm, and names another. */
async function signIndex(
  alg: Algorithm,
  named: Algorithm = alg,
  payload: object = { createdAt: new Date().toISOString() },
) {
  const kind = signingKeys[alg];
  const generate = async () => {
    const pair = await webcrypto.subtle.generateKey(kind, true, ['sign', 'verify']);
    if (!('privateKey' in pair)) throw new Error('not a pair of keys');
    return pair;
  };
  const [rootKeys, signerKeys] = [await generate(), await generate()];
  const name = 'CN=Root';
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity,
    name,
    keys: rootKeys,
    signingAlgorithm: kind,
    extensions: authority,
  });
  const signer = await x509.X509CertificateGenerator.create({
    ...validity,
    subject: 'CN=Signer',
    issuer: name,
    signingKey: rootKeys.privateKey,
    publicKey: signerKeys.publicKey,
    signingAlgorithm: kind,
    extensions: [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.emailProtection])],
  });
  const x5c = [Buffer.from(signer.rawData).toString('base64')];
  const header = { alg: named, typ: 'provenance-downloads+json', x5c };
  const signed = `${encode(JSON.stringify(header))}.${encode(JSON.stringify(payload))}`;
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', signerKeys.privateKey));
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const options =
    alg === 'PS256'
      ? { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
      : { key, dsaEncoding: 'ieee-p1363' as const };
  const signature = sign(named === 'EdDSA' ? null : `sha${named.slice(-3)}`, Buffer.from(signed), options);
  const changed = signature.map((byte, index) => (index === 3 ? byte ^ 1 : byte));
  return {
    root: root.toString('pem'),
    index: `${signed}.${encode(signature)}`,
    forged: `${signed}.${encode(changed)}`,
  };
}

it('An index is accepted by every algorithm, but not with a changed bit, another curve or another root', async () => {
  x509.cryptoProvider.set(webcrypto);
  const algorithms: Algorithm[] = ['ES256', 'ES384', 'ES512', 'PS256', 'EdDSA'];
  const made = await Promise.all(algorithms.map((alg) => signIndex(alg)));
  const otherCurve = await signIndex('ES384', 'ES256');
  const [{ index = '' } = {}] = made;
  const questions = [
    ...made.flatMap((one) => [
      [one.root, one.index],
      [one.root, one.forged],
    ]),
    [otherCurve.root, otherCurve.index],
    [otherCurve.root, index],
  ];
  const output = runPython(verifyScript, JSON.stringify(questions));
  const wrong = 'the signature of the index is wrong';
  expect(output.split('\n')).toEqual([
    ...algorithms.flatMap(() => ['accepted', wrong]),
    wrong,
    'the certificate of the index leads to no trusted root',
  ]);
});

const HOUR_MS = 3_600_000;
const SECOND_MS = 1000;

it.each<[string, interval: number | undefined, lastAge: number]>([
  ['of a registry that makes new ones every three hours', 3 * HOUR_MS, 6 * HOUR_MS],
  ['of a registry that makes new ones every second, as far as clocks agree', SECOND_MS, 601 * SECOND_MS],
  ['of a registry that does not say when it makes new ones', undefined, 2 * DAY_MS],
])('Results from downloads %s are not definite once they are out of date', async (_, interval, lastAge) => {
  x509.cryptoProvider.set(webcrypto);
  const folder = await temporaryFolder();
  const filter = buildFilter(new FilterKeys().words);
  const sha256 = createHash('sha256').update(filter).digest('hex');
  const created = Date.now();
  const createdAt = new Date(created).toISOString();
  const registry = 'https://registry.example';
  const { root, index } = await signIndex('EdDSA', 'EdDSA', {
    version: 1,
    registry,
    createdAt,
    ...(interval !== undefined && { nextAt: new Date(created + interval).toISOString() }),
    chain: { contract: `0x${'1'.repeat(40)}`, mirroredBlock: null },
    filesUrl: `${registry}/cdn`,
    filter: { sha256, size: filter.length, count: 0 },
    pieces: [],
  });
  const roots = join(folder, 'roots.pem');
  await writeFile(join(folder, 'index.jws'), index);
  await writeFile(join(folder, `${sha256}.filter`), filter);
  await writeFile(roots, root);
  const times = [0, lastAge, lastAge + SECOND_MS].map((age) => new Date(created + age).toISOString());
  const output = runPython(
    ageScript,
    JSON.stringify({ times, arguments: ['filter', '--registry', registry, '--roots', roots, '--folder', folder] }),
  );
  const none = `0x${'00'.repeat(32)} no`;
  expect(output.split('\n')).toEqual([`0 ${none}`, `0 ${none}`, `3 ${none} out of date, as of ${createdAt}`]);
});
