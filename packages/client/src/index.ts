// The SDK: typed calls, and what can be found out about a file without believing anyone. Runs in Node and in browsers.

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
