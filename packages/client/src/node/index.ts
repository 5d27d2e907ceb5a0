// What the SDK offers in Node alone.

export type { Hashed, HashOptions, Progress } from '../hashing.js';
export { FileChanged, hashFile, hashStream } from './hashing.js';
