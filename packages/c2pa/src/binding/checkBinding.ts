// Whether a signature covers all of a file that programs show, and signatures all of a manifest store. c2pa-rs compares the hash
// of what the signer did not leave out; this looks at what was left out, in the file as it is: it must be the manifest itself.

import type { ByteRange } from '../containers/container.js';
import { ContainerError } from '../containers/container.js';
import type { FileBytes } from '../containers/fileBytes.js';
import { type FoundStore, findManifestStore } from '../containers/index.js';
import { JumbfError } from '../jumbf.js';
import { findUncoveredBox } from './bmffBinding.js';
import { coversAllParts } from './boxesBinding.js';
import { type HardBinding, readHardBinding } from './hardBinding.js';
import { requirePlainStore, UnknownFormError } from './storeForm.js';
import { requireHashedAssertions } from './storeHashes.js';

/** Codes of what is wrong, beside those of C2PA, which lets others add codes under a name of their own. */
export const bindingFaults = {
  /** The manifest is not exactly once in the file, in one piece, as the format prescribes. */
  malformedStore: 'com.service.manifestStore.malformed',
  /** The hash leaves out more than the manifest. */
  uncovered: 'com.service.hardBinding.incomplete',
  /** The hash leaves out the file type, which does not fit the content. */
  fileType: 'com.service.fileType.mismatch',
  /** The binding is of a form that is not read here. */
  unknown: 'com.service.hardBinding.unknown',
} as const;
export type BindingFault = (typeof bindingFaults)[keyof typeof bindingFaults];

export interface CheckedFile {
  readonly file: FileBytes;
  /** Other formats are detected. */
  readonly isSvg: boolean;
}

/**
 * Returns undefined if the signature covers all that programs show of a file whose hash matches. Takes time and memory in
 * proportion to the size of the file, and never throws.
 * @param url of the assertion whose hash c2pa-rs found to match
 */
export function findBindingFault({ file, isSvg }: CheckedFile, url: string): BindingFault | undefined {
  const found = findManifestStore(file, isSvg);
  if (!found) return bindingFaults.malformedStore;
  return findStoreFault(found.store) ?? catchFault(() => checkBinding(file, found, readHardBinding(found.store, url)));
}

/** Returns undefined if signatures cover all of the store, in its file or beside it. Never throws. */
export function findStoreFault(store: Uint8Array): BindingFault | undefined {
  return catchFault(() => {
    requirePlainStore(store);
    requireHashedAssertions(store);
    return undefined;
  });
}

function catchFault(find: () => BindingFault | undefined): BindingFault | undefined {
  try {
    return find();
  } catch (error) {
    if (error instanceof UnknownFormError) return bindingFaults.unknown;
    if (error instanceof JumbfError || error instanceof ContainerError || error instanceof RangeError) {
      return bindingFaults.malformedStore;
    }
    throw error;
  }
}

function checkBinding(file: FileBytes, found: FoundStore, hardBinding: HardBinding): BindingFault | undefined {
  if (hardBinding.kind === 'bmff') {
    const fault = findUncoveredBox(file, hardBinding.binding);
    return fault && bindingFaults[fault];
  }
  const isCovered =
    hardBinding.kind === 'boxes'
      ? coversAllParts(file, found, hardBinding.binding)
      : hardBinding.exclusions.every(({ start, length }) => isWithin(found.ranges, { start, end: start + length }));
  return isCovered ? undefined : bindingFaults.uncovered;
}

/** Whether all of the range is in the others, which are in order. */
function isWithin(ranges: readonly ByteRange[], { start, end }: ByteRange): boolean {
  let at = start;
  for (const range of ranges) if (range.start <= at && range.end > at) at = range.end;
  return at >= end;
}
