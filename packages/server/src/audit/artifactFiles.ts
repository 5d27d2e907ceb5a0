// An Artifact's files: there, still verifying, and its own. The sidecar is what was signed, and cannot be had again; the
// report says what the sidecar proves, and the card shows the fingerprint: they can.

import type { AuditedArtifact, FileInspector, FileStore, InspectedSidecar } from '../domain/ports/index.js';
import type { Divergence, DivergenceCode } from './divergence.js';

export interface FileParts {
  readonly files: FileStore;
  readonly inspector: FileInspector;
}

export async function judgeFiles(parts: FileParts, artifact: AuditedArtifact): Promise<Divergence[]> {
  const { files, inspector } = parts;
  const { id, fingerprint } = artifact;
  const [sidecar, report, card] = await Promise.all(
    ['c2pa', 'json', 'png'].map((extension) => files.read(`${id}.${extension}`)),
  );
  const judged = sidecar && (await inspector.inspectSidecar(sidecar, artifact));
  const sound = judged?.state === 'sound' ? judged.report : undefined;
  const remakeReport = sound && (() => publish(files, `${id}.json`, sound));
  const remakeCard = async () => publish(files, `${id}.png`, await inspector.makeCard(fingerprint));

  const found: (Divergence | undefined)[] = [
    judged ? faultOfSidecar(id, judged) : missing(id, 'c2pa', undefined),
    report
      ? fault('report-differs', id, 'json', sound && inspector.faultOfReport(report, sound), remakeReport)
      : missing(id, 'json', remakeReport),
    card
      ? fault('card-broken', id, 'png', await inspector.faultOfCard(card, fingerprint), remakeCard)
      : missing(id, 'png', remakeCard),
  ];
  return found.filter((divergence) => divergence !== undefined);
}

type Repair = (() => Promise<boolean>) | undefined;

function faultOfSidecar(id: string, judged: InspectedSidecar): Divergence | undefined {
  if (judged.state === 'sound') return undefined;
  const code = judged.state === 'broken' ? 'signature-broken' : 'manifest-of-another';
  return fault(code, id, 'c2pa', judged.reason, undefined);
}

function missing(artifactId: string, extension: string, repair: Repair): Divergence | undefined {
  return fault('file-missing', artifactId, extension, 'the Artifact is there, and the file is not', repair);
}

/** Undefined when there is no reason. */
function fault(
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
