// Codes of images and sound that stay similar when a file is changed a little. Runs in Node and browsers.

export * from './bmp.js';
export * from './gif.js';
export * from './grayImage.js';
export * from './imageHashes.js';
export * from './sound/chromaprintText.js';
export * from './sound/compareSounds.js';
