// The part of the SDK that needs Node.

export { FileChangedError } from '../errors.js';
export type { HashOptions, HashProgress, HashResult } from '../hashing.js';
export type { MissingHashReason, PerceptualHashes } from '../lookups/perceptualHashes.js';
export { type EmbeddedReader, type EmbeddedReadJob, readEmbedded } from '../verification/embedded/reader.js';
export { compileC2pa, useCompiledC2pa } from './c2paWasm.js';
export { hashFile, hashStream } from './hashing.js';
export { computePerceptualHashes, type PerceptualHashOptions } from './perceptualHashes.js';
