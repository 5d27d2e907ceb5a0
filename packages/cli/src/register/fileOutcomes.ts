// What a run can result in for a file.

/**
 * `registered`: by this run. `new`: would be registered (dry run). `yours`: already registered under one of the caller's
 * Marks. `others`: registered under another user's Mark. `refused`: by the service or the chain. `failed`: unknown, because
 * the file could not be read or the service did not respond. `skipped`: not a file.
 */
export const fileOutcomes = ['registered', 'new', 'yours', 'others', 'refused', 'failed', 'skipped'] as const;
export type FileOutcome = (typeof fileOutcomes)[number];
