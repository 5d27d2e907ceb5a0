// The length of a fuzzing run: short with a fixed seed by default, or as given to `npm run fuzz`.

const SHORT_SEED = 20_260_601;

/** Requests per operation in the short form. */
export const SHORT_RUNS = 10;

/** Ends a run that hangs; an idle machine takes a second for each run. */
const HANG_TIMEOUT_MS = 1_200_000;

export function fuzzLength(): { seed: number; runs: number; timeoutMs: number } {
  const seed = Number(process.env['FUZZ_SEED'] ?? SHORT_SEED);
  const runs = Number(process.env['FUZZ_RUNS'] ?? SHORT_RUNS);
  return { seed, runs, timeoutMs: HANG_TIMEOUT_MS + runs * 60_000 };
}
