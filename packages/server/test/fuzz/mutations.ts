// Mutations of real files, as by transmission errors and attackers.

import fc from 'fast-check';

const INTERESTING = [0, 1, 0x7f, 0x80, 0xff] as const;
const LENGTHS = [0, 1, 7, 8, 0x7fffffff, 0x80000000, 0xfffffff7, 0xffffffff] as const;

const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const amount = fc.oneof(fc.integer({ min: 1, max: 64 }), fc.integer({ min: 1, max: 4096 }));

const change = fc.oneof(
  fc.record({ do: fc.constant('flip' as const), at: place, bit: fc.nat(7) }),
  fc.record({ do: fc.constant('set' as const), at: place, byte: fc.constantFrom(...INTERESTING) }),
  fc.record({
    do: fc.constant('length' as const),
    at: place,
    value: fc.constantFrom(...LENGTHS),
    little: fc.boolean(),
  }),
  fc.record({ do: fc.constant('truncate' as const), at: place }),
  fc.record({ do: fc.constant('remove' as const), at: place, amount }),
  fc.record({ do: fc.constant('duplicate' as const), at: place, amount }),
  fc.record({ do: fc.constant('zero' as const), at: place, amount }),
  fc.record({ do: fc.constant('splice' as const), at: place, bytes: fc.uint8Array({ maxLength: 40 }) }),
);
export type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

/** Mostly near the start, where headers are. */
export const changes: fc.Arbitrary<Change[]> = fc
  .tuple(fc.array(change, { minLength: 1, maxLength: 4 }), fc.boolean())
  .map(([list, isEarly]) => (isEarly ? list.map((one) => ({ ...one, at: one.at ** 4 })) : list));

export function changed(file: Uint8Array, list: readonly Change[]): Buffer<ArrayBuffer> {
  return list.reduce<Buffer<ArrayBuffer>>((bytes, one) => apply(bytes, one), Buffer.from(file));
}

function apply(bytes: Buffer<ArrayBuffer>, one: Change): Buffer<ArrayBuffer> {
  const at = Math.floor(one.at * bytes.length);
  const before = bytes.subarray(0, at);
  switch (one.do) {
    case 'flip':
      return withByte(bytes, at, (bytes[at] ?? 0) ^ (1 << one.bit));
    case 'set':
      return withByte(bytes, at, one.byte);
    case 'length': {
      if (bytes.length < 4) return bytes;
      const start = Math.min(at, bytes.length - 4);
      if (one.little) bytes.writeUInt32LE(one.value, start);
      else bytes.writeUInt32BE(one.value, start);
      return bytes;
    }
    case 'truncate':
      return before;
    case 'remove':
      return Buffer.concat([before, bytes.subarray(at + one.amount)]);
    case 'duplicate':
      return Buffer.concat([before, bytes.subarray(at, at + one.amount), bytes.subarray(at)]);
    case 'zero':
      return bytes.fill(0, at, Math.min(bytes.length, at + one.amount));
    case 'splice':
      return Buffer.concat([before, one.bytes, bytes.subarray(at)]);
  }
}

function withByte(bytes: Buffer<ArrayBuffer>, at: number, byte: number): Buffer<ArrayBuffer> {
  if (at < bytes.length) bytes[at] = byte;
  return bytes;
}
