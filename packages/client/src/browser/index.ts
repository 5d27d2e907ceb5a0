// The part of the SDK that needs a browser.

export type { HashOptions, HashProgress, HashResult } from '../hashing.js';
export { setC2paWasmUrl } from '../verification/c2paWasm.js';
export { hashBlob } from './hashing.js';
