// The SDK: typed API calls and independent verification. Runs in Node and in browsers.

export { type Artifact, type ErrorCode, type Fingerprint, isFingerprint, type Mark } from '@provenance-registry/core';
export {
  type CallOptions,
  type ClientOptions,
  createClient,
  type InputOf,
  type RegistryClient,
  type SignedImage,
} from './client.js';
export { ApiError, InvalidResponseError, ServiceUnreachableError } from './errors.js';
export type { Hashed, HashOptions, Progress } from './hashing.js';
export { type RegistrationInput, type RegistrationResult, registerOrFind } from './registerOrFind.js';
export type { Content } from './requests.js';
export type { RetryEvent } from './retries.js';
export {
  type Bundle,
  type BundleOptions,
  type BundleSources,
  makeBundle,
  parseBundle,
  verifyBundle,
} from './verification/bundle.js';
export type { Check, Verification } from './verification/verdict.js';
export { type ChainSource, type Sources, verify } from './verification/verify.js';
export { type WaitOptions, waitForStatus } from './waiting.js';
