// Manifests with a time-stamp that the test makes, of a signer whose certificate has expired: nothing but the time-stamp can show
// that it was valid when it signed.

import { sign } from 'node:crypto';
import { childrenOf, contentOf, labelOf } from '@provenance-registry/c2pa';
import { createdActionAssertion } from '../../packages/server/src/c2pa/manifest/assertions.js';
import { decodeCbor, encodeCbor, encodeSign1 } from '../../packages/server/src/c2pa/manifest/cbor.js';
import { dataHashAssertion } from '../../packages/server/src/c2pa/manifest/hardBinding.js';
import { box, superbox } from '../../packages/server/src/c2pa/manifest/jumbf.js';
import { buildManifestStore } from '../../packages/server/src/c2pa/manifest/manifestStore.js';
import type { ClaimSigner } from '../../packages/server/src/c2pa/signing/cose.js';
import { SIGNER_DAYS } from './forgedTimestamps.js';
import { type AuthorityOptions, makeAuthority, STAMPED_AT, x509 } from './timestampForge.js';

type Stamp = (data: Buffer) => Uint8Array | Promise<Uint8Array>;
/** The headers of C2PA 2, over the signature, and of C2PA 1, over the claim. */
export type StampHeader = 'sigTst2' | 'sigTst';

const DAY_MS = 86_400_000;
const LABEL = 'urn:c2pa:5a1f0c0e-6c1b-4d0e-9d5a-0f3a2f6f7b11';

export interface ExpiredSigner {
  readonly signer: ClaimSigner;
  readonly rootPem: string;
}

/** A signer whose certificate was valid at STAMPED_AT, or as the options say. */
export async function makeExpiredSigner(options: AuthorityOptions = {}): Promise<ExpiredSigner> {
  const root = await makeAuthority({
    name: 'CN=Signer root',
    key: 'p256',
    validTo: new Date(Date.now() + 1000 * DAY_MS),
  });
  const { raw, key } = await makeAuthority({
    name: 'CN=Signer, O=Test',
    key: 'p256',
    serial: '0c',
    issuer: root,
    validFrom: new Date(STAMPED_AT.getTime() - SIGNER_DAYS * DAY_MS),
    validTo: new Date(STAMPED_AT.getTime() + SIGNER_DAYS * DAY_MS),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.emailProtection]),
    ],
    ...options,
  });
  return {
    rootPem: root.pem,
    signer: {
      algorithm: 'ES256',
      certificates: [raw],
      sign: async (data) => sign('sha256', data, { key, dsaEncoding: 'ieee-p1363' }),
    },
  };
}

/** A store beside a file with this SHA-256, without a time-stamp. */
export function makeStore({ signer }: ExpiredSigner, sha256: Uint8Array): Promise<Buffer> {
  const assertions = [createdActionAssertion(), dataHashAssertion(sha256)];
  const content = { label: LABEL, title: 'sunrise.jpg', assertions, ingredientManifests: [] };
  const generator = { name: 'Test', version: '1.0' };
  return buildManifestStore(content, { signer, generator, timestamper: { stamp: async () => Buffer.alloc(0) } });
}

/** Puts a token into the store of one manifest, over what belongs into that header. */
export async function stampStore(store: Buffer, header: StampHeader, stamp: Stamp): Promise<Uint8Array<ArrayBuffer>> {
  const manifest = childrenOf(store).at(-1) ?? store;
  const [assertions = store, claim = store, signatureBox = store] = childrenOf(manifest);
  const sign1 = await stampSign1(contentOf(signatureBox), contentOf(claim), header, stamp);
  const signature = superbox('c2cs', 'c2pa.signature', box('cbor', sign1));
  return Uint8Array.from(superbox('c2pa', 'c2pa', superbox('c2ma', labelOf(manifest), assertions, claim, signature)));
}

/** The same signature with another time-stamp, filled up to the size if there is one. */
export async function stampSign1(
  sign1: Uint8Array,
  claim: Uint8Array,
  header: StampHeader,
  stamp: Stamp,
  size?: number,
): Promise<Buffer> {
  const { value } = decodeCbor(sign1) as { value: [Uint8Array, unknown, null, Uint8Array] };
  const [protectedHeader, , , signature] = value;
  const payload = header === 'sigTst2' ? encodeCbor(signature) : claim;
  const val = await stamp(encodeCbor(['CounterSignature', protectedHeader, new Uint8Array(0), payload]));
  const encode = (pad?: Uint8Array) =>
    encodeSign1(protectedHeader, { [header]: { tstTokens: [{ val }] }, ...(pad && { pad }) }, null, signature);
  if (size === undefined) return encode();
  // The name of the padding and its length take seven bytes.
  return encode(new Uint8Array(size - encode().length - 7));
}
