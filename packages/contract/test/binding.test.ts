// The texts that the contract reads and writes by itself: JSON, base64 and UUIDs, against what JavaScript makes of them.

import fc from 'fast-check';
import { bytesToHex, type Hex, parseEventLogs } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { contentRegistryAbi } from '../src/index.js';
import {
  argumentsOf,
  query,
  type Registry,
  random,
  registration,
  revertOf,
  startRegistry,
  uuidText,
} from './support/registry.js';

let registry: Registry;
beforeAll(async () => {
  registry = await startRegistry();
});

/** What the contract reads in a query: nothing is registered here, so it answers with what it looked for. */
async function readBy(text: string): Promise<string> {
  const refused = await revertOf(registry.read.getManifestByBinding([text]));
  if (refused?.name === 'InvalidBinding') return 'InvalidBinding';
  expect(refused?.name).toBe('ManifestNotFound');
  return String(refused?.args[0]);
}

/** The same, said in JavaScript. */
function expectedOf(text: string): string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return 'InvalidBinding';
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return 'InvalidBinding';
  const members = Object.entries(parsed);
  const [name, value] = members[0] ?? [];
  if (members.length !== 1 || name !== 'softBindingValue' || typeof value !== 'string') return 'InvalidBinding';
  if (!/^[\w+/-]{42}[AEIMQUYcgkosw048]=?$/.test(value)) return 'InvalidBinding';
  return bytesToHex(Buffer.from(value, 'base64url'));
}

const fingerprints = fc.uint8Array({ minLength: 32, maxLength: 32 });
const dialects = fc.constantFrom<(text: string) => string>(
  (text) => text,
  (text) => text.replaceAll('=', ''),
  (text) => text.replaceAll('+', '-').replaceAll('/', '_'),
  (text) => text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
);
/** Ways in which JSON writers put a character into a string. */
const spellings = fc.constantFrom<(character: string) => string>(
  (c) => c,
  (c) => (c === '/' ? '\\/' : c),
  (c) => (/[+/=]/.test(c) ? `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}` : c),
  (c) => `\\u${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
);
const spaces = fc.string({ unit: fc.constantFrom(' ', '\n', '\r', '\t'), maxLength: 3 });

const queries = fc
  .tuple(fingerprints, dialects, spellings, fc.tuple(spaces, spaces, spaces, spaces, spaces, spaces))
  .map(([bytes, dialect, spell, [a, b, c, d, e, f]]) => {
    const value = [...dialect(Buffer.from(bytes).toString('base64'))].map(spell).join('');
    return { bytes, text: `${a}{${b}"softBindingValue"${c}:${d}"${value}"${e}}${f}` };
  });

describe('a query', () => {
  it('is accepted in every form of base64 and JSON', async () => {
    await fc.assert(
      fc.asyncProperty(queries, async ({ bytes, text }) => {
        expect(await readBy(text)).toBe(bytesToHex(bytes));
        expect(expectedOf(text)).toBe(bytesToHex(bytes));
      }),
      { numRuns: 200 },
    );
  });

  it('that was damaged is parsed as JavaScript parses it, or rejected', async () => {
    const characters = fc.constantFrom(...'{}[]":,\\/u0041+=_-AZaz9 \n\u0000é', '\\u00', '\\"', '"":', '==');
    const damages = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 2 }), characters), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(queries, damages, async ({ text }, list) => {
        const damaged = list.reduce((before, [place, removed, added]) => {
          const at = place % (before.length + 1);
          return before.slice(0, at) + added + before.slice(at + removed);
        }, text);
        expect(await readBy(damaged)).toBe(expectedOf(damaged));
      }),
      { numRuns: 400 },
    );
  });

  const digest = 'A'.repeat(43);
  it.each([
    ['nothing', ''],
    ['an open brace', '{'],
    ['no member', '{}'],
    ['no object', `"${digest}"`],
    ['a list', `[{"softBindingValue":"${digest}"}]`],
    ['another member', `{"value":"${digest}"}`],
    ['one member more', `{"softBindingValue":"${digest}","alg":"sha256"}`],
    ['one member more before', `{"alg":"sha256","softBindingValue":"${digest}"}`],
    ['the member twice', `{"softBindingValue":"${digest}","softBindingValue":"${digest}"}`],
    ['a trailing comma', `{"softBindingValue":"${digest}",}`],
    ['text behind it', `{"softBindingValue":"${digest}"} x`],
    ['a value that is no string', '{"softBindingValue":43}'],
    ['an unclosed string', `{"softBindingValue":"${digest}`],
    ['an unclosed escape', '{"softBindingValue":"\\'],
    ['half a Unicode escape', '{"softBindingValue":"\\u00'],
    ['the hex form', `{"softBindingValue":"0x${'00'.repeat(32)}"}`],
    ['base64 of 31 bytes', `{"softBindingValue":"${'A'.repeat(42)}=="}`],
    ['base64 of 33 bytes', `{"softBindingValue":"${'A'.repeat(44)}"}`],
    ['base64 of the hex text', `{"softBindingValue":"${Buffer.from(`0x${'00'.repeat(32)}`).toString('base64')}"}`],
    ['padding twice', `{"softBindingValue":"${digest}=="}`],
    ['padding in the middle', `{"softBindingValue":"=${'A'.repeat(43)}"}`],
    ['bits beyond the 32 bytes', `{"softBindingValue":"${'A'.repeat(42)}B="}`],
    ['a space inside', `{"softBindingValue":"${'A'.repeat(20)} ${'A'.repeat(23)}"}`],
    ['a letter that is not ASCII', `{"softBindingValue":"\\u0141${'A'.repeat(42)}"}`],
    ['a space that JSON does not know', `\u00a0{"softBindingValue":"${digest}"}`],
  ])('is refused with %s', async (_, text) => {
    expect(await readBy(text)).toBe('InvalidBinding');
  });
});

describe('a result', () => {
  it('is JSON whatever the endpoints contain', async () => {
    const r = registration();
    await registry.registrar.write.registerManifest(argumentsOf(r));
    const texts = fc
      .string({ unit: fc.oneof(fc.constantFrom('"', '\\', '\n', '\u0000', '\u001f', '\u007f', '/'), fc.string()) })
      .filter((text) => text.length > 0 && Buffer.byteLength(text) <= 256);
    await fc.assert(
      fc.asyncProperty(fc.array(texts, { minLength: 1, maxLength: 4 }), async (endpoints) => {
        await registry.admin.write.setEndpoints([endpoints]);
        const answer = await registry.read.getManifestByBinding([query(r.fingerprint)]);
        expect(answer).toMatch(/^\{"endpoints":\["/);
        expect(JSON.parse(answer)).toEqual({ endpoints, manifestId: uuidText(r.manifestId) });
      }),
      { numRuns: 60 },
    );
  });
});

describe('an id', () => {
  it('is written as a lower-case UUID, in reads and in events', async () => {
    const ids = fc
      .uint8Array({ minLength: 16, maxLength: 16 })
      .filter((bytes) => bytes.some((byte) => byte !== 0))
      .map((bytes) => bytesToHex(bytes));
    await fc.assert(
      fc.asyncProperty(fc.array(ids, { minLength: 1, maxLength: 20 }), async (manifestIds) => {
        const batch = manifestIds.map((manifestId) => ({ ...registration(), manifestId }));
        const { logs } = await registry.receipt(await registry.registrar.write.registerManifests([batch]));
        const events = parseEventLogs({ abi: contentRegistryAbi, logs, eventName: 'SoftBindingRegistered' });
        const texts = manifestIds.map(uuidText);
        expect(events.map(({ args }) => args.manifestId)).toEqual(texts);
        const resolved = await Promise.all(
          batch.map(({ fingerprint }) => registry.read.resolveByBindingDetailed([fingerprint])),
        );
        expect(resolved.map(([, , manifestId]) => manifestId)).toEqual(texts);
      }),
      { numRuns: 40 },
    );
  });

  it.each(Array.from({ length: 16 }, (_, digit) => digit.toString(16)))('can be all %s', async (digit) => {
    // All zeros is not an id: one bit makes it one.
    const manifestId: Hex = digit === '0' ? `0x${'0'.repeat(31)}1` : `0x${digit.repeat(32)}`;
    const fingerprint = random(32);
    await registry.registrar.write.registerManifest([fingerprint, manifestId, random(32), random(32)]);
    expect((await registry.read.resolveByBindingDetailed([fingerprint]))[2]).toBe(uuidText(manifestId));
  });
});
