// Why data of a log are refused.

/** Text or bytes are not in their format. */
export class LogFormatError extends Error {
  override readonly name = 'LogFormatError';
}

/** Data are well-formed, and do not prove what they should. */
export class LogProofError extends Error {
  override readonly name: string = 'LogProofError';
}

/** A log does not serve a file that its checkpoint covers, or serves another one. */
export class LogFileError extends LogProofError {
  override readonly name = 'LogFileError';

  constructor(
    readonly path: string,
    readonly flaw: 'missing' | 'malformed' | 'wrong',
  ) {
    super(`${path} ${flawTexts[flaw]}.`);
  }
}

const flawTexts = {
  missing: 'is missing',
  malformed: 'does not have its form',
  wrong: 'is not that of the tree',
};

/** Two trees of one log, of which neither is the beginning of the other. */
export class LogForkError extends LogProofError {
  override readonly name = 'LogForkError';
}

/** The log signed, and fewer witnesses than the policy demands: more of them may sign later. */
export class WitnessesMissingError extends LogProofError {
  override readonly name = 'WitnessesMissingError';
}

/** This platform cannot verify Ed25519: an old browser, or a page that was not loaded by HTTPS. Nothing was found out. */
export class SignatureUnsupportedError extends Error {
  override readonly name = 'SignatureUnsupportedError';
}
