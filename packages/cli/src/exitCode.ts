// Exit codes of every command, and how the results of several files combine into one.

/** 0: yes; 1: no; 2: wrong use; 3: could not find out. */
export type ExitCode = 0 | 1 | 2 | 3;

/** A definite no outweighs what could not be found out. */
export function worstExitCode(codes: readonly ExitCode[]): ExitCode {
  if (codes.includes(1)) return 1;
  return codes.includes(3) ? 3 : 0;
}
