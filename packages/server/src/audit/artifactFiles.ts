// Checks an Artifact's files: present, valid and about this Artifact. The sidecar is what was signed and cannot be created
// again; the report follows from the sidecar and the card from the fingerprint, so those can.

import type { AuditedArtifact, FileStore, InspectedSidecar } from '../domain/ports/index.js';
import type { AuditParts, Divergence, DivergenceCode } from './divergence.js';

export async function checkFiles({ files, inspector }: AuditParts, artifact: AuditedArtifact): Promise<Divergence[]> {
  const { id, fingerprint } = artifact;
  const [sidecar, report, card] = await Promise.all(
    ['c2pa', 'json', 'png'].map((extension) => files.read(`${id}.${extension}`)),
  );
  const inspected = sidecar && (await inspector.inspectSidecar(sidecar, artifact));
  const expectedReport = inspected?.state === 'valid' ? inspected.report : undefined;
  const republishReport = expectedReport && (() => publish(files, `${id}.json`, expectedReport));
  const republishCard = async () => publish(files, `${id}.png`, await inspector.createCard(fingerprint));

  const divergences: (Divergence | undefined)[] = [
    inspected ? sidecarDivergence(id, inspected) : missingFile(id, 'c2pa', undefined),
    report
      ? fileDivergence(
          'report-differs',
          id,
          'json',
          expectedReport && inspector.findReportFault(report, expectedReport),
          republishReport,
        )
      : missingFile(id, 'json', republishReport),
    card
      ? fileDivergence('card-broken', id, 'png', await inspector.findCardFault(card, fingerprint), republishCard)
      : missingFile(id, 'png', republishCard),
  ];
  return divergences.filter((divergence) => divergence !== undefined);
}

type Repair = (() => Promise<boolean>) | undefined;

function sidecarDivergence(id: string, inspected: InspectedSidecar): Divergence | undefined {
  if (inspected.state === 'valid') return undefined;
  const code = inspected.state === 'invalid' ? 'signature-broken' : 'manifest-of-another';
  return fileDivergence(code, id, 'c2pa', inspected.reason, undefined);
}

function missingFile(artifactId: string, extension: string, repair: Repair): Divergence | undefined {
  return fileDivergence('file-missing', artifactId, extension, 'the Artifact exists, but the file does not', repair);
}

/** Undefined when there is no reason. */
function fileDivergence(
  code: DivergenceCode,
  artifactId: string,
  extension: string,
  reason: string | undefined,
  repair: Repair,
): Divergence | undefined {
  if (reason === undefined) return undefined;
  const file = `${artifactId}.${extension}`;
  return { code, about: { artifactId, file }, message: `${file}: ${reason}`, ...(repair && { repair }) };
}

async function publish(files: FileStore, name: string, bytes: Uint8Array): Promise<boolean> {
  await files.publish({ [name]: bytes });
  return true;
}
