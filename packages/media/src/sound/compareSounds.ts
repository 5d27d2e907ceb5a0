// Compares recordings by the items of their Chromaprints: the values by which an index finds candidates, and the exact
// comparison with a candidate at the offset at which the two fit best.

/** The first two minutes and a little more. What follows is not compared, which limits the time. */
const MAX_ITEMS = 1024;
/** Duration of an item, in seconds: 1,365 samples at 11,025 Hz. */
const ITEM_SECONDS = 1365 / 11_025;
/** The item of digital silence. */
const SILENCE = 627_964_279;

/** Bits of an item that the index keeps: those that re-encoding and small changes of speed change most are left out. */
const INDEXED_BITS = 0xffeb_fcf0;
/** One of so many values is kept, chosen by the value itself, so that an excerpt keeps the same ones. */
const SAMPLING = 8;
/** A recording of two minutes has about 100. */
const MAX_VALUES = 160;
/** A sound with fewer, such as a tone or silence, would resemble every other one. */
const MIN_DISTINCT_ITEMS = 32;

/** What is compared: about eight seconds at least. */
const MIN_OVERLAP_ITEMS = 64;
/** A value more frequent than this in one recording says nothing about the offset, and would take long. */
const MAX_POSITIONS = 8;
/** Bits that must be equal for two items to vote for an offset. */
const VOTING_BITS = 0xffff_f000;
/** Fewer equal items are chance: without this, most of the time goes to unrelated recordings. */
const MIN_VOTES = 3;
/** Offsets that are compared bit by bit. */
const OFFSETS = 3;
/** Changes of speed that are compared: so many steps of a fifth of a percent up and down. */
const SPEED_STEPS = 6;
const SPEED_STEP = 0.002;
/** About so many items are compared to find the alignment. */
const ALIGNING_ITEMS = 128;
const ITEM_BITS = 32;

export interface SoundMatch {
  /** Share of different bits, from 0 to 1. Unrelated sounds have 0.3 to 0.5. */
  readonly bitError: number;
  /** Where in the registered recording the searched one begins; may be negative. */
  readonly offsetSeconds: number;
  readonly overlapSeconds: number;
}

/** The values by which an index finds a recording, each once; none for sound that is too short or too uniform. */
export function extractSound(items: Uint32Array): number[] {
  const compared = items.subarray(0, MAX_ITEMS);
  const distinct = new Set(compared);
  distinct.delete(SILENCE);
  if (distinct.size < MIN_DISTINCT_ITEMS) return [];
  const kept = new Set<number>();
  // Signed, as integers of PostgreSQL are.
  for (const item of distinct) kept.add(item & INDEXED_BITS);
  return [...kept].filter((value) => scramble(value) % SAMPLING === 0).slice(0, MAX_VALUES);
}

/** Compares one recording with many. */
export function createSoundMatcher(searched: Uint32Array): (registered: Uint32Array) => SoundMatch | undefined {
  const items = searched.subarray(0, MAX_ITEMS);
  const positions = findPositions(items);
  return (registered) => matchSound(items, positions, registered.subarray(0, MAX_ITEMS));
}

function findPositions(items: Uint32Array): ReadonlyMap<number, readonly number[]> {
  const positions = new Map<number, number[]>();
  for (const [index, item] of items.entries()) {
    if (item === SILENCE) continue;
    const value = item & VOTING_BITS;
    const found = positions.get(value);
    if (found) found.push(index);
    else positions.set(value, [index]);
  }
  for (const [value, { length }] of positions) if (length > MAX_POSITIONS) positions.delete(value);
  return positions;
}

function matchSound(
  searched: Uint32Array,
  positions: ReadonlyMap<number, readonly number[]>,
  registered: Uint32Array,
): SoundMatch | undefined {
  // A part of the items tells which alignment fits best; then all of them count.
  const stride = Math.max(1, Math.floor(searched.length / ALIGNING_ITEMS));
  let best: Alignment | undefined;
  let leastError = Number.POSITIVE_INFINITY;
  for (const { offset, center } of findOffsets(searched, positions, registered)) {
    for (let step = -SPEED_STEPS; step <= SPEED_STEPS; step += 1) {
      const drift = step * SPEED_STEP;
      for (let shift = -1; shift <= 1; shift += 1) {
        const alignment = { start: offset + shift - center * drift, drift };
        const error = compareAt(searched, registered, alignment, stride)?.bitError;
        if (error === undefined || error >= leastError) continue;
        leastError = error;
        best = alignment;
      }
    }
  }
  const comparison = best && compareAt(searched, registered, best, 1);
  if (!best || !comparison) return undefined;
  return {
    bitError: comparison.bitError,
    offsetSeconds: best.start * ITEM_SECONDS,
    overlapSeconds: comparison.overlap * ITEM_SECONDS,
  };
}

interface OffsetVotes {
  readonly offset: number;
  readonly count: number;
  /** Mean position of the searched items that vote for it. */
  readonly center: number;
}

/** The offsets that most pairs of equal items have. */
function findOffsets(
  searched: Uint32Array,
  positions: ReadonlyMap<number, readonly number[]>,
  registered: Uint32Array,
): OffsetVotes[] {
  const { votes, sums } = countVotes(searched, positions, registered);
  let most: OffsetVotes[] = [];
  for (let slot = 1; slot < votes.length - 1; slot += 1) {
    const [before = 0, here = 0, after = 0] = [votes[slot - 1], votes[slot], votes[slot + 1]];
    // Neighbors count too: votes are spread if the speed differs.
    const count = before + here + after;
    if (here === 0 || count <= (most[OFFSETS - 1]?.count ?? MIN_VOTES - 1)) continue;
    most.push({ offset: slot - searched.length, count, center: (sums[slot] ?? 0) / here });
    most = most.sort((a, b) => b.count - a.count).slice(0, OFFSETS);
  }
  return most;
}

/** Counts for each offset, from the smallest: pairs of equal items, and the sum of the positions of the searched ones. */
function countVotes(
  searched: Uint32Array,
  positions: ReadonlyMap<number, readonly number[]>,
  registered: Uint32Array,
): { votes: Uint16Array; sums: Float64Array } {
  const votes = new Uint16Array(searched.length + registered.length + 2);
  const sums = new Float64Array(votes.length);
  for (let index = 0; index < registered.length; index += 1) {
    for (const position of positions.get((registered[index] ?? 0) & VOTING_BITS) ?? []) {
      const slot = index - position + searched.length;
      votes[slot] = (votes[slot] ?? 0) + 1;
      sums[slot] = (sums[slot] ?? 0) + position;
    }
  }
  return { votes, sums };
}

/** The searched item `index` lies at `start + index * (1 + drift)` of the registered recording. */
interface Alignment {
  readonly start: number;
  readonly drift: number;
}

/** Compares each `stride`th item. Undefined if too little overlaps, or what overlaps is too uniform. */
function compareAt(
  searched: Uint32Array,
  registered: Uint32Array,
  { start, drift }: Alignment,
  stride: number,
): { bitError: number; overlap: number } | undefined {
  let compared = 0;
  let different = 0;
  let changes = 0;
  let previous = SILENCE;
  for (let index = 0; index < searched.length; index += stride) {
    const other = Math.round(start + index * (1 + drift));
    if (other < 0 || other >= registered.length) continue;
    const item = searched[index] ?? 0;
    compared += 1;
    different += countBits(item ^ (registered[other] ?? 0));
    if (item !== previous && item !== SILENCE) changes += 1;
    previous = item;
  }
  const overlap = compared * stride;
  if (overlap < MIN_OVERLAP_ITEMS || changes * stride < MIN_DISTINCT_ITEMS) return undefined;
  return { bitError: different / (compared * ITEM_BITS), overlap };
}

function countBits(value: number): number {
  let bits = value - ((value >>> 1) & 0x5555_5555);
  bits = (bits & 0x3333_3333) + ((bits >>> 2) & 0x3333_3333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}

/** Spreads values evenly: the last step of MurmurHash3. */
function scramble(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
