// Finds out while an image arrives whether it carries a manifest, also when it is too large to be kept in memory.

/** The types of the boxes at the start of every manifest store. */
const STORE_MARKER = Buffer.from('jumdc2pa');
/** The element of an SVG that holds the store in base64. */
const SVG_MARKER = Buffer.from('c2pa:manifest');
/** First bytes of a file, to tell whether it is an image. */
const START_BYTES = 12;
/**
 * In a JPEG, PNG, GIF or BMFF (AVIF, HEIC), the manifests of this service are behind the header, which has up to 64 KiB in a
 * JPEG. So most images are kept only for a moment.
 */
const SEARCHED_BYTES = 80 * 1024;

interface Format {
  readonly start: RegExp;
  readonly marker: Buffer;
  readonly searchedBytes: number;
}

const formats: readonly Format[] = [
  { start: /^(?:\xff\xd8\xff|\x89PNG|GIF8|.{4}ftyp)/s, marker: STORE_MARKER, searchedBytes: SEARCHED_BYTES },
  // TIFF, and RIFF (WebP): the manifest is often the last part.
  { start: /^(?:II\*\0|MM\0\*|RIFF)/, marker: STORE_MARKER, searchedBytes: Number.POSITIVE_INFINITY },
  // XML, after a byte order mark.
  { start: /^(?:\xef\xbb\xbf)?\s*</, marker: SVG_MARKER, searchedBytes: Number.POSITIVE_INFINITY },
];

export class ManifestScanner {
  isFound = false;
  /** The file has no manifest of this service. */
  isHopeless = false;
  #format: Format | undefined;
  #size = 0;
  /** The last bytes so far, in which a marker may start that the next chunk ends; at first all bytes. */
  #tail = Buffer.alloc(0);

  add(chunk: Buffer): void {
    if (this.isFound || this.isHopeless) return;
    this.#size += chunk.length;
    if (this.#format) this.#search(this.#format, chunk);
    else this.#start(chunk);
  }

  #start(chunk: Buffer): void {
    const start = Buffer.concat([this.#tail, chunk.subarray(0, START_BYTES)]);
    if (start.length < START_BYTES) {
      this.#tail = start;
      return;
    }
    const text = start.toString('latin1', 0, START_BYTES);
    this.#format = formats.find((format) => format.start.test(text));
    if (this.#format) this.#search(this.#format, chunk);
    else this.isHopeless = true;
  }

  #search({ marker, searchedBytes }: Format, chunk: Buffer): void {
    const border = Buffer.concat([this.#tail, chunk.subarray(0, marker.length)]);
    this.isFound = border.includes(marker) || chunk.includes(marker);
    this.isHopeless = !this.isFound && this.#size > searchedBytes;
    // A copy: a view would keep the whole chunk in memory.
    this.#tail = Buffer.from((chunk.length < marker.length ? border : chunk).subarray(-marker.length));
  }
}
