import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildFilter, FilterKeys, parseFilter } from './binaryFuse.js';

const fingerprint = fc.uint8Array({ minLength: 32, maxLength: 32 });
/** Anyone can register fingerprints that differ in a few bits only. */
const similar = fc.integer({ min: 0, max: 0xffff }).map((number) => {
  const bytes = new Uint8Array(32).fill(0xff);
  new DataView(bytes.buffer).setUint16(6, number);
  return bytes;
});

function build(fingerprints: readonly Uint8Array[]) {
  const keys = new FilterKeys();
  for (const bytes of fingerprints.toSorted((one, other) => Buffer.compare(one, other))) keys.add(bytes);
  return buildFilter(keys.words);
}

/** The same on every run: a linear congruential generator. */
function* generate(count: number, seed: number): Generator<Uint8Array> {
  let state = seed;
  for (let index = 0; index < count; index += 1) {
    const bytes = new Uint8Array(32);
    for (let at = 0; at < 8; at += 1) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      bytes[at] = state >>> 24;
    }
    yield bytes;
  }
}

describe('a filter', () => {
  it('contains every fingerprint that it was built from, whatever they are', () => {
    const sets = fc.array(fc.oneof(fingerprint, similar), { maxLength: 400 });
    fc.assert(
      fc.property(sets, (fingerprints) => {
        const filter = parseFilter(build(fingerprints));
        expect(filter.count).toBe(new Set(fingerprints.map((bytes) => String(bytes.subarray(0, 8)))).size);
        expect(fingerprints.every((bytes) => filter.mayContain(bytes))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('contains hardly any others, and takes nine bits for each', () => {
    const count = 100_000;
    const bytes = build([...generate(count, 1)]);
    const filter = parseFilter(bytes);
    expect((8 * bytes.length) / filter.count).toBeLessThan(9.6);
    let found = 0;
    for (const other of generate(count, 2)) found += filter.mayContain(other) ? 1 : 0;
    // 1/256, with seven standard deviations.
    expect(found).toBeGreaterThan(250);
    expect(found).toBeLessThan(530);
  });

  it('has the same bytes for the same fingerprints, and a seed that cannot be known before', () => {
    const fingerprints = [...generate(1_000, 3)];
    const bytes = build(fingerprints);
    expect(build(fingerprints.toReversed())).toEqual(bytes);
    expect(build(fingerprints.slice(1)).subarray(8, 16)).not.toEqual(bytes.subarray(8, 16));
  });

  it('is not read from bytes that are cut, extended or state other sizes', () => {
    const bytes = build([...generate(1_000, 4)]);
    const changed = (...changes: [offset: number, value: number][]) => {
      const copy = bytes.slice();
      for (const [offset, value] of changes) new DataView(copy.buffer).setUint32(offset, value, true);
      return copy;
    };
    const others: Record<string, Uint8Array> = {
      empty: new Uint8Array(),
      header: bytes.subarray(0, 31),
      cut: bytes.subarray(0, -1),
      extended: Uint8Array.of(...bytes, 0),
      magic: changed([0, 0]),
      version: changed([4, 2]),
      'segment length 0': changed([16, 0]),
      'segment length 3': changed([16, 3]),
      'huge segments': changed([16, 0x8000_0000]),
      'no segment': changed([20, 0]),
      'huge segment count': changed([20, 0xffff_ffff]),
      'sizes whose product overflows': changed([16, 0x0004_0000], [20, 0xffff_fffe]),
      'more keys than bytes': changed([24, 0xffff_ffff]),
      'more than 2^32 keys': changed([28, 1]),
    };
    for (const [name, other] of Object.entries(others)) {
      expect(() => parseFilter(other), name).toThrow(RangeError);
    }
  });

  it('takes keys in ascending order only', () => {
    const keys = new FilterKeys();
    keys.add(new Uint8Array(32).fill(2));
    expect(() => keys.add(new Uint8Array(32).fill(1))).toThrow(RangeError);
  });
});
