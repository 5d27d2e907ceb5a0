// The hashes in a manifest store. Claims have a hash of each assertion, and manifests of those that they build on, byte for byte.
// c2pa-rs hashes what it understands of a box: content beside that is not noticed.

import { sha256, sha384, sha512 } from '@noble/hashes/sha2';
import Type, { type Static } from 'typebox';
import { Check } from 'typebox/schema';
import { childrenOf, JumbfError, labelOf } from '../jumbf.js';
import { areEqual } from '../x509/der.js';
import { Bytes, decodeBox, findClaim, listAssertions, listIngredients, UnknownFormError } from './storeForm.js';

const HEADER_BYTES = 8;
/** In JavaScript, because pages without HTTPS have no WebCrypto. */
const digests = new Map([
  ['sha256', sha256],
  ['sha384', sha384],
  ['sha512', sha512],
]);
const Algorithm = Type.Optional(Type.Union([Type.String(), Type.Null()]));
const Reference = Type.Object({ url: Type.String(), hash: Bytes, alg: Algorithm });
type Reference = Static<typeof Reference>;
const References = Type.Optional(Type.Union([Type.Array(Reference), Type.Null()]));
const Claim = Type.Object({
  alg: Algorithm,
  /** Of C2PA 1. */
  assertions: References,
  created_assertions: References,
  gathered_assertions: References,
});
const Ingredient = Type.Object({
  activeManifest: Type.Optional(Reference),
  /** In C2PA 1. */
  c2pa_manifest: Type.Optional(Reference),
});

/**
 * Throws a JumbfError if the last manifest has an assertion that is not what its claim has a hash of, or if another one has, and
 * is itself not what a manifest that builds on it has a hash of.
 * @param store of a plain form
 */
export function requireHashedAssertions(store: Uint8Array): void {
  const manifests = childrenOf(store);
  const active = manifests.at(-1);
  for (const manifest of manifests) {
    const isCovered = areAssertionsHashed(manifest) || (manifest !== active && isHashedIngredient(manifest, manifests));
    if (!isCovered) throw new JumbfError('an assertion is not what the claim has a hash of');
  }
}

function areAssertionsHashed(manifest: Uint8Array): boolean {
  const claim = decodeBox(findClaim(manifest));
  if (!Check(Claim, claim)) throw new UnknownFormError('a claim has an unknown form');
  const { alg, assertions, created_assertions, gathered_assertions } = claim;
  const references = [assertions, created_assertions, gathered_assertions].flatMap((list) => list ?? []);
  const folders = ['', `/c2pa/${labelOf(manifest)}/`].map((path) => `self#jumbf=${path}c2pa.assertions/`);
  const stored = listAssertions(manifest);
  const isHashed = (assertion: Uint8Array) => {
    const urls = folders.map((folder) => folder + labelOf(assertion));
    const reference = references.find(({ url }) => urls.includes(url));
    return reference !== undefined && hasHash(assertion, reference, alg);
  };
  return new Set(stored.map(labelOf)).size === stored.length && stored.every(isHashed);
}

function isHashedIngredient(manifest: Uint8Array, manifests: readonly Uint8Array[]): boolean {
  const url = `self#jumbf=/c2pa/${labelOf(manifest)}`;
  return manifests.flatMap(listIngredients).some((ingredient) => {
    if (!Check(Ingredient, ingredient)) return false;
    const reference = ingredient.activeManifest ?? ingredient.c2pa_manifest;
    return reference?.url === url && hasHash(manifest, reference);
  });
}

/** A hash covers a superbox without its header. */
function hasHash(box: Uint8Array, { alg, hash }: Reference, otherwise?: string | null): boolean {
  const digest = digests.get(alg ?? otherwise ?? 'sha256');
  if (!digest) throw new UnknownFormError('a hash has an unknown algorithm');
  return areEqual(digest(box.subarray(HEADER_BYTES)), hash);
}
