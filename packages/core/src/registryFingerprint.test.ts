import { describe, expect, it } from 'vitest';
import { api } from './api/index.js';
import { certificateFingerprint, registryFingerprint, shortFingerprint } from './registryFingerprint.js';

const identity = api.getRegistryIdentity.success.example;
const [root] = identity.signerRoots;
const pem = root?.pem ?? '';
const other = { pem: pem.replace('MIIBkTCC', 'MIIBkTCD') };

describe('the fingerprint of a certificate', () => {
  it('is that of openssl', () => {
    expect(certificateFingerprint(pem)).toBe('9f4eb1c344fef7e35625a2a50ebb6b26e87f3815df6e62810ca14b6c74837867');
    expect(certificateFingerprint(`\r\n${pem.replaceAll('\n', '\r\n')}\n`)).toBe(certificateFingerprint(pem));
  });

  it.each([
    ['no certificate', ''],
    ['two certificates', pem + pem],
    ['text before the certificate', `root\n${pem}`],
    ['a key', pem.replaceAll('CERTIFICATE', 'PRIVATE KEY')],
    ['no base64', pem.replace('MIIB', 'M*IB')],
    ['incomplete base64', pem.replace('MIIB', 'M')],
  ])('is refused for %s', (_, text) => {
    expect(() => certificateFingerprint(text)).toThrow();
  });
});

describe('the fingerprint of a registry', () => {
  it('is the SHA-256 of its canonical form', () => {
    // printf '{"chainId":31337,"contract":"0x5fbd…","signerRoots":["9f4e…"],"timestampRoots":["9f4e…"]}' | sha256sum
    expect(registryFingerprint(identity)).toBe('eb858eb4056603673483db2dba9b68d7a8f4e92d573af4b1cf571b4d68dc284e');
    expect(shortFingerprint(registryFingerprint(identity))).toBe('eb85 8eb4 0566 0367 3483 db2d');
  });

  it('ignores what is no part of it: names, stated digests, the case of the contract, the order of roots', () => {
    const renamed = {
      ...identity,
      name: 'Another',
      url: 'https://other.example',
      since: '2000-01-01T00:00:00.000Z',
      contract: identity.contract.toUpperCase().replace('0X', '0x'),
      signerRoots: identity.signerRoots.map((each) => ({ ...each, subject: 'CN=x', sha256: '00', isBuiltIn: true })),
    };
    expect(registryFingerprint(renamed)).toBe(registryFingerprint(identity));
    const both = { ...identity, signerRoots: [{ pem }, other] };
    const reversed = { ...identity, signerRoots: [other, { pem }] };
    expect(registryFingerprint(reversed)).toBe(registryFingerprint(both));
  });

  it.each([
    ['chain', { chainId: 1 }],
    ['missing chain', { chainId: undefined }],
    ['contract', { contract: `0x${'1'.repeat(40)}` }],
    ['signer root', { signerRoots: [other] }],
    ['additional signer root', { signerRoots: [{ pem }, other] }],
    ['missing signer root', { signerRoots: [] }],
    ['time-stamp root', { timestampRoots: [other] }],
    ['root for another purpose', { signerRoots: [{ pem }, { pem }], timestampRoots: [] }],
  ])('changes with another %s', (_, change) => {
    expect(registryFingerprint({ ...identity, ...change })).not.toBe(registryFingerprint(identity));
  });
});
