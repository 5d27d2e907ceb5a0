// Reads the manifest inside a file in the calling thread.

export { readEmbedded as runEmbeddedRead } from '../verification/embedded/reader.js';
