// What hashing a file asks and answers, wherever it happens.

export interface Progress {
  readonly bytes: number;
  readonly total?: number | undefined;
}

export interface HashOptions {
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Hashed {
  readonly fingerprint: `0x${string}`;
  readonly size: number;
}
