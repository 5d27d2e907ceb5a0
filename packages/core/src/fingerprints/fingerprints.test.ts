import { describe, expect, it } from 'vitest';
import { canonicalJson, manifestHashOf } from '../metadata/metadataHash.js';
import { digestOf, fingerprintOf, parseSoftBindingValue, softBindingValue } from './fingerprints.js';

const fingerprint = '0x2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';
const value = 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=';

describe('a fingerprint', () => {
  it('converts to the base64 of its bytes and back', () => {
    expect(softBindingValue(fingerprint)).toBe(value);
    expect(fingerprintOf(digestOf(fingerprint))).toBe(fingerprint);
    expect(parseSoftBindingValue(value)).toBe(fingerprint);
  });

  it('is parsed from every base64 variant, and from nothing else', () => {
    const all = `0x${'fbff'.repeat(16)}` as const;
    const standard = softBindingValue(all);
    expect(standard).toContain('+');
    const urlSafe = standard.replaceAll('+', '-').replaceAll('/', '_');
    for (const form of [standard, urlSafe, standard.replace('=', ''), urlSafe.replace('=', '')]) {
      expect(parseSoftBindingValue(form)).toBe(all);
    }
    const others = [
      '',
      'x',
      fingerprint,
      `${value}=`,
      value.slice(1),
      `${value.slice(0, 42)}R=`,
      ` ${value}`,
      urlSafe.replace('-', '+'),
      standard.replace('+', '-'),
      `${value}\n`,
    ];
    for (const other of others) expect(parseSoftBindingValue(other)).toBeUndefined();
  });
});

describe('canonical JSON', () => {
  it('follows RFC 8785', () => {
    const sorted = {
      '\u20ac': 'Euro',
      '\r': 'Return',
      '\ufb33': 'Dalet',
      1: 'One',
      '\ud83d\ude00': 'Face',
      '\u0080': 'Control',
    };
    expect(Object.values(JSON.parse(canonicalJson(sorted)))).toEqual([
      'One',
      'Return',
      'Control',
      'Euro',
      'Face',
      'Dalet',
    ]);
    const numbers = { numbers: [333333333.3333333, 1e30, 4.5, 2e-3, 1e-27], string: '\u20ac$\u000f\nA\'B"\\\\"/' };
    expect(canonicalJson(numbers)).toBe(
      '{"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it('does not depend on the order of keys, and omits undefined values', () => {
    expect(canonicalJson({ b: [null, true], a: { d: undefined, c: 1 } })).toBe('{"a":{"c":1},"b":[null,true]}');
    expect(manifestHashOf({ a: 1, b: 2 })).toBe(manifestHashOf({ b: 2, a: 1 }));
    // keccak-256 of "{}", not SHA3-256.
    expect(manifestHashOf({})).toBe('0xb48d38f93eaa084033fc5970bf96e559c33c4cdc07d889ab00b4d63f9590739d');
  });
});
