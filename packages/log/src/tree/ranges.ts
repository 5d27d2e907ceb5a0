// Which parts of a tree a proof consists of. Sizes go up to 2⁵³, so that no bit operation can be used: those have 32 bits.

/** The leaves from `start` to before `end`; `start` is a multiple of the largest power of two in their number. */
export interface LeafRange {
  readonly start: number;
  readonly end: number;
}

/** A complete subtree of 2^`height` leaves, the first of which has the index `index` × 2^`height`. */
export interface Subtree {
  readonly height: number;
  readonly index: number;
}

/** Siblings on the path from a leaf to the root, that of the leaf first. */
export function inclusionRanges(index: number, size: number): LeafRange[] {
  const ranges: LeafRange[] = [];
  for (let [start, end] = [0, size]; end - start > 1; ) {
    const middle = splitPoint(start, end);
    if (index < middle) {
      ranges.push({ start: middle, end });
      end = middle;
    } else {
      ranges.push({ start, end: middle });
      start = middle;
    }
  }
  return ranges.toReversed();
}

/** The parts that both trees or the larger one alone are made of, in the order of RFC 6962. */
export function consistencyRanges(oldSize: number, size: number): LeafRange[] {
  const ranges: LeafRange[] = [];
  let [start, end] = [0, size];
  while (end !== oldSize) {
    const middle = splitPoint(start, end);
    if (oldSize <= middle) {
      ranges.push({ start: middle, end });
      end = middle;
    } else {
      ranges.push({ start, end: middle });
      start = middle;
    }
  }
  // The root of the smaller tree is known if it is a subtree of the larger one.
  if (start > 0) ranges.push({ start, end });
  return ranges.toReversed();
}

/** The complete subtrees that a range consists of, the largest and leftmost first. */
export function listSubtrees({ start, end }: LeafRange): Subtree[] {
  const subtrees: Subtree[] = [];
  for (let next = start; next < end; ) {
    let [height, leaves] = [0, 1];
    while (leaves * 2 <= end - next) [height, leaves] = [height + 1, leaves * 2];
    subtrees.push({ height, index: next / leaves });
    next += leaves;
  }
  return subtrees;
}

/** RFC 6962 splits at the largest power of two that is smaller than the number of leaves. */
function splitPoint(start: number, end: number): number {
  let leaves = 1;
  while (leaves * 2 < end - start) leaves *= 2;
  return start + leaves;
}
