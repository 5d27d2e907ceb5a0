// Verification of a file with its content, so that a manifest inside it is read too.

import type { Fingerprint } from '@provenance-registry/core';
import type { EmbeddedManifest } from './embedded/embeddedManifest.js';
import { readEmbeddedManifest } from './embedded/readEmbeddedManifest.js';
import type { Check, Notice, Verification } from './types.js';
import { type VerifyOptions, verify, verifyWithContent } from './verify.js';

/**
 * A file to verify.
 * @example
 * ```ts
 * const file: VerifiedFile = { fingerprint, content: await readFile('sunrise.jpg') };
 * ```
 */
export interface VerifiedFile {
  /** The fingerprint of the content, as `hashFile` and `hashBlob` compute it. */
  readonly fingerprint: Fingerprint;
  readonly content?: Blob | Uint8Array | undefined;
}

/**
 * The result of {@link verifyFile}.
 * @example
 * ```ts
 * const { verdict, embedded, signedCopyOf }: FileVerification = await verifyFile({ fingerprint, content }, { client });
 * ```
 */
export interface FileVerification extends Verification {
  /** The manifest inside the file, of any signer; absent when there is none. */
  readonly embedded?: EmbeddedManifest;
  /** The registered file of which this file is a copy that the registry signed, or the card. */
  readonly signedCopyOf?: Fingerprint;
  /**
   * True when nothing is known about the file itself, as with a card: everything but `fingerprint` and `embedded` is about
   * the file in `signedCopyOf`.
   */
  readonly isAboutOriginal?: true;
}

/**
 * Verifies a file, as {@link verify} does with its fingerprint, and reads the manifest inside it.
 *
 * A copy that the registry signed leads to the file that was registered. Only trust anchors that you name make that step
 * independent: without them the verdict is at most `consistent`.
 * @throws InvalidArgumentError as {@link verify} does
 * @example
 * ```ts
 * const { fingerprint } = await hashBlob(file);
 * const { verdict, embedded } = await verifyFile({ fingerprint, content: file }, { client, trustAnchorsPem });
 * console.log(verdict, embedded?.signer?.name);
 * ```
 */
export async function verifyFile(file: VerifiedFile, options: VerifyOptions): Promise<FileVerification> {
  const { fingerprint, content } = file;
  const embedded = content && (await readEmbeddedManifest(content, embeddedOptions(options)));
  const own = await verifyWithContent(fingerprint, options, content && { embedded });
  const original = embedded?.signedCopyOf;
  const found = { ...(embedded && { embedded }), ...(original && { signedCopyOf: original }) };
  if (!original || isConclusive(own)) return { ...own, ...found };
  const ofOriginal = await verify(original, options);
  if (!isConclusive(ofOriginal)) return { ...own, ...found, ...mostRevealing(own, ofOriginal) };
  const result = embedded?.trustedBy === 'caller' ? ofOriginal : withoutIndependence(ofOriginal, options);
  return { ...nameOriginal(result), fingerprint, ...found, isAboutOriginal: true };
}

/** A copy is named to the service by its original too. */
function mostRevealing(...verifications: readonly Verification[]): Pick<Verification, 'lookup'> {
  const questions = verifications.flatMap(({ lookup }) => lookup ?? []);
  const lookup = questions.find(({ isFileNamed }) => isFileNamed) ?? questions[0];
  return lookup ? { lookup } : {};
}

/** What is said about the registered file must not read as if it were about its copy. */
function nameOriginal(verification: Verification): Verification {
  const rename = (sentence: string) => sentence.replaceAll('this file', 'the registered file');
  const { registry, chain, manifest } = verification.checks;
  const renameCheck = <D>(check: Check<D>): Check<D> => ({
    ...check,
    proves: rename(check.proves),
    ...(check.reason !== undefined && { reason: rename(check.reason) }),
  });
  return {
    ...verification,
    checks: { registry: renameCheck(registry), chain: renameCheck(chain), manifest: renameCheck(manifest) },
    problems: verification.problems.map((problem) => ({ ...problem, reason: rename(problem.reason) })),
  };
}

/** The time limits of sources are for the network. */
function embeddedOptions({ client, trustAnchorsPem, timestampAnchorsPem, signal }: VerifyOptions) {
  return { client, trustAnchorsPem, timestampAnchorsPem, signal };
}

function isConclusive({ verdict }: Verification): boolean {
  return verdict !== 'unknown' && verdict !== 'incomplete';
}

/** That the file is a copy of the registered one is only the service's word. */
function withoutIndependence(verification: Verification, { require = [] }: VerifyOptions): Verification {
  const { verdict, independentSources } = verification;
  if (independentSources.length === 0 || verdict === 'contradicted') return verification;
  const notices = require.map(
    (source): Notice => ({ code: 'REQUIRED', text: `The ${source} does not confirm that this is a copy of the file.` }),
  );
  return {
    ...verification,
    verdict: require.length > 0 ? 'incomplete' : verdict === 'verified' ? 'consistent' : verdict,
    independentSources: [],
    notices: [...verification.notices, ...notices],
  };
}
