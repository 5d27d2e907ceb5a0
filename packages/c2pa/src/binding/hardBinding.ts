// The hard binding of a manifest, as it is in the store: which bytes of the file its hash leaves out.

import Type, { type Static } from 'typebox';
import { Check } from 'typebox/schema';
import { childOf, JumbfError, labelOf } from '../jumbf.js';
import { Bytes, decodeBox, listAssertions, UnknownFormError } from './storeForm.js';

const Count = Type.Integer({ minimum: 0 });
/** Programs write values that they leave out also as null. */
const Absent = Type.Optional(Type.Null());
const Excluded = Type.Object({ start: Count, length: Count });
/** Signers have one, or those that C2PA lists. */
const MAX_EXCLUSIONS = 100;
const DataHash = Type.Object({
  exclusions: Type.Optional(Type.Union([Type.Array(Excluded, { maxItems: MAX_EXCLUSIONS }), Type.Null()])),
});
const BmffExclusion = Type.Object({
  xpath: Type.String(),
  data: Type.Optional(Type.Union([Type.Array(Type.Object({ offset: Count, value: Bytes })), Type.Null()])),
});
/** Hashes of parts of the content, in a tree, are not read. */
const BmffHash = Type.Object({
  exclusions: Type.Array(BmffExclusion, { maxItems: MAX_EXCLUSIONS }),
  hash: Bytes,
  merkle: Absent,
});
const BoxesHash = Type.Object({
  boxes: Type.Array(
    Type.Object({
      names: Type.Array(Type.String()),
      excluded: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
      exclusions: Absent,
    }),
  ),
});
export type BmffHash = Static<typeof BmffHash>;
export type BoxesHash = Static<typeof BoxesHash>;

export type HardBinding =
  | { readonly kind: 'data'; readonly exclusions: readonly Static<typeof Excluded>[] }
  | { readonly kind: 'bmff'; readonly binding: BmffHash }
  | { readonly kind: 'boxes'; readonly binding: BoxesHash };

const ASSERTION_URL = /^self#jumbf=\/c2pa\/([^/]+)\/c2pa\.assertions\/([^/]+)$/;

/**
 * Throws an UnknownFormError if the binding is of a form that is not read, although it may be valid.
 * @param store whose assertions are hashed
 * @param url of the assertion that c2pa-rs compared with the file
 */
export function readHardBinding(store: Uint8Array, url: string): HardBinding {
  const [, manifestLabel, label] = ASSERTION_URL.exec(url) ?? [];
  if (manifestLabel === undefined || label === undefined)
    throw new UnknownFormError('the assertion has an unknown URL');
  const assertion = listAssertions(childOf(store, manifestLabel)).find((one) => labelOf(one) === label);
  if (!assertion) throw new JumbfError('the manifest does not have the assertion');
  return parseHardBinding(label, decodeBox(assertion));
}

/** The first version of BMFF hashes does not cover where boxes are, so what boxes refer to could change. */
function parseHardBinding(label: string, content: unknown): HardBinding {
  if (label === 'c2pa.hash.data' && Check(DataHash, content)) {
    return { kind: 'data', exclusions: content.exclusions ?? [] };
  }
  if (/^c2pa\.hash\.bmff\.v[23]$/.test(label) && Check(BmffHash, content)) return { kind: 'bmff', binding: content };
  if (label === 'c2pa.hash.boxes' && Check(BoxesHash, content)) return { kind: 'boxes', binding: content };
  throw new UnknownFormError('the assertion has an unknown form');
}
