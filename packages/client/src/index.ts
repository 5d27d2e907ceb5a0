// The SDK: typed API calls and independent verification. Runs in Node and in browsers.

export {
  type Artifact,
  type BatchResult,
  type DownloadAge,
  type ErrorCode,
  type FeedEvent,
  type FieldProblem,
  type Fingerprint,
  isFingerprint,
  judgeDownloadAge,
  type LookupResult,
  type Mark,
} from '@provenance-registry/core';
export { requireArtifact } from './batchResult.js';
export { createClient, type FileMethods, type InputOf, type RegistryClient } from './client.js';
export type { CallOptions, ClientOptions, DownloadOptions } from './clientOptions.js';
export {
  ApiError,
  InvalidArgumentError,
  InvalidResponseError,
  type SdkErrorCode,
  ServiceUnreachableError,
} from './errors.js';
export * as explanations from './explanations.js';
export { type FileRegistration, findRegistration } from './fileRegistration.js';
export { type FollowOptions, followEvents } from './followEvents.js';
export type { HashOptions, HashProgress, HashResult } from './hashing.js';
export type { Disclosure } from './lookups/disclosure.js';
export type { FileInput, HashedFile } from './lookups/fileInput.js';
export { type LookalikeSearch, type LookalikeSearchOptions, searchLookalikes } from './lookups/lookalikes.js';
export { type LookUpOptions, type Lookup, lookUp, lookUpMany } from './lookups/lookUp.js';
export type { MissingHashReason, PerceptualHashes } from './lookups/perceptualHashes.js';
export { type RegistrationInput, type RegistrationResult, registerOrFind } from './registerOrFind.js';
export type { FileContent } from './requests.js';
export type { RetryEvent } from './retry.js';
export type { SignedCopy, SignedImage } from './signedCopy.js';
export { type SignedFile, type SignFileInput, signFile } from './signFile.js';
export { type VerifyBundleOptions, verifyBundle } from './verification/bundle.js';
export { type Bundle, type OldBundle, parseBundle } from './verification/bundleFormat.js';
export {
  type EmbeddedManifest,
  type ManifestAction,
  type ManifestSigner,
  type ManifestStep,
  signerName,
  type UsePermission,
} from './verification/embedded/embeddedManifest.js';
export { type EmbeddedReadOptions, readEmbeddedManifest } from './verification/embedded/readEmbeddedManifest.js';
export type { ManifestIdentity } from './verification/identity.js';
export { readLogIdentity } from './verification/log/logKeys.js';
export { type CheckedReceipt, type ReadReceiptOptions, readReceipt } from './verification/log/readReceipt.js';
export { type MakeBundleOptions, makeBundle } from './verification/makeBundle.js';
export { type MirrorSource, openMirror } from './verification/mirror/source.js';
export type { ChainSource, Expectation, VerifyOptions } from './verification/options.js';
export type {
  AnchorDetails,
  ChainDetails,
  Check,
  CheckCode,
  EvidenceKind,
  Fact,
  FactName,
  IndependentSource,
  LogDetails,
  ManifestDetails,
  Notice,
  Problem,
  Reason,
  RegistryDetails,
  TimeEvidence,
  Verdict,
  Verification,
} from './verification/types.js';
export {
  type Confirmation,
  confirmationOf,
  distrustRegistry,
  isConfirmed,
  isProven,
  requireRegistryCheck,
} from './verification/verdict.js';
export { verify } from './verification/verify.js';
export { type WaitOptions, waitForStatus } from './waitForStatus.js';
