import { exampleArtifact } from '@provenance-registry/core';
import { expect, test } from 'vitest';
import type { Evidence } from './contradictions.js';
import type { ManifestEvidence, RegistryEvidence } from './evidence.js';
import { judge } from './verdict.js';

const { fingerprint, id } = exampleArtifact;
const nothing = { kind: 'nothing' } as const;
const unasked = { kind: 'unasked', reason: 'nobody asked' } as const;
const failed = { kind: 'failed', reason: 'no answer' } as const;

function service(word: Partial<RegistryEvidence> = {}): Evidence['registry'] {
  return { kind: 'found', value: { service: 'http://service', manifestId: id, ...word } };
}

function signed(word: Partial<ManifestEvidence> = {}): Evidence['manifest'] {
  const value: ManifestEvidence = {
    from: 'http://service',
    label: `urn:c2pa:${id}`,
    fingerprint,
    softBinding: fingerprint,
    failures: [],
    isTrusted: false,
    isTimestamped: false,
    signedBy: 'Signer',
    signedAt: undefined,
    stated: {},
    ...word,
  };
  return { kind: 'found', value };
}

function verdict(evidence: Partial<Evidence>): string {
  const rest = { fingerprint, registry: unasked, chain: unasked, manifest: unasked, hasTrustAnchors: false };
  return judge({ ...rest, ...evidence }).verdict;
}

test('the word of the service alone verifies nothing', () => {
  const pending = service({ artifact: { ...exampleArtifact, status: 'pending' } });
  expect(verdict({ registry: pending, chain: nothing, manifest: nothing })).toBe('incomplete');
  expect(verdict({ registry: pending, manifest: failed })).toBe('incomplete');
  expect(verdict({ registry: pending, chain: nothing, manifest: signed() })).toBe('verified');
});

test('what could not be asked is not unknown', () => {
  expect(verdict({ registry: nothing })).toBe('unknown');
  expect(verdict({ registry: nothing, chain: nothing, manifest: nothing })).toBe('unknown');
  expect(verdict({ registry: nothing, chain: failed })).toBe('incomplete');
  expect(verdict({ registry: failed, chain: nothing })).toBe('incomplete');
  expect(verdict({})).toBe('incomplete');
});

test.each<[string, Partial<ManifestEvidence>]>([
  ['whose signature is broken', { failures: ['claimSignature.mismatch'] }],
  ['of another file', { fingerprint: `0x${'1'.repeat(64)}` }],
  ['of a part of a file', { fingerprint: undefined }],
  ['with the soft binding of another file', { softBinding: `0x${'1'.repeat(64)}` }],
  ['of another Artifact', { label: 'urn:c2pa:other' }],
])('a manifest %s contradicts', (_, word) => {
  expect(verdict({ registry: service(), manifest: signed(word) })).toBe('contradicted');
});

test('who says whom to trust gets no yes from others', () => {
  expect(verdict({ registry: service(), manifest: signed(), hasTrustAnchors: true })).toBe('contradicted');
  expect(verdict({ registry: service(), manifest: signed({ isTrusted: true }), hasTrustAnchors: true })).toBe(
    'verified',
  );
});

test('what others say cannot move a cursor or turn a sentence around', () => {
  const evil = 'urn:c2pa:\u001b[2J\u202Eevil\n';
  const registry = service({ manifestId: evil, service: 'http://service/\u0007' });
  const { checks } = judge({
    fingerprint,
    registry,
    chain: unasked,
    manifest: signed({ label: evil, signedBy: `${evil}${'x'.repeat(1000)}` }),
    hasTrustAnchors: false,
  });
  for (const { proves, reason = '' } of Object.values(checks)) {
    expect(`${proves}${reason}`).not.toMatch(/[\p{C}]/u);
    expect(proves.length).toBeLessThan(1000);
  }
});
