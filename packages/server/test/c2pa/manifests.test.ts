// The files of an Artifact, verified by the reference implementation.

import { createHash } from 'node:crypto';
import { childrenOf, labelOf } from '@provenance-registry/c2pa';
import { beforeAll, describe, expect, it } from 'vitest';
import { createReader } from '../../../../test/support/manifestReader.js';
import { randomBytes, randomUUID } from '../../../../test/support/random.js';
import { extractManifestStore } from '../../src/c2pa/containers/index.js';
import { decodeCbor } from '../../src/c2pa/manifest/cbor.js';
import { sidecarReport } from '../../src/c2pa/manifest/report.js';
import type { ManifestRequest } from '../../src/domain/ports/index.js';
import { checkSoftBinding } from '../support/cddl.js';
import { rawAssertion, requireDeterministic } from '../support/manifestStores.js';
import { startEngine } from '../support/manifests.js';

type Engine = Awaited<ReturnType<typeof startEngine>>;

let fixture: Engine;

beforeAll(async () => {
  fixture = await startEngine();
});

const mark = { id: randomUUID(), name: 'Ada Lovelace Photography' };
const request = (changes: Partial<ManifestRequest> = {}): ManifestRequest => ({
  client: 'ada',
  artifactId: randomUUID(),
  fingerprint: randomBytes(32),
  title: 'photo.jpg',
  claims: { allowAiTraining: false, author: { name: 'Ada Lovelace' }, mark, licenseKey: 'CC-BY-4.0' },
  ...changes,
});

async function create(changes: Partial<ManifestRequest> = {}) {
  const asked = request(changes);
  const files = await fixture.engine.create(asked);
  const report = JSON.parse(files.report.toString());
  const { sidecar, report: reportBytes } = files;
  const previous = { sidecar, report: reportBytes };
  return { asked, ...files, report, previous, manifest: report.manifests[report.active_manifest] };
}

const codes = (statuses: { code: string }[]) => statuses.map(({ code }) => code);
const assertion = (manifest: { assertions: { label: string; data: unknown }[] }, label: string) =>
  manifest.assertions.find((one) => one.label === label)?.data;

describe('a sidecar', () => {
  it('is a claim of version 2 under the Artifact’s id, titled with the filename', async () => {
    const { asked, report, manifest, sidecar } = await create();
    expect(report.active_manifest).toBe(`urn:c2pa:${asked.artifactId}`);
    expect(manifest).toMatchObject({ claim_version: 2, title: 'photo.jpg' });
    expect(childrenOf(sidecar).map(labelOf)).toEqual([`urn:c2pa:${asked.artifactId}`]);
  });

  it('has a valid signature, chain, time-stamp and assertions, and no state without the bytes', async () => {
    const { report } = await create();
    const { success, failure } = report.validation_results.activeManifest;
    expect(failure).toEqual([]);
    expect(codes(success)).toEqual(
      expect.arrayContaining([
        'claimSignature.validated',
        'claimSignature.insideValidity',
        'signingCredential.trusted',
        'timeStamp.validated',
        'timeStamp.trusted',
        'assertion.hashedURI.match',
      ]),
    );
    expect(report).not.toHaveProperty('validation_state');
    expect(JSON.stringify(report)).not.toContain('dataHash.mismatch');
  });

  it('has a state if the service had the bytes, and is rejected for other bytes', async () => {
    const fingerprint = createHash('sha256').update('the file').digest();
    const { report } = await create({ fingerprint, digest: fingerprint });
    expect(report.validation_state).toBe('Valid');
    expect(codes(report.validation_results.activeManifest.success)).toContain('assertion.dataHash.match');
    await expect(create({ digest: randomBytes(32) })).rejects.toThrow('bound to other bytes');
  });

  it('binds the fingerprint twice, each time as a byte string', async () => {
    const { asked, sidecar, card } = await create();
    for (const store of [sidecar, extractManifestStore(card, 'image/png') ?? Buffer.alloc(0)]) {
      expect(checkSoftBinding(rawAssertion(store, 'c2pa.soft-binding'))).toEqual([]);
      requireDeterministic(store);
    }
    const value = Buffer.from(asked.fingerprint);
    const bytesOf32 = Buffer.from([0x58, 0x20]);
    const soft = rawAssertion(sidecar, 'c2pa.soft-binding');
    expect(soft.includes(Buffer.concat([Buffer.from('evalue', 'latin1'), bytesOf32, value]))).toBe(true);
    expect(decodeCbor(soft)).toEqual({
      alg: 'com.service.sha256',
      blocks: [{ scope: {}, value }],
      pad: Buffer.alloc(0),
    });
    const hard = rawAssertion(sidecar, 'c2pa.hash.data');
    expect(hard.includes(Buffer.concat([Buffer.from('dhash', 'latin1'), bytesOf32, value]))).toBe(true);
    expect(decodeCbor(hard)).toMatchObject({ alg: 'sha256', hash: value });
  });

  it.each([
    [true, 'allowed'],
    [false, 'notAllowed'],
  ])('states with allowAiTraining = %s that training is %s', async (allowAiTraining, use) => {
    const { manifest } = await create({ claims: { allowAiTraining } });
    const kinds = ['cawg.data_mining', 'cawg.ai_inference', 'cawg.ai_training', 'cawg.ai_generative_training'];
    expect(assertion(manifest, 'cawg.training-mining')).toEqual({
      entries: Object.fromEntries(kinds.map((kind) => [kind, { use }])),
    });
  });

  it('states each use as it was specified, and leaves out the others', async () => {
    const constraint = 'With attribution – “Ada”.';
    const aiPreferences = {
      data_mining: null,
      ai_inference: { use: 'allowed' },
      ai_training: { use: 'constrained', constraint },
      ai_generative_training: { use: 'notAllowed' },
    } as const;
    const { manifest } = await create({ claims: { allowAiTraining: false, aiPreferences } });
    expect(assertion(manifest, 'cawg.training-mining')).toEqual({
      entries: {
        'cawg.ai_inference': { use: 'allowed' },
        'cawg.ai_training': { use: 'constrained', constraint_info: constraint },
        'cawg.ai_generative_training': { use: 'notAllowed' },
      },
    });
  });

  it('states nothing about training if it is not specified', async () => {
    const { manifest } = await create({ claims: { allowAiTraining: null } });
    expect(manifest.assertions.map(({ label }: { label: string }) => label)).toEqual([
      'c2pa.actions.v2',
      'c2pa.soft-binding',
    ]);
  });

  it('names author, Mark and license in gathered assertions', async () => {
    const { manifest } = await create();
    expect(assertion(manifest, 'cawg.metadata')).toMatchObject({
      'dc:creator': ['Ada Lovelace'],
      'dc:publisher': ['Ada Lovelace Photography'],
      'dc:identifier': `urn:uuid:${mark.id}`,
      'dc:rights': 'Creative Commons Attribution 4.0 International',
      'xmpRights:WebStatement': 'https://creativecommons.org/licenses/by/4.0/',
    });
    const gathered = manifest.assertions.filter((one: { created?: boolean }) => !one.created);
    expect(gathered.map(({ label }: { label: string }) => label)).toEqual(['cawg.training-mining', 'cawg.metadata']);
  });

  it('of a private Mark contains no names, in none of the three files', async () => {
    const { title: _, ...anonymous } = request({ claims: { allowAiTraining: null } });
    const { sidecar, report, card } = await fixture.engine.create(anonymous);
    for (const file of [sidecar, report, card]) {
      // Not too short: three letters can occur in random bytes by chance.
      for (const secret of ['Lovelace', mark.id, 'photo.jpg', 'Creative Commons']) {
        expect(file.includes(secret)).toBe(false);
      }
    }
  });

  it.each([
    '../../etc/passwd',
    'C:\\Users\\ada\\photo.jpg',
    '"quoted" & <b>bold</b>.png',
    'línea\nbreak\ttab.txt',
    'שלום\u200F.txt',
    '👩🏽‍🎨.svg',
    'a'.repeat(255),
    ' ',
    'null\u0000inside',
  ])('keeps the filename %j as it is', async (title) => {
    expect((await create({ title })).manifest.title).toBe(title);
  });
});

describe('a new version', () => {
  it('has the previous one as its parent, with the whole history in its store', async () => {
    const first = await create();
    const second = await create({ previous: first.previous });
    const third = await create({ previous: second.previous });
    expect(childrenOf(third.sidecar).map(labelOf)).toEqual(
      [first, second, third].map(({ asked }) => `urn:c2pa:${asked.artifactId}`),
    );
    expect(second.manifest.ingredients).toMatchObject([
      { relationship: 'parentOf', active_manifest: `urn:c2pa:${first.asked.artifactId}` },
    ]);
    expect(assertion(second.manifest, 'c2pa.actions.v2')).toMatchObject({ actions: [{ action: 'c2pa.opened' }] });
    for (const { report } of [second, third]) {
      for (const { validationDeltas } of report.validation_results.ingredientDeltas) {
        expect(validationDeltas.failure).toEqual([]);
      }
    }
  });

  it('of a tampered manifest is rejected', async () => {
    const { sidecar, previous } = await create();
    const spoiled = Buffer.from(sidecar);
    const place = spoiled.indexOf('Ada Lovelace');
    spoiled.write('Eve Lovelace', place);
    await expect(create({ previous: { ...previous, sidecar: spoiled } })).rejects.toThrow('does not verify');
  });
});

describe('tampering is detected', () => {
  /** The reader's failure codes for a sidecar with one changed byte. */
  async function spoil(find: (sidecar: Buffer, fingerprint: Buffer) => number) {
    const { asked, sidecar } = await create();
    const spoiled = Buffer.from(sidecar);
    const place = find(spoiled, Buffer.from(asked.fingerprint));
    expect(place).toBeGreaterThan(0);
    spoiled.writeUInt8(spoiled.readUInt8(place) ^ 1, place);
    const read = await fixture.reader.read('application/c2pa', spoiled);
    return () => sidecarReport(read, spoiled, undefined);
  }

  it.each([
    [
      'the soft binding',
      (sidecar: Buffer, value: Buffer) => sidecar.lastIndexOf(value) + 5,
      'assertion.hashedURI.mismatch',
    ],
    [
      'the hard binding',
      (sidecar: Buffer, value: Buffer) => sidecar.indexOf(value) + 5,
      'assertion.hashedURI.mismatch',
    ],
    ['the author', (sidecar: Buffer) => sidecar.indexOf('Ada Lovelace'), 'assertion.hashedURI.mismatch'],
    ['the title in the claim', (sidecar: Buffer) => sidecar.indexOf('photo.jpg'), 'claimSignature.mismatch'],
    ['the signature', (sidecar: Buffer) => sidecar.length - 8, 'claimSignature.mismatch'],
  ])('in %s', async (_, find, code) => {
    expect(await spoil(find)).toThrow(code);
  });

  it('in the time-stamp', async () => {
    // The year of the time in the token.
    const time = /20\d{12}/;
    expect(await spoil((sidecar) => sidecar.toString('latin1').search(time) + 3)).toThrow('no timeStamp.validated');
  });
});

describe('the card', () => {
  it('is valid for the reference implementation, and states that a program created it', async () => {
    const { asked, card } = await create();
    const read = (await fixture.reader.read('image/png', card)) as {
      validation_state: string;
      active_manifest: string;
      manifests: Record<string, { assertions: { label: string; data: unknown }[] }>;
    };
    expect(read.validation_state).toBe('Trusted');
    const manifest = read.manifests[read.active_manifest];
    if (!manifest) throw new Error('no manifest');
    expect(assertion(manifest, 'c2pa.actions.v2')).toMatchObject({
      actions: [
        {
          action: 'c2pa.created',
          digitalSourceType: 'http://cv.iptc.org/newscodes/digitalsourcetype/algorithmicMedia',
        },
      ],
    });
    expect(assertion(manifest, 'c2pa.soft-binding')).toMatchObject({
      alg: 'com.service.sha256',
      blocks: [{ value: Buffer.from(asked.fingerprint).toString('base64') }],
    });
    expect(card.length).toBeLessThanOrEqual(8 * 1024);
  });

  it('with a changed picture is detected', async () => {
    const { card } = await create();
    const spoiled = Buffer.from(card);
    const place = spoiled.lastIndexOf('IDAT') + 20;
    spoiled.writeUInt8(spoiled.readUInt8(place) ^ 1, place);
    const read = (await fixture.reader.read('image/png', spoiled)) as {
      validation_state: string;
      validation_results: { activeManifest: { failure: { code: string }[] } };
    };
    expect(read.validation_state).toBe('Invalid');
    expect(codes(read.validation_results.activeManifest.failure)).toContain('assertion.dataHash.mismatch');
  });
});

describe('after a change of keys', () => {
  it('old manifests stay valid, and can be the parents of new ones', async () => {
    const { sidecar, previous } = await create();
    const later = await startEngine();
    const both = await createReader(`${fixture.trustAnchorsPem}\n${later.trustAnchorsPem}`);
    const report = sidecarReport(await both.read('application/c2pa', sidecar), sidecar, undefined);
    expect(codes(report.validation_results.activeManifest.success)).toContain('signingCredential.trusted');
    const next = await later.engine.create(request({ previous })).catch((error: Error) => error);
    expect(next).not.toBeInstanceOf(Error);
  });
});

describe('garbage', () => {
  it.each([0, 1, 100, 10_000])('of %i bytes is not read as a manifest, and the reader continues', async (size) => {
    await expect(fixture.reader.read('application/c2pa', randomBytes(size))).rejects.toBeDefined();
    await create();
  });
});

it('a client with many creations does not delay those of others', async () => {
  await create();
  const finished: string[] = [];
  const start = async (client: string) => {
    await fixture.engine.create(request({ client }));
    finished.push(client);
  };
  const flood = Array.from({ length: 60 }, () => start('mallory'));
  await Promise.all([...flood, start('ada')]);
  // Without turns, it would be the last.
  expect(finished.indexOf('ada')).toBeLessThan(30);
});
