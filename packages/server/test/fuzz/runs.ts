// The length of a fuzzing run: short with a fixed seed by default, or as given to `npm run fuzz`.

const SHORT_SEED = 20_260_601;

/** Requests per operation in the short form. */
export const SHORT_RUNS = 10;

export function fuzzLength(): { seed: number; runs: number; timeoutMs: number } {
  const seed = Number(process.env['FUZZ_SEED'] ?? SHORT_SEED);
  const runs = Number(process.env['FUZZ_RUNS'] ?? SHORT_RUNS);
  return { seed, runs, timeoutMs: 120_000 + runs * 10_000 };
}
