// The content of an opened file, for the SDK: a Blob whose bytes are read when they are needed, and from the handle alone.
// `fs.openAsBlob` opens the path again for each read.

import type { FileHandle } from 'node:fs/promises';

export class OpenedContent extends Blob {
  override readonly size: number;
  readonly #start: number;

  constructor(
    readonly handle: FileHandle,
    end: number,
    start = 0,
  ) {
    super([]);
    this.#start = start;
    this.size = end - start;
  }

  /** @param start from the beginning, as the SDK counts */
  override slice(start = 0, end = this.size): OpenedContent {
    const limit = (offset: number) => this.#start + Math.min(offset, this.size);
    return new OpenedContent(this.handle, limit(end), limit(start));
  }

  override async arrayBuffer(): Promise<ArrayBuffer> {
    const bytes = new Uint8Array(this.size);
    let length = 0;
    for (let read = 1; read > 0 && length < bytes.length; length += read) {
      read = (await this.handle.read(bytes, length, bytes.length - length, this.#start + length)).bytesRead;
    }
    // Shorter than before: the file was cut off meanwhile.
    return bytes.buffer.slice(0, length);
  }
}
