// The history of a file in its manifests: what was inside the file, and the previous version.

import { createHash } from 'node:crypto';
import { childrenOf } from '@provenance-registry/c2pa';
import { beforeAll, describe, expect, it } from 'vitest';
import { createTestEmbedder } from '../../../../test/support/manifestReader.js';
import { randomBytes, randomUUID } from '../../../../test/support/random.js';
import { createImageSigner, newImage } from '../../../../test/support/signedImages.js';
import { extractManifestStore } from '../../src/c2pa/containers/index.js';
import { decodeCbor } from '../../src/c2pa/manifest/cbor.js';
import { superbox } from '../../src/c2pa/manifest/jumbf.js';
import { assetReport } from '../../src/c2pa/manifest/report.js';
import type { EmbeddedManifest, ManifestStatements } from '../../src/domain/ports/index.js';
import { sounds } from '../fuzz/files.js';
import { labelsOf, rawAssertion, requireDeterministic } from '../support/manifestStores.js';
import { startEngine } from '../support/manifests.js';

type ImageType = 'image/jpeg' | 'image/png';

let fixture: Awaited<ReturnType<typeof startEngine>>;
let embedder: ReturnType<typeof createTestEmbedder>;
let editor: Awaited<ReturnType<typeof createImageSigner>>;

beforeAll(async () => {
  fixture = await startEngine();
  embedder = createTestEmbedder(fixture);
  editor = await createImageSigner();
});

interface Report {
  readonly validation_state: string;
  readonly active_manifest: string;
  readonly validation_results: {
    readonly activeManifest: { readonly failure: { readonly code: string }[] };
    readonly ingredientDeltas?: { readonly validationDeltas: { readonly failure: { readonly code: string }[] } }[];
  };
  readonly manifests: Record<string, { readonly ingredients?: Record<string, unknown>[] }>;
}

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();

async function read(type: string, bytes: Uint8Array): Promise<Report> {
  return (await fixture.reader.read(type, bytes)) as Report;
}

/** As the service finds it in an uploaded file. */
async function findParent(type: ImageType, bytes: Uint8Array): Promise<EmbeddedManifest> {
  const store = extractManifestStore(bytes, type);
  if (!store) throw new Error('the image has no manifest');
  return { store, validationResults: (await read(type, bytes)).validation_results };
}

const claims = { allowAiTraining: null };

async function register(bytes: Uint8Array, statements: Partial<ManifestStatements> = {}) {
  const artifactId = randomUUID();
  const fingerprint = digest(bytes);
  const files = await fixture.engine.create({ client: 'ada', artifactId, fingerprint, claims, ...statements });
  return { ...files, label: `urn:c2pa:${artifactId}`, read: JSON.parse(files.report.toString()) as Report };
}

async function sign(type: ImageType, bytes: Uint8Array, statements: Partial<ManifestStatements> = {}) {
  const request = { mediaType: type, bytes, fingerprint: digest(bytes), claims, ...statements };
  return Buffer.from(await embedder.embed(request));
}

/** The ingredients and actions in the bytes of the active manifest. */
function statedHistory(store: Uint8Array) {
  const { actions } = decodeCbor(rawAssertion(store, 'c2pa.actions.v2')) as { actions: Record<string, unknown>[] };
  const stated = (label: string) => decodeCbor(rawAssertion(store, label)) as Record<string, unknown>;
  return { actions, stated };
}

/** A registered and signed image, or one that was signed elsewhere. */
async function makeGeneration(type: ImageType, image: Buffer, isOurs: boolean, history: readonly string[]) {
  if (!isOurs)
    return { signed: await editor.sign(type, image), state: 'Valid', failures: ['signingCredential.untrusted'] };
  const statements = history.length === 0 ? {} : { parent: await findParent(type, image) };
  const { sidecar, label } = await register(image, statements);
  expect(labelsOf(sidecar)).toEqual([...history, label]);
  return { signed: await sign(type, image, statements), state: 'Trusted', failures: [] };
}

it.each(['image/jpeg', 'image/png'] as const)(
  'a %s of five generations, two of them by an editor, keeps all manifests',
  async (type) => {
    let image: Buffer = await newImage(type);
    let history: string[] = [];
    for (const isOurs of [true, false, true, false, true]) {
      const { signed, state, failures } = await makeGeneration(type, image, isOurs, history);
      const report = await read(type, signed);
      const { activeManifest, ingredientDeltas = [] } = report.validation_results;
      expect(activeManifest.failure.map(({ code }) => code)).toEqual(failures);
      expect(ingredientDeltas.flatMap(({ validationDeltas }) => validationDeltas.failure)).toEqual([]);
      expect(report.validation_state).toBe(state);
      const labels = labelsOf(extractManifestStore(signed, type) ?? Buffer.alloc(0));
      expect(labels).toEqual([...history, report.active_manifest]);
      expect(Object.keys(report.manifests).sort()).toEqual([...labels].sort());
      [image, history] = [signed, labels];
    }
    expect(history).toHaveLength(5);
  },
);

it.each([
  ['audio/wav', 'wav'],
  ['audio/mpeg', 'mp3'],
  ['audio/mp4', 'm4a'],
] as const)('the manifest in a file of type %s is found', async (type, name) => {
  const signed = await editor.sign(type, sounds()[name] ?? Buffer.alloc(0));
  const labels = labelsOf(extractManifestStore(signed, type) ?? Buffer.alloc(0));
  expect(labels).toEqual([(await read(type, signed)).active_manifest]);
});

describe('a file with a manifest', () => {
  it('was opened from it, in the sidecar and in the signed image alike, with what readers find about it', async () => {
    const image = await editor.sign('image/png', await newImage('image/png'));
    const parent = await findParent('image/png', image);
    const statements = { parent, digitalSourceType: 'digitalCapture' } as const;
    const { sidecar, read: report } = await register(image, statements);
    const signed = await sign('image/png', image, statements);
    const embedded = extractManifestStore(signed, 'image/png') ?? Buffer.alloc(0);
    assetReport(await read('image/png', signed));
    for (const store of [sidecar, embedded]) {
      requireDeterministic(store);
      const { actions, stated } = statedHistory(store);
      expect(actions).toMatchObject([
        {
          action: 'c2pa.opened',
          digitalSourceType: 'http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture',
          parameters: { ingredients: [{ url: 'self#jumbf=c2pa.assertions/c2pa.ingredient.v3' }] },
        },
      ]);
      const { relationship, validationResults } = stated('c2pa.ingredient.v3');
      expect(relationship).toBe('parentOf');
      expect(validationResults).toMatchObject({
        activeManifest: {
          success: expect.arrayContaining([expect.objectContaining({ code: 'assertion.dataHash.match' })]),
          failure: [{ code: 'signingCredential.untrusted' }],
        },
      });
      expect(childrenOf(Buffer.from(store)).slice(0, -1)).toEqual(childrenOf(Buffer.from(parent.store)));
    }
    expect(report.manifests[report.active_manifest]?.ingredients).toMatchObject([{ relationship: 'parentOf' }]);
  });

  it('and a previous version states both, each manifest once', async () => {
    const original = await newImage('image/jpeg');
    const first = await register(original);
    const previous = { sidecar: first.sidecar, report: first.report };
    const second = await register(await newImage('image/jpeg'), { previous });
    // A signed copy of the second version is edited elsewhere: both have the first version's manifest.
    const signed = await editor.sign('image/jpeg', await sign('image/jpeg', original, { previous }));
    const statements = {
      parent: await findParent('image/jpeg', signed),
      previous: { sidecar: second.sidecar, report: second.report },
    };
    const third = await register(signed, statements);
    const embedded = extractManifestStore(await sign('image/jpeg', signed, statements), 'image/jpeg');
    for (const store of [third.sidecar, embedded ?? Buffer.alloc(0)]) {
      const labels = labelsOf(store);
      expect(new Set(labels).size).toBe(labels.length);
      expect(labels).toEqual([...labelsOf(statements.parent.store), second.label, labels.at(-1)]);
      const { actions, stated } = statedHistory(store);
      expect(actions).toHaveLength(1);
      expect(stated('c2pa.ingredient.v3')).toMatchObject({ relationship: 'parentOf' });
      const input = stated('c2pa.ingredient.v3__1');
      expect(input).toMatchObject({
        relationship: 'inputTo',
        activeManifest: { url: `self#jumbf=/c2pa/${second.label}` },
      });
      const results = JSON.stringify(input['validationResults']);
      expect(results).toContain('claimSignature.validated');
      expect(results).not.toContain('dataHash');
    }
  });

  it('that is not valid is registered with these failures; failures that were not recorded fail the creation', async () => {
    const image = await editor.sign('image/png', await newImage('image/png'), { title: 'A title' });
    const place = image.indexOf('A title');
    image.write('a', place);
    const parent = await findParent('image/png', image);
    const { read: report, sidecar } = await register(image, { parent });
    expect(report.validation_results.activeManifest.failure).toEqual([]);
    expect(JSON.stringify(statedHistory(sidecar).stated('c2pa.ingredient.v3'))).toContain('claimSignature.mismatch');
    assetReport(await read('image/png', await sign('image/png', image, { parent })));
    const concealed = { activeManifest: { success: [], informational: [], failure: [] } };
    await expect(register(image, { parent: { ...parent, validationResults: concealed } })).rejects.toThrow(
      'does not verify: claimSignature.mismatch',
    );
  });

  it('that differs from one of the previous version under the same label is refused', async () => {
    const image = await sign('image/png', await newImage('image/png'));
    const parent = await findParent('image/png', image);
    const [manifest = Buffer.alloc(0)] = childrenOf(Buffer.from(parent.store));
    const sidecar = superbox('c2pa', 'c2pa', Buffer.from(manifest.with(-1, (manifest.at(-1) ?? 0) ^ 1)));
    const { report } = await register(image);
    const refused = { code: 'BAD_REQUEST', message: expect.stringContaining(labelsOf(sidecar)[0] ?? '') };
    await expect(register(image, { parent, previous: { sidecar, report } })).rejects.toMatchObject(refused);
    await expect(sign('image/png', image, { parent, previous: { sidecar, report } })).rejects.toMatchObject(refused);
  });

  it('of more than four megabytes is opened without its manifests, and says so', async () => {
    const image = await editor.sign('image/png', await newImage('image/png'));
    const parent = await findParent('image/png', image);
    const filler = superbox('c2ma', `urn:c2pa:${randomUUID()}`, randomBytes(4 * 1024 * 1024));
    const large = { ...parent, store: superbox('c2pa', 'c2pa', filler, ...childrenOf(Buffer.from(parent.store))) };
    const { sidecar } = await register(image, { parent: large });
    expect(sidecar.length).toBeLessThan(10_000);
    const { actions, stated } = statedHistory(sidecar);
    expect(actions).toMatchObject([{ action: 'c2pa.opened' }]);
    expect(stated('c2pa.ingredient.v3')).toEqual({
      relationship: 'parentOf',
      description: 'Its manifests are left out: they are too large.',
    });
  });
});
