// JSON that all languages read alike (RFC 7493): what one of them reads in another way could be verified by one client alone.

/** Of arrays and objects within each other: what computes hashes calls itself for each. */
const MAX_DEPTH = 64;
/** With the flag `u`, a surrogate that is part of a pair does not match. */
const loneSurrogate = /\p{Surrogate}/u;

/** Whether all texts are valid Unicode, and all numbers are such as JSON can have again. */
export function isInteroperable(value: unknown, depth = MAX_DEPTH): boolean {
  if (typeof value === 'string') return !loneSurrogate.test(value);
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  const isMember = ([name, member]: [string, unknown]) =>
    !loneSurrogate.test(name) && isInteroperable(member, depth - 1);
  return depth > 0 && Object.entries(value).every(isMember);
}
