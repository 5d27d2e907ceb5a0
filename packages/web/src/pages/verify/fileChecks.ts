// What is checked about a file: whether exactly it is registered here, which Content Credentials are inside it, what looks
// like it, and which claims there are.

import type { Lookup, Verification } from '@provenance-registry/client';
import type { Fingerprint } from '@provenance-registry/core';
import { useState } from 'preact/compat';
import type { HashedFile } from './fileLookups.js';
import { useLiveLookup } from './lookup.js';
import { type EmbeddedRead, manifestOf, useEmbeddedManifest } from './useEmbeddedManifest.js';
import { type LookalikeState, useLookalikes } from './useLookalikes.js';

export interface LookupState {
  /** Undefined until it is known. */
  readonly result: Lookup | undefined;
  /** Error of the last attempt. */
  readonly error: unknown;
  readonly retry: () => void;
}

export interface FileChecks {
  readonly fingerprint: Fingerprint;
  /** Undefined when only the fingerprint was given. */
  readonly file: HashedFile | undefined;
  readonly lookup: LookupState;
  readonly embedded: EmbeddedRead;
  readonly retryEmbedded: () => void;
  readonly lookalikes: LookalikeState;
  /** Undefined until the user runs the independent checks. */
  readonly verification: Verification | undefined;
  readonly onVerified: (verification: Verification) => void;
}

export function useFileChecks(
  fingerprint: Fingerprint,
  file: HashedFile | undefined,
  { result: loaded, ...lookup }: LookupState,
  /** Only then the status of the registration is followed. */
  isShown = true,
): FileChecks {
  const [verification, onVerified] = useState<Verification>();
  const result = useLiveLookup(isShown ? loaded : undefined) ?? loaded;
  const { read: embedded, retry: retryEmbedded } = useEmbeddedManifest(file?.content);
  const original = originalOf(result, embedded);
  const lookalikes = useLookalikes({
    fingerprint,
    original,
    content: file?.content,
    mediaType: file?.mediaType ?? '',
    match: matchOf(result, original, lookup.error),
  });
  return {
    fingerprint,
    file,
    lookup: { ...lookup, result },
    embedded,
    retryEmbedded,
    lookalikes,
    verification,
    onVerified,
  };
}

/** The registered file that this one is or leads to. */
function originalOf(result: Lookup | undefined, embedded: EmbeddedRead): Fingerprint | undefined {
  return result?.artifact?.fingerprint ?? manifestOf(embedded)?.signedCopyOf;
}

function matchOf(result: Lookup | undefined, original: Fingerprint | undefined, error: unknown) {
  if (!result) return error === undefined ? 'unknown' : 'failed';
  return result.match === 'none' && original === undefined ? 'none' : 'found';
}
