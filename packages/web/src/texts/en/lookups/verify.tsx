// Texts of the front page that are shown before there is a result. Those of results load with them.

export const title = 'What is known about this file';
export const fingerprintTitle = (start: string) => `Fingerprint ${start}…`;
export const verifyAnother = 'Verify another file';
export const result = 'Result';
export const loading = 'Loading …';

// Input.

export const dropHere = 'Drop files here';
export const dropNow = 'Drop to verify';
export const chooseFiles = 'Choose files';
export const privacy =
  'Your file stays on this device. Only the first digits of its fingerprint are sent, unless it is registered here.';
export const privacyWithCodes =
  'Your file stays on this device. Only the first digits of its fingerprint are sent, unless it is registered here; and codes of a picture or recording that is not.';
export const searchLookalikes = 'Search for look-alikes of pictures and recordings';
export const searchLookalikesHint =
  'If a file is not registered: sends a few codes of 8 bytes that your browser computes from a picture, or the Chromaprint of a recording. They tell the service what the file resembles, and hold far too little to restore it. Remembered in this browser.';
export const fingerprintLabel = 'Or look up a fingerprint';
export const fingerprintHint = 'SHA-256 of the file: 64 hexadecimal digits, with or without 0x.';
export const lookUp = 'Look up';
