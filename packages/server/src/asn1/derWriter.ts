// DER for the few structures of a time-stamp: a library takes ten times as long for the same bytes.

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  context0: 0xa0,
} as const;

export function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...lengthBytes(body.length)]), body]);
}

function lengthBytes(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 | bytes.length, ...bytes];
}

/** From big-endian two's complement, in the shortest form. */
export function derInteger(bytes: Uint8Array): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0 && ((bytes[start + 1] ?? 0) & 0x80) === 0) start += 1;
  return der(TAG.integer, bytes.subarray(start));
}

/** Throws if the element does not fit in the bytes. `whole` includes its header. */
export function readDer(bytes: Buffer, offset: number) {
  const tag = bytes[offset];
  const first = bytes[offset + 1];
  if (tag === undefined || first === undefined) throw new Error('DER ends too early');
  const extra = first < 0x80 ? 0 : first & 0x7f;
  if (extra > 4) throw new Error('DER element too long');
  const start = offset + 2 + extra;
  const length = extra === 0 ? first : bytes.readUIntBE(offset + 2, extra);
  const end = start + length;
  if (end > bytes.length) throw new Error('DER ends too early');
  return { tag, body: bytes.subarray(start, end), whole: bytes.subarray(offset, end), end };
}
