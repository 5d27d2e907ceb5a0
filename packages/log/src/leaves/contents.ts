// What each kind of leaf says. Every member is an id, a hash, a number, a time or a word of a list: names, texts, addresses of
// users and perceptual hashes have no place here, since nothing can be taken out of the log again.

import { fingerprintPattern, type LicenseKey } from '@provenance-registry/core';
import { MAX_INDEX_BITS, MIN_INDEX_BITS } from '../indexTree/records.js';
import { closed, either, type Guard, type Guarded, integer, listOf, matching, oneOf, optional } from './guards.js';

/** A SHA-256, or the keccak-256 that is on chain. */
const hash = matching<`0x${string}`>(fingerprintPattern);
const id = matching('^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$');
const index = integer(0, Number.MAX_SAFE_INTEGER);
const visibility = oneOf('public', 'private');
/** The preference for each of the uses, in the order of `aiUses`; see `encodeAiPreferences`. */
const ai = listOf(integer(0, 3), 4, 4);
/** Readers accept licenses that were added later. */
const license = matching<LicenseKey>('^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$');
/** Host and path of the log's address. */
const originPattern = '([a-z0-9.-]+|\\[[0-9a-f:.]+\\])(:[0-9]+)?(/[A-Za-z0-9._~%-]+)*';
const MAX_ORIGIN_LENGTH = 500;
/** 33 bytes have 44 characters in base64. */
const verifierKey = matching(
  `^${originPattern}[+][0-9a-f]{8}[+][A-Za-z0-9+/]{44}$`,
  MAX_ORIGIN_LENGTH + 1 + 8 + 1 + 44,
);
/** By the clock of the service, as `Date` writes it. */
const time: Guard<string> = (value): value is string => typeof value === 'string' && isTime(value);

const terms = { mark: id, ai, license };
/** What is said of a file under a private Mark, to those alone who may see the Mark. The salt makes it impossible to guess. */
export const isOpening = closed({ ...terms, salt: hash });
export type Opening = Guarded<typeof isOpening>;

/** Recorded before the log began: the log proves no earlier time than its own. */
const imported = { imported: optional(oneOf(true)) };

const facts = {
  fingerprint: hash,
  /** Of the Artifact; also the name of its files and its id on chain. */
  id,
  /** SHA-256 of the signed manifest, the `.c2pa` file. */
  manifest: hash,
  /** The `manifestHash` on chain: keccak-256 of the metadata. */
  metadata: hash,
  ...imported,
  time,
};
/** Under a public Mark, or under a private one, with a commitment to the terms. */
const registration = either(closed({ ...facts, ...terms }), closed({ ...facts, hidden: hash }));

export const leafKinds = [
  'genesis',
  'artifact',
  'rendition',
  'failed',
  'mark',
  'claim',
  'content',
  'index',
  'keys',
] as const;
export type LeafKind = (typeof leafKinds)[number];

/** Whether a value is the content of a leaf of that kind. */
export const leafContents = {
  /** The first leaf. `since`: when the registry began, before the log. */
  genesis: closed({
    origin: matching(`^${originPattern}$`, MAX_ORIGIN_LENGTH),
    chain: index,
    contract: matching<`0x${string}`>('^0x[0-9a-f]{40}$'),
    since: time,
    time,
  }),
  artifact: registration,
  rendition: registration,
  /** An Artifact failed, so that its leaf no longer counts and its fingerprint is free. */
  failed: closed({ index, time }),
  /** A Mark that is public, or was until now. */
  mark: closed({ id, visibility, ai, license, ...imported, time }),
  claim: closed({
    id,
    fingerprint: hash,
    step: oneOf('claim', 'answer', 'withdrawal', 'superseded', 'operator-note'),
    /** SHA-256 of the evidence. */
    evidence: optional(hash),
    /** Of what was written, with a salt: `commitToText`. */
    textHash: optional(hash),
    ...imported,
    time,
  }),
  /** Whether what an Artifact says about its content is public. */
  content: closed({ fingerprint: hash, visibility, ...imported, time }),
  /** The root of the index of all leaves before that size: `FingerprintIndex`. */
  index: closed({ size: index, root: hash, bits: integer(MIN_INDEX_BITS, MAX_INDEX_BITS), time }),
  /** From here on: the key of the log, and the SHA-256 of the certificates that manifests lead to. */
  keys: closed({ log: verifierKey, signers: listOf(hash, 0, 32), time }),
} satisfies Record<LeafKind, Guard<unknown>>;

export type LeafContent<K extends LeafKind> = Guarded<(typeof leafContents)[K]>;

function isTime(text: string): boolean {
  return !Number.isNaN(Date.parse(text)) && new Date(text).toISOString() === text;
}
