// The reason for which evidence is refused.

/** Malformed, forged, or about another file. The message is a sentence for the claimant. */
export class InvalidEvidenceError extends Error {}
