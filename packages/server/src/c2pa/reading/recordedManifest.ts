// Reads from a published sidecar what it says about its registration, for the recovery of lost records.

import {
  type AiPreferences,
  aiPermissions,
  fillAiPreferences,
  type LicenseKey,
  licenseKeys,
  licenses,
  parseSoftBindingValue,
  StringEnum,
} from '@provenance-registry/core';
import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';
import type { RecordedManifest, RecordedManifests } from '../../domain/ports/index.js';
import { readSoftBinding, sidecarReport } from '../manifest/report.js';
import type { ManifestReader } from './manifestReader.js';
import { readSignature } from './readSignature.js';

const LABEL = /^urn:c2pa:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const MARK_ID = /^urn:uuid:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

const Manifests = Type.Object({
  active_manifest: Type.String(),
  manifests: Type.Record(
    Type.String(),
    Type.Object({
      title: Type.Optional(Type.String()),
      assertions: Type.Array(Type.Object({ label: Type.String(), data: Type.Unknown() })),
    }),
  ),
});
type Assertions = Static<typeof Manifests>['manifests'][string]['assertions'];

const Texts = Type.Array(Type.String(), { minItems: 1 });
const Metadata = Type.Object({
  'dc:creator': Type.Optional(Texts),
  'dc:publisher': Type.Optional(Texts),
  'dc:identifier': Type.Optional(Type.String()),
  'dc:rights': Type.Optional(Type.String()),
});
const TrainingAndMining = Type.Object({ entries: Type.Record(Type.String(), Type.Unknown()) });
const UseEntry = Type.Object({
  use: StringEnum(aiPermissions, { description: 'Of this use.' }),
  constraint_info: Type.Optional(Type.String()),
});

export function createRecordedManifests(reader: Pick<ManifestReader, 'read'>): RecordedManifests {
  return {
    async read(sidecar) {
      try {
        const report = sidecarReport(await reader.read('application/c2pa', sidecar), sidecar, undefined);
        return toRecordedManifest(report, sidecar);
      } catch {
        return undefined;
      }
    },
  };
}

function toRecordedManifest(report: unknown, sidecar: Uint8Array): RecordedManifest | undefined {
  const { active_manifest, manifests } = Value.Parse(Manifests, report);
  const { title, assertions = [] } = manifests[active_manifest] ?? {};
  const [, artifactId] = LABEL.exec(active_manifest) ?? [];
  const fingerprint = parseSoftBindingValue(readSoftBinding(report) ?? '');
  const signedAt = readSignature(sidecar).timestamp?.at;
  if (artifactId === undefined || !fingerprint || !signedAt) return undefined;
  const data = findAssertion(assertions, 'cawg.metadata');
  const metadata = Value.Check(Metadata, data) ? data : {};
  const [, markId] = MARK_ID.exec(metadata['dc:identifier'] ?? '') ?? [];
  const mark = markId === undefined ? undefined : { id: markId, name: metadata['dc:publisher']?.[0] ?? '' };
  return {
    artifactId,
    fingerprint,
    signedAt,
    title,
    authorName: metadata['dc:creator']?.[0],
    mark,
    // A manifest without a license says nothing about it.
    licenseKey: mark && findLicense(metadata['dc:rights']),
    aiPreferences: readAiPreferences(findAssertion(assertions, 'cawg.training-mining')),
  };
}

function findAssertion(assertions: Assertions, label: string): unknown {
  return assertions.find((assertion) => assertion.label === label)?.data;
}

function findLicense(name: string | undefined): LicenseKey {
  return licenseKeys.find((key) => licenses[key].name === name) ?? 'NONE_SPECIFIED';
}

function readAiPreferences(data: unknown): AiPreferences {
  const entries = Value.Check(TrainingAndMining, data) ? data.entries : {};
  return fillAiPreferences((name) => {
    const entry = entries[`cawg.${name}`];
    if (!Value.Check(UseEntry, entry)) return null;
    const { use, constraint_info: constraint } = entry;
    return { use, ...(constraint !== undefined && { constraint }) };
  });
}
