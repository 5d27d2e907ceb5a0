// Verifies what a registry states and signs with its certificate: a compact JSON Web Signature whose certificates lead to a
// root.

import {
  ANY_PURPOSE,
  findPath,
  parseDer,
  parseX509,
  publicKeyId,
  TIME_STAMPING,
  usage,
  type X509,
} from '@provenance-registry/c2pa';
import { signingPurposes } from '@provenance-registry/core';
import Type from 'typebox';
import { Check } from 'typebox/schema';
import { decodeBase64 } from '../../base64.js';
import type { Signer } from '../evidence.js';
import { parseRootCertificates } from '../rootSet.js';

/** Signing certificates have one or two authorities. */
const MAX_CERTIFICATES = 8;
/** Many times what a statement has, with eight certificates. */
const MAX_CHARACTERS = 256 * 1024;

const Header = Type.Object({
  alg: Type.String(),
  typ: Type.String(),
  x5c: Type.Array(Type.String(), { minItems: 1, maxItems: MAX_CERTIFICATES }),
  // Extensions that must be understood.
  crit: Type.Optional(Type.Never()),
});

const ecdsa = (curve: string, hash: string) => ({ name: 'ECDSA', namedCurve: curve, hash });
/** What the platform calls the algorithms of JOSE with which a registry can sign. The salt is as long as the hash. */
const algorithms: Readonly<
  Record<string, { readonly name: string; readonly hash?: string; readonly saltLength?: number }>
> = {
  ES256: ecdsa('P-256', 'SHA-256'),
  ES384: ecdsa('P-384', 'SHA-384'),
  ES512: ecdsa('P-521', 'SHA-512'),
  PS256: { name: 'RSA-PSS', hash: 'SHA-256', saltLength: 32 },
  EdDSA: { name: 'Ed25519' },
};

const OCSP_SIGNING = '1.3.6.1.5.5.7.3.9';
const signers: readonly string[] = Object.values(signingPurposes);
/** With one of these beside it, readers of manifests refuse a signer. */
const refusedPurposes: readonly string[] = [ANY_PURPOSE, TIME_STAMPING, OCSP_SIGNING];

export interface Statement {
  readonly content: unknown;
  readonly signedBy: Signer;
}

/** Undefined unless the statement has this type, and a certificate that is valid now and leads to one of the roots signed it. */
export async function readStatement(
  jws: string,
  type: string,
  rootsPem: string,
  now: Date,
): Promise<Statement | undefined> {
  try {
    return await verify(jws, type, rootsPem, now);
  } catch {
    // Malformed, forged, or signed with what the platform does not have: in any case, nobody vouches for it.
    return undefined;
  }
}

async function verify(jws: string, type: string, rootsPem: string, now: Date): Promise<Statement | undefined> {
  if (jws.length > MAX_CHARACTERS) return undefined;
  const [header = '', payload = '', signature = '', ...rest] = jws.split('.');
  const { alg, typ, x5c } = requireHeader(parseJson(header));
  const [leaf, ...others] = x5c.map((der) => parseX509(parseDer(decodeBase64(der))));
  const algorithm = algorithms[alg];
  if (rest.length > 0 || typ !== type || !algorithm || !leaf || !isSigner(leaf)) return undefined;
  // Throws unless the key is a strong one.
  publicKeyId(leaf.keyInfo);
  const { subtle } = globalThis.crypto;
  const key = await subtle.importKey('spki', new Uint8Array(leaf.keyInfo.whole), algorithm, false, ['verify']);
  const signed = new TextEncoder().encode(`${header}.${payload}`);
  if (!(await subtle.verify(algorithm, key, new Uint8Array(decodeBase64Url(signature)), signed))) return undefined;
  const roots = parseRootCertificates(rootsPem).map(({ raw }) => raw);
  const { state } = await findPath(leaf, others, { roots, isForSigners: true }, now);
  return state === 'trusted' ? { content: parseJson(payload), signedBy: leaf } : undefined;
}

function requireHeader(header: unknown) {
  if (!Check(Header, header)) throw new TypeError('not the header of a statement');
  return header;
}

/** Whether the certificate could sign manifests: roots vouch for nobody else. */
function isSigner({ authority, keyUsage, purposes }: X509): boolean {
  const oids = purposes?.oids ?? [];
  const isForManifests =
    oids.some((oid) => signers.includes(oid)) && !oids.some((oid) => refusedPurposes.includes(oid));
  return authority === undefined && keyUsage?.has(usage.digitalSignature) === true && isForManifests;
}

function parseJson(part: string): unknown {
  return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(decodeBase64Url(part)));
}

function decodeBase64Url(text: string): Uint8Array {
  return decodeBase64(text.replaceAll('-', '+').replaceAll('_', '/'));
}
