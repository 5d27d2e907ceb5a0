// The forms of fingerprints, and the one form of JSON that is hashed.

import { describe, expect, it } from 'vitest';
import {
  canonicalJson,
  digestOf,
  fingerprintOf,
  fingerprintOfValue,
  manifestHashOf,
  softBindingValue,
} from './fingerprints.js';

const fingerprint = '0x2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';
const value = 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=';

describe('a fingerprint', () => {
  it('becomes the base64 of its bytes, and is found again from it', () => {
    expect(softBindingValue(fingerprint)).toBe(value);
    expect(fingerprintOf(digestOf(fingerprint))).toBe(fingerprint);
    expect(fingerprintOfValue(value)).toBe(fingerprint);
  });

  it('is found in every way of writing base64, and in nothing else', () => {
    const all = `0x${'fbff'.repeat(16)}` as const;
    const standard = softBindingValue(all);
    expect(standard).toContain('+');
    const urlSafe = standard.replaceAll('+', '-').replaceAll('/', '_');
    for (const form of [standard, urlSafe, standard.replace('=', ''), urlSafe.replace('=', '')]) {
      expect(fingerprintOfValue(form)).toBe(all);
    }
    const others = [
      '',
      'x',
      fingerprint,
      `${value}=`,
      value.slice(1),
      `${value.slice(0, 42)}R=`,
      ` ${value}`,
      `${value}\n`,
    ];
    for (const other of others) expect(fingerprintOfValue(other)).toBeUndefined();
  });
});

describe('canonical JSON', () => {
  it('is that of RFC 8785', () => {
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

  it('does not depend on the order of members, and leaves out what is not there', () => {
    expect(canonicalJson({ b: [null, true], a: { d: undefined, c: 1 } })).toBe('{"a":{"c":1},"b":[null,true]}');
    expect(manifestHashOf({ a: 1, b: 2 })).toBe(manifestHashOf({ b: 2, a: 1 }));
    // keccak-256 of "{}", not SHA3-256.
    expect(manifestHashOf({})).toBe('0xb48d38f93eaa084033fc5970bf96e559c33c4cdc07d889ab00b4d63f9590739d');
  });
});
