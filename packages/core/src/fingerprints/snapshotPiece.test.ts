import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AiPreference, aiPermissions, fillAiPreferences } from '../metadata/aiPreferences.js';
import { MAX_PIECE_BYTES, MAX_PIECE_RECORDS, PieceBuilder, parsePiece } from './snapshotPiece.js';

const preference: fc.Arbitrary<AiPreference | null> = fc
  .tuple(fc.constantFrom(null, ...aiPermissions), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }))
  .map(([use, constraint]) => use && { use, ...(use === 'constrained' && { constraint }) });
const preferences = fc
  .tuple(preference, preference, preference, preference)
  .map(([data_mining, ai_inference, ai_training, ai_generative_training]) => ({
    data_mining,
    ai_inference,
    ai_training,
    ai_generative_training,
  }));
const fingerprint = fc.uint8Array({ minLength: 32, maxLength: 32 });
const records = fc
  .uniqueArray(fc.tuple(fingerprint, fc.option(preferences)), { selector: ([bytes]) => String(bytes), maxLength: 50 })
  .map((list) => list.toSorted(([one], [other]) => Buffer.compare(one, other)));

function build(list: readonly (readonly [Uint8Array, Parameters<PieceBuilder['add']>[1]])[]) {
  const builder = new PieceBuilder();
  for (const [bytes, stated] of list) builder.add(bytes, stated);
  return builder.finish();
}

describe('a piece of the snapshot', () => {
  it('has every fingerprint with its preferences, and no other', () => {
    const nothing = fillAiPreferences(() => null);
    fc.assert(
      fc.property(records, fingerprint, (list, other) => {
        const piece = parsePiece(build(list));
        expect(piece.count).toBe(list.length);
        expect(list.map(([bytes]) => piece.find(bytes))).toEqual(list.map(([, stated]) => stated ?? nothing));
        if (!list.some(([bytes]) => Buffer.compare(bytes, other) === 0)) expect(piece.find(other)).toBeUndefined();
      }),
    );
  });

  it('is not read from bytes that are cut, extended, out of order or state other sizes', () => {
    const constrained = fillAiPreferences(() => ({ use: 'constrained', constraint: 'ask' }));
    const bytes = build([
      [new Uint8Array(32).fill(1), constrained],
      [new Uint8Array(32).fill(2), null],
    ]);
    const changed = (offset: number, value: number) => {
      const copy = bytes.slice();
      new DataView(copy.buffer).setUint32(offset, value, true);
      return copy;
    };
    const swapped = bytes.slice();
    swapped.copyWithin(16, 49, 82);
    const others: Record<string, Uint8Array> = {
      empty: new Uint8Array(),
      cut: bytes.subarray(0, -1),
      extended: Uint8Array.of(...bytes, 32),
      version: changed(4, 2),
      'huge count': changed(8, 0xffff_ffff),
      'huge texts': changed(12, 0xffff_ffff),
      'the same record twice': swapped,
      'texts that are no JSON': bytes.map((byte) => (byte === 0x7b ? 0x5b : byte)),
      'texts that are no UTF-8': bytes.map((byte, index) => (index === bytes.length - 5 ? 0xff : byte)),
    };
    for (const [name, other] of Object.entries(others)) expect(() => parsePiece(other), name).toThrow(RangeError);
  });

  it('stays small enough for readers, whatever the constraints say', () => {
    const builder = new PieceBuilder();
    // Four bytes a character, and two for each quotation mark.
    const longest = fillAiPreferences(() => ({ use: 'constrained', constraint: '𝄞'.repeat(250) + '"'.repeat(250) }));
    const bytes = new Uint8Array(32);
    for (let number = 0; !builder.isFull; number += 1) {
      new DataView(bytes.buffer).setUint32(0, number);
      builder.add(bytes.slice(), longest);
    }
    expect(builder.count).toBeLessThan(MAX_PIECE_RECORDS);
    expect(builder.finish().length).toBeLessThan(MAX_PIECE_BYTES);
    expect(() => builder.add(new Uint8Array(32), null)).toThrow(RangeError);
  });
});
