// Why the sequencer stops: it would sign something that contradicts what it has signed before.

export const stopReasons = [
  'database-behind',
  'diverged',
  'foreign-checkpoint',
  'foreign-file',
  'key',
  'storage',
] as const;
export type StopReason = (typeof stopReasons)[number];

/** Nothing is signed until an operator has done something about it. Registrations go on. */
export class LogStoppedError extends Error {
  override readonly name = 'LogStoppedError';

  constructor(
    readonly reason: StopReason,
    message: string,
  ) {
    super(message);
  }
}
