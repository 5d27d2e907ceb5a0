// Whether the signature in a file covers all of it that programs show, which c2pa-rs alone does not tell.

import { type BindingFault, FileBytes, findBindingFault } from '@provenance-registry/c2pa';
import { isSvg } from '../containers/index.js';
import { parseReport } from '../manifest/report.js';

export interface UncoveredFile {
  readonly code: BindingFault;
  /** The assertion with the hash that c2pa-rs compared. */
  readonly url: string;
  readonly explanation: string;
}

const HASH_MATCH = /^assertion\.\w+Hash\.match$/;
const EXPLANATION = 'the hash matches, but the signature does not cover all of the file';

/** Undefined when it does, or when c2pa-rs found no hash that matches. */
export function findUncovered(report: unknown, bytes: Uint8Array, mediaType: string): UncoveredFile | undefined {
  const { success } = parseReport(report).validation_results.activeManifest;
  const url = success.find(({ code }) => HASH_MATCH.test(code))?.url;
  if (url === undefined) return undefined;
  const code = findBindingFault({ file: new FileBytes(bytes), isSvg: isSvg(mediaType) }, url);
  return code && { code, url, explanation: EXPLANATION };
}
