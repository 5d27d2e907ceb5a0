// What is returned of an entry on chain: anyone can write the public registry.

import { MAX_ENDPOINT_LENGTH, MAX_MANIFEST_ID_LENGTH } from '@provenance-registry/contract';

/** The characters of RFC 3986: none is invisible, changes the text direction, or has a meaning in HTML. */
const uriForm = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]+$/;

export function isManifestId(text: string): boolean {
  return text.length <= MAX_MANIFEST_ID_LENGTH && uriForm.test(text);
}

/** Refuses user name and password: clients would send them to a host of the writer's choice. */
export function isSafeWebAddress(text: string): boolean {
  if (text.length > MAX_ENDPOINT_LENGTH || !uriForm.test(text)) return false;
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}
