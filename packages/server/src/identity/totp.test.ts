import { TOTP } from 'otpauth';
import { expect, it } from 'vitest';
import { randomUUID } from '../../../../test/support/random.js';
import { createTotp } from './totp.js';

const ada = { id: '5d6f0a4e-0000-4000-8000-000000000001', label: 'ada@example.com' };
const totp = createTotp('a secret for this test only, made up', 'Provenance registry');

it.each([
  ['1970-01-01T00:00:59Z', '94287082'],
  ['2005-03-18T01:58:29Z', '07081804'],
  ['2005-03-18T01:58:31Z', '14050471'],
  ['2009-02-13T23:31:30Z', '89005924'],
  ['2033-05-18T03:33:20Z', '69279037'],
  ['2603-10-11T11:33:20Z', '65353130'],
])('RFC 6238, appendix B: at %s the code of the test secret is %s', (time, code) => {
  const rfc = new TOTP({ digits: 8, secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' });
  expect(rfc.generate({ timestamp: Date.parse(time) })).toBe(code);
});

it('A URL names the issuer and the account, and gives the secret that is shown', () => {
  const { secret, url } = totp.create(ada);
  const parsed = new URL(url);
  expect(parsed.href).toMatch(/^otpauth:\/\/totp\/Provenance%20registry:ada%40example\.com\?/);
  expect(Object.fromEntries(parsed.searchParams)).toMatchObject({ issuer: 'Provenance registry', secret });
  expect(secret).toMatch(/^[A-Z2-7]{32}$/);
});

it('Codes of the current step and of the one before and after it are accepted, and no others', () => {
  const { secret, encryptedSecret } = totp.create(ada);
  const app = new TOTP({ secret });
  const now = new Date('2026-06-01T12:00:10Z');
  const step = Math.floor(now.getTime() / 30_000);
  const found = [-2, -1, 0, 1, 2].map((offset) =>
    totp.findStep(
      { userId: ada.id, secret: encryptedSecret },
      app.generate({ timestamp: now.getTime() + offset * 30_000 }),
      now,
    ),
  );
  expect(found).toEqual([undefined, step - 1, step, step + 1, undefined]);
});

it('A stored secret is encrypted, and of no use for another user or with another key', () => {
  const { secret, encryptedSecret } = totp.create(ada);
  const bytes = Buffer.from(new TOTP({ secret }).secret.bytes);
  expect(Buffer.from(encryptedSecret).includes(bytes)).toBe(false);
  const code = new TOTP({ secret }).generate();
  const stored = { userId: ada.id, secret: encryptedSecret };
  expect(totp.findStep(stored, code, new Date())).toBeDefined();
  expect(() => totp.findStep({ ...stored, userId: randomUUID() }, code, new Date())).toThrow();
  const other = createTotp('another secret for this test, made up', 'Registry');
  expect(() => other.findStep(stored, code, new Date())).toThrow('another SECOND_FACTOR_SECRET');
});
