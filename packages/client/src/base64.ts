// Base64 of bytes, in Node and in browsers alike.

/** A call takes so many arguments and not many more. */
const BYTES_AT_ONCE = 0x8000;

export function base64Of(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += BYTES_AT_ONCE) {
    binary += String.fromCharCode(...bytes.subarray(at, at + BYTES_AT_ONCE));
  }
  return btoa(binary);
}

export function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
