// What is for Node alone: decoders of images, and the fingerprint of sound.

export { MAX_SECONDS } from '../sound/index.js';
export { DecoderMissingError } from './decoderMissingError.js';
export * from './fingerprint.js';
export * from './imageDecoder.js';
