import type { Fact } from '@provenance-registry/client';
import type { ClaimSummary } from '@provenance-registry/core';
import { expect, it } from 'vitest';
import { stripColors } from '../text.js';
import { createVerificationFormats, verdictExitCodes } from './formats.js';
import type { FileResult } from './verifier.js';

const check = { state: 'confirmed', proves: 'Something.', details: {} } as const;
const facts: readonly Fact[] = [
  { name: 'mark', value: 'Signed name', evidence: ['manifest'] },
  { name: 'author', value: 'Stated name', evidence: ['service'] },
];
const result: FileResult = {
  fingerprint: '0x2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
  verdict: 'consistent',
  independentSources: [],
  facts,
  times: [],
  problems: [],
  notices: [],
  checks: { registry: check, chain: check, manifest: check, log: check },
};
const contradicted = { ...result, verdict: 'contradicted' } as const;

function format(shown: FileResult, hasDetails: boolean) {
  const formats = createVerificationFormats({ hasDetails, columns: 100, advise: () => 'Advice.' });
  return { text: stripColors(formats.toText('a.jpg', shown)), cells: formats.toCells(shown) };
}

it("the service's own word is shown apart from facts, and not at all when something is contradicted", () => {
  const { text } = format(result, true);
  expect(text).toContain('  Facts and their evidence\n    Mark  Signed name  manifest\n');
  expect(text).toContain('  According to the service\n    Author  Stated name\n');
  expect(text).toContain('Advice.');
  expect(format(contradicted, true).text).not.toContain('Stated name');
});

it('dates that nothing named has proven are shown only as the word of the service, or of the maker of a bundle', () => {
  const at = '2001-01-01T00:00:00.000Z';
  const signed = { ...check, details: { signedAt: at } } as const;
  const proof = {
    state: 'unavailable',
    code: 'NOT_PROVEN',
    reason: 'The block was not compared.',
    proves: `Since block 7 of ${at}.`,
    details: { from: 'bundle', blockTime: at },
  } as const;
  const shown = (isIndependent: boolean): FileResult => ({
    ...result,
    verdict: 'verified',
    times: [{ source: 'timestamp', at, isIndependent }],
    checks: { ...result.checks, chain: proof, manifest: signed },
  });
  const show = (one: FileResult) =>
    stripColors(
      createVerificationFormats({
        hasDetails: true,
        columns: 100,
        advise: () => undefined,
        maker: 'the maker of the bundle',
      }).toText('a.jpg', one),
    ).split('  According to the maker of the bundle\n');
  const [proven, word] = show(shown(false));
  expect(proven).not.toContain(at);
  expect(word).toMatch(new RegExp(`^ +Time-stamp of the manifest +${at}$[^]*^ +Since block 7 of ${at}\\.$`, 'm'));
  expect(show(shown(true))[0]).toMatch(new RegExp(`^ +Signed at +${at}$`, 'm'));
});

it('the identity in a manifest is shown only if the manifest is confirmed', () => {
  const domains = [{ domain: 'lovelace.example', verifiedAt: '2026-01-02T03:04:05Z' }];
  const withIdentity = (issuer: string, state: 'confirmed' | 'contradicted'): FileResult => ({
    ...result,
    checks: { ...result.checks, manifest: { ...check, state, details: { identity: { issuer, domains } } } },
  });
  const line = 'Identity: lovelace.example, checked by did:web:registry.example on 2026-01-02T03:04:05Z.';
  expect(format(withIdentity('did:web:registry.example', 'confirmed'), true).text).toContain(`\n    ${line}`);
  expect(format(withIdentity('did:web:registry.example', 'contradicted'), true).text).not.toContain('Identity:');
  const key = `did:jwk:${'a'.repeat(60)}`;
  expect(format(withIdentity(key, 'confirmed'), true).text).toContain(`checked by ${key.slice(0, 24)}… on`);
});

it('a manifest in the file is described in the words of the page, with codes and names that have none as they are', () => {
  const embedded: NonNullable<FileResult['embedded']> = {
    state: 'invalid',
    failures: ['assertion.dataHash.mismatch', 'constructor'],
    history: [{ actions: [{ action: 'c2pa.cropped' }, { action: 'constructor' }], failures: [] }],
    omittedSteps: 0,
    permissions: { ai_training: 'constrained', own_use: 'allowed' },
  };
  const words = format({ ...result, embedded }, true).text.replaceAll(/\s+/g, ' ');
  expect(words).toContain(
    'Manifest in the file: INVALID The file or its manifest was changed after it was signed, or could have been without ' +
      'notice. Do not rely on what they state. The content of the file was changed. (assertion.dataHash.mismatch) ' +
      'constructor The signer says: training AI: allowed under conditions only, own_use: allowed.',
  );
  expect(words).toContain('- This file: Cropped, constructor. No manifest.');
});

const domain = { domain: 'lovelace.example', method: 'dns', since: '2026-01-01T00:00:00.000Z' } as const;
const withWord = (claims: ClaimSummary, independentSources: FileResult['independentSources']): FileResult => ({
  ...result,
  ...(claims.contested
    ? { verdict: 'contested', reason: { code: 'CONTESTED', text: 'Another user contests it.' } }
    : claims.supersededBy
      ? { verdict: 'superseded', reason: { code: 'SUPERSEDED', text: 'It was conceded to another Mark.' } }
      : { verdict: 'verified' }),
  independentSources,
  facts: [
    { name: 'mark', value: 'Then', evidence: ['chain'] },
    { name: 'currentMarkName', value: 'Now', evidence: ['service'] },
    { name: 'fileSeen', value: false, evidence: ['chain'] },
    { name: 'authorshipStated', value: true, evidence: ['service'] },
  ],
  checks: {
    ...result.checks,
    registry: {
      ...check,
      details: {
        claims,
        mark: {
          createdAt: domain.since,
          artifactCount: 12,
          namesakeCount: 2,
          representedBy: { id: 'x', name: 'Heir' },
        },
        verifiedDomains: [{ ...domain, lastChecked: domain.since, verifiedAtRegistration: false }],
        domainsAtRegistration: [{ ...domain, domain: 'old.example', until: domain.since }],
      },
    },
  },
});
const noClaims = { contested: false, open: 0, checked: 0, supersededBy: null };

it('who stands behind a Mark is shown as the word of the service', () => {
  const { text } = format(withWord(noClaims, ['chain']), true);
  const [facts = '', word = ''] = text.split('According to the service\n');
  expect(facts).toMatch(/Mark +registered as "Then" \(now called "Now", according to the service\) +chain$/m);
  expect(facts).toMatch(/Possession +not shown: only the fingerprint was sent +chain$/m);
  expect(word).toMatch(
    /^ +Identity +lovelace\.example, verified after registration; old\.example at registration, no\n +longer verified$/m,
  );
  expect(word).toMatch(/^ +Mark since +2026-01-01T00:00:00\.000Z\n +Artifacts +12\n +Namesakes +2 other public Marks/m);
  expect(word).toMatch(/^ +Represented by +Heir\n +Claims +none$/m);
  expect(word).toMatch(/^ +Statement +The registrant stated to have made this file/m);
  expect(facts).not.toMatch(/lovelace|Heir|stated/);
});

it.each([
  [
    { ...noClaims, contested: true, open: 2, checked: 1 },
    /^a\.jpg: contested\n.*\n {2}Registered, contested\. The chain confirms .* Another user contests it\./,
    /Claims +Contested: 1 open claim with checked evidence .* 1 open claim without checked evidence\./,
  ],
  [
    { ...noClaims, supersededBy: { id: 'x', name: 'Heir\u001b[2J\u202E' } },
    /^a\.jpg: superseded\n.*\n {2}Registered, superseded\. .* It was conceded to another Mark\./,
    /Superseded by +Heir\\u001b\[2J\\u202e/,
  ],
])('a dispute has a verdict and words of its own, and no exit code of success', (claims, verdict, word) => {
  const disputed = withWord(claims, ['chain']);
  const shown = createVerificationFormats({ hasDetails: true, columns: 1000, advise: () => 'Advice.' }).toText(
    'a.jpg',
    disputed,
  );
  expect(stripColors(shown)).toMatch(verdict);
  expect(stripColors(shown)).toMatch(word);
  expect(stripColors(shown)).toMatch(/\n {2}Next: Advice\.$/);
  expect(format(disputed, false).text).toMatch(/^(contested|superseded) +Then +- +a\.jpg$/);
  expect(verdictExitCodes[disputed.verdict]).toBe(1);
});

it('without the word of the service it is not known whether a registration is contested', () => {
  expect(format(result, true).text).toContain('Whether another user contests it is not known');
  expect(format(withWord(noClaims, []), true).text).not.toContain('is not known');
});

it('lines and tables have only what is hashed or signed, and nothing of what is contradicted', () => {
  const line = format(result, false);
  expect(line.text).toMatch(/^consistent +Signed name +- +a\.jpg$/);
  expect(line.cells.slice(3, 5)).toEqual(['Signed name', undefined]);
  const disputed = format(contradicted, false);
  expect(disputed.text).toMatch(/^CONTRADICTED +- +- +a\.jpg$/);
  expect(disputed.cells.slice(3, 5)).toEqual([undefined, undefined]);
});
