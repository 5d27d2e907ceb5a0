// Why a mail could not be sent.

export class MailError extends Error {
  override readonly name = 'MailError';

  /** `isFinal`: the server refuses this mail for good. */
  constructor(
    message: string,
    readonly isFinal: boolean,
  ) {
    super(message);
  }
}
