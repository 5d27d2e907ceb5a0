// The DNS record of a registry's fingerprint, asked of a real name server.

import dns from 'node:dns';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DomainHost, startDomainHost } from '../../../test/support/domainHost.js';
import { compareDnsRecord, describeDnsComparison } from '../src/trust/fingerprintRecord.js';

const FINGERPRINT = 'eb858eb4056603673483db2dba9b68d7a8f4e92d573af4b1cf571b4d68dc284e';
const OTHER = FINGERPRINT.replace(/e$/, 'f');
const NAME = '_provenance.registry.example';

let names: DomainHost;
const systemServers = dns.getServers();
beforeAll(async () => {
  names = await startDomainHost();
  dns.setServers([names.settings.DOMAIN_DNS_SERVERS]);
});
afterAll(() => dns.setServers(systemServers));

async function compare(texts: readonly string[] | null, url = 'https://registry.example') {
  await names.setRecords('TXT', NAME, texts);
  const { name, state } = await compareDnsRecord(url, FINGERPRINT);
  return [name, state];
}
const record = (digits: string) => `registry-fingerprint=${digits}`;

describe('the DNS record of a registry', () => {
  it.each<[string, readonly string[], string]>([
    ['with its fingerprint', [record(FINGERPRINT)], 'agrees'],
    ['in capitals', [record(FINGERPRINT.toUpperCase())], 'agrees'],
    ['among other records', ['v=spf1 -all', record(OTHER), record(FINGERPRINT)], 'agrees'],
    ['with another last digit', [record(OTHER)], 'differs'],
    ['with the short form alone, which is not what is published there', [record(FINGERPRINT.slice(0, 24))], 'differs'],
    ['with a digit more', [record(`${FINGERPRINT}0`)], 'differs'],
    ['that is empty', [record('')], 'differs'],
    ['of a Mark', ['mark=1f0c8a34-52c1-4c0e-9d53-0e6a7d3b9f10'], 'none'],
    ['under another key', [`fingerprint=${FINGERPRINT}`, `x-${record(FINGERPRINT)}`], 'none'],
    ['without texts', [], 'none'],
  ])('%s', async (_, texts, state) => {
    expect(await compare(texts)).toEqual([NAME, state]);
  });

  it('is looked for at its host alone, and not at the label of domains of Marks', async () => {
    await names.setRecords('TXT', '_provenance-registry.other.example', [record(FINGERPRINT)]);
    await names.setRecords('TXT', '_provenance.example', [record(FINGERPRINT)]);
    expect(await compare([record(FINGERPRINT)], 'https://other.example:8443/registry')).toEqual([
      '_provenance.other.example',
      'none',
    ]);
  });

  it.each(['http://127.0.0.1:8080', 'https://[::1]', 'http://localhost:8080', 'http://registry.localhost'])(
    'does not exist for %s, and nothing is asked',
    async (url) => {
      expect(await compare([record(FINGERPRINT)], url)).toEqual([undefined, 'none']);
    },
  );

  it('that does not come in time is told as that, not as missing', async () => {
    await names.setRecords('TXT', NAME, null);
    const comparison = await compareDnsRecord('https://registry.example', FINGERPRINT);
    expect(comparison).toEqual({ name: NAME, state: 'unavailable', fingerprints: [] });
    expect(describeDnsComparison(comparison)).toBe(`could not be asked: ${NAME}`);
  });
});
