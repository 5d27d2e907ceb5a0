import { type ClaimSummary, exampleArtifact, exampleMark, manifestHashOf } from '@provenance-registry/core';
import { expect, test } from 'vitest';
import { buildVerification } from './buildVerification.js';
import type { Evidence } from './contradictions.js';
import type { ManifestEvidence, RegistryEvidence } from './evidence.js';

const { fingerprint, id } = exampleArtifact;
const absent = { kind: 'absent' } as const;
const skipped = { kind: 'skipped', reason: 'not given' } as const;
const failed = { kind: 'failed', reason: 'no response' } as const;

const manifestDigest = `0x${'d'.repeat(64)}` as const;
/** What the sources of a test have, unless it says otherwise. */
const notAsked = {
  fingerprint,
  chain: skipped,
  manifest: skipped,
  log: skipped,
  hasTrustAnchors: false,
  hasLogKeys: false,
};

function registryResult(evidence: Partial<RegistryEvidence> = {}): Evidence['registry'] {
  return { kind: 'found', value: { service: 'http://service', manifestId: id, ...evidence } };
}

function manifestResult(evidence: Partial<ManifestEvidence> = {}): Evidence['manifest'] {
  const value: ManifestEvidence = {
    from: 'http://service',
    label: `urn:c2pa:${id}`,
    digest: manifestDigest,
    fingerprint,
    softBinding: fingerprint,
    failures: [],
    trustedBy: undefined,
    signedBy: 'Signer',
    signer: undefined,
    timestamp: undefined,
    claims: {},
    ...evidence,
  };
  return { kind: 'found', value };
}

function verdictOf(evidence: Partial<Evidence>): string {
  return buildVerification({ ...notAsked, registry: skipped, ...evidence }).verdict;
}

test('the word of the service alone is at most consistent', () => {
  const pending = registryResult({ artifact: { ...exampleArtifact, status: 'pending' } });
  expect(verdictOf({ registry: pending, chain: absent, manifest: absent })).toBe('consistent');
  expect(verdictOf({ registry: pending, manifest: failed })).toBe('incomplete');
  expect(verdictOf({ registry: pending, chain: absent, manifest: manifestResult() })).toBe('consistent');
  expect(verdictOf({ registry: pending, manifest: manifestResult({ trustedBy: 'service' }) })).toBe('consistent');
});

test('a service that has no record of what it registered, or no manifest of what it published, is contradicted', () => {
  expect(verdictOf({ registry: registryResult() })).toBe('contradicted');
  const submitted = registryResult({ artifact: { ...exampleArtifact, status: 'submitted' } });
  expect(verdictOf({ registry: submitted, manifest: absent })).toBe('contradicted');
});

test('a source that could not be read makes the verdict incomplete, not unknown', () => {
  expect(verdictOf({ registry: absent })).toBe('unknown');
  expect(verdictOf({ registry: absent, chain: absent, manifest: absent })).toBe('unknown');
  expect(verdictOf({ registry: absent, chain: failed })).toBe('incomplete');
  expect(verdictOf({ registry: failed, chain: absent })).toBe('incomplete');
  expect(verdictOf({})).toBe('incomplete');
});

test.each<[string, Partial<ManifestEvidence>]>([
  ['with an invalid signature', { failures: ['claimSignature.mismatch'] }],
  ['for another file', { fingerprint: `0x${'1'.repeat(64)}` }],
  ['for a part of a file', { fingerprint: undefined }],
  ['with a soft binding for another file', { softBinding: `0x${'1'.repeat(64)}` }],
  ['of another Artifact', { label: 'urn:c2pa:other' }],
])('a manifest %s is contradicted', (_, evidence) => {
  expect(verdictOf({ registry: registryResult(), manifest: manifestResult(evidence) })).toBe('contradicted');
});

test('with trust anchors, a manifest verifies only when its signer is trusted', () => {
  const registry = registryResult({ artifact: exampleArtifact });
  const verdictFor = (trustedBy: ManifestEvidence['trustedBy']) =>
    verdictOf({ registry, manifest: manifestResult({ trustedBy }), hasTrustAnchors: true });
  expect([verdictFor(undefined), verdictFor('service'), verdictFor('caller')]).toEqual([
    'contradicted',
    'contradicted',
    'verified',
  ]);
});

test('roots that were named and not used, because the manifest could not be read, make it incomplete if nothing else confirms', () => {
  const registry = registryResult({ artifact: { ...exampleArtifact, status: 'submitted' } });
  const entry = { source: 'curated', endpoints: [], manifestId: id, manifestHash: '' } as const;
  const chainOf = (isIndependent: boolean): Evidence['chain'] => ({
    kind: 'found',
    value: {
      from: isIndependent ? 'caller' : 'service',
      isIndependent,
      chainId: 1,
      address: '0x1',
      addressFrom: isIndependent ? 'caller' : 'service',
      entry: { ...entry, manifestHash: manifestHashOf(exampleArtifact.metadata) },
      problems: [],
      notices: [],
    },
  });
  const verdictWith = (chain: Evidence['chain'], hasTrustAnchors: boolean) =>
    verdictOf({ registry, chain, manifest: failed, hasTrustAnchors });
  expect(verdictWith(chainOf(false), true)).toBe('incomplete');
  expect(verdictWith(chainOf(false), false)).toBe('consistent');
  expect(verdictWith(chainOf(true), true)).toBe('verified');
});

const verified = { manifest: manifestResult({ trustedBy: 'caller' }), hasTrustAnchors: true };
const noClaims = exampleArtifact.claims;
const otherMark = { id, name: 'Another' };

test.each<[string, Partial<ClaimSummary>, trusted: string, untrusted: string]>([
  ['none', {}, 'verified', 'consistent'],
  ['open ones without checked evidence', { open: 2 }, 'verified', 'consistent'],
  ['one with checked evidence', { contested: true, open: 1, checked: 1 }, 'contested', 'contested'],
  ['a checked one that the service does not call contested', { open: 1, checked: 1 }, 'contested', 'contested'],
  ['a conceded one', { supersededBy: otherMark }, 'superseded', 'superseded'],
  ['a conceded and a checked one', { contested: true, supersededBy: otherMark }, 'contested', 'contested'],
])('with claims, %s, the verdict is of its own, and nothing else changes', (_, claims, trusted, untrusted) => {
  const build = (evidence: Partial<Evidence>) => {
    const registry = registryResult({ artifact: { ...exampleArtifact, claims: { ...noClaims, ...claims } } });
    return buildVerification({ ...notAsked, ...evidence, registry });
  };
  const [independent, dependent] = [build(verified), build({ manifest: manifestResult() })];
  expect([independent.verdict, independent.independentSources]).toEqual([trusted, ['manifest']]);
  expect([dependent.verdict, dependent.independentSources]).toEqual([untrusted, []]);
  expect(independent.checks.registry.details.claims).toEqual({ ...noClaims, ...claims });
  // What could not be checked stays so, and contradictions come first.
  expect(build({ manifest: failed }).verdict).toBe('incomplete');
  expect(build({ manifest: manifestResult({ failures: ['x'] }) }).verdict).toBe('contradicted');
});

test('what the service says about possession, authorship and domains is its word', () => {
  const artifact = { ...exampleArtifact, metadata: { ...exampleArtifact.metadata, fileSeen: true }, fileSeen: true };
  const { facts, checks } = buildVerification({ ...notAsked, ...verified, registry: registryResult({ artifact }) });
  const carried = facts.filter(({ name }) => name === 'fileSeen' || name === 'authorshipStated');
  expect(carried).toEqual([
    { name: 'fileSeen', value: true, evidence: ['service'] },
    { name: 'authorshipStated', value: true, evidence: ['service'] },
  ]);
  const { createdAt, artifactCount, namesakeCount, representedBy, verifiedDomains } = exampleMark;
  expect(checks.registry.details).toMatchObject({
    mark: { createdAt, artifactCount, namesakeCount, representedBy },
    verifiedDomains,
    domainsAtRegistration: [{ domain: 'lovelace.example', until: null }],
  });
});

test('a record that shows another possession than it recorded is contradicted', () => {
  expect(verdictOf({ registry: registryResult({ artifact: { ...exampleArtifact, fileSeen: true } }) })).toBe(
    'contradicted',
  );
});

test('a Mark without all of its fields is not described', () => {
  const mark = { id: exampleMark.id, visibility: 'private', name: 'Half' } as const;
  const registry = registryResult({ artifact: { ...exampleArtifact, mark } });
  const { details } = buildVerification({ ...notAsked, ...verified, registry }).checks.registry;
  expect(details).not.toHaveProperty('mark');
  expect(details).not.toHaveProperty('verifiedDomains');
});

test('text from sources cannot contain terminal control sequences or bidirectional overrides', () => {
  const hostile = 'urn:c2pa:\u001b[2J\u202Eevil\n';
  const registry = registryResult({ manifestId: hostile, service: 'http://service/\u0007' });
  const { checks } = buildVerification({
    ...notAsked,
    registry,
    manifest: manifestResult({ label: hostile, signedBy: `${hostile}${'x'.repeat(1000)}` }),
  });
  for (const { proves, reason = '' } of Object.values(checks)) {
    expect(`${proves}${reason}`).not.toMatch(/[\p{C}]/u);
    expect(proves.length).toBeLessThan(1000);
  }
});
