// The form of a manifest store: signatures cover claims and what these refer to, so nothing else may be in it.

import { decode } from 'cborg';
import { childOf, childrenOf, contentOf, JumbfError, kindOf, labelOf } from '../jumbf.js';

const HEADER_BYTES = 8;
/** In the first box of a superbox, the description: its toggles and its label. */
const TOGGLES_OFFSET = 32;
const LABEL_OFFSET = 33;
/** Requestable, and with a label. */
const TOGGLES = 3;
const COMPRESSED_MANIFEST = 'c2cm';
const CONTENT = 'cbor';
const SUPERBOX = 'jumb';
/** Superboxes of a manifest that only hold superboxes. What these hold is hashed. */
export const ASSERTION_STORE = 'c2pa.assertions';
const COLLECTIONS = [ASSERTION_STORE, 'c2pa.credentials', 'c2pa.databoxes'];
const CLAIM_OR_SIGNATURE = /^c2pa\.(claim(\.v2)?|signature)$/;
const INGREDIENT = /^c2pa\.ingredient(\.v\d)?(__\d+)?$/;
const REFERENCE = /^self#jumbf=\/c2pa\/([^/]+)/;

/** The binding or the store is of a form that is not read here: it may be valid. */
export class UnknownBindingError extends Error {}

/**
 * Throws a JumbfError if the store has bytes that nothing signs, or manifests that do not lead to this one.
 * @returns the manifest with this label
 */
export function requirePlainStore(store: Uint8Array, label: string): Uint8Array {
  requireBoxes(store, SUPERBOX);
  const manifests = new Map<string, Uint8Array>();
  for (const manifest of childrenOf(store)) {
    if (kindOf(manifest) === COMPRESSED_MANIFEST) throw new UnknownBindingError('a manifest is compressed');
    requirePlainManifest(manifest);
    if (manifests.has(labelOf(manifest))) throw new JumbfError('two manifests have one label');
    manifests.set(labelOf(manifest), manifest);
  }
  requireHistory(manifests);
  return childOf(store, label);
}

function requirePlainManifest(manifest: Uint8Array): void {
  requireBoxes(manifest, SUPERBOX);
  const children = childrenOf(manifest);
  if (new Set(children.map(labelOf)).size < children.length) throw new JumbfError('two boxes have one label');
  for (const child of children) {
    const label = labelOf(child);
    if (CLAIM_OR_SIGNATURE.test(label)) requireBoxes(child, CONTENT, 1);
    else if (COLLECTIONS.includes(label)) requireBoxes(child, SUPERBOX);
    else throw new JumbfError('a manifest has an unknown box');
  }
}

/** Throws unless the superbox has a plain description, and behind it boxes of this type alone. */
function requireBoxes(superbox: Uint8Array, type: string, count?: number): void {
  const types: string[] = [];
  const view = new DataView(superbox.buffer, superbox.byteOffset, superbox.length);
  for (let at = HEADER_BYTES; at < superbox.length; ) {
    const length = at + HEADER_BYTES > superbox.length ? 0 : view.getUint32(at);
    if (length < HEADER_BYTES) throw new JumbfError('a JUMBF box is cut off');
    types.push(textAt(superbox, at + 4, 4));
    at += length;
  }
  const [description, ...others] = types;
  const isPlain =
    description === 'jumd' &&
    view.getUint32(HEADER_BYTES) === LABEL_OFFSET - HEADER_BYTES + labelLength(superbox) + 1 &&
    superbox[TOGGLES_OFFSET] === TOGGLES &&
    others.every((other) => other === type) &&
    (count === undefined || others.length === count);
  if (!isPlain) throw new JumbfError('a JUMBF box has additional content');
}

function labelLength(superbox: Uint8Array): number {
  return superbox.indexOf(0, LABEL_OFFSET) - LABEL_OFFSET;
}

function textAt(bytes: Uint8Array, start: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(start, start + length));
}

/** Throws unless every manifest is the last one, or an ingredient of another that is. */
function requireHistory(manifests: ReadonlyMap<string, Uint8Array>): void {
  const pending = [...manifests.keys()].slice(-1);
  const reached = new Set(pending);
  for (let label = pending.pop(); label !== undefined; label = pending.pop()) {
    for (const ingredient of listIngredients(manifests.get(label))) {
      if (!manifests.has(ingredient) || reached.has(ingredient)) continue;
      reached.add(ingredient);
      pending.push(ingredient);
    }
  }
  if (reached.size < manifests.size) throw new JumbfError('a manifest is not part of the history');
}

/** Labels of manifests that the signed ingredients of this one refer to. */
function listIngredients(manifest: Uint8Array | undefined): string[] {
  const stores = childrenOf(manifest ?? new Uint8Array()).filter((child) => labelOf(child) === ASSERTION_STORE);
  const ingredients = stores.flatMap((store) => childrenOf(store)).filter((one) => INGREDIENT.test(labelOf(one)));
  return ingredients
    .flatMap((one) => listTexts(decodeAssertion(one)))
    .flatMap((text) => REFERENCE.exec(text)?.[1] ?? []);
}

function listTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return [];
  return Object.values(value).flatMap(listTexts);
}

/** Throws an UnknownBindingError unless the content is CBOR with plain values. */
export function decodeAssertion(assertion: Uint8Array): unknown {
  try {
    return decode(contentOf(assertion), { rejectDuplicateMapKeys: true });
  } catch (cause) {
    throw new UnknownBindingError('an assertion has an unknown form', { cause });
  }
}
