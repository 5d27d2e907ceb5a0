// Assembles the WebAssembly module that scans codes. It has one function for each number of questions that are compared at
// once; Node has no assembler, and the module has 1,500 bytes. `scan4` in the text format, with its repetitions left out:
//
//   (func (export "scan4") (param $at i32) (param $end i32) (param $out i32) (param $max i32)
//                          (param $q0 i64) … (param $q3 i64) (result i32)
//     (local $code i64) (local $stop i32) (local $distance i32)
//     (loop $next
//       (block $found
//         ;; for each of eight codes
//         (local.set $code (i64.load offset=0 (local.get $at)))
//         ;; for each question
//         (br_if $found (i32.le_u
//           (i32.wrap_i64 (i64.popcnt (i64.xor (local.get $code) (local.get $q0)))) (local.get $max)))
//         ;; end
//         (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 64))) (local.get $end)))
//         (return (local.get $out)))
//       ;; One of the eight is close: each is compared again, and those that are close are noted.
//       (local.set $stop (i32.add (local.get $at) (i32.const 64)))
//       (loop $each
//         (if (i64.ne (local.tee $code (i64.load (local.get $at))) (i64.const 0)) (then
//           ;; for each question
//           (if (i32.le_u
//               (local.tee $distance (i32.wrap_i64 (i64.popcnt (i64.xor (local.get $code) (local.get $q0)))))
//               (local.get $max)) (then
//             (i32.store (local.get $out) (local.get $at))
//             (i32.store offset=4 (local.get $out)
//               (i32.or (i32.shl (local.get $distance) (i32.const 8)) (i32.const 0 (; the question ;))))
//             (local.set $out (i32.add (local.get $out) (i32.const 8)))))))
//         (br_if $each (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 8))) (local.get $stop))))
//       (br_if $next (i32.lt_u (local.get $at) (local.get $end))))
//     (local.get $out))

export const CODE_BYTES = 8;
/** Codes in one round of the loop. Scans have a multiple of it. */
export const CODES_PER_ROUND = 8;
/** Of a note: the address of the code, then its distance and the question in one number. */
export const NOTE_BYTES = 8;
/** Numbers of questions, each with a function of its own. More than four do not fit into the registers. */
export const questionCounts = [4, 2, 1] as const;

/** Notes the codes from `at` to `end` that are not zero and close to a question; returns the end of the notes. */
export type Scan = (at: number, end: number, out: number, max: number, ...questions: bigint[]) => number;

export interface ScanMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** What is used of it: the types of Node have no WebAssembly. */
declare const WebAssembly: {
  readonly Memory: new (limits: { readonly initial: number; readonly maximum: number }) => ScanMemory;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: { readonly env: { readonly memory: ScanMemory } },
  ) => { readonly exports: Readonly<Record<string, Scan>> };
};

export const MEMORY_PAGE_BYTES = 65_536;
/** 4 GB: as much as addresses of 32 bits reach. */
const MAX_MEMORY_PAGES = 65_536;

/** @returns a memory of these pages, and a scan of it for each number of questions */
export function instantiateScans(pages: number): { memory: ScanMemory; scans: ReadonlyMap<number, Scan> } {
  const memory = new WebAssembly.Memory({ initial: pages, maximum: MAX_MEMORY_PAGES });
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(assembleModule()), { env: { memory } });
  const scans = new Map<number, Scan>();
  for (const count of questionCounts) {
    const scan = exports[`scan${count}`];
    if (scan) scans.set(count, scan);
  }
  return { memory, scans };
}

type Code = readonly number[];

const I32 = 0x7f;
const I64 = 0x7e;
const VOID = 0x40;

const op = {
  block: [0x02, VOID],
  loop: [0x03, VOID],
  if: [0x04, VOID],
  end: [0x0b],
  return: [0x0f],
  i64Load: (offset: number) => [0x29, 3, ...unsigned(offset)],
  i32Store: (offset: number) => [0x36, 2, ...unsigned(offset)],
  i32Const: (value: number) => [0x41, ...signed(value)],
  i32LtU: [0x49],
  i32LeU: [0x4d],
  i64Eqz: [0x50],
  i32Eqz: [0x45],
  i32Add: [0x6a],
  i32Or: [0x72],
  i32Shl: [0x74],
  i64Popcnt: [0x7b],
  i64Xor: [0x85],
  i32WrapI64: [0xa7],
  brIf: (depth: number) => [0x0d, ...unsigned(depth)],
  get: (local: number) => [0x20, ...unsigned(local)],
  set: (local: number) => [0x21, ...unsigned(local)],
  tee: (local: number) => [0x22, ...unsigned(local)],
};

/** Parameters of every scan; the questions follow. */
const [AT, END, OUT, MAX, FIRST_QUESTION] = [0, 1, 2, 3, 4];

function scanBody(questions: number): Code {
  const code = FIRST_QUESTION + questions;
  const [stop, distance] = [code + 1, code + 2];
  const each = (part: (question: number) => Code) =>
    Array.from({ length: questions }, (_, index) => part(index)).flat();
  const distanceTo = (question: number) => [
    ...op.get(code),
    ...op.get(FIRST_QUESTION + question),
    ...op.i64Xor,
    ...op.i64Popcnt,
    ...op.i32WrapI64,
  ];
  const isClose = [...op.get(MAX), ...op.i32LeU];
  const advanced = (local: number, bytes: number) => [...op.get(local), ...op.i32Const(bytes), ...op.i32Add];
  const roundBytes = CODES_PER_ROUND * CODE_BYTES;
  const round = Array.from({ length: CODES_PER_ROUND }, (_, index) => [
    ...op.get(AT),
    ...op.i64Load(index * CODE_BYTES),
    ...op.set(code),
    ...each((question) => [...distanceTo(question), ...isClose, ...op.brIf(0)]),
  ]).flat();
  const note = (question: number) => [
    ...[...op.get(OUT), ...op.get(AT), ...op.i32Store(0)],
    ...[...op.get(OUT), ...op.get(distance), ...op.i32Const(8), ...op.i32Shl, ...op.i32Const(question), ...op.i32Or],
    ...op.i32Store(4),
    ...[...advanced(OUT, NOTE_BYTES), ...op.set(OUT)],
  ];
  return [
    // Locals: one i64, two i32.
    ...[2, 1, I64, 2, I32],
    ...op.loop,
    ...op.block,
    ...round,
    ...[...advanced(AT, roundBytes), ...op.tee(AT), ...op.get(END), ...op.i32LtU, ...op.brIf(1)],
    ...[...op.get(OUT), ...op.return],
    ...op.end,
    ...[...advanced(AT, roundBytes), ...op.set(stop)],
    ...op.loop,
    ...[...op.get(AT), ...op.i64Load(0), ...op.tee(code), ...op.i64Eqz, ...op.i32Eqz],
    ...op.if,
    ...each((question) => [
      ...[...distanceTo(question), ...op.tee(distance), ...isClose],
      ...[...op.if, ...note(question), ...op.end],
    ]),
    ...op.end,
    ...[...advanced(AT, CODE_BYTES), ...op.tee(AT), ...op.get(stop), ...op.i32LtU, ...op.brIf(0)],
    ...op.end,
    ...[...op.get(AT), ...op.get(END), ...op.i32LtU, ...op.brIf(0)],
    ...op.end,
    ...op.get(OUT),
    ...op.end,
  ];
}

/** It imports its memory. */
function assembleModule(): Uint8Array<ArrayBuffer> {
  const types = questionCounts.map((count) => {
    const parameters = [I32, I32, I32, I32, ...Array.from({ length: count }, () => I64)];
    return [0x60, ...vector(parameters.map((type) => [type])), ...vector([[I32]])];
  });
  const memory = [...text('env'), ...text('memory'), 0x02, 0x01, ...unsigned(1), ...unsigned(MAX_MEMORY_PAGES)];
  const exports = questionCounts.map((count, index) => [...text(`scan${count}`), 0x00, ...unsigned(index)]);
  const bodies = questionCounts.map((count) => {
    const body = scanBody(count);
    return [...unsigned(body.length), ...body];
  });
  const magicAndVersion = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
  return Uint8Array.from([
    ...magicAndVersion,
    ...section(1, vector(types)),
    ...section(2, vector([memory])),
    ...section(3, vector(questionCounts.map((_, index) => unsigned(index)))),
    ...section(7, vector(exports)),
    ...section(10, vector(bodies)),
  ]);
}

function section(id: number, content: Code): Code {
  return [id, ...unsigned(content.length), ...content];
}

function vector(items: readonly Code[]): Code {
  return [...unsigned(items.length), ...items.flat()];
}

function text(value: string): Code {
  return vector([...Buffer.from(value)].map((byte) => [byte]));
}

/** LEB128. */
function unsigned(value: number): Code {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

/** LEB128 of a number that is not negative: its sign bit must be 0. */
function signed(value: number): Code {
  return value < 0x40 ? [value] : [(value & 0x7f) | 0x80, ...signed(value >>> 7)];
}
