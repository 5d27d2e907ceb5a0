// How long to fuzz: the short form by default, always with the same seed; whatever `npm run fuzz` was told otherwise.

const SHORT_SEED = 20_260_601;

/** How many requests to an operation the short form sends. */
export const SHORT_RUNS = 18;

export function fuzzLength(): { seed: number; runs: number; timeoutMs: number } {
  const seed = Number(process.env['FUZZ_SEED'] ?? SHORT_SEED);
  const runs = Number(process.env['FUZZ_RUNS'] ?? SHORT_RUNS);
  return { seed, runs, timeoutMs: 120_000 + runs * 10_000 };
}
