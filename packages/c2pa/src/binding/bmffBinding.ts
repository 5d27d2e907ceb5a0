// Files of boxes (`c2pa.hash.bmff`): whether what the hash leaves out is the manifest, or can change nothing.

import { type BmffBox, C2PA_UUID, isC2paBox, listBmffBoxes } from '../containers/bmff.js';
import type { FileBytes } from '../containers/fileBytes.js';
import { hasFittingFileType } from './fileType.js';
import type { BmffHash } from './hardBinding.js';
import { UnknownFormError } from './storeForm.js';

const PATH = /^(?:\/[^/[\]]{4})+$/;
const UUID_OFFSET = 8;
const TYPE_BYTES = 4;
/** Boxes that viewers skip. */
const FILLING_BOXES = ['free', 'skip'];

export type BmffFault = 'uncovered' | 'fileType';

/** Undefined when everything that a viewer reads is covered. Exclusions are taken for wider than they may be. */
export function findUncoveredBox(file: FileBytes, { exclusions }: BmffHash): BmffFault | undefined {
  const paths = exclusions.map(({ xpath }) => xpath);
  if (!paths.every((path) => PATH.test(path))) throw new UnknownFormError('an exclusion has an unknown path');
  const boxes = listBmffBoxes(file);
  const isOpen = boxes.some(
    (box) => hasUncoveredBox(file, box, paths) || (paths.includes(`/${box.type}`) && canShow(file, box)),
  );
  if (isOpen || exclusions.some(excludesAnyUuid)) return 'uncovered';
  return paths.includes('/ftyp') && !hasFittingFileType(file, boxes) ? 'fileType' : undefined;
}

/** Whether a box that is excluded as a whole is something that a viewer might read. File types are checked separately. */
function canShow(file: FileBytes, box: BmffBox): boolean {
  if (box.type === 'ftyp') return false;
  if (FILLING_BOXES.includes(box.type)) return !file.isZero(box.contentStart, box.end);
  return !isC2paBox(file, box);
}

/** Whether boxes inside this one may be excluded: those of the type with which a path ends. */
function hasUncoveredBox(file: FileBytes, { type, start, end }: BmffBox, paths: readonly string[]): boolean {
  return paths.some((path) => path.startsWith(`/${type}/`) && file.find(path.slice(-TYPE_BYTES), start, end) >= 0);
}

/** C2PA names the boxes of a manifest by their UUID; otherwise all of its kind would be excluded. */
function excludesAnyUuid({ xpath, data }: BmffHash['exclusions'][number]): boolean {
  if (xpath !== '/uuid') return false;
  const [condition] = data ?? [];
  return (
    condition?.offset !== UUID_OFFSET ||
    condition.value.length !== C2PA_UUID.length ||
    condition.value.some((byte, index) => byte !== C2PA_UUID[index])
  );
}
