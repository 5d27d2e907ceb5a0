// Writes the WebAssembly module that scans perceptual hashes of images, in the text format. It has one function for each number
// of queries that are compared at once. `lookalikes/hammingScan.ts` has the same numbers and says what a scan does.

const HASH_BYTES = 8;
const HASHES_PER_ROUND = 8;
const ROUND_BYTES = HASHES_PER_ROUND * HASH_BYTES;
const NOTE_BYTES = 8;
const QUERY_COUNTS = [4, 2, 1];

export function writeHammingScan() {
  return `(module (import "env" "memory" (memory 1 65536)) ${QUERY_COUNTS.map(writeScan).join('\n')})`;
}

/** @param {number} queries */
function writeScan(queries) {
  const parameters = repeat(queries, (query) => `(param $query${query} i64)`);
  return `
    (func (export "scan${queries}")
      (param $at i32) (param $end i32) (param $out i32) (param $max i32) ${parameters} (result i32)
      (local $hash i64) (local $stop i32) (local $distance i32)
      (loop $nextRound
        (block $found
          ${repeat(
            HASHES_PER_ROUND,
            (index) => `
            (local.set $hash (i64.load offset=${index * HASH_BYTES} (local.get $at)))
            ${repeat(queries, (query) => `(br_if $found (i32.le_u ${distanceTo(query)} (local.get $max)))`)}`,
          )}
          (br_if $nextRound
            (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const ${ROUND_BYTES}))) (local.get $end)))
          (return (local.get $out)))
        ;; One of the round is close: each is compared again, and those that are close are noted.
        (local.set $stop (i32.add (local.get $at) (i32.const ${ROUND_BYTES})))
        (loop $nextHash
          (if (i32.eqz (i64.eqz (local.tee $hash (i64.load (local.get $at))))) (then
            ${repeat(
              queries,
              (query) => `
              (if (i32.le_u (local.tee $distance ${distanceTo(query)}) (local.get $max)) (then
                (i32.store (local.get $out) (local.get $at))
                (i32.store offset=4 (local.get $out)
                  (i32.or (i32.shl (local.get $distance) (i32.const 8)) (i32.const ${query})))
                (local.set $out (i32.add (local.get $out) (i32.const ${NOTE_BYTES})))))`,
            )}))
          (br_if $nextHash
            (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const ${HASH_BYTES}))) (local.get $stop))))
        (br_if $nextRound (i32.lt_u (local.get $at) (local.get $end))))
      (local.get $out))`;
}

/** @param {number} query */
function distanceTo(query) {
  return `(i32.wrap_i64 (i64.popcnt (i64.xor (local.get $hash) (local.get $query${query}))))`;
}

/** @param {number} count @param {(index: number) => string} write */
function repeat(count, write) {
  return Array.from({ length: count }, (_, index) => write(index)).join('\n');
}
