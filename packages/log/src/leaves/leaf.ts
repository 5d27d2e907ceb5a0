// Leaves: a line with the kind, and canonical JSON. The line separates them from everything else that is hashed or signed.

import { canonicalJson } from '@provenance-registry/core';
import { decodeUtf8, encodeUtf8 } from '../encoding.js';
import { LogFormatError } from '../errors.js';
import { type LeafContent, type LeafKind, leafContents, leafKinds } from './contents.js';

/** Of the domain of all leaves and commitments, and their version: what a leaf means never changes. */
export const LEAF_VERSION = 'provenance-leaf/1';
/** Far more than any kind needs; bounds what a reader has to hold. */
export const MAX_LEAF_BYTES = 4096;
const TOO_LONG = `The leaf has more than ${MAX_LEAF_BYTES} bytes.`;

export type Leaf = { readonly [K in LeafKind]: { readonly kind: K; readonly content: LeafContent<K> } }[LeafKind];

/** @throws LogFormatError for what is not exactly the content of that kind */
export function encodeLeaf(leaf: Leaf): Uint8Array<ArrayBuffer> {
  const { kind, content } = leaf;
  if (!isLeaf(leaf)) throw new LogFormatError(`This is not the content of a leaf of the kind ${kind}.`);
  const entry = encodeUtf8(`${LEAF_VERSION} ${kind}\n${canonicalJson(content)}`);
  if (entry.length > MAX_LEAF_BYTES) throw new LogFormatError(TOO_LONG);
  return entry;
}

/**
 * Reads a leaf. Undefined for a kind or version that is not known here, which readers skip.
 * @throws LogFormatError for a leaf that is not exactly what its kind prescribes
 */
export function parseLeaf(entry: Uint8Array): Leaf | undefined {
  if (entry.length > MAX_LEAF_BYTES) throw new LogFormatError(TOO_LONG);
  const [line = '', json = '', ...rest] = decodeUtf8(entry).split('\n');
  const kind = leafKinds.find((known) => line === `${LEAF_VERSION} ${known}`);
  if (kind === undefined) return undefined;
  const content = parseJson(json);
  if (rest.length > 0 || canonicalJson(content) !== json) throw new LogFormatError('The leaf is not canonical JSON.');
  const leaf = { kind, content };
  if (!isLeaf(leaf)) throw new LogFormatError(`The leaf is not of the kind ${kind}.`);
  return leaf;
}

function isLeaf(leaf: { readonly kind: LeafKind; readonly content: unknown }): leaf is Leaf {
  return Object.hasOwn(leafContents, leaf.kind) && leafContents[leaf.kind](leaf.content);
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new LogFormatError('The leaf is not JSON.');
  }
}
