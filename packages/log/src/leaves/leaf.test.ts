import { aiPreferencesOf } from '@provenance-registry/core';
import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '../encoding.js';
import { LogFormatError, LogProofError } from '../errors.js';
import { encodeAiPreferences } from './aiCodes.js';
import { commitToTerms, commitToText, formatSalt, parseOpening } from './commitments.js';
import { type LeafContent, type LeafKind, leafKinds } from './contents.js';
import { encodeLeaf, type Leaf, parseLeaf } from './leaf.js';

const time = '2026-11-17T12:00:00.035Z';
const hash = `0x${'ab'.repeat(32)}` as const;
const id = 'd8fb3b5f-55a1-4852-8b59-2c20fc9140d1';
const license = 'CC-BY-4.0';
const vkey = 'registry.example/log+92940712+AS8hCaL4nFuwLFYf1R0m93lMwe1ctXz7Tvgx3X/lchMX';
const registration = { time, fingerprint: hash, id, manifest: hash, metadata: hash };

const leaves: Leaf[] = [
  {
    kind: 'genesis',
    content: { time, origin: 'localhost:8080/log', chain: 31_337, contract: `0x${'1f'.repeat(20)}`, since: time },
  },
  { kind: 'artifact', content: { ...registration, mark: id, ai: [1, 1, 2, 2], license } },
  { kind: 'artifact', content: { ...registration, hidden: hash, imported: true } },
  { kind: 'rendition', content: { ...registration, mark: id, ai: [0, 0, 0, 3], license, imported: true } },
  { kind: 'rendition', content: { ...registration, hidden: hash } },
  { kind: 'failed', content: { time, index: 0 } },
  { kind: 'mark', content: { time, id, visibility: 'public', ai: [1, 1, 1, 1], license: 'NONE_SPECIFIED' } },
  { kind: 'mark', content: { time, id, visibility: 'public', ai: [0, 0, 0, 0], license, imported: true } },
  { kind: 'claim', content: { time, id, fingerprint: hash, step: 'claim', evidence: hash, textHash: hash } },
  { kind: 'claim', content: { time, id, fingerprint: hash, step: 'withdrawal' } },
  { kind: 'claim', content: { time, id, fingerprint: hash, step: 'answer', imported: true } },
  { kind: 'content', content: { time, fingerprint: hash, visibility: 'private' } },
  { kind: 'content', content: { time, fingerprint: hash, visibility: 'private', imported: true } },
  { kind: 'index', content: { time, size: 7, root: hash, bits: 20 } },
  { kind: 'keys', content: { time, log: vkey, signers: [hash, hash] } },
];
/** As a caller in JavaScript would, or one whose data are not what their types say. */
const encodeUnchecked = (kind: string, content: object) => encodeLeaf({ kind, content } as Leaf);

describe('leaves', () => {
  it('cover every kind', () => {
    expect(new Set(leaves.map(({ kind }) => kind))).toEqual(new Set(leafKinds));
  });

  it.each(leaves)('are read as they were written: $kind', (leaf) => {
    const entry = encodeLeaf(leaf);
    expect(parseLeaf(entry)).toEqual(leaf);
    expect(decodeUtf8(entry)).toMatch(new RegExp(`^provenance-leaf/1 ${leaf.kind}\\n\\{[^\\n]+\\}$`));
  });

  it('of an unknown kind or version are skipped', () => {
    for (const line of ['provenance-leaf/1 later', 'provenance-leaf/2 artifact', 'provenance-leaf/1 artifact ', 'x']) {
      expect(parseLeaf(encodeUtf8(`${line}\n{}`))).toBeUndefined();
    }
    expect(parseLeaf(new Uint8Array())).toBeUndefined();
    expect(() => encodeUnchecked('later', { time })).toThrow(LogFormatError);
  });

  it.each([
    ['no JSON', (json: string) => json.slice(0, -1)],
    ['a newline at the end', (json: string) => `${json}\n`],
    ['a space', (json: string) => json.replace(':', ': ')],
    ['another order', (json: string) => json.replace(/^\{("ai":[^\]]+\]),(.*)\}$/, '{$2,$1}')],
    ['a member twice', (json: string) => json.replace('"ai"', '"ai":[1,1,1,1],"ai"')],
    ['another spelling of a number', (json: string) => json.replace('[1,', '[1.0,')],
    ['another spelling of a text', (json: string) => json.replace('CC-BY', '\\u0043C-BY')],
    ['a further member', (json: string) => json.replace('"ai"', '"a":1,"ai"')],
    ['a prototype', (json: string) => json.replace('"ai"', '"__proto__":{},"ai"')],
    ['a member less', (json: string) => json.replace(/"manifest":"[^"]+",/, '')],
    ['terms and a commitment to them', (json: string) => json.replace('"id"', `"hidden":"${hash}","id"`)],
    ['a hash in upper case', (json: string) => json.replace('abab', 'ABAB')],
    ['an id in upper case', (json: string) => json.replaceAll(id, id.toUpperCase())],
    ['a fifth use of AI', (json: string) => json.replace('[1,1,', '[1,1,1,')],
    ['a preference that is not known', (json: string) => json.replace('[1,1,', '[4,1,')],
    ['a day that does not exist', (json: string) => json.replace('11-17', '02-30')],
    ['a time without milliseconds', (json: string) => json.replace('.035Z', 'Z')],
    ['imported, but not so', (json: string) => json.replace('"license"', '"imported":false,"license"')],
    ['nothing', () => ''],
    ['null', () => 'null'],
  ])('are refused with %s', (_, edit) => {
    const json = `{"ai":[1,1,2,2],"fingerprint":"${hash}","id":"${id}","license":"${license}","manifest":"${hash}","mark":"${id}","metadata":"${hash}","time":"${time}"}`;
    expect(parseLeaf(encodeUtf8(`provenance-leaf/1 artifact\n${json}`))?.kind).toBe('artifact');
    expect(edit(json)).not.toBe(json);
    expect(() => parseLeaf(encodeUtf8(`provenance-leaf/1 artifact\n${edit(json)}`))).toThrow(LogFormatError);
  });

  it('have at most 4,096 bytes', () => {
    const signers = Array.from({ length: 32 }, () => hash);
    expect(encodeLeaf({ kind: 'keys', content: { time, log: vkey, signers } }).length).toBeLessThan(4_096);
    expect(() => parseLeaf(encodeUtf8(`x\n${'x'.repeat(4_096)}`))).toThrow(LogFormatError);
  });
});

describe('what a leaf must not say', () => {
  type MembersOf<K extends LeafKind> =
    LeafContent<K> extends infer Form ? (Form extends unknown ? keyof Form : never) : never;

  it('has no member in the type of any kind', () => {
    type Registration =
      | 'time'
      | 'fingerprint'
      | 'id'
      | 'manifest'
      | 'metadata'
      | 'imported'
      | 'mark'
      | 'ai'
      | 'license';
    expectTypeOf<MembersOf<'genesis'>>().toEqualTypeOf<'time' | 'origin' | 'chain' | 'contract' | 'since'>();
    expectTypeOf<MembersOf<'artifact'>>().toEqualTypeOf<Registration | 'hidden'>();
    expectTypeOf<MembersOf<'rendition'>>().toEqualTypeOf<Registration | 'hidden'>();
    expectTypeOf<MembersOf<'failed'>>().toEqualTypeOf<'time' | 'index'>();
    expectTypeOf<MembersOf<'mark'>>().toEqualTypeOf<'time' | 'id' | 'visibility' | 'ai' | 'license' | 'imported'>();
    type Claim = 'time' | 'id' | 'fingerprint' | 'step' | 'evidence' | 'textHash' | 'imported';
    expectTypeOf<MembersOf<'claim'>>().toEqualTypeOf<Claim>();
    expectTypeOf<MembersOf<'content'>>().toEqualTypeOf<'time' | 'fingerprint' | 'visibility' | 'imported'>();
    expectTypeOf<MembersOf<'index'>>().toEqualTypeOf<'time' | 'size' | 'root' | 'bits'>();
    expectTypeOf<MembersOf<'keys'>>().toEqualTypeOf<'time' | 'log' | 'signers'>();
  });

  const members = ['name', 'author', 'email', 'address', 'filename', 'userId', 'createdBy', 'text', 'pHash', 'dHash'];
  it.each(members)('is refused as a further member: %s', (member) => {
    for (const { kind, content } of leaves) {
      expect(() => encodeUnchecked(kind, { ...content, [member]: 'Ada Lovelace' })).toThrow(LogFormatError);
    }
  });

  it('is refused in place of what belongs there', () => {
    const words = fc.oneof(
      fc.constantFrom('Ada Lovelace', 'ada@example.org', '192.0.2.1', 'übung.png', ''),
      fc.string(),
    );
    const property = fc.property(fc.constantFrom(...leaves), fc.nat(), words, ({ kind, content }, place, word) => {
      const names = Object.keys(content).filter((name) => name !== 'origin' && name !== 'license');
      const name = names[place % names.length] ?? 'time';
      expect(() => encodeUnchecked(kind, { ...content, [name]: word })).toThrow(LogFormatError);
    });
    fc.assert(property, { numRuns: 500 });
    for (const word of ['Ada Lovelace', 'ada@example.org', 'übung', '']) {
      const [genesis, artifact] = leaves;
      expect(() => encodeUnchecked('genesis', { ...genesis?.content, origin: word })).toThrow(LogFormatError);
      expect(() => encodeUnchecked('artifact', { ...artifact?.content, license: word })).toThrow(LogFormatError);
    }
  });

  it('is not in the AI preferences, whose conditions stay outside', () => {
    const constrained = { use: 'constrained', constraint: 'Ask Ada first' } as const;
    const preferences = {
      ...aiPreferencesOf({ allowAiTraining: false }),
      ai_inference: null,
      data_mining: constrained,
    };
    expect(encodeAiPreferences(preferences)).toEqual([3, 0, 2, 2]);
    expect(encodeAiPreferences(aiPreferencesOf({ allowAiTraining: true }))).toEqual([1, 1, 1, 1]);
    expect(encodeAiPreferences(aiPreferencesOf({ allowAiTraining: null }))).toEqual([0, 0, 0, 0]);
  });
});

describe('a commitment', () => {
  const opening = { mark: id, ai: [1, 1, 2, 2], license, salt: formatSalt(new Uint8Array(32).fill(7)) } as const;
  const mutable = { ...opening, ai: [...opening.ai] };

  it('is the hash that its definition says', async () => {
    const json = `{"ai":[1,1,2,2],"license":"CC-BY-4.0","mark":"${id}"}`;
    const bytes = Buffer.concat([Buffer.from('provenance-leaf/1 hidden\n'), Buffer.alloc(32, 7), Buffer.from(json)]);
    const digest = Buffer.from(await crypto.subtle.digest('SHA-256', bytes));
    expect(commitToTerms(mutable)).toBe(`0x${digest.toString('hex')}`);
  });

  it('is opened by exactly what it was made of', () => {
    const hidden = commitToTerms(mutable);
    expect(parseOpening(mutable, hidden)).toEqual(opening);
    const changes = [
      { mark: id.replace('d', 'e') },
      { ai: [1, 1, 2, 1] },
      { license: 'CC-BY-SA-4.0' },
      { salt: opening.salt.replace('7', '6') },
    ];
    for (const change of changes) {
      expect(() => parseOpening({ ...mutable, ...change }, hidden)).toThrow(LogProofError);
    }
    for (const malformed of [undefined, {}, { ...mutable, salt: '0x07' }, { ...mutable, name: 'Ada' }]) {
      expect(() => parseOpening(malformed, hidden)).toThrow(LogFormatError);
    }
  });

  it('to a text is another one with each salt', () => {
    const salts = [1, 2].map((byte) => formatSalt(new Uint8Array(32).fill(byte)));
    expect(new Set(salts.map((salt) => commitToText('I took this photo.', salt))).size).toBe(2);
    expect(() => formatSalt(new Uint8Array(31))).toThrow(LogFormatError);
  });
});
