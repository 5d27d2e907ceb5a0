// Limits of JSON bodies: every valid body fits, in whatever form clients write it, and no operation takes much more.

import { describe, expect, it } from 'vitest';
import { jsonLimitsOf } from './bodyLimits.js';
import { api } from './index.js';
import { exampleIds, type Operation } from './operation.js';

/** As clients write it that escape all but ASCII, with much indentation. */
function writeLarge(body: object): string {
  const escapeCharacter = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(body, null, 4).replace(/[^\x20-\x7e\n]/g, escapeCharacter);
}

const wide = (count: number) => '😀'.repeat(count);
const constrained = { use: 'constrained', constraint: wide(500) };
const uses = ['data_mining', 'ai_inference', 'ai_training', 'ai_generative_training'];
const mark = {
  name: wide(120),
  visibility: 'private',
  license: 'CC-BY-NC-ND-4.0',
  allowAiTraining: false,
  aiPreferences: Object.fromEntries(uses.map((use) => [use, constrained])),
  organizationId: exampleIds.ORGANIZATION_ID,
};
const artifact = {
  markId: exampleIds.MARK_ID,
  fingerprint: `0x${'ab'.repeat(32)}`,
  filename: wide(1_024),
  mediaType: `text/plain;a="${wide(120)}"`,
  size: Number.MAX_SAFE_INTEGER,
  lastModified: '2026-06-01T12:00:00.123456789+00:00',
  previousFingerprint: `0x${'cd'.repeat(32)}`,
  digitalSourceType: 'compositeWithTrainedAlgorithmicMedia',
  authorshipStated: false,
  pHash: '0x0123456789abcdef',
  dHash: '0x0123456789abcdef',
  pHashCenter90: '0x0123456789abcdef',
  pHashCenter80: '0x0123456789abcdef',
  chromaprint: `AQA${'x'.repeat(16_381)}`,
};

describe('the largest valid body fits', () => {
  it.each<[Operation, object]>([
    [api.createMark, mark],
    [api.updateMark, mark],
    [api.createArtifact, artifact],
    [api.createManifest, artifact],
    [api.signUp, { email: `${wide(120)}@example.com`, password: wide(1_000), name: wide(120) }],
    [api.addOperatorNote, { text: wide(2_000) }],
    [api.logOut, {}],
    [api.lookUpFingerprints, { fingerprints: Array.from({ length: 10_000 }, () => artifact.fingerprint) }],
  ])('of $id', (operation, body) => {
    expect(writeLarge(body).length).toBeLessThanOrEqual(jsonLimitsOf(operation).maxBytes);
  });
});

it('No operation takes more than its largest body, and only lists take more than 128 KB', () => {
  const operations = Object.values<Operation>(api);
  const large = operations.filter((operation) => jsonLimitsOf(operation).maxBytes > 131_072);
  expect(large.map(({ id }) => id)).toEqual(['createArtifacts', 'lookUpFingerprints']);
  const withoutBody = operations.filter(({ body }) => !body);
  expect(new Set(withoutBody.map((operation) => jsonLimitsOf(operation).maxBytes > 70_000))).toEqual(new Set([false]));
});
