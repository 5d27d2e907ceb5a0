// Reads JUMBF, the box format of manifest stores. Stores are untrusted: every length is checked.

const HEADER_BYTES = 8;
/** The label follows the superbox's header, the description box's header, the UUID and the toggles. */
const LABEL_OFFSET = HEADER_BYTES + HEADER_BYTES + 16 + 1;
const utf8 = new TextDecoder();

/** A manifest store that is not made of boxes as JUMBF defines them. */
export class JumbfError extends Error {}

/** The superboxes directly inside a superbox, in order. Throws JumbfError if the bytes are not a superbox. */
export function childrenOf<B extends Uint8Array>(parent: B): B[] {
  const children: B[] = [];
  for (let offset = HEADER_BYTES; offset < parent.length; ) {
    const length = sizeAt(parent, offset);
    // Of the type of the parent: `subarray` keeps it, and its declaration does not say so.
    const child = parent.subarray(offset, offset + length) as B;
    if (typeOf(child) === 'jumb') children.push(child);
    offset += length;
  }
  return children;
}

/** The superbox with this label inside a superbox. Throws JumbfError if there is none. */
export function childOf<B extends Uint8Array>(parent: B, label: string): B {
  const child = childrenOf(parent).find((candidate) => labelOf(candidate) === label);
  if (!child) throw new JumbfError(`missing JUMBF box ${label}`);
  return child;
}

export function labelOf(parent: Uint8Array): string {
  return utf8.decode(parent.subarray(LABEL_OFFSET, parent.indexOf(0, LABEL_OFFSET)));
}

/** The four letters that the type of a superbox starts with. */
export function kindOf(parent: Uint8Array): string {
  return String.fromCharCode(...parent.subarray(2 * HEADER_BYTES, 2 * HEADER_BYTES + 4));
}

/** The content of a superbox's first content box. */
export function contentOf<B extends Uint8Array>(parent: B): B {
  const start = HEADER_BYTES + sizeAt(parent, HEADER_BYTES);
  return parent.subarray(start + HEADER_BYTES, start + sizeAt(parent, start)) as B;
}

function typeOf(box: Uint8Array): string {
  return String.fromCharCode(...box.subarray(4, HEADER_BYTES));
}

/** The size of the box at this place. Throws JumbfError unless all of the box is there. */
export function sizeAt(bytes: Uint8Array, offset: number): number {
  if (offset + HEADER_BYTES > bytes.length) throw new JumbfError('a JUMBF box is cut off');
  const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(offset);
  if (length < HEADER_BYTES || offset + length > bytes.length) {
    throw new JumbfError('a JUMBF box has an invalid length');
  }
  return length;
}
