// The Python package reads what the service writes, and verifies indexes by every kind of key that a registry may sign with.

import { execFileSync } from 'node:child_process';
import { constants, createHash, sign } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildFilter, FilterKeys, fillAiPreferences, PieceBuilder } from '@provenance-registry/core';
import { expect, it } from 'vitest';
import ages from '../../../../test/support/downloadAges.json' with { type: 'json' };
import { createIndexSigner, type SigningAlgorithm } from '../../../../test/support/indexSigners.js';
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
for question in json.load(sys.stdin):
    sys.stdin, out, err = io.StringIO("0x" + "00" * 32), io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(question["arguments"], clock=lambda: datetime.datetime.fromisoformat(question["now"]))
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

const encode = (data: string | Uint8Array) => Buffer.from(data).toString('base64url');

/** Signs with the key of one algorithm, and names another. */
async function signIndex(
  alg: SigningAlgorithm,
  named: SigningAlgorithm = alg,
  payload: object = { createdAt: new Date().toISOString() },
) {
  const { root, signer, key } = await createIndexSigner(alg);
  const header = { alg: named, typ: 'provenance-downloads+json', x5c: [signer.toString('base64')] };
  const signed = `${encode(JSON.stringify(header))}.${encode(JSON.stringify(payload))}`;
  const options =
    alg === 'PS256'
      ? { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
      : { key, dsaEncoding: 'ieee-p1363' as const };
  const signature = sign(named === 'EdDSA' ? null : `sha${named.slice(-3)}`, Buffer.from(signed), options);
  const changed = signature.map((byte, index) => (index === 3 ? byte ^ 1 : byte));
  return {
    root: root.certificate,
    index: `${signed}.${encode(signature)}`,
    forged: `${signed}.${encode(changed)}`,
  };
}

it('An index is accepted by every algorithm, but not with a changed bit, another curve or another root', async () => {
  const algorithms: SigningAlgorithm[] = ['ES256', 'ES384', 'ES512', 'PS256', 'EdDSA'];
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

it('The age of downloads is judged as the SDK judges it', async () => {
  const filter = buildFilter(new FilterKeys().words);
  const sha256 = createHash('sha256').update(filter).digest('hex');
  const created = Date.now();
  const createdAt = new Date(created).toISOString();
  const registry = 'https://registry.example';
  const none = `0x${'00'.repeat(32)} no`;
  const outputs = {
    current: `0 ${none}`,
    outOfDate: `3 ${none} out of date, as of ${createdAt}`,
    impossible:
      '1 provenance_registry: the downloads are not used: the index is from the future, or after the next one',
  };
  const questions = [];
  for (const { nextAfterMs, ageMs } of ages) {
    const folder = await temporaryFolder();
    const roots = join(folder, 'roots.pem');
    const { root, index } = await signIndex('EdDSA', 'EdDSA', {
      version: 1,
      registry,
      createdAt,
      ...(nextAfterMs !== null && { nextAt: new Date(created + nextAfterMs).toISOString() }),
      chain: { contract: `0x${'1'.repeat(40)}`, mirroredBlock: null },
      filesUrl: `${registry}/cdn`,
      filter: { sha256, size: filter.length, count: 0 },
      pieces: [],
    });
    await writeFile(join(folder, `${sha256}.filter`), filter);
    await writeFile(join(folder, 'index.jws'), index);
    await writeFile(roots, root);
    questions.push({
      now: new Date(created + ageMs).toISOString(),
      arguments: ['filter', '--registry', registry, '--roots', roots, '--folder', folder],
    });
  }
  const found = runPython(ageScript, JSON.stringify(questions)).split('\n');
  expect(ages.map(({ name }, index) => [name, found[index]])).toEqual(
    ages.map(({ name, expected }) => [name, outputs[expected as keyof typeof outputs]]),
  );
});
