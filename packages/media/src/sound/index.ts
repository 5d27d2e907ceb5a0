// The fingerprint of sound, for Node and browsers. Apart from the codes because the decoders are large.

export { MAX_SECONDS } from './audio.js';
export * from './chromaprint.js';
