// The COSE signature of a claim: the certificates of its signer, and its time-stamps with what they must be about.

import { decode, encode, Tagged } from 'cborg';
import { childrenOf, contentOf, JumbfError, kindOf, labelOf } from '../jumbf.js';

export interface ClaimSignature {
  /** In DER, the signer's first. */
  readonly certificates: readonly Uint8Array[];
  readonly stamps: readonly ClaimStamp[];
}

export interface ClaimStamp {
  /** The header that it is in: of C2PA 2, over the signature, or of C2PA 1, over the claim. */
  readonly header: StampHeader;
  readonly token: Uint8Array;
  /** What the token must be about. */
  readonly data: Uint8Array;
}

export const stampHeaders = ['sigTst2', 'sigTst'] as const;
export type StampHeader = (typeof stampHeaders)[number];

const SIGN1_TAG = 18;
const X5CHAIN = 33;
const OLD_X5CHAIN = 'x5chain';
/** Dates, large numbers and encodings have tags below it, which signers may use in headers. */
const MAX_TAGS = 64;
const decodeOptions = {
  useMaps: true,
  rejectDuplicateMapKeys: true,
  tags: Tagged.preserve(...Array(MAX_TAGS).keys()),
};
const EMPTY = new Uint8Array(0);

/** Throws a JumbfError if the signature has another form. */
export function readClaimSignature(manifest: Uint8Array): ClaimSignature {
  const sign1 = decodeCbor(contentOf(soleBox(manifest, 'c2cs', /^c2pa\.signature$/)));
  const parts: unknown = sign1 instanceof Tagged && sign1.tag === SIGN1_TAG ? sign1.value : undefined;
  const [protectedBytes, header, , signature]: readonly unknown[] = Array.isArray(parts) ? parts : [];
  if (!(protectedBytes instanceof Uint8Array && header instanceof Map && signature instanceof Uint8Array)) {
    throw new JumbfError('the signature has an unknown form');
  }
  const claim = contentOf(soleBox(manifest, 'c2cl', /^c2pa\.claim(\.v2)?$/));
  const payloads = { sigTst2: encode(signature), sigTst: claim };
  return {
    certificates: readCertificates(decodeCbor(protectedBytes), header),
    stamps: stampHeaders.flatMap((name) => {
      const token = readToken(header.get(name));
      const data = encode(['CounterSignature', protectedBytes, EMPTY, payloads[name]]);
      return token ? [{ header: name, token, data }] : [];
    }),
  };
}

/** By its type, as c2pa-rs finds it, and by its label, as others do. */
function soleBox(manifest: Uint8Array, kind: string, label: RegExp): Uint8Array {
  const [box, ...others] = childrenOf(manifest).filter((one) => kindOf(one) === kind || label.test(labelOf(one)));
  if (!box || others.length > 0 || kindOf(box) !== kind || !label.test(labelOf(box))) {
    throw new JumbfError('the manifest does not have a box once');
  }
  return box;
}

/** C2PA 1 allowed them in the unprotected header as well. Only one list, because readers differ in which one they take. */
function readCertificates(protectedHeader: unknown, header: ReadonlyMap<unknown, unknown>): Uint8Array[] {
  const inside = protectedHeader instanceof Map ? [protectedHeader.get(X5CHAIN), protectedHeader.get(OLD_X5CHAIN)] : [];
  const [chain, ...others] = [...inside, header.get(OLD_X5CHAIN)].filter((value) => value !== undefined);
  const certificates: unknown[] = Array.isArray(chain) ? chain : [chain];
  if (others.length > 0 || !certificates.every((one) => one instanceof Uint8Array)) {
    throw new JumbfError('the signature does not have its certificates once');
  }
  return certificates;
}

/** C2PA allows one in a header; which one counts would depend on the reader. */
function readToken(container: unknown): Uint8Array | undefined {
  const tokens: unknown = container instanceof Map ? container.get('tstTokens') : undefined;
  const [token, ...others]: readonly unknown[] = Array.isArray(tokens) ? tokens : [];
  const value: unknown = token instanceof Map && others.length === 0 ? token.get('val') : undefined;
  return value instanceof Uint8Array ? value : undefined;
}

function decodeCbor(bytes: Uint8Array): unknown {
  try {
    return decode(bytes, decodeOptions);
  } catch (cause) {
    throw new JumbfError('the signature is not CBOR', { cause });
  }
}
