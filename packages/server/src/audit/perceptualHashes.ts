// Checks the perceptual hashes by which look-alikes are found: those of images against the metadata of Artifacts, those of
// recordings against the Chromaprints that they come from.

import type { AuditedArtifact, ImageHashDifference } from '../domain/ports/index.js';
import { type AuditParts, artifactDivergence, type DivergenceCode } from './divergence.js';
import type { Finding } from './walk.js';

const imageHashes: Readonly<Record<ImageHashDifference['problem'], DivergenceCode>> = {
  missing: 'image-codes-missing',
  unknown: 'image-codes-unknown',
  different: 'image-codes-differ',
};
const imageReasons = {
  missing: 'look-alikes of it are not found: its image codes are not in the table',
  unknown: 'the table has image codes of it, its metadata has none',
  different: 'its image codes in the table differ from its metadata',
};

export async function checkImageHashes(
  { records }: Pick<AuditParts, 'records'>,
  artifactIds: readonly string[],
): Promise<Finding<string>[]> {
  const differences = await records.findImageHashDifferences(artifactIds);
  return differences.map(({ artifactId, problem }) => ({
    subject: artifactId,
    divergence: {
      code: imageHashes[problem],
      about: { artifactId },
      message: `Artifact ${artifactId}: ${imageReasons[problem]}`,
      repair: () => records.deriveImageHashes(artifactId),
    },
  }));
}

export async function checkSoundHashes(
  { soundHashes }: Pick<AuditParts, 'soundHashes'>,
  artifacts: readonly AuditedArtifact[],
): Promise<Finding<string>[]> {
  const wrong = await soundHashes.findWrong(artifacts.map(({ id }) => id));
  return artifacts
    .filter(({ id }) => wrong.has(id))
    .map((artifact) => ({
      subject: artifact.id,
      divergence: artifactDivergence(
        'sound-codes-differ',
        artifact,
        'the values by which look-alikes find it are not those of its Chromaprint',
        () => soundHashes.repair(artifact.id),
      ),
    }));
}
