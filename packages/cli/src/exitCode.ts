// Exit codes of every command, and how the results of several files combine into one.

export const exitCodeMeanings = {
  0: 'yes: done, found, verified',
  1: 'no: refused by the service, not registered, contradicted',
  2: 'wrong use: invalid arguments or settings, or a step that is not confirmed',
  3: 'could not find out: unreadable file, no response, invalid response, missing or invalid login',
  4: 'consistent, but not independently confirmed, or contested',
} as const;
export type ExitCode = keyof typeof exitCodeMeanings;

/** Exit codes from worst to best. A definite no outweighs what could not be found out. */
const severities: readonly ExitCode[] = [2, 1, 3, 4, 0];

export function worstExitCode(codes: Iterable<ExitCode>): ExitCode {
  const given = new Set(codes);
  return severities.find((code) => given.has(code)) ?? 0;
}
