// The form of a manifest store: signatures cover claims and what these refer to, so nothing else may be in it.

import { decode, Tagged } from 'cborg';
import Type from 'typebox';
import { childrenOf, contentOf, JumbfError, kindOf, labelOf, sizeAt } from '../jumbf.js';

const HEADER_BYTES = 8;
/** In the first box of a superbox, the description: its type, its toggles and its label. */
const TYPE_OFFSET = 16;
const TOGGLES_OFFSET = 32;
const LABEL_OFFSET = 33;
/** Types have four letters, and this behind them. */
const TYPE_END = [0x00, 0x11, 0x00, 0x10, 0x80, 0x00, 0x00, 0xaa, 0x00, 0x38, 0x9b, 0x71];
/** Requestable, and with a label. */
const TOGGLES = 3;
const DESCRIPTION = 'jumd';
const SUPERBOX = 'jumb';
const CONTENT = 'cbor';
const STORE = 'c2pa';
const COMPRESSED_MANIFEST = 'c2cm';
const MANIFESTS = ['c2ma', 'c2um'];
const CLAIM = 'c2cl';
const SIGNATURE = 'c2cs';
const ASSERTION_STORE = 'c2pa.assertions';
/** The boxes of a manifest, by their labels. */
const manifestBoxes = new Map([
  ['c2pa.claim', CLAIM],
  ['c2pa.claim.v2', CLAIM],
  ['c2pa.signature', SIGNATURE],
  [ASSERTION_STORE, 'c2as'],
  ['c2pa.credentials', 'c2vc'],
  ['c2pa.databoxes', 'c2db'],
]);
const requiredBoxes = [CLAIM, SIGNATURE, 'c2as'];
/** Their boxes are hashed where an assertion refers to them. */
const referredBoxes = ['c2vc', 'c2db'];
const INGREDIENT = /^c2pa\.ingredient(\.v\d)?(__\d+)?$/;
const REFERENCE = /^self#jumbf=\/c2pa\/([^/]+)/;

export const Bytes = Type.Refine(Type.Unsafe<Uint8Array>({}), (value) => value instanceof Uint8Array);
/** Texts that are dates, and numbers that are. */
const decodeOptions = { rejectDuplicateMapKeys: true, tags: Tagged.preserve(0, 1) };

/** The binding or the store is of a form that is not read here: it may be valid. */
export class UnknownFormError extends Error {}

/**
 * Throws a JumbfError if the store has bytes that nothing signs, or manifests that do not lead to the last one, and an
 * UnknownFormError if a manifest is compressed. c2pa-rs overlooks both, and other readers may find something else.
 */
export function requirePlainStore(store: Uint8Array): void {
  if (sizeAt(store, 0) !== store.length || labelOf(store) !== STORE) throw new JumbfError('not one whole store');
  requireBoxes(store, [STORE], SUPERBOX);
  const manifests = new Map<string, Uint8Array>();
  for (const manifest of childrenOf(store)) {
    if (kindOf(manifest) === COMPRESSED_MANIFEST) throw new UnknownFormError('a manifest is compressed');
    requirePlainManifest(manifest);
    if (manifests.has(labelOf(manifest))) throw new JumbfError('two manifests have one label');
    manifests.set(labelOf(manifest), manifest);
  }
  requireHistory(manifests);
}

function requirePlainManifest(manifest: Uint8Array): void {
  requireBoxes(manifest, MANIFESTS, SUPERBOX);
  const kinds = childrenOf(manifest).map(requirePlainBox);
  const isComplete = requiredBoxes.every((kind) => kinds.includes(kind));
  if (!isComplete || new Set(kinds).size < kinds.length) throw new JumbfError('a manifest lacks a box, or has two');
}

/** @returns the kind of the box */
function requirePlainBox(box: Uint8Array): string {
  const kind = manifestBoxes.get(labelOf(box));
  if (kind === undefined) throw new JumbfError('a manifest has an unknown box');
  if (kind === CLAIM || kind === SIGNATURE) requireBoxes(box, [kind], CONTENT, 1);
  else requireBoxes(box, [kind], SUPERBOX);
  // Of assertions, the claim has hashes. Of others, nothing but the content is understood.
  if (referredBoxes.includes(kind) && childrenOf(box).some((child) => listTypes(child).length !== 2)) {
    throw new JumbfError('a box has more than one content');
  }
  return kind;
}

/** Throws unless the superbox has a plain description of one of the kinds, and behind it boxes of this type alone. */
function requireBoxes(superbox: Uint8Array, kinds: readonly string[], type: string, count?: number): void {
  const [description, ...others] = listTypes(superbox);
  const isExact = others.every((other) => other === type) && (count === undefined || others.length === count);
  const labelBytes = superbox.indexOf(0, LABEL_OFFSET) + 1 - LABEL_OFFSET;
  const isPlain =
    superbox[TOGGLES_OFFSET] === TOGGLES && sizeAt(superbox, HEADER_BYTES) === LABEL_OFFSET - HEADER_BYTES + labelBytes;
  const isOfKind =
    kinds.includes(kindOf(superbox)) && TYPE_END.every((byte, at) => superbox[TYPE_OFFSET + 4 + at] === byte);
  if (description !== DESCRIPTION || !isOfKind || !isPlain || !isExact) {
    throw new JumbfError('a JUMBF box has additional content');
  }
}

/** The types of the description and of the boxes behind it. */
function listTypes(superbox: Uint8Array): string[] {
  const types: string[] = [];
  for (let at = HEADER_BYTES; at < superbox.length; at += sizeAt(superbox, at)) types.push(textAt(superbox, at + 4, 4));
  return types;
}

function textAt(bytes: Uint8Array, start: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(start, start + length));
}

/** Throws unless every manifest is the last one, or an ingredient of another that is. */
function requireHistory(manifests: ReadonlyMap<string, Uint8Array>): void {
  const pending = [...manifests.keys()].slice(-1);
  const reached = new Set(pending);
  for (let label = pending.pop(); label !== undefined; label = pending.pop()) {
    const ingredients = listIngredients(manifests.get(label) ?? new Uint8Array());
    const references = ingredients.flatMap(listTexts).flatMap((text) => REFERENCE.exec(text)?.[1] ?? []);
    for (const reference of references) {
      if (!manifests.has(reference) || reached.has(reference)) continue;
      reached.add(reference);
      pending.push(reference);
    }
  }
  if (reached.size < manifests.size) throw new JumbfError('a manifest is not part of the history');
}

/** The claim of a manifest of a plain form. */
export function findClaim(manifest: Uint8Array): Uint8Array {
  const claim = childrenOf(manifest).find((box) => manifestBoxes.get(labelOf(box)) === CLAIM);
  if (!claim) throw new JumbfError('a manifest has no claim');
  return claim;
}

/** The superboxes of the assertions in a manifest. */
export function listAssertions(manifest: Uint8Array): Uint8Array[] {
  return childrenOf(manifest).flatMap((box) => (labelOf(box) === ASSERTION_STORE ? childrenOf(box) : []));
}

/** What a manifest states about those that it builds on, and other files. */
export function listIngredients(manifest: Uint8Array): unknown[] {
  return listAssertions(manifest).flatMap((one) => (INGREDIENT.test(labelOf(one)) ? [decodeBox(one)] : []));
}

function listTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return [];
  return Object.values(value).flatMap(listTexts);
}

/** Throws an UnknownFormError unless the content is CBOR with plain values. */
export function decodeBox(box: Uint8Array): unknown {
  try {
    return decode(contentOf(box), decodeOptions);
  } catch (cause) {
    throw new UnknownFormError('a box has an unknown form', { cause });
  }
}
