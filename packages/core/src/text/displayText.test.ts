import { expect, test } from 'vitest';
import { exampleArtifact } from '../api/artifacts/artifactRecord.js';
import { exampleMark } from '../api/marks/marks.js';
import {
  artifactTitle,
  describeClaims,
  describeIdentity,
  describeNameChange,
  describeNamesakes,
  describePossession,
  formatName,
  listMarkFacts,
} from './displayText.js';

const withoutIsolates = (text: string | undefined) => text?.replace(/[\u2068\u2069]/g, '');
const [domain] = exampleArtifact.verifiedDomains;
const [domainThen] = exampleArtifact.domainsAtRegistration;
const unverified = { verifiedDomains: [], domainsAtRegistration: [] };

test('a title names the file, its Mark and what is verified about it, as far as the reader may see them', () => {
  const title = (changes: Partial<typeof exampleArtifact>) =>
    withoutIsolates(artifactTitle({ ...exampleArtifact, ...changes }));
  const by = 'sunrise.jpg, registered by Ada Lovelace Photography';
  expect(title({})).toBe(`${by} (lovelace.example)`);
  expect(title(unverified)).toBe(`${by} (no verified identity)`);
  expect(title({ verifiedDomains: domain ? [{ ...domain, verifiedAtRegistration: false }] : [] })).toBe(
    `${by} (lovelace.example, verified after registration)`,
  );
  expect(title({ verifiedDomains: [], domainsAtRegistration: domainThen ? [domainThen] : [] })).toBe(
    `${by} (no verified identity; lovelace.example at registration, no longer verified)`,
  );
  expect(title({ ...unverified, mark: { ...exampleMark, name: 'Reuters' } })).toBe(
    `${by}, now called Reuters (no verified identity)`,
  );
  const mark = { id: exampleMark.id, visibility: 'private' } as const;
  expect(title({ ...unverified, mark, metadata: { kind: 'audio' } })).toBe(
    'A recording, registered under a private Mark',
  );
  expect(title({ metadata: { kind: 'other' }, status: 'failed' })).toBe('A file, not registered');
});

test('a name change is stated with both names', () => {
  expect(describeNameChange(exampleArtifact)).toBeUndefined();
  expect(withoutIsolates(describeNameChange({ ...exampleArtifact, mark: { ...exampleMark, name: 'Reuters' } }))).toBe(
    'Registered as Ada Lovelace Photography; the Mark is now called Reuters.',
  );
});

test('a Mark is told from its namesakes by domain, age and number of Artifacts', () => {
  expect(listMarkFacts(exampleMark, (time) => time.slice(0, 4))).toEqual([
    'lovelace.example',
    `Mark since ${exampleMark.createdAt.slice(0, 4)}`,
    '12 Artifacts',
  ]);
  expect(describeIdentity({ verifiedDomains: [] })).toBe('No verified identity');
  // The end of a domain tells whose it is.
  const long = { domain: `reuters.com.${'a'.repeat(60)}.example`, method: 'dns', since: '', lastChecked: '' } as const;
  expect(describeIdentity({ verifiedDomains: [long] })).toMatch(/^…a+\.example$/);
  expect([0, 1, 2, 100].map((namesakeCount) => describeNamesakes({ namesakeCount }))).toEqual([
    undefined,
    'Another public Mark has a name that looks like this one.',
    '2 other public Marks have names that look like this one.',
    '100 or more other public Marks have names that look like this one.',
  ]);
});

test('possession is claimed only as far as the service has read the file', () => {
  const [rendition] = [
    { fingerprint: exampleArtifact.fingerprint, kind: 'signed-image', mediaType: 'image/png' } as const,
  ];
  const renditions = [{ ...rendition, status: 'pending', transactionHash: null, createdAt: '' } as const];
  expect(describePossession({ fileSeen: true, renditions: [] })).toBe('The service read this file at registration.');
  expect(describePossession({ fileSeen: false, renditions: [] })).toBe(
    'Only the fingerprint was sent: nothing shows that the registrant had the file.',
  );
  expect(describePossession({ fileSeen: false, renditions })).toContain('The service read the file later');
});

test('claims are counted apart by whether their evidence was checked', () => {
  const none = { contested: false, open: 0, checked: 0, supersededBy: null };
  expect(describeClaims(none)).toBeUndefined();
  expect(describeClaims({ ...none, contested: true, open: 3, checked: 1 })).toBe(
    'Contested: 1 open claim with checked evidence that is older than this registration. ' +
      '2 open claims without checked evidence.',
  );
  expect(withoutIsolates(describeClaims({ ...none, supersededBy: { id: exampleMark.id, name: 'Ada' } }))).toBe(
    "The Mark's admin conceded this file to the Mark Ada.",
  );
});

test('a long name is cut between characters, and hidden characters in it are shown', () => {
  expect(formatName('🌄'.repeat(100), 5)).toBe('\u2068🌄🌄🌄🌄…\u2069');
  expect(formatName('photo\u202Egnp.exe')).toBe('\u2068photo\\u202egnp.exe\u2069');
});
