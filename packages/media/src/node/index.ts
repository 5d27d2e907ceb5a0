// What is for Node alone: decoders of images, and the fingerprint of sound.

export { MAX_SECONDS } from '../audio.js';
export * from './chromaprint.js';
export * from './imageDecoder.js';
