import { apiKeyPattern } from '@provenance-registry/core';
import { expect, it } from 'vitest';
import { generateToken } from './apiKeys.js';

it('A token has 22 characters, each of the 62 equally likely', () => {
  const tokens = Array.from({ length: 20_000 }, generateToken);
  expect(tokens.every((token) => apiKeyPattern.test(token))).toBe(true);
  expect(new Set(tokens).size).toBe(tokens.length);
  const counts = new Map<string, number>();
  for (const character of tokens.map((token) => token.slice(4)).join('')) {
    counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  // Chi-squared with 61 degrees of freedom: above 140 once in ten million times. A remainder of 256 by 62 gives over 2,000.
  const expected = (20_000 * 22) / 62;
  const chiSquared = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  expect(counts.size).toBe(62);
  expect(chiSquared).toBeLessThan(140);
});
