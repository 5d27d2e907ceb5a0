// The facts about a file, each with the evidence that carries it.

import { type AiPreferences, type AiUse, aiUses, formatAiPreference, licenses } from '@provenance-registry/core';
import { decodeAiCode } from '@provenance-registry/log';
import { licenseName } from './contradictions.js';
import type { ChainEvidence, LogEvidence, ManifestEvidence, RegistryEvidence } from './evidence.js';
import type { CopyLink } from './signedCopies.js';
import type { EvidenceKind, Fact, FactName } from './types.js';

/** Only evidence that nothing contradicts. */
export interface FactSources {
  readonly record: RegistryEvidence | undefined;
  /** Whether the keccak-256 of the record's metadata is the `manifestHash` on chain. */
  readonly isRecordOnChain: boolean;
  /** Whether it is the one in the leaf of the log. */
  readonly isRecordInLog: boolean;
  readonly chain: ChainEvidence | undefined;
  readonly manifest: ManifestEvidence | undefined;
  readonly log: LogEvidence | undefined;
  /** Set when the manifest is that of the registered file, and the file a signed copy of it. */
  readonly link: CopyLink | undefined;
  /** The independent sources: what another source says is the service's word. */
  readonly carriers: readonly EvidenceKind[];
}

type FactValue = Fact['value'] | undefined;

export function collectFacts(sources: FactSources): Fact[] {
  const { record, chain, manifest, log, carriers } = sources;
  const metadata = record?.metadata;
  const claims = manifest?.claims;
  const terms = log?.terms;
  const stated: readonly (readonly [FactName, recorded: FactValue, signed: FactValue, logged?: FactValue])[] = [
    ['mark', metadata?.mark?.name, claims?.markName],
    ['markId', metadata?.mark?.id, claims?.markId, terms?.mark],
    ['author', metadata?.author?.name, claims?.author],
    ['authorId', metadata?.author?.id, undefined],
    ['license', metadata?.license?.name, claims && signedLicense(claims), terms && licenseName(terms.license)],
    ['allowAiTraining', metadata?.allowAiTraining, claims && signedAiTraining(claims)],
    ['filename', metadata?.filename, claims?.title],
    ['previousFingerprint', metadata?.previousFingerprint, claims?.previousFingerprint],
  ];
  const recordCarriers = carriersOfRecord(sources);
  const facts = [
    ...stated.flatMap(([name, recorded, signed, logged]) => toFact(name, { recorded, signed, logged }, recordCarriers)),
    ...aiUses.flatMap((use, place) => {
      const recorded = textOf(record?.artifact?.aiPreferences, use);
      const signed = textOf(claims?.aiPreferences, use);
      // Not in the metadata, whose hash chain and log have.
      return toFact(use, { recorded, signed, logged: loggedPreference(terms?.ai[place]) }, []);
    }),
  ];
  const registration = [...possession(record, recordCarriers), ...authorship(record), ...registrar(chain)];
  const limited = [...facts, ...currentMarkName(record), ...registration].map(({ name, value, evidence }) => ({
    name,
    value,
    evidence: limitEvidence(evidence, carriers),
  }));
  return [...signedCopy(sources), ...limited];
}

/** The sources that have the hash of the record's metadata. */
function carriersOfRecord({ isRecordOnChain, isRecordInLog }: FactSources): EvidenceKind[] {
  return [...(isRecordOnChain ? (['chain'] as const) : []), ...(isRecordInLog ? (['log'] as const) : [])];
}

/** The leaf leaves out the conditions of a constrained use, and says of one that is not specified only that. */
function loggedPreference(code = 0): string | undefined {
  const permission = decodeAiCode(code);
  return permission === 'constrained' ? undefined : permission;
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

/** What the sources say. The hash of the metadata carries what is recorded; a leaf also carries what it says itself. */
interface Statements {
  readonly recorded: FactValue;
  readonly signed: FactValue;
  readonly logged?: FactValue;
}

function toFact(
  name: FactName,
  { recorded, signed, logged }: Statements,
  recordCarriers: readonly EvidenceKind[],
): Fact[] {
  const value = [recorded, signed, logged].find((one) => one !== undefined);
  if (value === undefined) return [];
  const isRecorded = (kind: EvidenceKind) => recorded !== undefined && recordCarriers.includes(kind);
  const carried = {
    chain: isRecorded('chain'),
    manifest: signed === value,
    log: isRecorded('log') || logged === value,
  };
  return [{ name, value, evidence: (['chain', 'manifest', 'log'] as const).filter((kind) => carried[kind]) }];
}

/** A Mark can be renamed after the registration; only the service knows its present name. */
function currentMarkName(record: RegistryEvidence | undefined): Fact[] {
  const mark = record?.artifact?.mark;
  const name = mark && 'name' in mark ? mark.name : undefined;
  const isRenamed = name !== undefined && record?.metadata?.mark !== undefined && name !== record.metadata.mark.name;
  return isRenamed ? [{ name: 'currentMarkName', value: name, evidence: ['service'] }] : [];
}

/** Metadata whose hash is on chain or in the log say it by leaving it out, too. */
function possession(record: RegistryEvidence | undefined, evidence: readonly EvidenceKind[]): Fact[] {
  if (evidence.length > 0) return [{ name: 'fileSeen', value: record?.metadata?.fileSeen ?? false, evidence }];
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
