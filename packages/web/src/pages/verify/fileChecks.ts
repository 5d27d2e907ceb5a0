// What is checked about a file: whether exactly it is registered here, which Content Credentials are inside it, what looks
// like it, and which claims there are.

import type { FileVerification } from '@provenance-registry/client';
import type { Fingerprint } from '@provenance-registry/core';
import { useState } from 'preact/compat';
import type { HashedFile } from './fileLookups.js';
import { type LookupResult, useLiveLookup } from './lookup.js';
import { type EmbeddedRead, manifestOf, useEmbeddedManifest } from './useEmbeddedManifest.js';
import { type LookalikeState, useLookalikes } from './useLookalikes.js';

export interface Lookup {
  /** Undefined until it is known. */
  readonly result: LookupResult | undefined;
  /** Error of the last attempt. */
  readonly error: unknown;
  readonly retry: () => void;
}

export interface FileChecks {
  readonly fingerprint: Fingerprint;
  /** Undefined when only the fingerprint was given. */
  readonly file: HashedFile | undefined;
  readonly lookup: Lookup;
  readonly embedded: EmbeddedRead;
  readonly retryEmbedded: () => void;
  readonly lookalikes: LookalikeState;
  /** Undefined until the user runs the independent checks. */
  readonly verification: FileVerification | undefined;
  readonly onVerified: (verification: FileVerification) => void;
}

export function useFileChecks(
  fingerprint: Fingerprint,
  file: HashedFile | undefined,
  { result: loaded, ...lookup }: Lookup,
  /** Only then the status of the registration is followed. */
  isShown = true,
): FileChecks {
  const [verification, onVerified] = useState<FileVerification>();
  const result = useLiveLookup(isShown ? loaded : undefined) ?? loaded;
  const { read: embedded, retry: retryEmbedded } = useEmbeddedManifest(file?.content);
  const original = originalOf(result, embedded);
  const lookalikes = useLookalikes({
    content: file?.content,
    mediaType: file?.mediaType ?? '',
    match: matchOf(result, original, lookup.error),
    known: [fingerprint, original],
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
function originalOf(result: LookupResult | undefined, embedded: EmbeddedRead): Fingerprint | undefined {
  return result?.kind === 'recorded' ? result.artifact.fingerprint : manifestOf(embedded)?.signedCopyOf;
}

function matchOf(result: LookupResult | undefined, original: Fingerprint | undefined, error: unknown) {
  if (!result) return error === undefined ? 'unknown' : 'failed';
  return result.kind === 'notFound' && original === undefined ? 'none' : 'found';
}
