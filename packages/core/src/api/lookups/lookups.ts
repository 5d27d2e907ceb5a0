// Questions that do not tell which file they are about: all registered fingerprints that start with some digits.

import Type, { type Static } from 'typebox';
import { FingerprintText } from '../../fingerprints/fingerprintSchemas.js';
import { MAX_PREFIX_DIGITS, MIN_PREFIX_DIGITS, prefixPattern } from '../../fingerprints/fingerprints.js';
import { StringEnum } from '../../text/text.js';
import { exampleFingerprint } from '../artifacts/artifactRecord.js';
import { exampleManifestId, NextCursor, ok, operations, route } from '../declarations.js';
import { Uuid } from '../operation.js';

/** Number of entries that share a prefix of the announced length, or more, where the registry is large enough. */
export const MIN_BUCKET_ENTRIES = 128;

/** Entries of one page. Only a bucket that is filled on purpose has more: 16 times the minimum is the most by chance. */
export const MAX_PAGE_ENTRIES = 4_096;

/** The digits to ask with, in a registry of this many fingerprints. */
export function prefixDigitsFor(fingerprints: number): number {
  let digits = MIN_PREFIX_DIGITS;
  while (digits < MAX_PREFIX_DIGITS && fingerprints / 16 ** (digits + 1) >= MIN_BUCKET_ENTRIES) digits += 1;
  return digits;
}

export const PrefixEntry = Type.Object(
  {
    fingerprint: FingerprintText('A registered file, or a rendition of one.'),
    manifestId: Type.String({ description: 'Of an Artifact of this service, its id.' }),
    markId: Type.Optional(Uuid('Only with `marks`: the Mark of the Artifact, if it is public.')),
    source: Type.Optional(
      StringEnum(['curated', 'public'], { description: 'Only in entries from the chain: the registry they are in.' }),
    ),
  },
  { title: 'PrefixEntry' },
);
/**
 * One registered fingerprint with the digits that were asked for.
 * @example
 * ```ts
 * const isOnChainOnly = ({ source }: PrefixEntry) => source !== undefined;
 * ```
 */
export type PrefixEntry = Static<typeof PrefixEntry>;

export const FingerprintBucket = Type.Object(
  {
    prefix: Type.String({ description: 'As asked for.' }),
    digits: Type.Integer({
      minimum: MIN_PREFIX_DIGITS,
      maximum: MAX_PREFIX_DIGITS,
      description:
        `How many digits to ask with: so many that ${MIN_BUCKET_ENTRIES} to ${16 * MIN_BUCKET_ENTRIES} fingerprints ` +
        'share them, if the registry has enough. Grows with the registry.',
    }),
    isChainKnown: Type.Boolean({
      description: 'False when entries that others wrote on chain may be missing, because its mirror is behind.',
    }),
    entries: Type.Array(PrefixEntry, {
      description: `Ordered by fingerprint, each once; at most ${MAX_PAGE_ENTRIES} in a page.`,
    }),
    nextCursor: NextCursor,
  },
  { title: 'FingerprintBucket' },
);
/**
 * All registered fingerprints that start with the same digits, or a page of them.
 * @example
 * ```ts
 * const has = ({ entries }: FingerprintBucket, own: Fingerprint) => entries.some(({ fingerprint }) => fingerprint === own);
 * ```
 */
export type FingerprintBucket = Static<typeof FingerprintBucket>;

export const prefixLookupOperations = operations('Public', {
  listFingerprints: {
    ...route('GET', '/api/v1/public/fingerprints/{prefix}', 'none'),
    summary: 'List fingerprints by prefix',
    description:
      'All registered fingerprints that start with these digits, with their manifest ids: of Artifacts, of their ' +
      'renditions, and of entries that others wrote on chain. Look for yours in the list, and the service does not learn ' +
      `which file you asked about. Start with ${MIN_PREFIX_DIGITS} digits, and use \`digits\` of the response from then on. ` +
      'Artifacts of private Marks are bare entries. No token needed.',
    params: Type.Object({
      prefix: Type.String({
        pattern: prefixPattern,
        description: 'The first digits of a fingerprint, in lower case, without `0x`.',
      }),
    }),
    query: Type.Object({
      cursor: Type.Optional(FingerprintText('`nextCursor` of the previous page.')),
      marks: Type.Optional(
        Type.Boolean({ default: false, description: 'Also return the public Mark of each Artifact.' }),
      ),
    }),
    success: ok('The fingerprints.', FingerprintBucket, {
      prefix: exampleFingerprint.slice(2, 2 + MIN_PREFIX_DIGITS),
      digits: MIN_PREFIX_DIGITS,
      isChainKnown: true,
      entries: [{ fingerprint: exampleFingerprint, manifestId: exampleManifestId }],
      nextCursor: null,
    }),
    hasEtag: true,
    errors: {
      BAD_REQUEST: 'The prefix is not 4 to 8 hex digits in lower case, or the cursor is not one of this list.',
    },
  },
});
