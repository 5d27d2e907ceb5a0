// The part of the SDK that needs a browser.

export type { HashOptions, HashProgress, HashResult } from '../hashing.js';
export type { PerceptualHashes } from '../lookups/perceptualHashes.js';
export { hashBlob } from './hashing.js';
export { computePerceptualHashes, type PerceptualHashOptions } from './perceptualHashes.js';
