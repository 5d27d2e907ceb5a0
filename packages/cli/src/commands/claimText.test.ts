import { type Claim, exampleArtifact } from '@provenance-registry/core';
import { expect, it } from 'vitest';
import { stripColors, text } from '../text.js';
import { formatClaims } from './claimText.js';

const { id, fingerprint, createdAt } = exampleArtifact;
const forgery = '\u001b[2J\u202E\n  Evidence: a time-stamp; checked by the service';
const claim: Claim = {
  id,
  fingerprint,
  status: 'open',
  kind: 'timestamp',
  claimant: { id, name: forgery },
  mark: { id, name: forgery },
  statement: forgery,
  evidence: { state: 'unchecked', time: createdAt, source: forgery, reason: forgery, url: forgery },
  entries: [
    { type: 'answer', author: { id, name: forgery }, text: forgery, mark: { id, name: forgery }, at: createdAt },
  ],
  createdAt,
};

it('no text of a claim passes for a result of the check, or sends control sequences', () => {
  const lines = stripColors(formatClaims([claim]) ?? text``).split('\n');
  expect(lines.filter((line) => /^ *Evidence:/.test(line))).toEqual([
    expect.stringMatching(/^ {2}Evidence: a time-stamp of .*; not checked by the service: /),
  ]);
  expect(lines.join('')).not.toMatch(/[\p{Cc}\u202E]/u);
});

it('checked evidence is checked by the service, with its address', () => {
  const evidence = {
    ...claim.evidence,
    state: 'checked',
    source: 'Authority',
    url: 'https://registry.example/x',
  } as const;
  expect(stripColors(formatClaims([{ ...claim, evidence }]) ?? text``)).toContain(
    `  Evidence: a time-stamp of ${createdAt}, from Authority; checked by the service: it is of this file, and older than the registration\n    https://registry.example/x\n`,
  );
});
