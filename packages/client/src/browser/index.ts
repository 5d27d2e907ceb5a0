// What the SDK offers in browsers alone.

export type { Hashed, HashOptions, Progress } from '../hashing.js';
export { setC2paWasmUrl } from '../verification/c2paWasm.js';
export { hashBlob } from './hashing.js';
