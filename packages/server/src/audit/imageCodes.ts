// Compares the table of image codes, by which look-alikes are found, with the metadata of Artifacts.

import type { ImageCodeDifference } from '../domain/ports/index.js';
import type { AuditParts, DivergenceCode } from './divergence.js';
import type { Finding } from './walk.js';

const codes: Readonly<Record<ImageCodeDifference['problem'], DivergenceCode>> = {
  missing: 'image-codes-missing',
  unknown: 'image-codes-unknown',
  different: 'image-codes-differ',
};
const reasons = {
  missing: 'look-alikes of it are not found: its image codes are not in the table',
  unknown: 'the table has image codes of it, its metadata has none',
  different: 'its image codes in the table differ from its metadata',
};

export async function checkImageCodes(
  { records }: Pick<AuditParts, 'records'>,
  artifactIds: readonly string[],
): Promise<Finding<string>[]> {
  const differences = await records.findImageCodeDifferences(artifactIds);
  return differences.map(({ artifactId, problem }) => ({
    subject: artifactId,
    divergence: {
      code: codes[problem],
      about: { artifactId },
      message: `Artifact ${artifactId}: ${reasons[problem]}`,
      repair: () => records.deriveImageCodes(artifactId),
    },
  }));
}
