// Computes the perceptual hashes of a file by which its look-alikes are found, and tells once that they are sent.

import type { FileHandle } from 'node:fs/promises';
import type { RegistrationCodes } from './journal.js';

const CODES_NOTICE =
  'Codes for finding look-alikes are sent with the fingerprints; the files stay here. --no-codes turns this off.';

/** Tells once that codes are sent, before the first ones are. */
export async function createCodeComputer(signal: AbortSignal, notify: (message: string) => void) {
  const [{ computePerceptualHashes }, { explanations }] = await Promise.all([
    import('../perceptualHashes/computePerceptualHashes.js'),
    import('@provenance-registry/client'),
  ]);
  const notices = new Set<string>();
  const notifyOnce = (message: string) => {
    if (!notices.has(message)) notify(message);
    notices.add(message);
  };
  return async (handle: FileHandle): Promise<RegistrationCodes> => {
    const { hashes, chromaprint, missing } = await computePerceptualHashes(handle, { signal });
    if (missing === 'no-decoder')
      notifyOnce(`Images are registered without codes: ${explanations.missingHashes[missing]}.`);
    if (hashes || chromaprint !== undefined) notifyOnce(CODES_NOTICE);
    return { ...hashes, ...(chromaprint !== undefined && { chromaprint }) };
  };
}
