// The part of the SDK that needs Node.

export { FileChangedError } from '../errors.js';
export type { FileCodes, MissingCodes } from '../fileCodes.js';
export type { HashOptions, HashProgress, HashResult } from '../hashing.js';
export { type EmbeddedReadJob, readEmbedded } from '../verification/embedded/reader.js';
export { type CodesOptions, computeCodes, setCodesWorker } from './codes.js';
export { type EmbeddedReader, setEmbeddedReader } from './embeddedReader.js';
export { hashFile, hashStream } from './hashing.js';
