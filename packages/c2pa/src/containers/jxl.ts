// JPEG XL: the manifest store is a box of its own in the container, which is made of the same boxes as BMFF.

import { listBmffBoxes } from './bmff.js';
import type { Carrier } from './container.js';
import type { FileBytes } from './fileBytes.js';

const STORE_TYPE = 'jumb';
/** Where the type of the superbox is, after the headers of the superbox and its description. */
const BOX_KIND_OFFSET = 16;

export function readJxl(file: FileBytes): Carrier | undefined {
  const [box, ...others] = listBmffBoxes(file).filter(
    ({ type, start }) => type === STORE_TYPE && file.hasText(start + BOX_KIND_OFFSET, 'c2pa'),
  );
  if (!box || others.length > 0) return undefined;
  const { start, end } = box;
  return { content: file.slice(start, end), ranges: [{ start, end }] };
}
