// The chunk with everything that shows results, loaded while the user looks at the empty page.

export { FileResults } from './FileResults.js';
export { FingerprintResult } from './FingerprintResult.js';
