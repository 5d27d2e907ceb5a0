// The manifests that the one of a registry builds on, of any signer: they must be unchanged, and no more than that.

import { execFileSync } from 'node:child_process';
import { childOf, childrenOf, labelOf } from '@provenance-registry/c2pa';
import { afterEach, expect, test, vi } from 'vitest';
import { python, pythonVariables } from '../../../test/support/python.js';
import { randomBytes, randomUUID } from '../../../test/support/random.js';
import { makeExpiredSigner, makeStore } from '../../../test/support/stampedManifests.js';
import { startEngine } from '../../server/test/support/manifests.js';
import { parseManifest } from '../src/verification/manifestSources.js';

const readScript = `
import base64, datetime, json, sys
from provenance_registry.certificates import parse_roots
from provenance_registry.manifests import ManifestError, NotUnderstoodError, read_manifest
days, pem, stores = json.load(sys.stdin)
now = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=days)
outcomes = []
for store in stores:
    try:
        read_manifest(base64.b64decode(store), parse_roots(pem), parse_roots(pem), now)
        outcomes.append("valid")
    except (ManifestError, NotUnderstoodError) as error:
        outcomes.append(type(error).__name__)
print(json.dumps(outcomes))
`;
const DAY_MS = 86_400_000;
const { engine, reader, trustAnchorsPem } = await startEngine();
const roots = { caller: { signer: trustAnchorsPem, timestamp: trustAnchorsPem } };
const editor = await makeExpiredSigner({
  validFrom: new Date(Date.now() - DAY_MS),
  validTo: new Date(Date.now() + DAY_MS),
});
const parent = await makeStore(editor, randomBytes(32));

afterEach(() => {
  vi.useRealTimers();
});

/** A sidecar that builds on this store, as the service makes it. */
async function register(store: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const report = Object(await reader.read('application/c2pa', store));
  const { sidecar } = await engine.create({
    client: 'ada',
    artifactId: randomUUID(),
    fingerprint: randomBytes(32),
    claims: { allowAiTraining: null },
    parent: { store, validationResults: report.validation_results },
  });
  return Uint8Array.from(sidecar);
}

/** By the SDK and by Python. */
async function judge(stores: readonly Uint8Array<ArrayBuffer>[], days = 0): Promise<[sdk: string[], python: string[]]> {
  if (days > 0) vi.useFakeTimers({ now: Date.now() + days * DAY_MS, toFake: ['Date'] });
  const sdk: string[] = [];
  for (const store of stores) {
    const result = await parseManifest(store, 'a test', roots, undefined);
    sdk.push(result.kind === 'found' && result.value.failures.length === 0 ? 'valid' : 'ManifestError');
  }
  const encoded = stores.map((store) => Buffer.from(store).toString('base64'));
  const input = JSON.stringify([days, trustAnchorsPem, encoded]);
  return [sdk, JSON.parse(execFileSync(python, ['-c', readScript], { input, encoding: 'utf8', env: pythonVariables }))];
}

function flip(bytes: Uint8Array, position: number, bit: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(bytes, (byte, at) => (at === position ? byte ^ bit : byte));
}

test('a manifest is valid although the one that it builds on is broken, or its signer has expired since', async () => {
  const broken = flip(parent, parent.lastIndexOf('sunrise.jpg'), 0x20);
  const sidecars = [await register(parent), await register(broken)];
  const expected = ['valid', 'valid'];
  expect(await judge(sidecars)).toEqual([expected, expected]);
  expect(await judge(sidecars, 2)).toEqual([expected, expected]);
});

test('a manifest is not valid if a bit of it or of the one that it builds on was changed, also where no signature covers it', async () => {
  const sidecar = await register(parent);
  const manifests = childrenOf(sidecar);
  const boxes = [sidecar, ...manifests, ...manifests.flatMap((manifest) => childrenOf(manifest))];
  const assertions = manifests.flatMap((manifest) => childrenOf(childOf(manifest, 'c2pa.assertions')));
  // Of each: the type, the toggles, the label, and the last byte.
  const places = [...boxes, ...assertions].flatMap((one) =>
    [16, 32, 33, one.length - 1].map((offset) => ({
      place: `${labelOf(one)} ${offset}`,
      changed: flip(sidecar, one.byteOffset - sidecar.byteOffset + offset, 0x20),
    })),
  );
  const judged = await judge(places.map(({ changed }) => changed));
  expect(
    judged.map((outcomes) => places.filter((_, index) => outcomes[index] === 'valid').map(({ place }) => place)),
  ).toEqual([[], []]);
});
