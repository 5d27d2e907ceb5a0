// Exit codes of every command, and how the results of several files combine into one.

/** 0: yes; 1: no; 2: wrong use; 3: could not find out; 4: consistent, but not independently confirmed. */
export type ExitCode = 0 | 1 | 2 | 3 | 4;

/** Exit codes from worst to best. A definite no outweighs what could not be found out. */
const severities: readonly ExitCode[] = [2, 1, 3, 4, 0];

export function worstExitCode(codes: Iterable<ExitCode>): ExitCode {
  const given = new Set(codes);
  return severities.find((code) => given.has(code)) ?? 0;
}
