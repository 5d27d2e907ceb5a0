// What stands in a leaf for what it must not say: a hash with a salt. Those who get the salt can check it; when the salt is
// deleted, the hash tells nothing.

import { sha256 } from '@noble/hashes/sha2';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils';
import { canonicalJson } from '@provenance-registry/core';
import { concatBytes, encodeUtf8, HASH_BYTES } from '../encoding.js';
import { LogFormatError, LogProofError } from '../errors.js';
import { isOpening, type Opening } from './contents.js';
import { LEAF_VERSION } from './leaf.js';

type Hex = Opening['salt'];

/** 32 random bytes for one commitment: equal contents have different hashes, and none can be guessed. */
export function formatSalt(salt: Uint8Array): Hex {
  if (salt.length !== HASH_BYTES) throw new LogFormatError('A salt does not have 32 bytes.');
  return `0x${bytesToHex(salt)}`;
}

/** The member `hidden` of a file under a private Mark. */
export function commitToTerms({ salt, ...terms }: Opening): Hex {
  return commit('hidden', salt, canonicalJson(terms));
}

/** The member `textHash` of a claim. */
export function commitToText(text: string, salt: Hex): Hex {
  return commit('text', salt, text);
}

/**
 * What a leaf hides.
 * @throws LogFormatError, or LogProofError if the leaf hides something else
 */
export function parseOpening(opening: unknown, hidden: Hex): Opening {
  if (!isOpening(opening)) throw new LogFormatError('The opening does not have its form.');
  if (commitToTerms(opening) !== hidden)
    throw new LogProofError('The leaf hides something else than the opening says.');
  return opening;
}

function commit(label: string, salt: Hex, content: string): Hex {
  const bytes = [encodeUtf8(`${LEAF_VERSION} ${label}\n`), hexToBytes(salt.slice(2)), encodeUtf8(content)];
  return `0x${bytesToHex(sha256(concatBytes(bytes)))}`;
}
