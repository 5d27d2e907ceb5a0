// Random numbers from a seed. Each user of them has a sequence of its own, so that one does not shift another's.

import { createHash } from 'node:crypto';

/** @typedef {ReturnType<typeof createRandom>} Random */

/** Of 32 digits, without the two that say the version and the variant. */
const UUID_PARTS = /^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/;

/**
 * @param {string} seed
 * @param {string} name of the sequence
 */
export function createRandom(seed, name) {
  let state = createHash('sha256').update(`${seed} ${name}`).digest().readInt32LE();
  /** From 0 to 1 (mulberry32). */
  function next() {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
  /** @param {number} limit */
  const below = (limit) => Math.floor(next() * limit);
  /** @param {number} length */
  const bytes = (length) => Uint8Array.from({ length }, () => below(256));
  return {
    next,
    below,
    bytes,
    uuid: () => Buffer.from(bytes(16)).toString('hex').replace(UUID_PARTS, '$1-$2-4$3-8$4-$5'),
    /** @param {number} probability */
    chance: (probability) => next() < probability,
    /**
     * @template T
     * @param {readonly [T, ...T[]]} list
     * @returns {T}
     */
    pick: (list) => list[below(list.length)] ?? list[0],
  };
}
