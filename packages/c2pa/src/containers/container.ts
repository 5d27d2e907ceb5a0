// What reading one file format provides: where a file of it has its manifest store.

/** The file is not of this format, or does not have its manifest as the format prescribes. The message can be shown. */
export class ContainerError extends Error {}

/** A part of a file, up to but not including `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** The content of the structures that carry the manifest store. */
export interface Carrier {
  readonly content: Uint8Array;
  /** Those structures with their headers, in order. No viewer shows anything in them. */
  readonly ranges: readonly ByteRange[];
}
