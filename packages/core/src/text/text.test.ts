import { Value } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { DisplayName, EmailAddress, isDisplayName, isEmailAddress, isUuid, mailboxOf, normalizeEmail } from './text.js';

describe('a name', () => {
  const Name = DisplayName('A name.');
  it.each(['Ada', 'a', 'Zoë Ünal', 'שָׁלוֹם', 'a\u200Fb', '🎨', 'x'.repeat(120), '🎨'.repeat(120)])(
    'may be %j',
    (name) => {
      expect([Value.Check(Name, name), isDisplayName(name)]).toEqual([true, true]);
    },
  );
  it.each([
    '',
    ' ',
    '\u3000',
    '\u200B',
    'a\tb',
    'a\u0007',
    'a\u0085',
    'a\u2028b',
    'a\u202Eb',
    'a\u2066b',
    'a\uDC00',
    'x'.repeat(121),
  ])('may not be %j', (name) => {
    expect(isDisplayName(name)).toBe(false);
  });
});

describe('an email address', () => {
  it.each(['a@b', 'ada+x@example.com', 'δοκιμή@παράδειγμα.gr'])('may be %s', (address) => {
    expect([Value.Check(EmailAddress, address), isEmailAddress(address)]).toEqual([true, true]);
  });
  it.each(['', '@', 'a@', '@b', 'a@b@c', 'a b@c', 'a@b\n', `${'a'.repeat(250)}@example.com`])(
    'may not be %j',
    (address) => {
      expect(isEmailAddress(address)).toBe(false);
    },
  );
  it('is the same in upper and lower case and in either Unicode normalization form', () => {
    expect(normalizeEmail('Zoe\u0308@Example.COM')).toBe(normalizeEmail('zo\u00eb@example.com'));
  });
  it.each([
    'ada+1@example.com',
    'Ada+a+b@EXAMPLE.com',
    '"ada"@example.com',
    '"a\\da+x"@example.com.',
    'ada+@example。com',
  ])('has the mailbox of ada@example.com as %j', (address) => {
    expect(mailboxOf(address)).toBe('ada@example.com');
  });
  it.each([
    'adam@example.com',
    'ad@example.com',
    'a.da@example.com',
    '+ada@example.com',
    'ada@example.co',
    'ada@a.example.com',
  ])('has another mailbox as %j', (address) => {
    expect(mailboxOf(address)).not.toBe('ada@example.com');
  });
});

describe('a UUID', () => {
  it('is recognized, and nothing else is', () => {
    expect(isUuid('5f1d7f1e-6a0b-4a0e-9f57-2d6c2f5f0b11')).toBe(true);
    for (const other of [
      undefined,
      7,
      '',
      '5f1d7f1e6a0b4a0e9f572d6c2f5f0b11',
      'urn:uuid:5f1d7f1e-6a0b-4a0e-9f57-2d6c2f5f0b11',
    ]) {
      expect(isUuid(other)).toBe(false);
    }
  });
});
