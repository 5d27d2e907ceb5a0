// The facts about a file, each with the evidence that carries it.

import { type AiPreferences, type AiUse, aiUses, formatAiPreference, licenses } from '@provenance-registry/core';
import type { ChainEvidence, ManifestEvidence, RegistryEvidence } from './evidence.js';
import type { CopyLink } from './signedCopies.js';
import type { EvidenceKind, Fact, FactName } from './types.js';

/** Only evidence that nothing contradicts. */
export interface FactSources {
  readonly record: RegistryEvidence | undefined;
  /** Whether the keccak-256 of the record's metadata is the `manifestHash` on chain. */
  readonly isRecordOnChain: boolean;
  readonly chain: ChainEvidence | undefined;
  readonly manifest: ManifestEvidence | undefined;
  /** Set when the manifest is that of the registered file, and the file a signed copy of it. */
  readonly link: CopyLink | undefined;
  /** The independent sources: what another source says is the service's word. */
  readonly carriers: readonly EvidenceKind[];
}

type FactValue = Fact['value'] | undefined;

export function collectFacts(sources: FactSources): Fact[] {
  const { record, isRecordOnChain, chain, manifest, carriers } = sources;
  const metadata = record?.metadata;
  const claims = manifest?.claims;
  const stated: readonly (readonly [FactName, recorded: FactValue, signed: FactValue])[] = [
    ['mark', metadata?.mark?.name, claims?.markName],
    ['markId', metadata?.mark?.id, claims?.markId],
    ['author', metadata?.author?.name, claims?.author],
    ['authorId', metadata?.author?.id, undefined],
    ['license', metadata?.license?.name, claims && signedLicense(claims)],
    ['allowAiTraining', metadata?.allowAiTraining, claims && signedAiTraining(claims)],
    ['filename', metadata?.filename, claims?.title],
    ['previousFingerprint', metadata?.previousFingerprint, claims?.previousFingerprint],
  ];
  const facts = [
    ...stated.flatMap(([name, recorded, signed]) => toFact(name, recorded, signed, isRecordOnChain)),
    ...aiUses.flatMap((use) =>
      // Not in the metadata, whose hash is on chain.
      toFact(use, textOf(record?.artifact?.aiPreferences, use), textOf(claims?.aiPreferences, use), false),
    ),
  ];
  const registration = [...possession(record, isRecordOnChain), ...authorship(record), ...registrar(chain)];
  const limited = [...facts, ...currentMarkName(record), ...registration].map(({ name, value, evidence }) => ({
    name,
    value,
    evidence: limitEvidence(evidence, carriers),
  }));
  return [...signedCopy(sources), ...limited];
}

/** A use that is not specified is no fact. */
function textOf(preferences: AiPreferences | undefined, use: AiUse): string | undefined {
  const preference = preferences?.[use];
  return preference ? formatAiPreference(preference) : undefined;
}

/** Entry and manifest carry it together: one without the other is not enough. */
function signedCopy({ record, link, carriers }: FactSources): Fact[] {
  const value = link?.original ?? record?.signedCopyOf;
  if (value === undefined) return [];
  const isCarried = link?.evidence.every((kind) => carriers.includes(kind));
  return [{ name: 'signedCopyOf', value, evidence: isCarried ? (link?.evidence ?? []) : ['service'] }];
}

/** The evidence that counts; without any, the service's word. */
function limitEvidence(evidence: readonly EvidenceKind[], carriers: readonly EvidenceKind[]): EvidenceKind[] {
  const counting = evidence.filter((kind) => carriers.includes(kind));
  return counting.length > 0 ? counting : ['service'];
}

/** The manifest of a file without a license says nothing about it. */
function signedLicense({ markId, license }: ManifestEvidence['claims']): string | undefined {
  return license ?? (markId === undefined ? undefined : licenses.NONE_SPECIFIED.name);
}

/** Null: it is not specified, which the manifest of a Mark says by leaving it out. */
function signedAiTraining({ markId, allowAiTraining }: ManifestEvidence['claims']): boolean | null | undefined {
  return allowAiTraining ?? (markId === undefined ? undefined : null);
}

function toFact(name: FactName, recorded: FactValue, signed: FactValue, isRecordOnChain: boolean): Fact[] {
  const value = recorded === undefined ? signed : recorded;
  if (value === undefined) return [];
  const evidence: EvidenceKind[] = [
    ...(recorded !== undefined && isRecordOnChain ? (['chain'] as const) : []),
    ...(signed === value ? (['manifest'] as const) : []),
  ];
  return [{ name, value, evidence }];
}

/** A Mark can be renamed after the registration; only the service knows its present name. */
function currentMarkName(record: RegistryEvidence | undefined): Fact[] {
  const mark = record?.artifact?.mark;
  const name = mark && 'name' in mark ? mark.name : undefined;
  const isRenamed = name !== undefined && record?.metadata?.mark !== undefined && name !== record.metadata.mark.name;
  return isRenamed ? [{ name: 'currentMarkName', value: name, evidence: ['service'] }] : [];
}

/** Metadata that are on chain say it by leaving it out, too. */
function possession(record: RegistryEvidence | undefined, isRecordOnChain: boolean): Fact[] {
  if (isRecordOnChain) return [{ name: 'fileSeen', value: record?.metadata?.fileSeen ?? false, evidence: ['chain'] }];
  const value = record?.artifact?.fileSeen ?? record?.metadata?.fileSeen;
  return value === undefined ? [] : [{ name: 'fileSeen', value, evidence: ['service'] }];
}

function authorship(record: RegistryEvidence | undefined): Fact[] {
  const value = record?.artifact?.authorshipStated;
  return value === undefined ? [] : [{ name: 'authorshipStated', value, evidence: ['service'] }];
}

function registrar(chain: ChainEvidence | undefined): Fact[] {
  const registeredBy = chain?.entry.source === 'curated' ? chain.entry.registeredBy : undefined;
  return registeredBy === undefined ? [] : [{ name: 'registrar', value: registeredBy, evidence: ['chain'] }];
}
