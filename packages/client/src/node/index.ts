// The part of the SDK that needs Node.

export { FileChangedError } from '../errors.js';
export type { HashOptions, HashProgress, HashResult } from '../hashing.js';
export { hashFile, hashStream } from './hashing.js';
