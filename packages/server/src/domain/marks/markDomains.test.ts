// Which names of domains can be claimed.

import { expect, it } from 'vitest';
import { normalizeDomain } from './markDomains.js';

it.each([
  ['example.org', 'example.org'],
  ['Example.ORG', 'example.org'],
  ['news.example.co.uk', 'news.example.co.uk'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  // Cyrillic letters: what is shown is not "apple.com".
  ['аррӏе.com', 'xn--80ak6aa92e.com'],
  ['1and1.example', '1and1.example'],
  [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
])('"%s" is the domain %s', (text, domain) => expect(normalizeDomain(text)).toBe(domain));

it.each([
  '',
  'example',
  'localhost',
  'a.localhost',
  'printer.local',
  'db.internal',
  'a.test',
  'a.invalid',
  'a.onion',
  'a.home.arpa',
  '1.0.0.127.in-addr.arpa',
  '127.0.0.1',
  '0x7f.1',
  '2130706433',
  '1.2.3',
  '[::1]',
  '::1',
  'example.org.',
  '.example.org',
  'a..example',
  '-a.example',
  'a-.example',
  'a_b.example',
  '*.example.org',
  'example.org:443',
  'example.org/path',
  'https://example.org',
  'user@example.org',
  'example.org?x',
  'example.org#x',
  'exa%6dple.org',
  'exam ple.org',
  'example.org\n',
  'a\\b.example',
  `${'a'.repeat(64)}.example`,
  `${'a.'.repeat(124)}example`,
])('%j is none', (text) => expect(normalizeDomain(text)).toBeUndefined());
