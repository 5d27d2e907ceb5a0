// Who a registry is: what clients compare out of band before they trust it.

import Type, { type Static } from 'typebox';
import { exampleTime, ok, operations, route } from '../declarations.js';
import { Timestamp } from '../operation.js';

const PATH = '/.well-known/provenance-registry';

export const TrustRoot = Type.Object(
  {
    subject: Type.String({ description: 'The name in the certificate.' }),
    sha256: Type.String({ description: 'SHA-256 of the certificate; compute it from `pem` before you rely on it.' }),
    pem: Type.String({ description: 'The certificate.' }),
    isBuiltIn: Type.Boolean({ description: 'The service made this root itself: it is not another party.' }),
  },
  { title: 'TrustRoot' },
);
/**
 * A root certificate as a registry publishes it.
 * @example
 * ```ts
 * const roots: TrustRoot[] = (await client.getRegistryIdentity()).signerRoots;
 * ```
 */
export type TrustRoot = Static<typeof TrustRoot>;

const logIdentityFields = {
  origin: Type.String({ description: 'The name of the log: host and path of its address.' }),
  vkey: Type.String({ description: 'The verifier key of the log (c2sp.org/signed-note).' }),
  policy: Type.String({
    description:
      'Whose signatures its checkpoints need, as the text of c2sp.org/tlog-policy: keys of the log, the current one first, and of its ' +
      'witnesses.',
  }),
  contract: Type.Optional(
    Type.Object(
      {
        chainId: Type.Integer({ description: 'The id of the chain.' }),
        address: Type.String({ pattern: '^0x[0-9a-f]{40}$', description: 'The address of the contract.' }),
      },
      { description: 'Where the log is anchored on chain; absent where it is not.' },
    ),
  ),
};

/** What the signed form of the identity of the log contains. */
export const LogIdentity = Type.Object(logIdentityFields, { title: 'LogIdentity' });
/**
 * The public log of a registry: its name and whose signatures its checkpoints need.
 * @example
 * ```ts
 * const vkeyOf = ({ vkey }: LogIdentity) => vkey;
 * ```
 */
export type LogIdentity = Static<typeof LogIdentity>;

/** `typ` of the signed identity of the log. */
export const LOG_IDENTITY_TYPE = 'provenance-log+json';

export const SignedLogIdentity = Type.Object(
  {
    ...logIdentityFields,
    jws: Type.String({
      description:
        'The same members, signed: a compact JWS of the type `provenance-log+json` whose `x5c` leads to a signer root of ' +
        'the registry. Rely on this one.',
    }),
  },
  {
    title: 'SignedLogIdentity',
    description: 'The public log; absent where none has begun. Not part of the fingerprint of the registry.',
  },
);

/**
 * The public log of a registry, as the registry signed it.
 * @example
 * ```ts
 * const jwsOf = ({ jws }: SignedLogIdentity) => jws;
 * ```
 */
export type SignedLogIdentity = Static<typeof SignedLogIdentity>;

export const RegistryIdentity = Type.Object(
  {
    name: Type.String(),
    url: Type.String({ description: 'The public URL of the service.' }),
    chainId: Type.Optional(
      Type.Integer({ description: 'The id of the chain; absent until it has been read from a node.' }),
    ),
    contract: Type.String({ pattern: '^0x[0-9a-fA-F]{40}$', description: 'The address of the registry contract.' }),
    signerRoots: Type.Array(TrustRoot, { description: 'Roots of the certificates that sign manifests.' }),
    timestampRoots: Type.Array(TrustRoot, { description: 'Roots of the time-stamp authorities in use.' }),
    documentRoots: Type.Optional(
      Type.Array(TrustRoot, {
        description:
          'Roots of the certificates that sign PDF certificates; absent in services of earlier versions. Not part of ' +
          'the fingerprint of the registry.',
      }),
    ),
    crossCertificates: Type.Array(Type.String(), {
      description: 'Certificates (PEM) by which an earlier root signed the key of a later one.',
    }),
    explorerUrl: Type.Optional(
      Type.String({
        description:
          'The web address of an explorer of the chain, which is another site, for links to `/tx/…`, `/block/…` and ' +
          '`/address/…`. Not covered by the fingerprint of the registry.',
      }),
    ),
    log: Type.Optional(SignedLogIdentity),
    since: Timestamp('When the database of this registry was created.'),
  },
  { title: 'RegistryIdentity' },
);
/**
 * Who a registry says that it is.
 * @example
 * ```ts
 * const identity: RegistryIdentity = await client.getRegistryIdentity();
 * ```
 */
export type RegistryIdentity = Static<typeof RegistryIdentity>;

const examplePem = `-----BEGIN CERTIFICATE-----
MIIBkTCCAUOgAwIBAgIUGWGrPH8kbjdgp3Q5B/S+A667Ww0wBQYDK2VwMDUxHDAa
BgNVBAoME1Byb3ZlbmFuY2UgcmVnaXN0cnkxFTATBgNVBAMMDEV4YW1wbGUgcm9v
dDAgFw0yNjExMTYxMjA2MzdaGA8yMDU2MTEwODEyMDYzN1owNTEcMBoGA1UECgwT
UHJvdmVuYW5jZSByZWdpc3RyeTEVMBMGA1UEAwwMRXhhbXBsZSByb290MCowBQYD
K2VwAyEAiNVgiJeAD3JKSZuC6XpoNIdWtCDrR5L6kHFMtcfJkoWjYzBhMB0GA1Ud
DgQWBBR9vm7A7XB/+HsG8pIMidAP6NoDGDAfBgNVHSMEGDAWgBR9vm7A7XB/+HsG
8pIMidAP6NoDGDAPBgNVHRMBAf8EBTADAQH/MA4GA1UdDwEB/wQEAwIBBjAFBgMr
ZXADQQCAb0gyHocRrpIQTIpN5aofSfARhVbE1tHw/t6e6rL2HQ1+xTzBSq+lcyml
vkhXKLvJkHCEr+dkuJ7cskHz5hYB
-----END CERTIFICATE-----
`;
const exampleRoot: TrustRoot = {
  subject: 'O=Provenance registry, CN=Example root',
  sha256: '9f4eb1c344fef7e35625a2a50ebb6b26e87f3815df6e62810ca14b6c74837867',
  pem: examplePem,
  isBuiltIn: false,
};

const pemFile = (description: string) => ({
  ...ok(description, Type.String(), examplePem),
  mediaType: 'application/x-pem-file',
});

export const DidDocument = Type.Object(
  {
    '@context': Type.Array(Type.String()),
    id: Type.String({ description: 'The DID: the issuer of the credentials.' }),
    assertionMethod: Type.Array(
      Type.Object({
        id: Type.String(),
        type: Type.String(),
        controller: Type.String(),
        publicKeyJwk: Type.Object({ kty: Type.String(), crv: Type.String(), x: Type.String() }),
      }),
      { description: 'The key that signs credentials now, and then those that did before.' },
    ),
  },
  { title: 'DidDocument' },
);
/**
 * The public keys by which the credentials of a registry are checked.
 * @example
 * ```ts
 * const { id }: DidDocument = await client.getDidDocument();
 * ```
 */
export type DidDocument = Static<typeof DidDocument>;

const exampleLogKey = 'registry.example/log+92940712+AS8hCaL4nFuwLFYf1R0m93lMwe1ctXz7Tvgx3X/lchMX';
const exampleLog: SignedLogIdentity = {
  origin: 'registry.example/log',
  vkey: exampleLogKey,
  policy: `log ${exampleLogKey}\nquorum none\n`,
  contract: { chainId: 31_337, address: '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512' },
  jws: 'eyJhbGciOiJFUzI1NiJ9.eyJvcmlnaW4iOiJyZWdpc3RyeS5leGFtcGxlL2xvZyJ9.c2ln',
};

const exampleDid = 'did:web:registry.example';

export const identityOperations = operations('Resolution', {
  getRegistryIdentity: {
    ...route('GET', PATH, 'none'),
    summary: 'Get the identity of the registry',
    description:
      'Chain, contract and root certificates of this registry. Compare them with a source other than this service before ' +
      'you rely on them.',
    success: ok('The identity.', RegistryIdentity, {
      name: 'Provenance registry',
      url: 'https://registry.example',
      chainId: 31_337,
      contract: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
      signerRoots: [exampleRoot],
      timestampRoots: [exampleRoot],
      documentRoots: [exampleRoot],
      crossCertificates: [],
      explorerUrl: 'https://explorer.example',
      log: exampleLog,
      since: exampleTime,
    }),
    hasEtag: true,
    errors: {},
  },
  getSignerRoots: {
    ...route('GET', `${PATH}/signer-roots.pem`, 'none'),
    summary: 'Get the signer roots',
    description: 'The roots of the certificates that sign manifests, as a PEM file for other tools.',
    success: pemFile('The certificates.'),
    hasEtag: true,
    errors: { NOT_FOUND: 'The registry publishes no signer roots.' },
  },
  getTimestampRoots: {
    ...route('GET', `${PATH}/timestamp-roots.pem`, 'none'),
    summary: 'Get the time-stamp roots',
    description: 'The roots of the time-stamp authorities, as a PEM file for other tools.',
    success: pemFile('The certificates.'),
    hasEtag: true,
    errors: { NOT_FOUND: 'The registry publishes no time-stamp roots.' },
  },
  getDocumentRoots: {
    ...route('GET', `${PATH}/document-roots.pem`, 'none'),
    summary: 'Get the document roots',
    description: 'The roots of the certificates that sign PDF certificates, as a PEM file for other tools.',
    success: pemFile('The certificates.'),
    hasEtag: true,
    errors: { NOT_FOUND: 'The registry publishes no document roots.' },
  },
  getDidDocument: {
    ...route('GET', '/.well-known/did.json', 'none'),
    summary: 'Get the DID document of the registry',
    description:
      'The keys of the registry as an issuer of identity credentials: in manifests, it states which domains it has ' +
      'verified (CAWG).',
    success: ok('The document.', DidDocument, {
      '@context': ['https://www.w3.org/ns/did/v1'],
      id: exampleDid,
      assertionMethod: [
        {
          id: `${exampleDid}#kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k`,
          type: 'JsonWebKey2020',
          controller: exampleDid,
          publicKeyJwk: { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' },
        },
      ],
    }),
    hasEtag: true,
    errors: {},
  },
});
