// Puts assertions, claim and signature together into a manifest store.

import { randomUUID } from 'node:crypto';
import { encodeCbor } from './cbor.js';
import { type ClaimSigner, coseSign1, type Timestamper } from './cose.js';
import { cborBox, type HashedUri, hashedUri, jsonBox, superbox } from './jumbf.js';

export interface Assertion {
  readonly label: string;
  readonly format: 'cbor' | 'json';
  /** A function when it refers to assertions that stand before it. */
  readonly content: unknown | ((before: ReadonlyMap<string, HashedUri>) => unknown);
  /** Created: stated by the service. Gathered: taken over from somebody else's word. */
  readonly origin: 'created' | 'gathered';
}

export interface ManifestContent {
  /** `urn:c2pa:<uuid>`. */
  readonly label: string;
  readonly title: string | undefined;
  readonly assertions: readonly Assertion[];
  /** Manifests that ingredients refer to, as they stand in the stores they come from. */
  readonly ingredientManifests: readonly Uint8Array[];
  /** Bytes that the signature takes up, where the store's size must be known beforehand. */
  readonly signatureSize?: number;
}

export interface Signing {
  readonly signer: ClaimSigner;
  readonly timestamper: Timestamper;
  readonly generator: { readonly name: string; readonly version: string };
}

export async function buildManifestStore(parts: ManifestContent, signing: Signing): Promise<Buffer> {
  const references = new Map<string, HashedUri>();
  const assertionBoxes = parts.assertions.map(({ label, format, content }) => {
    const value = typeof content === 'function' ? content(references) : content;
    const bytes = format === 'json' ? jsonBox(value) : cborBox(encodeCbor(value));
    const assertion = superbox(format, label, bytes);
    references.set(label, hashedUri(`self#jumbf=c2pa.assertions/${label}`, assertion));
    return assertion;
  });
  const listed = (origin: Assertion['origin']) =>
    parts.assertions.filter((part) => part.origin === origin).map(({ label }) => references.get(label));
  const gathered = listed('gathered');
  const claim = encodeCbor({
    instanceID: `xmp:iid:${randomUUID()}`,
    claim_generator_info: signing.generator,
    signature: `self#jumbf=/c2pa/${parts.label}/c2pa.signature`,
    created_assertions: listed('created'),
    ...(gathered.length > 0 && { gathered_assertions: gathered }),
    ...(parts.title !== undefined && { 'dc:title': parts.title }),
    alg: 'sha256',
  });
  const signature = await coseSign1(claim, signing.signer, signing.timestamper, parts.signatureSize);
  const manifest = superbox(
    'c2ma',
    parts.label,
    superbox('c2as', 'c2pa.assertions', ...assertionBoxes),
    superbox('c2cl', 'c2pa.claim.v2', cborBox(claim)),
    superbox('c2cs', 'c2pa.signature', cborBox(signature)),
  );
  return superbox('c2pa', 'c2pa', ...parts.ingredientManifests, manifest);
}
