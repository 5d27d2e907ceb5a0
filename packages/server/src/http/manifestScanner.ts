// Finds out while an image arrives whether it carries a manifest, also when it is too large to be kept in memory.

/** The types of the boxes at the start of every manifest store. */
const STORE_MARKER = Buffer.from('jumdc2pa');
/** In an SVG, the store is in base64. */
const SVG_MARKER = Buffer.from('c2pa:manifest');
/** Of a file, to tell whether it is an image. */
const START_BYTES = 12;
/** JPEG, PNG, GIF, TIFF, RIFF (WebP), and after four bytes BMFF (AVIF, HEIC). */
const IMAGE_START = /^(?:\xff\xd8\xff|\x89PNG|GIF8|II\*\0|MM\0\*|RIFF|.{4}ftyp)/s;
const XML_START = /^(?:\xef\xbb\xbf)?\s*</;

export class ManifestScanner {
  isFound = false;
  /** The file is no image. */
  isHopeless = false;
  #marker: Buffer | undefined;
  /** The last bytes so far, in which a marker may start that the next chunk ends; at first all bytes. */
  #tail = Buffer.alloc(0);

  add(chunk: Buffer): void {
    if (this.isFound || this.isHopeless) return;
    if (this.#marker) this.#search(this.#marker, chunk);
    else this.#start(chunk);
  }

  #start(chunk: Buffer): void {
    const start = Buffer.concat([this.#tail, chunk]);
    this.#tail = start;
    if (start.length < START_BYTES) return;
    this.#tail = Buffer.alloc(0);
    this.#marker = markerOf(start);
    if (this.#marker) this.#search(this.#marker, start);
    else this.isHopeless = true;
  }

  #search(marker: Buffer, chunk: Buffer): void {
    const border = Buffer.concat([this.#tail, chunk.subarray(0, marker.length)]);
    this.isFound = border.includes(marker) || chunk.includes(marker);
    // A copy: a view would keep the whole chunk in memory.
    this.#tail = Buffer.from((chunk.length < marker.length ? border : chunk).subarray(-marker.length));
  }
}

function markerOf(start: Buffer): Buffer | undefined {
  const text = start.toString('latin1', 0, START_BYTES);
  if (IMAGE_START.test(text)) return STORE_MARKER;
  return XML_START.test(text) ? SVG_MARKER : undefined;
}
