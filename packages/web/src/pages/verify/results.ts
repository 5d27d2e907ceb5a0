// The chunk with everything that shows results, loaded when the visitor does something for the first time.

export { FileResults } from './FileResults.js';
export { FingerprintResult } from './FingerprintResult.js';
