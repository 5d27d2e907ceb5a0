// Look-alikes of sound: real recordings uploaded to the real service, found by what became of them.

import { MAX_CHROMAPRINT_LENGTH } from '@provenance-registry/core';
import { decodeChromaprint } from '@provenance-registry/media';
import { fingerprint as computeChromaprint } from '@provenance-registry/media/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMark, createUser, type TestUser } from '../../../../test/support/accounts.js';
import {
  fieldParts,
  filePart,
  fingerprintOf,
  type Registry,
  sendForm,
  startRegistry,
  unreachableChain,
} from '../../../../test/support/artifacts.js';
import { query } from '../../../../test/support/postgres.js';
import { call } from '../../../../test/support/service.js';
import { type Database, openDatabase } from '../../src/database/connection.js';
import { computeExtract, SoundHashQueries } from '../../src/database/queries/lookups/soundHashes.js';
import { findSoundLookalikes } from '../../src/domain/lookups/soundLookalikes.js';
import { createSoundIndex } from '../../src/lookalikes/soundIndex.js';
import { encodeChromaprint } from '../support/fingerprints.js';
import { changeSpeed, excerpt, flac, noise, randomNumbers, song, type Wave, wav } from '../support/sounds.js';

let service: Registry;
let owner: TestUser;
let markId: string;
let database: Database;
/** Of the song that is asked for. */
let registered: { readonly id: string; readonly fingerprint: string };
const original = song(120, 1);

beforeAll(async () => {
  service = await startRegistry(await unreachableChain());
  database = openDatabase({ connectionString: service.databaseUrl });
  owner = await createUser(service, 'enterprise');
  markId = String((await createMark(service, owner)).body.id);
  for (const seed of [2, 3, 4]) await register(song(120, seed));
  registered = await register(original);
});
afterAll(() => database.destroy());

async function register(wave: Wave): Promise<{ id: string; fingerprint: string }> {
  const file = wav(wave, 's16');
  const fields = { markId, fingerprint: fingerprintOf(file), filename: 'song.wav' };
  const { body } = await sendForm(service, owner, [...fieldParts(fields), filePart(file, 'song.wav', 'audio/wav')]);
  expect(body).toMatchObject({ fingerprint: fields.fingerprint });
  return { id: String(body.id), fingerprint: fields.fingerprint };
}

async function ask(sound: Wave | Uint8Array | string) {
  const bytes = sound instanceof Float64Array ? wav(sound, 's16') : sound;
  const chromaprint = typeof bytes === 'string' ? bytes : (await computeChromaprint(bytes))?.text;
  const soundIndex = createSoundIndex(new SoundHashQueries(database));
  return findSoundLookalikes({ soundIndex }, chromaprint ?? '', { limit: 10 });
}

const sql = (text: string, ...values: unknown[]) => query<Record<string, unknown>>(service.databaseUrl, text, values);

describe('A recording is found', () => {
  const addNoise = (wave: Wave, level: number) => {
    const added = noise(wave.length / 16_000, 7);
    return wave.map((value, index) => value + level * (added[index] ?? 0));
  };

  it.each<[string, 'near-identical' | 'similar', number, () => Wave | Uint8Array]>([
    ['by a part of it in another format', 'near-identical', 40, () => flac(excerpt(original, 40, 30))],
    ['by the same sound with 8 bits', 'near-identical', 0, () => wav(original, 'u8')],
    ['with noise', 'near-identical', 0, () => addNoise(original, 0.05)],
    ['with loud noise', 'similar', 0, () => addNoise(original, 0.6)],
    ['by 20 seconds of its beginning', 'near-identical', 0, () => excerpt(original, 0, 20)],
    ['by 20 seconds of its middle', 'near-identical', 47.3, () => excerpt(original, 47.3, 20)],
    ['by its last 20 seconds', 'near-identical', 99, () => excerpt(original, 99, 20)],
    [
      'by a recording that begins earlier',
      'near-identical',
      -30,
      () => Float64Array.from([...song(30, 9), ...original]),
    ],
    ['played 1 % faster', 'near-identical', 0, () => changeSpeed(original, 1.01)],
    ['played 1 % slower', 'near-identical', 0, () => changeSpeed(original, 0.99)],
  ])('%s, as %s, and no other is', async (_, grade, offset, change) => {
    const hits = await ask(change());
    expect(hits.map(({ fingerprint }) => fingerprint)).toEqual([registered.fingerprint]);
    expect(hits[0]).toMatchObject({ markId, artifactId: registered.id, hashesBy: 'service', grade });
    expect(Math.abs((hits[0]?.offsetSeconds ?? Number.NaN) - offset)).toBeLessThan(0.6);
  });

  it('only if it was registered', async () => {
    for (const seed of [5, 6]) expect(await ask(song(60, seed))).toEqual([]);
  });

  it('only while everyone may see it', async () => {
    const isFound = async () => (await ask(excerpt(original, 30, 20))).length === 1;
    expect(await isFound()).toBe(true);
    const setVisibility = (path: string, body: object) =>
      call(service, 'PUT', `/api/v1${path}`, { token: owner.token, body });
    const ofContent = `/artifacts/${registered.fingerprint}/visibility`;
    for (const [path, field] of [
      [`/marks/${markId}`, 'visibility'],
      [ofContent, 'contentVisibility'],
    ] as const) {
      expect((await setVisibility(path, { [field]: 'private' })).status).toBe(200);
      expect(await isFound()).toBe(false);
      expect((await setVisibility(path, { [field]: 'public' })).status).toBe(200);
      expect(await isFound()).toBe(true);
    }
    await sql(`update artifacts set status = 3, error_reason = 'refused' where id = $1`, registered.id);
    expect(await isFound()).toBe(false);
    await sql('update artifacts set status = 0, error_reason = null where id = $1', registered.id);
  });
});

describe('Sound that resembles everything', () => {
  it.each<[string, Wave]>([
    ['silence', new Float64Array(16_000 * 30)],
    ['a tone', Float64Array.from({ length: 16_000 * 30 }, (_, at) => 0.5 * Math.sin(at * 0.2))],
  ])('resembles nothing: %s', async (_, wave) => {
    const { id } = await register(wave);
    expect(await sql('select extract from sound_codes where artifact_id = $1', id)).toEqual([{ extract: [] }]);
    expect(await ask(wave)).toEqual([]);
  });

  it.each([
    ['all items are equal', new Uint32Array(950).fill(0x1234_5678)],
    ['items alternate between a few values', Uint32Array.from({ length: 950 }, (_, index) => index % 9)],
    ['there is one item', Uint32Array.of(1)],
    ['there is no item', new Uint32Array()],
  ])('has nothing to compare: %s', async (_, items) => {
    const text = encodeChromaprint(items);
    expect(decodeChromaprint(text)).toEqual(items);
    expect(computeExtract(text)).toEqual([]);
    expect(await ask(text)).toEqual([]);
  });

  it.each([
    ['garbage', 'AQADtEokySmT4PCJF8_DIPk25GEPn_izCBd'],
    ['the longest text', 'AQA___'.padEnd(MAX_CHROMAPRINT_LENGTH, 'a')],
  ])('is not found by %s', async (_, text) => {
    expect(await ask(text)).toEqual([]);
  });

  it('is compared at most so long, if thousands of recordings have the values of the question', async () => {
    const random = randomNumbers(5);
    const items = Uint32Array.from({ length: 160 }, () => random() * 2 ** 32);
    const values = computeExtract(encodeChromaprint(items));
    expect(values.length).toBeGreaterThan(10);
    await sql(
      `with copies as (
         insert into artifacts (id, mark_id, created_by, status, fingerprint, manifest_hash, metadata)
         select gen_random_uuid(), mark_id, created_by, 2, sha256(number::text::bytea), manifest_hash, jsonb_build_object('chromaprint', $1::text)
         from artifacts, generate_series(1, 3000) number where id = $2
         returning id
       ) insert into sound_codes select id, $3::integer[] from copies`,
      encodeChromaprint(items),
      registered.id,
      values,
    );
    const hits = await ask(encodeChromaprint(items));
    expect(hits.length).toBe(10);
    expect(hits[0]).toMatchObject({ distance: 0, grade: 'near-identical' });
    // And the values of others are still found.
    expect((await ask(excerpt(original, 60, 20)))[0]?.fingerprint).toBe(registered.fingerprint);
  });
});

describe('The values of a recording', () => {
  const damages = [
    ['missing', 'delete from sound_codes where artifact_id = $1'],
    ['those of another', `update sound_codes set extract = '{1,2,3}' where artifact_id = $1`],
  ] as const;

  it('are computed later for Artifacts from before there were values', async () => {
    await sql('update sound_codes set extract = null where artifact_id = $1', registered.id);
    expect(await new SoundHashQueries(database).findWrong([registered.id])).toEqual(new Set());
    const codes = new SoundHashQueries(database);
    expect([await codes.addMissing(1), await codes.addMissing(1)]).toEqual([1, 0]);
    expect((await ask(excerpt(original, 60, 20)))[0]?.fingerprint).toBe(registered.fingerprint);
  });

  it.each(damages)('are computed again by the audit if they are %s', async (_, damage) => {
    await sql(damage, registered.id);
    expect(await ask(excerpt(original, 60, 20))).toEqual([]);
    const audit = new SoundHashQueries(database);
    expect(await audit.findWrong([registered.id])).toEqual(new Set([registered.id]));
    expect(await audit.repair(registered.id)).toBe(true);
    expect(await audit.repair(registered.id)).toBe(false);
    expect((await ask(excerpt(original, 60, 20)))[0]?.fingerprint).toBe(registered.fingerprint);
  });
});
