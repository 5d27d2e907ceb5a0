// What a certificate shows of any facts: names in any script and hostile ones, contradictions, and what is missing. Read back
// by another program.

import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Artifact, exampleArtifact } from '@provenance-registry/core';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/support/service.js';
import type { CertificateFacts } from '../../src/domain/ports/index.js';
import { describeCertificate, type Issuer } from '../../src/pdfCertificates/content.js';
import { drawCertificate } from '../../src/pdfCertificates/drawCertificate.js';

const run = promisify(execFile);

const name = { subject: 'CN=Signer', issuer: 'CN=Root', serialNumber: '02', sha256: 'ab'.repeat(32) };
const issuer: Issuer = {
  identity: {
    name: 'Registry',
    url: 'https://registry.example',
    chainId: 1,
    contract: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
    timestampRoots: [],
  },
  isDevelopmentChain: false,
  signer: { ...name, isBuiltIn: false },
  rootsUrl: 'https://registry.example/.well-known/provenance-registry',
};
const account = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const registered: Artifact = { ...exampleArtifact, status: 'submitted', transactionHash: `0x${'12'.repeat(32)}` };
const entry = {
  manifestId: registered.id,
  manifestHash: `0x${'cd'.repeat(32)}`,
  registeredBy: account,
  time: new Date('2026-06-01T12:00:12Z'),
} as const;
const transaction = { from: account, blockNumber: 19_283_746n, blockHash: `0x${'ef'.repeat(32)}` } as const;
const facts: CertificateFacts = {
  artifact: registered,
  manifest: { signer: name, timestamp: { at: new Date('2026-06-01T12:00:00Z'), authority: name } },
  registration: { entry, transaction },
  issuedAt: new Date('2026-07-01T00:00:00Z'),
};

function withNames(mark: string, author = 'Ada', filename = 'a.jpg'): CertificateFacts {
  const metadata = {
    ...registered.metadata,
    filename,
    mark: { id: registered.mark.id, name: mark },
    author: { id: registered.mark.id, name: author },
  };
  return { ...facts, artifact: { ...registered, metadata, mark: { ...registered.mark, name: mark } } };
}

async function draw(about: CertificateFacts): Promise<string> {
  const file = join(await temporaryFolder(), 'certificate.pdf');
  await writeFile(file, await drawCertificate(describeCertificate(about, issuer), 'Signer'));
  return file;
}

/** Without the marks that pdftotext puts around text from right to left, and with single spaces. */
async function read(about: CertificateFacts): Promise<string> {
  const { stdout } = await run('pdftotext', ['-raw', await draw(about), '-']);
  return stdout.replaceAll(/[\u202A-\u202E\u2066-\u2069]/g, '').replaceAll(/\s+/g, ' ');
}

it('shows names in every script, each character in a font that has it', async () => {
  const words = [
    'محمد',
    'فوتوغراف',
    'שלום',
    'हिन्दी',
    'বাংলা',
    'தமிழ்',
    'తెలుగు',
    'ಕನ್ನಡ',
    'മലയാളം',
    'සිංහල',
    'ગુજરાતી',
    'ਪੰਜਾਬੀ',
    'ไทย',
    'ລາວ',
    'ខ្មែរ',
    'မြန်မာ',
    'ქართული',
    'Հայերեն',
    'አማርኛ',
    'Ελληνικά',
    'Кириллица',
    'Ünïcødé',
    '山田太郎',
    'カメラ',
    '김철수',
    '📷',
  ];
  const text = await read(withNames(words.join(' · '), 'محمد'));
  expect(words.filter((word) => !text.includes(word))).toEqual([]);
  expect(text).not.toContain('U+');
});

it('shows what is hidden, what no font has and what is piled up, within the page', async () => {
  const zalgo = [...'Zalgo'].map((letter) => letter + '\u0321\u0346\u035B\u0310'.repeat(5)).join('');
  const about = withNames(
    `${zalgo} \u{1F9FF}\u{12000}\u200F`,
    'W'.repeat(120),
    `innocent\u202Egpj.exe${'W'.repeat(1000)}`,
  );
  const text = await read(about);
  expect(text).toContain('innocent[U+202E]gpj.exe');
  expect(text).toContain('more characters)');
  expect(text).toContain('[U+12000][U+200F]');
  const { stdout } = await run('pdftotext', ['-bbox', await draw(about), '-']);
  const edges = [...stdout.matchAll(/<word xMin="([\d.-]+)" yMin="[\d.-]+" xMax="([\d.-]+)"/g)];
  expect(edges.length).toBeGreaterThan(300);
  expect(Math.min(...edges.map(([, left]) => Number(left)))).toBeGreaterThan(50);
  expect(Math.max(...edges.map(([, , right]) => Number(right)))).toBeLessThan(545);
});

it.each<[what: string, about: CertificateFacts, shown: string[], hidden: RegExp]>([
  [
    'a registration that is not on chain yet',
    { ...facts, artifact: exampleArtifact, registration: undefined },
    ['Not on chain yet.', 'That the registration is on chain: it is not there yet.'],
    /Transaction 0x|Block \d|was on chain at/,
  ],
  [
    'a chain that cannot be read',
    { ...facts, registration: undefined },
    ['The chain could not be read when this document was issued.', `Transaction 0x${'12'.repeat(32)} Service’s record`],
    /was on chain at|Block \d/,
  ],
  [
    'an entry that the contract does not have',
    { ...facts, registration: { entry: undefined, transaction: undefined } },
    ['The chain does not confirm the service’s record', 'The contract has no entry of this fingerprint'],
    /was on chain at/,
  ],
  [
    'an entry of another manifest',
    { ...facts, registration: { entry: { ...entry, manifestId: 'another' }, transaction } },
    ['names another manifest: another.'],
    /was on chain at/,
  ],
  [
    'metadata that do not have the hash on chain',
    facts,
    [
      'The metadata in the service’s record have ANOTHER hash.',
      'The fingerprint was on chain at 2026-06-01 12:00:12 UTC',
    ],
    /record have this hash/,
  ],
  [
    'a contested registration',
    { ...facts, artifact: { ...registered, claims: { contested: true, open: 3, checked: 1, supersededBy: null } } },
    ['This registration is contested', '1 open claim with checked evidence that is older than this registration.'],
    /None are open/,
  ],
  [
    'a conceded registration',
    {
      ...facts,
      artifact: {
        ...registered,
        claims: { contested: false, open: 0, checked: 0, supersededBy: { id: registered.id, name: 'عادل' } },
      },
    },
    ['This registration was conceded to another Mark', 'conceded this file to the Mark عادل.'],
    /None are open/,
  ],
  [
    'a manifest that cannot be read',
    { ...facts, manifest: undefined },
    ['The manifest could not be read', 'The manifest has no time-stamp that could be read.'],
    /The manifest was signed by/,
  ],
])('is honest about %s', async (_, about, shown, hidden) => {
  const text = await read(about);
  for (const sentence of shown) expect(text).toContain(sentence);
  expect(text).not.toMatch(hidden);
});
