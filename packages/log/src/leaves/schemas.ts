// What each kind of leaf says. Every member is an id, a hash, a number, a time or a word of a list: names, texts, addresses of
// users and perceptual hashes have no place here, since nothing can be taken out of the log again.

import { fingerprintPattern, type LicenseKey, StringEnum } from '@provenance-registry/core';
import Type, { type Static } from 'typebox';
import { MAX_INDEX_BITS, MIN_INDEX_BITS } from '../indexTree/records.js';

/** A SHA-256, or the keccak-256 that is on chain. */
const Hash = Type.Unsafe<`0x${string}`>({ type: 'string', pattern: fingerprintPattern });
const Id = Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' });
/** By the clock of the service, as `Date` writes it. */
const Time = Type.Refine(Type.String({ maxLength: 24 }), isTime);
const Index = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Visibility = StringEnum(['public', 'private']);
/** The preference for each of the uses, in the order of `aiUses`; see `encodeAiPreferences`. */
const Ai = Type.Array(Type.Integer({ minimum: 0, maximum: 3 }), { minItems: 4, maxItems: 4 });
/** Readers accept licenses that were added later. */
const License = Type.Unsafe<LicenseKey>({ type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$' });
/** Host and path of the log's address. */
const originPattern = '([a-z0-9.-]+|\\[[0-9a-f:.]+\\])(:[0-9]+)?(/[A-Za-z0-9._~%-]+)*';
const MAX_ORIGIN_LENGTH = 500;
const Origin = Type.String({ pattern: `^${originPattern}$`, maxLength: MAX_ORIGIN_LENGTH });
/** 33 bytes have 44 characters in base64. */
const VerifierKeyText = Type.String({
  pattern: `^${originPattern}[+][0-9a-f]{8}[+][A-Za-z0-9+/]{44}$`,
  maxLength: MAX_ORIGIN_LENGTH + 1 + 8 + 1 + 44,
});

function closed<T extends Type.TProperties>(properties: T) {
  return Type.Object({ ...properties, time: Time }, { additionalProperties: false });
}

const terms = { mark: Id, ai: Ai, license: License };
/** What is said of a file under a private Mark, to those alone who may see the Mark. The salt makes it impossible to guess. */
export const Opening = Type.Object({ ...terms, salt: Hash }, { additionalProperties: false });
export type Opening = Static<typeof Opening>;

/** Recorded before the log began: the log proves no earlier time than its own. */
const imported = { imported: Type.Optional(Type.Literal(true)) };

const registration = {
  fingerprint: Hash,
  /** Of the Artifact; also the name of its files and its id on chain. */
  id: Id,
  /** SHA-256 of the signed manifest, the `.c2pa` file. */
  manifest: Hash,
  /** The `manifestHash` on chain: keccak-256 of the metadata. */
  metadata: Hash,
  ...imported,
};
/** Under a public Mark, or under a private one, with a commitment to the terms. */
const Registration = Type.Union([closed({ ...registration, ...terms }), closed({ ...registration, hidden: Hash })]);

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

export const leafSchemas = {
  /** The first leaf. `since`: when the registry began, before the log. */
  genesis: closed({
    origin: Origin,
    chain: Index,
    contract: Type.Unsafe<`0x${string}`>({ type: 'string', pattern: '^0x[0-9a-f]{40}$' }),
    since: Time,
  }),
  artifact: Registration,
  rendition: Registration,
  /** An Artifact failed, so that its leaf no longer counts and its fingerprint is free. */
  failed: closed({ index: Index }),
  /** A Mark that is public, or was until now. */
  mark: closed({ id: Id, visibility: Visibility, ai: Ai, license: License, ...imported }),
  claim: closed({
    id: Id,
    fingerprint: Hash,
    step: StringEnum(['claim', 'answer', 'withdrawal', 'superseded', 'operator-note']),
    /** SHA-256 of the evidence. */
    evidence: Type.Optional(Hash),
    /** Of what was written, with a salt: `commitToText`. */
    textHash: Type.Optional(Hash),
    ...imported,
  }),
  /** Whether what an Artifact says about its content is public. */
  content: closed({ fingerprint: Hash, visibility: Visibility, ...imported }),
  /** The root of the index of all leaves before that size: `FingerprintIndex`. */
  index: closed({ size: Index, root: Hash, bits: Type.Integer({ minimum: MIN_INDEX_BITS, maximum: MAX_INDEX_BITS }) }),
  /** From here on: the key of the log, and the SHA-256 of the certificates that manifests lead to. */
  keys: closed({ log: VerifierKeyText, signers: Type.Array(Hash, { maxItems: 32 }) }),
} satisfies Record<LeafKind, Type.TSchema>;

export type LeafContent<K extends LeafKind> = Static<(typeof leafSchemas)[K]>;

function isTime(text: string): boolean {
  return !Number.isNaN(Date.parse(text)) && new Date(text).toISOString() === text;
}
