import { expect, it } from 'vitest';
import { createCommonPasswords } from '../../identity/commonPasswords.js';
import { requireStrongPassword } from './passwordRules.js';

const ports = { commonPasswords: createCommonPasswords() };
const ada = { email: 'ada.lovelace@example.com', name: 'Ada King' };

it.each([
  ['1234567890', /most common/],
  ['qwertyuiop', /most common/],
  ['QwertyUIOP', /most common/],
  ['ｑｗｅｒｔｙｕｉｏｐ', /most common/],
  ['manchester', /most common/],
  ['manchester!', /most common/],
  ['1-basketball-1', /most common/],
  ['aaaaaaaaaa', /repeats/],
  ['abcabcabcabc', /repeats/],
  ['xk2xk2xk2xk', /repeats/],
  ['👍👍👍👍👍👍👍👍👍👍', /repeats/],
  ['98765432109', /sequence/],
  ['abcdefghij', /sequence/],
  ['lkjhgfdsa321', /sequence/],
  ['aaaaabbbbb1', /sequence/],
  ['йцукенгшщзх', /sequence/],
  ['Password123!', /often used/],
  ['password-2026', /often used/],
  ['iloveyou654321', /often used/],
  ['ada.lovelace@example.com', /email address or name/],
  ['Ada.Lovelace1815', /email address or name/],
  ['ada-king-1815', /email address or name/],
  ['kingkingking1', /email address or name/],
  ['!!Ada King!!', /email address or name/],
])('refuses %s', (password, reason) => {
  expect(() => requireStrongPassword(ports, password, ada, 'newPassword')).toThrow(
    expect.objectContaining({
      code: 'BAD_REQUEST',
      message: expect.stringMatching(reason),
      problems: [{ path: '/newPassword', message: expect.stringMatching(reason) }],
    }),
  );
});

it.each([
  'correct horse battery',
  'staple battery horse',
  'password-of-this-test',
  'café au lait',
  'ada knows twelve engines',
  'dGq1a9x_Ks',
  '7402 9916 3358',
])('accepts %s', (password) => {
  expect(() => requireStrongPassword(ports, password, ada, 'password')).not.toThrow();
  expect(() => requireStrongPassword(ports, password, { email: null, name: 'X' }, 'password')).not.toThrow();
});
