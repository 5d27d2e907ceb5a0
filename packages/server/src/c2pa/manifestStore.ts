// Builds a manifest store from assertions, claim and signature.

import { randomUUID } from 'node:crypto';
import { encodeCbor } from './cbor.js';
import { type ClaimSigner, coseSign1, type Timestamper } from './cose.js';
import { box, type HashedUri, hashedUri, superbox } from './jumbf.js';

export interface Assertion {
  readonly label: string;
  readonly format: 'cbor' | 'json';
  /** A function if it refers to earlier assertions. */
  readonly content: unknown | ((before: ReadonlyMap<string, HashedUri>) => unknown);
  /** Created: stated by the service itself. Gathered: stated by someone else. */
  readonly origin: 'created' | 'gathered';
}

export interface ManifestContent {
  /** `urn:c2pa:<uuid>`. */
  readonly label: string;
  readonly title: string | undefined;
  readonly assertions: readonly Assertion[];
  /** Manifests that ingredients refer to, byte for byte as in their own stores. */
  readonly ingredientManifests: readonly Uint8Array[];
  /** Fixed size of the signature in bytes, if the store's size must be known before signing. */
  readonly signatureSize?: number;
}

export interface Signing {
  readonly signer: ClaimSigner;
  readonly timestamper: Timestamper;
  readonly generator: { readonly name: string; readonly version: string };
}

export async function buildManifestStore(content: ManifestContent, signing: Signing): Promise<Buffer> {
  const references = new Map<string, HashedUri>();
  const assertionBoxes = content.assertions.map((assertion) => {
    const { label, format } = assertion;
    const value = typeof assertion.content === 'function' ? assertion.content(references) : assertion.content;
    const bytes = format === 'json' ? Buffer.from(JSON.stringify(value)) : encodeCbor(value);
    const assertionBox = superbox(format, label, box(format, bytes));
    references.set(label, hashedUri(`self#jumbf=c2pa.assertions/${label}`, assertionBox));
    return assertionBox;
  });
  const referencesOf = (origin: Assertion['origin']) =>
    content.assertions.filter((assertion) => assertion.origin === origin).map(({ label }) => references.get(label));
  const gathered = referencesOf('gathered');
  const claim = encodeCbor({
    instanceID: `xmp:iid:${randomUUID()}`,
    claim_generator_info: signing.generator,
    signature: `self#jumbf=/c2pa/${content.label}/c2pa.signature`,
    created_assertions: referencesOf('created'),
    ...(gathered.length > 0 && { gathered_assertions: gathered }),
    ...(content.title !== undefined && { 'dc:title': content.title }),
    alg: 'sha256',
  });
  const signature = await coseSign1(claim, signing.signer, signing.timestamper, content.signatureSize);
  const manifest = superbox(
    'c2ma',
    content.label,
    superbox('c2as', 'c2pa.assertions', ...assertionBoxes),
    superbox('c2cl', 'c2pa.claim.v2', box('cbor', claim)),
    superbox('c2cs', 'c2pa.signature', box('cbor', signature)),
  );
  return superbox('c2pa', 'c2pa', ...content.ingredientManifests, manifest);
}
