// Checks the values by which recordings are found against the Chromaprints that they come from.

import type { AuditedArtifact } from '../domain/ports/index.js';
import { type AuditParts, artifactDivergence } from './divergence.js';
import type { Finding } from './walk.js';

export async function checkSoundCodes(
  { soundCodes }: Pick<AuditParts, 'soundCodes'>,
  artifacts: readonly AuditedArtifact[],
): Promise<Finding<string>[]> {
  const wrong = await soundCodes.findWrong(artifacts.map(({ id }) => id));
  return artifacts
    .filter(({ id }) => wrong.has(id))
    .map((artifact) => ({
      subject: artifact.id,
      divergence: artifactDivergence(
        'sound-codes-differ',
        artifact,
        'the values by which look-alikes find it are not those of its Chromaprint',
        () => soundCodes.repair(artifact.id),
      ),
    }));
}
