// Builds a manifest store from assertions, claim and signature.

import { randomUUID } from 'node:crypto';
import { type ClaimSigner, coseSign1, type Timestamper } from '../signing/cose.js';
import type { IdentityIssuer } from '../signing/identityIssuer.js';
import { encodeCbor } from './cbor.js';
import { box, type HashedUri, hashedUri, superbox } from './jumbf.js';

export interface Assertion {
  readonly label: string;
  readonly format: 'cbor' | 'json';
  /** A function if it refers to earlier assertions. Bytes are encoded already. */
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
  /** States verified identities; needed only for manifests that have some. */
  readonly issuer?: IdentityIssuer | undefined;
}

export async function buildManifestStore(content: ManifestContent, signing: Signing): Promise<Buffer> {
  const { claim, assemble } = buildClaim(content, signing.generator);
  return assemble(await coseSign1(claim, signing.signer, signing.timestamper, content.signatureSize));
}

/** The size of the store in bytes, which is known before it is signed. */
export function measureManifestStore(
  content: ManifestContent & { readonly signatureSize: number },
  { generator }: Pick<Signing, 'generator'>,
): number {
  return buildClaim(content, generator).assemble(Buffer.alloc(content.signatureSize)).length;
}

function buildClaim(content: ManifestContent, generator: Signing['generator']) {
  const references = new Map<string, HashedUri>();
  const assertionBoxes = content.assertions.map((assertion) => {
    const { label, format } = assertion;
    const assertionBox = superbox(format, label, box(format, encodeContent(assertion, references)));
    references.set(label, hashedUri(`self#jumbf=c2pa.assertions/${label}`, assertionBox));
    return assertionBox;
  });
  const referencesOf = (origin: Assertion['origin']) =>
    content.assertions.filter((assertion) => assertion.origin === origin).map(({ label }) => references.get(label));
  const gathered = referencesOf('gathered');
  const claim = encodeCbor({
    instanceID: `xmp:iid:${randomUUID()}`,
    claim_generator_info: generator,
    signature: `self#jumbf=/c2pa/${content.label}/c2pa.signature`,
    created_assertions: referencesOf('created'),
    gathered_assertions: gathered.length > 0 ? gathered : undefined,
    'dc:title': content.title,
    alg: 'sha256',
  });
  const assemble = (signature: Uint8Array) => {
    const manifest = superbox(
      'c2ma',
      content.label,
      superbox('c2as', 'c2pa.assertions', ...assertionBoxes),
      superbox('c2cl', 'c2pa.claim.v2', box('cbor', claim)),
      superbox('c2cs', 'c2pa.signature', box('cbor', signature)),
    );
    return superbox('c2pa', 'c2pa', ...content.ingredientManifests, manifest);
  };
  return { claim, assemble };
}

function encodeContent({ content, format }: Assertion, references: ReadonlyMap<string, HashedUri>): Uint8Array {
  if (content instanceof Uint8Array) return content;
  const value = typeof content === 'function' ? content(references) : content;
  return format === 'json' ? Buffer.from(JSON.stringify(value)) : encodeCbor(value);
}
