// The service as an issuer of identity credentials (CAWG): its key, its DID, and the DID document by which others check
// what it signed.

import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { canonicalJson, type DidDocument } from '@provenance-registry/core';

export interface IdentityIssuer {
  readonly did: string;
  /** Name that readers show. */
  readonly name: string;
  /** Id of the key that signs. */
  readonly keyId: string;
  readonly document: DidDocument;
  sign(data: Uint8Array): Buffer;
}

interface IssuerOptions {
  /** PEM: the private key, then those of its predecessors, private or public. All are Ed25519. */
  readonly keysPem: string;
  /** Public URL of the service. */
  readonly baseUrl: string;
  readonly name: string;
}

/** c2pa-rs resolves no `did:web` in these domains. */
const UNRESOLVED_DOMAINS = /(^|\.)(localhost|nip\.io|sslip\.io)$/;

export function generateIssuerKey(): string {
  return String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));
}

/** Throws with the reason when the keys cannot be used. */
export function createIdentityIssuer({ keysPem, baseUrl, name }: IssuerOptions): IdentityIssuer {
  const [key, ...formerKeys] = readKeys(keysPem);
  if (key?.type !== 'private') throw new Error('its first key is not a private key');
  const jwk = publicJwkOf(key);
  const web = didWebOf(baseUrl);
  const did = web ?? didJwkOf(jwk);
  const describe = (publicKeyJwk: PublicJwk, fragment: string) => ({
    id: `${did}#${fragment}`,
    type: 'JsonWebKey2020',
    controller: did,
    publicKeyJwk,
  });
  const method = describe(jwk, web ? thumbprintOf(jwk) : '0');
  const formerJwks = web ? formerKeys.map(publicJwkOf) : [];
  return {
    did,
    name,
    keyId: method.id,
    document: {
      '@context': ['https://www.w3.org/ns/did/v1'],
      id: did,
      // By value, and the current one first: c2pa-rs reads nothing else.
      assertionMethod: [method, ...formerJwks.map((former) => describe(former, thumbprintOf(former)))],
    },
    sign: (data) => sign(null, data, key),
  };
}

/** Where the document of a `did:web` is, for a DID of a host. Undefined for any other DID. */
export function didDocumentUrl(did: string): string | undefined {
  const [, host] = /^did:web:([^:/?#]+)$/.exec(did) ?? [];
  return host === undefined ? undefined : `https://${decodeURIComponent(host)}/.well-known/did.json`;
}

/** Undefined when no reader could resolve it: a `did:web` stands for a document at the root of a domain, over HTTPS. */
function didWebOf(baseUrl: string): string | undefined {
  const { protocol, hostname, host, pathname } = new URL(baseUrl);
  const isDomain = isIP(hostname.replace(/^\[|\]$/g, '')) === 0 && !UNRESOLVED_DOMAINS.test(hostname);
  return protocol === 'https:' && isDomain && pathname === '/' ? `did:web:${encodeURIComponent(host)}` : undefined;
}

/** A DID that is its own document. c2pa-rs decodes base64 without padding only if none is due, hence the spaces. */
function didJwkOf(jwk: PublicJwk): string {
  const json = JSON.stringify(jwk);
  const padded = json.padEnd(Math.ceil(json.length / 3) * 3);
  return `did:jwk:${Buffer.from(padded).toString('base64url')}`;
}

type PublicJwk = DidDocument['assertionMethod'][number]['publicKeyJwk'];

function publicJwkOf(key: KeyObject): PublicJwk {
  const { crv, x } = (key.type === 'private' ? createPublicKey(key) : key).export({ format: 'jwk' });
  if (crv !== 'Ed25519' || x === undefined) throw new Error('a key in it is not an Ed25519 key');
  return { kty: 'OKP', crv, x };
}

/** RFC 7638. */
function thumbprintOf(jwk: PublicJwk): string {
  return createHash('sha256').update(canonicalJson(jwk)).digest('base64url');
}

function readKeys(pem: string): KeyObject[] {
  const blocks = pem.match(/-----BEGIN [A-Z ]+-----[^-]+-----END [A-Z ]+-----/g) ?? [];
  return blocks.map((block) => (block.includes('PRIVATE KEY') ? createPrivateKey(block) : createPublicKey(block)));
}
