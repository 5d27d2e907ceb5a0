// Looks at published files again, long after they were made: whether they still verify, and whose they are.

import { canonicalJson, digestOf, softBindingValue } from '@provenance-registry/core';
import Type from 'typebox';
import { Value } from 'typebox/value';
import type { FileInspector, InspectedSidecar, InspectedSubject } from '../domain/ports/index.js';
import { drawCard } from './card.js';
import type { ManifestReader } from './manifestReader.js';
import type { Signing } from './manifestStore.js';
import { signCard } from './manifestWriter.js';
import { assetReport, sidecarReport } from './report.js';

const SOFT_BINDING = 'c2pa.soft-binding';

/** The part of a report that is about the manifests themselves, not about who trusted them when. */
const Told = Type.Object(
  { active_manifest: Type.String(), manifests: Type.Record(Type.String(), Type.Unknown()) },
  { additionalProperties: true },
);
const Manifest = Type.Object(
  {
    assertions: Type.Array(Type.Object({ label: Type.String(), data: Type.Unknown() }, { additionalProperties: true })),
  },
  { additionalProperties: true },
);
const SoftBinding = Type.Object(
  { blocks: Type.Array(Type.Object({ value: Type.String() }, { additionalProperties: true })) },
  { additionalProperties: true },
);

export function createFileInspector(signing: Signing, reader: ManifestReader): FileInspector {
  return {
    async inspectSidecar(sidecar, subject): Promise<InspectedSidecar> {
      try {
        const report = sidecarReport(await reader.read('application/c2pa', sidecar), sidecar, undefined);
        const reason = whoseElse(report, subject);
        if (reason !== undefined) return { state: 'foreign', reason };
        return { state: 'valid', report: Buffer.from(JSON.stringify(report)) };
      } catch (error) {
        return { state: 'invalid', reason: reasonOf(error) };
      }
    },

    findReportFault(report, expected) {
      const [told, right] = [toldBy(report), toldBy(expected)];
      if (told === undefined) return 'it is not a report about a manifest';
      return told === right ? undefined : 'it tells of another manifest than the one in the sidecar';
    },

    async findCardFault(card, fingerprint) {
      try {
        const report = assetReport(await reader.read('image/png', card));
        return boundTo(report) === softBindingValue(fingerprint) ? undefined : 'it is the card of another fingerprint';
      } catch (error) {
        return reasonOf(error);
      }
    },

    createCard: (fingerprint) => signCard(drawCard(fingerprint), digestOf(fingerprint), signing),
  };
}

function whoseElse(report: { readonly active_manifest: string }, { id, fingerprint }: InspectedSubject) {
  if (report.active_manifest !== `urn:c2pa:${id}`) return `its manifest is ${report.active_manifest}`;
  return boundTo(report) === softBindingValue(fingerprint) ? undefined : 'its manifest is about another fingerprint';
}

/** The soft binding of the active manifest, as c2pa-rs tells it; undefined when there is not exactly one. */
function boundTo(report: unknown): string | undefined {
  if (!Value.Check(Told, report)) return undefined;
  const manifest = report.manifests[report.active_manifest];
  if (!Value.Check(Manifest, manifest)) return undefined;
  const [binding, ...others] = manifest.assertions.filter(({ label }) => label.startsWith(SOFT_BINDING));
  if (!Value.Check(SoftBinding, binding?.data) || others.length > 0) return undefined;
  return binding.data.blocks.length === 1 ? binding.data.blocks[0]?.value : undefined;
}

/** What a report says of manifests, in a form that can be compared; undefined when it is not a report. */
function toldBy(report: Uint8Array): string | undefined {
  try {
    const { active_manifest, manifests } = Value.Parse(Told, JSON.parse(Buffer.from(report).toString('utf8')));
    return canonicalJson({ active_manifest, manifests });
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
