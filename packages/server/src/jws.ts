// Signs what the registry publishes about itself: compact JSON Web Signatures (RFC 7515) with the certificates of their key.

import { canonicalJson } from '@provenance-registry/core';
import type { JwsSigner } from './domain/ports/index.js';

/** @param type `typ`: a signature for another purpose is not one of this kind of document */
export async function signJws(
  { algorithm, certificates, sign }: JwsSigner,
  type: string,
  document: unknown,
): Promise<string> {
  const header = {
    alg: algorithm,
    typ: type,
    x5c: certificates.map((certificate) => Buffer.from(certificate).toString('base64')),
  };
  const signed = `${encode(JSON.stringify(header))}.${encode(canonicalJson(document))}`;
  return `${signed}.${encode(await sign(Buffer.from(signed)))}`;
}

function encode(data: string | Uint8Array): string {
  return Buffer.from(data).toString('base64url');
}
