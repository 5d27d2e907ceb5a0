// Changes of manifest stores that no signature notices: the padding of a signature becomes shorter, and what is freed holds
// something else.

import { decode, encode, Tagged } from 'cborg';
import { box } from '../../../packages/server/src/c2pa/manifest/jumbf.js';

const HEADER_BYTES = 8;
const SIGN1_TAG = 18;
const cborOptions = { useMaps: true, tags: Tagged.preserve(SIGN1_TAG) };

/** Where in a store something is put. */
export type StorePlace = 'store' | 'manifest' | 'claim' | 'description' | 'signature' | 'assertions' | 'assertion';
/** With less, the length of its length is shorter. */
const MIN_PADDING_BYTES = 300;
const labels = { claim: 'c2pa.claim.v2', signature: 'c2pa.signature', assertions: 'c2pa.assertions' };
/** In a description, before the label. */
const TOGGLES_OFFSET = 24;
const HAS_PRIVATE_BOX = 0x10;

/** The store, shorter by so many bytes, or longer by a negative number: the padding of its last signature has fewer zeros. */
export function shrinkStore(store: Buffer, by: number): Buffer {
  return rebuildStore(store, by, Buffer.alloc(0), 'signature');
}

/** The store in the same length, with another manifest before its own: a copy under another label. */
export function addManifest(store: Buffer): Buffer {
  const active = childrenOf(store).at(-1) ?? Buffer.alloc(0);
  const { pad } = readSignature(signatureOf(active));
  const shorter = childrenOf(shrinkStore(store, pad.length - MIN_PADDING_BYTES)).at(-1);
  const copy = Buffer.from(shorter ?? Buffer.alloc(0));
  copy.write('eve', copy.indexOf(0, LABEL_OFFSET) - 3);
  return box('jumb', ...childrenOf(shrinkStore(store, copy.length)).toSpliced(1, 0, copy));
}

/** The store with other bytes in the padding. */
export function fillPadding(store: Buffer): Buffer {
  const { pad, encodeWith } = readSignature(signatureOf(childrenOf(store).at(-1) ?? Buffer.alloc(0)));
  const filled = Buffer.from(store);
  const content = encodeWith(pad).subarray(HEADER_BYTES);
  encodeWith(Buffer.alloc(pad.length, 7)).copy(filled, filled.indexOf(content) - HEADER_BYTES);
  return filled;
}

/** The store in the same length, with a box of this content in place of padding. */
export function hideInStore(store: Buffer, content: Buffer, place: StorePlace): Buffer {
  const hidden = box('free', content);
  return rebuildStore(store, hidden.length, hidden, place);
}

function rebuildStore(store: Buffer, by: number, hidden: Buffer, place: StorePlace): Buffer {
  const manifests = childrenOf(store);
  const active = manifests.at(-1) ?? Buffer.alloc(0);
  const at = (one: StorePlace) => (one === place ? [hidden] : []);
  const parts = childrenOf(active).map((child) => {
    const label = labelOf(child);
    const [description = Buffer.alloc(0), first = Buffer.alloc(0), ...others] = childrenOf(child);
    if (label === labels.signature) return box('jumb', ...shrinkSignature(child, by), ...at('signature'));
    if (label === labels.claim) {
      const describedAs = place === 'description' ? addPrivateBox(description, hidden) : description;
      return box('jumb', describedAs, first, ...others, ...at('claim'));
    }
    if (label !== labels.assertions) return child;
    const assertion = place === 'assertion' ? box('jumb', ...childrenOf(first), hidden) : first;
    return box('jumb', description, assertion, ...others, ...at('assertions'));
  });
  const manifest = box('jumb', ...parts, ...at('manifest'));
  return box('jumb', ...manifests.slice(0, -1), manifest, ...at('store'));
}

function addPrivateBox(description: Buffer, content: Buffer): Buffer {
  const longer = Buffer.from(description.subarray(HEADER_BYTES));
  const at = TOGGLES_OFFSET - HEADER_BYTES;
  longer.writeUInt8(longer.readUInt8(at) | HAS_PRIVATE_BOX, at);
  return box('jumd', longer, content);
}

/** Its description, and the COSE_Sign1 with less padding, or more. */
function shrinkSignature(signature: Buffer, by: number): Buffer[] {
  const [description = Buffer.alloc(0), content = Buffer.alloc(0)] = childrenOf(signature);
  const { pad, encodeWith } = readSignature(signature);
  // The length of its length may change too.
  for (const difference of [0, 1, 2, -1, -2]) {
    const shorter = encodeWith(new Uint8Array(Math.max(0, pad.length - by + difference)));
    if (shorter.length === content.length - by) return [description, shorter];
  }
  throw new Error(`no padding for ${by} bytes`);
}

function readSignature(signature: Buffer) {
  const content = childrenOf(signature)[1] ?? Buffer.alloc(0);
  // The form of those that the service writes.
  const sign1 = decode(content.subarray(HEADER_BYTES), cborOptions) as Tagged;
  const [protectedHeader, header, payload, value] = sign1.value as [Uint8Array, Map<string, unknown>, null, Uint8Array];
  const encodeWith = (pad: Uint8Array) =>
    box('cbor', encode(new Tagged(SIGN1_TAG, [protectedHeader, new Map(header).set('pad', pad), payload, value])));
  return { pad: header.get('pad') as Uint8Array, encodeWith };
}

function signatureOf(manifest: Buffer): Buffer {
  return childrenOf(manifest).find((child) => labelOf(child) === labels.signature) ?? Buffer.alloc(0);
}

/** All boxes in a superbox. */
function childrenOf(superbox: Buffer): Buffer[] {
  const children: Buffer[] = [];
  for (let at = HEADER_BYTES; at < superbox.length; ) {
    const end = at + superbox.readUInt32BE(at);
    children.push(superbox.subarray(at, end));
    at = end;
  }
  return children;
}

const LABEL_OFFSET = 33;

function labelOf(superbox: Buffer): string {
  return superbox.toString('latin1', LABEL_OFFSET, superbox.indexOf(0, LABEL_OFFSET));
}
