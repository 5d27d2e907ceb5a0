// Checks published files for the audit: whether they verify and belong to their Artifact.

import { canonicalJson, digestOf, softBindingValue } from '@provenance-registry/core';
import Type from 'typebox';
import { Value } from 'typebox/value';
import type { FileInspector, InspectedSidecar, InspectedSubject } from '../../domain/ports/index.js';
import { drawCard } from '../card/card.js';
import type { Signing } from '../manifest/manifestStore.js';
import { signCard } from '../manifest/manifestWriter.js';
import { assetReport, readSoftBinding, sidecarReport } from '../manifest/report.js';
import { findUncovered } from './checkBinding.js';
import type { ManifestReader } from './manifestReader.js';

const CARD_TYPE = 'image/png';

/** The part of a report that does not depend on time and trust. */
const ReportedManifests = Type.Object({
  active_manifest: Type.String(),
  manifests: Type.Record(Type.String(), Type.Unknown()),
});

export function createFileInspector(signing: Signing, reader: ManifestReader): FileInspector {
  return {
    async inspectSidecar(sidecar, subject): Promise<InspectedSidecar> {
      try {
        const report = sidecarReport(await reader.read('application/c2pa', sidecar), sidecar, undefined);
        const reason = findMismatch(report, subject);
        if (reason !== undefined) return { state: 'foreign', reason };
        return { state: 'valid', report: Buffer.from(JSON.stringify(report)) };
      } catch (error) {
        return { state: 'invalid', reason: reasonOf(error) };
      }
    },

    findReportFault(report, expected) {
      const manifests = canonicalManifests(report);
      if (manifests === undefined) return 'it is not a manifest report';
      return manifests === canonicalManifests(expected)
        ? undefined
        : 'it describes another manifest than the one in the sidecar';
    },

    async findCardFault(card, fingerprint) {
      try {
        const report = assetReport(await reader.read(CARD_TYPE, card));
        const uncovered = findUncovered(report, card, CARD_TYPE);
        if (uncovered) return uncovered.explanation;
        return readSoftBinding(report) === softBindingValue(fingerprint)
          ? undefined
          : 'it is the card of another fingerprint';
      } catch (error) {
        return reasonOf(error);
      }
    },

    createCard: (fingerprint) => signCard(drawCard(fingerprint), digestOf(fingerprint), signing),
  };
}

function findMismatch(report: { readonly active_manifest: string }, { id, fingerprint }: InspectedSubject) {
  if (report.active_manifest !== `urn:c2pa:${id}`) return `its manifest is ${report.active_manifest}`;
  return readSoftBinding(report) === softBindingValue(fingerprint)
    ? undefined
    : 'its manifest is bound to another fingerprint';
}

/** The manifests of a report in a comparable form; undefined if it is not a report. */
function canonicalManifests(report: Uint8Array): string | undefined {
  try {
    const text = Buffer.from(report).toString('utf8');
    const { active_manifest, manifests } = Value.Parse(ReportedManifests, JSON.parse(text));
    return canonicalJson({ active_manifest, manifests });
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
