// Writes DER. Writing a time-stamp takes a library ten times as long.

const INTEGER = 0x02;

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

/** Writes an integer from big-endian two's complement, in the shortest form. */
export function derInteger(bytes: Uint8Array): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0 && ((bytes[start + 1] ?? 0) & 0x80) === 0) start += 1;
  return der(INTEGER, bytes.subarray(start));
}
