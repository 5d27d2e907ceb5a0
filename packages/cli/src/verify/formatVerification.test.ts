import type { Fact } from '@provenance-registry/client';
import { expect, it } from 'vitest';
import { stripColors } from '../text.js';
import { createVerificationFormats } from './formats.js';
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
  checks: { registry: check, chain: check, manifest: check },
};
const contradicted = { ...result, verdict: 'contradicted' } as const;

function format(shown: FileResult, hasDetails: boolean) {
  const formats = createVerificationFormats({ hasDetails, columns: 100, advice: 'Advice.' });
  return { text: stripColors(formats.toText('a.jpg', shown)), cells: formats.toCells(shown) };
}

it("the service's own word is shown apart from facts, and not at all when something is contradicted", () => {
  const { text } = format(result, true);
  expect(text).toContain('  Facts and their evidence\n    Mark  Signed name  manifest\n');
  expect(text).toContain('  According to the service\n    Author  Stated name\n');
  expect(text).toContain('Advice.');
  expect(format(contradicted, true).text).not.toContain('Stated name');
});

it('lines and tables have only what is hashed or signed, and nothing of what is contradicted', () => {
  const line = format(result, false);
  expect(line.text).toMatch(/^consistent +Signed name +- +a\.jpg$/);
  expect(line.cells.slice(3, 5)).toEqual(['Signed name', undefined]);
  const disputed = format(contradicted, false);
  expect(disputed.text).toMatch(/^CONTRADICTED +- +- +a\.jpg$/);
  expect(disputed.cells.slice(3, 5)).toEqual([undefined, undefined]);
});
