// The part of the SDK that needs a browser.

export type { FileCodes } from '../fileCodes.js';
export type { HashOptions, HashProgress, HashResult } from '../hashing.js';
export { setC2paWasmUrl } from '../verification/c2paWasm.js';
export { type CodesOptions, computeCodes, setChromaprintWasmUrl } from './codes.js';
export { hashBlob } from './hashing.js';
