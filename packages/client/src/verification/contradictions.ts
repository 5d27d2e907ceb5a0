// Finds contradictions between sources, and attributes each to the source that cannot be right.

import {
  type AiPreferences,
  type AiUse,
  aiUses,
  allowAiTrainingOf,
  fillAiPreferences,
  formatAiPreference,
  licenses,
  manifestHashOf,
} from '@provenance-registry/core';
import { encodeAiPreferences } from '@provenance-registry/log';
import { notices, problems } from '../explanations.js';
import {
  type ChainEntry,
  type ChainEvidence,
  evidenceOf,
  isSameManifestId,
  type LogEvidence,
  type ManifestClaims,
  type ManifestEvidence,
  type RegistryEvidence,
} from './evidence.js';
import { type CopyEvidence, findOriginal, isMissingInContent } from './signedCopies.js';
import type { Notice, Problem, ProblemCode } from './types.js';

export interface Evidence extends CopyEvidence {
  /** Whether the caller named keys of the log. */
  readonly hasLogKeys: boolean;
  /** Whether the caller named the trusted signers. */
  readonly hasTrustAnchors: boolean;
  /** Whether the caller named the node. */
  readonly isNodeFromCaller?: boolean | undefined;
  /** Whether the caller compared the block of a bundle's proof. */
  readonly isBlockCompared?: boolean | undefined;
  /** Whether the caller compared the block of the anchor in a bundle. */
  readonly isAnchorCompared?: boolean | undefined;
  /** The contract that the service names. */
  readonly statedContract?: { readonly address: string; readonly chainId?: number | undefined } | undefined;
}

type Rule = readonly [isBroken: boolean | undefined, code: ProblemCode, reason: string];

/** The id of the expected manifest: the immutable one on chain before the one from the service. */
export function expectedManifestId({ chain, registry }: Pick<Evidence, 'chain' | 'registry'>): string | undefined {
  const entry = evidenceOf(chain)?.entry;
  if (entry?.source === 'curated') return entry.manifestId;
  const record = evidenceOf(registry);
  return record?.source === 'public' ? undefined : record?.manifestId;
}

/** All contradictions except those between times. */
export function findProblems(evidence: Evidence): Problem[] {
  return [
    ...findRegistryProblems(evidence),
    ...findChainProblems(evidence),
    ...findManifestProblems(evidence),
    ...findLogProblems(evidence),
  ];
}

/** Why the service cannot be right. */
function findRegistryProblems(evidence: Evidence): Problem[] {
  const { registry, chain } = evidence;
  const record = evidenceOf(registry);
  if (record) {
    return brokenRules('registry', [
      ...compareWithChain(record, evidence),
      ...compareWithItself(record, evidence),
      ...compareWithManifest(record, evidence),
      ...compareWithContent(record, evidence),
      ...compareWithLog(record, evidence),
      ...compareContracts(evidence),
    ]);
  }
  const entry = evidenceOf(chain)?.entry;
  return brokenRules('registry', [
    [
      registry.kind === 'absent' && entry?.source === 'curated',
      'UNKNOWN_TO_SERVICE',
      problems.UNKNOWN_TO_SERVICE(entry?.manifestId),
    ],
    ...compareContracts(evidence),
  ]);
}

function findChainProblems({ chain }: Evidence): Problem[] {
  if (chain.kind === 'invalid') return [{ source: 'chain', code: chain.code, reason: chain.reason }];
  return (evidenceOf(chain)?.problems ?? []).map((problem) => ({ source: 'chain', ...problem }));
}

/** Why the manifest cannot be the one of this file. */
function findManifestProblems(evidence: Evidence): Problem[] {
  const { manifest, chain } = evidence;
  const signed = evidenceOf(manifest);
  if (manifest.kind === 'invalid') return [{ source: 'manifest', code: manifest.code, reason: manifest.reason }];
  if (signed) return brokenRules('manifest', manifestRules(signed, evidence));
  const record = evidenceOf(evidence.registry);
  const isSigned = evidenceOf(chain)?.entry.source === 'curated' || isPublished(record);
  const isMissing = manifest.kind === 'absent' && isSigned;
  return brokenRules('manifest', [[isMissing, 'MANIFEST_MISSING', problems.MANIFEST_MISSING]]);
}

/** The service publishes manifests when their registration on chain starts. */
function isPublished(record: RegistryEvidence | undefined): boolean {
  const status = record?.artifact?.status;
  return record?.source === undefined && (status === 'submitting' || status === 'submitted');
}

/** Why the leaf cannot be the one of this file. */
function findLogProblems(evidence: Evidence): Problem[] {
  const { log } = evidence;
  if (log.kind === 'invalid') return [{ source: 'log', code: log.code, reason: log.reason }];
  const logged = evidenceOf(log);
  if (!logged) return [];
  return [...brokenRules('log', logRules(logged, evidence)), ...findAnchorProblems(logged)];
}

function findAnchorProblems({ anchor }: LogEvidence): Problem[] {
  if (anchor?.kind === 'invalid') return [{ source: 'log', code: anchor.code, reason: anchor.reason }];
  const { problems: found = [] } = (anchor && evidenceOf(anchor)) ?? {};
  return found.map((problem) => ({ source: 'log', ...problem }));
}

function logRules({ leaf, terms }: LogEvidence, evidence: Evidence): Rule[] {
  const { fingerprint, chain } = evidence;
  const id = expectedManifestId(evidence);
  const entry = evidenceOf(chain)?.entry;
  const manifest = findManifestProblems(evidence).length === 0 ? evidenceOf(evidence.manifest) : undefined;
  const { claims } = manifest ?? {};
  const differs = (logged: unknown, other: unknown) => logged !== undefined && other !== undefined && logged !== other;
  // The manifest of a private Mark claims nothing about Mark, license and AI preferences.
  const hasClaims = claims?.markId !== undefined;
  const { LEAF_MISMATCH } = problems;
  return [
    [leaf.fingerprint !== fingerprint, 'FINGERPRINT_MISMATCH', problems.FINGERPRINT_MISMATCH.log(leaf.fingerprint)],
    [
      id !== undefined && !isSameManifestId(leaf.id, id),
      'MANIFEST_ID_MISMATCH',
      problems.MANIFEST_ID_MISMATCH.log(id, leaf.id),
    ],
    [differs(leaf.manifest, manifest?.digest), 'LEAF_MISMATCH', LEAF_MISMATCH.manifest],
    [
      entry?.source === 'curated' && differs(leaf.metadata, entry.manifestHash),
      'LEAF_MISMATCH',
      LEAF_MISMATCH.metadataOnChain,
    ],
    [differs(terms?.mark, claims?.markId), 'LEAF_MISMATCH', LEAF_MISMATCH.signed('Mark')],
    [
      hasClaims && differs(terms && licenseName(terms.license), signedLicenseName(claims)),
      'LEAF_MISMATCH',
      LEAF_MISMATCH.signed('license'),
    ],
    [
      hasClaims && terms !== undefined && !hasSamePreferences(terms.ai, claims.aiPreferences),
      'LEAF_MISMATCH',
      LEAF_MISMATCH.signed('AI preferences'),
    ],
  ];
}

/** The name of a license by its key; undefined for one that was added later. */
export function licenseName(key: string): string | undefined {
  return Object.entries(licenses).find(([known]) => known === key)?.[1].name;
}

/** Leaves have no conditions, only whether there are some. */
function hasSamePreferences(logged: readonly number[], stated: AiPreferences | undefined): boolean {
  return encodeAiPreferences(stated ?? fillAiPreferences(() => null)).join() === logged.join();
}

function manifestRules(manifest: ManifestEvidence, evidence: Evidence): Rule[] {
  const { fingerprint, hasTrustAnchors } = evidence;
  const { failures, softBinding, label, signedBy, trustedBy } = manifest;
  const id = expectedManifestId(evidence);
  const original = findOriginal(evidence);
  const subject = original !== undefined && manifest.fingerprint === original ? original : fingerprint;
  return [
    [failures.length > 0, 'MANIFEST_INVALID', problems.MANIFEST_INVALID.failures(failures)],
    [manifest.fingerprint === undefined, 'MANIFEST_INVALID', problems.MANIFEST_INVALID.unbound],
    [
      manifest.fingerprint !== undefined && manifest.fingerprint !== subject,
      'FINGERPRINT_MISMATCH',
      problems.FINGERPRINT_MISMATCH.manifest(manifest.fingerprint),
    ],
    [
      softBinding !== undefined && softBinding !== subject,
      'FINGERPRINT_MISMATCH',
      problems.FINGERPRINT_MISMATCH.softBinding(softBinding),
    ],
    [
      id !== undefined && !isSameManifestId(label, id),
      'MANIFEST_ID_MISMATCH',
      problems.MANIFEST_ID_MISMATCH.manifest(id, label),
    ],
    [hasTrustAnchors && trustedBy !== 'caller', 'UNTRUSTED_SIGNER', problems.UNTRUSTED_SIGNER(signedBy)],
  ];
}

function brokenRules(source: Problem['source'], rules: readonly Rule[]): Problem[] {
  return rules.flatMap(([isBroken, code, reason]) => (isBroken ? [{ source, code, reason }] : []));
}

/** Contradictions within the service's own statements. */
function compareWithItself(record: RegistryEvidence, evidence: Evidence): Rule[] {
  const { manifestId, artifact, source, isCopy, signedCopyOf } = record;
  if (!artifact) {
    return [[source === undefined && !isCopy, 'RECORD_MISSING', problems.RECORD_MISSING]];
  }
  const { metadata, mark, createdBy, license, licenseKey, allowAiTraining, aiPreferences, fileSeen, c2paAssets } =
    artifact;
  const aiTraining = aiPreferences && allowAiTrainingOf(aiPreferences);
  const differs = (shown: unknown, recorded: unknown) =>
    shown !== undefined && recorded !== undefined && JSON.stringify(shown) !== JSON.stringify(recorded);
  const disagreeing = [
    ['Mark', differs(mark.id, metadata.mark?.id)],
    ['author', differs(createdBy?.id, metadata.author?.id)],
    ['license', differs(license?.name, metadata.license?.name) || differs(license?.url, metadata.license?.url)],
    ['license', differs(licenseKey, metadata.licenseKey)],
    ['AI training preference', differs(allowAiTraining, metadata.allowAiTraining)],
    ['AI training preference', differs(aiTraining, allowAiTraining) || differs(aiTraining, metadata.allowAiTraining)],
    // The metadata of a private Mark leave it out.
    ['possession of the file', metadata.mark !== undefined && fileSeen !== (metadata.fileSeen ?? false)],
  ] as const;
  return [
    [
      artifact.fingerprint !== (signedCopyOf ?? evidence.fingerprint),
      'FINGERPRINT_MISMATCH',
      problems.FINGERPRINT_MISMATCH.record,
    ],
    [
      artifact.status !== 'failed' && !isSameManifestId(artifact.id, manifestId),
      'MANIFEST_ID_MISMATCH',
      problems.MANIFEST_ID_MISMATCH.record(manifestId, artifact.id),
    ],
    [
      !isSameManifestId(c2paAssets.assetId, artifact.id),
      'MANIFEST_ID_MISMATCH',
      problems.MANIFEST_ID_MISMATCH.files(artifact.id, c2paAssets.assetId),
    ],
    ...disagreeing.map(([name, isBroken]): Rule => [isBroken, 'RECORD_MISMATCH', problems.RECORD_MISMATCH(name)]),
  ];
}

function compareWithChain(record: RegistryEvidence, { chain }: Evidence): Rule[] {
  const { registration, source } = record;
  const onChain = evidenceOf(chain);
  const isRegistered = registration?.status === 'submitted';
  if (chain.kind === 'absent') {
    return [[isRegistered || source !== undefined, 'NOT_ON_CHAIN', problems.NOT_ON_CHAIN.stated]];
  }
  if (!onChain) return [];
  // A public entry by another account says nothing about the service's own registration.
  if (onChain.entry.source === 'public' && source === undefined) {
    return [[isRegistered, 'NOT_ON_CHAIN', problems.NOT_ON_CHAIN.curated]];
  }
  return compareWithEntry(record, onChain);
}

function compareWithEntry(record: RegistryEvidence, { entry, registration }: ChainEvidence): Rule[] {
  const { manifestId, registration: stated, source, registeredBy } = record;
  const { status, transactionHash } = stated ?? {};
  const chainTransaction = registration?.transactionHash;
  return [
    [
      !isSameManifestId(entry.manifestId, manifestId),
      'MANIFEST_ID_MISMATCH',
      problems.MANIFEST_ID_MISMATCH.chain(manifestId, entry.manifestId),
    ],
    [
      source !== undefined && source !== entry.source,
      'SOURCE_MISMATCH',
      problems.SOURCE_MISMATCH(source, entry.source),
    ],
    [
      registeredBy !== undefined &&
        entry.registeredBy !== undefined &&
        registeredBy.toLowerCase() !== entry.registeredBy.toLowerCase(),
      'REGISTRANT_MISMATCH',
      problems.REGISTRANT_MISMATCH.service(registeredBy, entry.registeredBy),
    ],
    [
      entry.source === 'curated' && record.metadata !== undefined && !isOnChain(entry, record) && !isRedacted(record),
      'METADATA_MISMATCH',
      problems.METADATA_MISMATCH,
    ],
    [
      // Its transaction is recorded before it is sent, and a failed one can no longer land.
      entry.source === 'curated' && (status === 'pending' || status === 'failed'),
      'STATUS_MISMATCH',
      problems.STATUS_MISMATCH(status),
    ],
    [
      // Before `submitted`, another transaction may still replace the one on record.
      status === 'submitted' && chainTransaction !== undefined && chainTransaction !== transactionHash,
      'TRANSACTION_MISMATCH',
      problems.TRANSACTION_MISMATCH(transactionHash, chainTransaction),
    ],
  ];
}

/** Whether the record says that it leaves fields out; private content has no filename. */
function isRedacted({ artifact, metadata }: RegistryEvidence): boolean {
  const isPrivate = artifact?.contentVisibility === 'private' || artifact?.mark.visibility === 'private';
  return isPrivate && metadata?.filename === undefined;
}

function isOnChain({ manifestHash }: ChainEntry, { metadata }: RegistryEvidence): boolean {
  return metadata !== undefined && manifestHashOf(metadata) === manifestHash;
}

/** Whether the keccak-256 of the record's metadata is the `manifestHash` on chain. */
export function isRecordOnChain({ registry, chain }: Pick<Evidence, 'registry' | 'chain'>): boolean {
  const entry = evidenceOf(chain)?.entry;
  const record = evidenceOf(registry);
  return entry?.source === 'curated' && record !== undefined && isOnChain(entry, record);
}

/** Whether the keccak-256 of the record's metadata is the one in the leaf. */
export function isRecordInLog({ registry, log }: Pick<Evidence, 'registry' | 'log'>): boolean {
  const metadata = evidenceOf(registry)?.metadata;
  return metadata !== undefined && manifestHashOf(metadata) === evidenceOf(log)?.leaf.metadata;
}

/** What the service logged when it recorded the file. */
function compareWithLog(record: RegistryEvidence, evidence: Evidence): Rule[] {
  const { kind, leaf, terms } = evidenceOf(evidence.log) ?? {};
  if (!leaf) return [];
  const { metadata, artifact, isCopy, signedCopyOf } = record;
  const isCopyKnown = artifact !== undefined || isCopy === true;
  const differs = (logged: unknown, recorded: unknown) =>
    logged !== undefined && recorded !== undefined && logged !== recorded;
  const { LEAF_MISMATCH } = problems;
  return [
    [
      metadata !== undefined && !isRecordInLog(evidence) && !isRedacted(record),
      'METADATA_MISMATCH',
      LEAF_MISMATCH.metadata,
    ],
    [
      isCopyKnown && (kind === 'rendition') !== (signedCopyOf !== undefined),
      'LEAF_MISMATCH',
      LEAF_MISMATCH.recorded('signed copy'),
    ],
    [differs(terms?.mark, metadata?.mark?.id), 'LEAF_MISMATCH', LEAF_MISMATCH.recorded('Mark')],
    [differs(terms?.license, metadata?.licenseKey), 'LEAF_MISMATCH', LEAF_MISMATCH.recorded('license')],
    [
      terms !== undefined &&
        artifact?.aiPreferences !== undefined &&
        !hasSamePreferences(terms.ai, artifact.aiPreferences),
      'LEAF_MISMATCH',
      LEAF_MISMATCH.recorded('AI preferences'),
    ],
  ];
}

/** The service signs a copy for its original, and an original for itself. */
function compareWithContent({ signedCopyOf }: RegistryEvidence, { fingerprint, manifest, content }: Evidence): Rule[] {
  if (signedCopyOf === undefined) return [];
  return [
    [
      evidenceOf(manifest)?.fingerprint === fingerprint,
      'FINGERPRINT_MISMATCH',
      problems.FINGERPRINT_MISMATCH.ownManifest(signedCopyOf),
    ],
    [
      isMissingInContent(content, signedCopyOf),
      'FINGERPRINT_MISMATCH',
      problems.FINGERPRINT_MISMATCH.content(signedCopyOf),
    ],
  ];
}

/** The claims in a valid manifest were copied from the record when it was signed. */
function compareWithManifest({ metadata, artifact }: RegistryEvidence, evidence: Evidence): Rule[] {
  const manifest = evidenceOf(evidence.manifest);
  if (!metadata || !manifest || findManifestProblems(evidence).length > 0) return [];
  const { claims } = manifest;
  const { author, mark, license, filename, allowAiTraining, previousFingerprint } = metadata;
  // The manifest of a private Mark claims nothing about author, Mark, license and filename.
  const hasClaims = claims.markId !== undefined;
  const pairs: readonly (readonly [string, recorded: unknown, signed: unknown])[] = [
    ['Mark', mark?.id, claims.markId],
    ['name of the Mark', mark?.name, claims.markName],
    ['author', author?.name, claims.author],
    ['license', license?.name, hasClaims ? signedLicenseName(claims) : undefined],
    ['license URL', license?.url ?? undefined, claims.licenseUrl],
    ['filename', filename, claims.title],
    ['AI training preference', allowAiTraining, hasClaims ? (claims.allowAiTraining ?? null) : undefined],
    ...aiUses.map(
      (use) =>
        [
          `preference for ${use}`,
          artifact?.aiPreferences && preferenceText(artifact.aiPreferences, use),
          hasClaims ? preferenceText(claims.aiPreferences, use) : undefined,
        ] as const,
    ),
  ];
  return [
    ...pairs.map(
      ([name, recorded, signed]): Rule => [
        recorded !== undefined && signed !== undefined && recorded !== signed,
        'CLAIMS_MISMATCH',
        problems.CLAIMS_MISMATCH.field(name, recorded, signed),
      ],
    ),
    [
      claims.previousFingerprint !== undefined && claims.previousFingerprint !== previousFingerprint,
      'CLAIMS_MISMATCH',
      problems.CLAIMS_MISMATCH.previous(previousFingerprint, claims.previousFingerprint),
    ],
  ];
}

function preferenceText(preferences: AiPreferences | undefined, use: AiUse): string {
  const preference = preferences?.[use];
  return preference ? formatAiPreference(preference) : 'not specified';
}

function signedLicenseName({ license }: ManifestClaims): string {
  return license ?? licenses.NONE_SPECIFIED.name;
}

/** The contract that the service names must be the one that was read. */
function compareContracts({ chain, statedContract }: Evidence): Rule[] {
  const onChain = evidenceOf(chain);
  if (!onChain || !statedContract || onChain.from === 'bundle') return [];
  return [
    [
      statedContract.address.toLowerCase() !== onChain.address.toLowerCase(),
      'CONTRACT_MISMATCH',
      problems.CONTRACT_MISMATCH.service(statedContract.address, onChain.address),
    ],
    [
      statedContract.chainId !== undefined && statedContract.chainId !== onChain.chainId,
      'CHAIN_ID_MISMATCH',
      problems.CHAIN_ID_MISMATCH.service(statedContract.chainId, onChain.chainId),
    ],
  ];
}

/** What contradicts nothing, but should be known. */
export function findNotices({ registry, chain, manifest, hasTrustAnchors }: Evidence): Notice[] {
  const onChain = evidenceOf(chain);
  const record = evidenceOf(registry);
  const signed = evidenceOf(manifest);
  const found: Notice[] = [...(onChain?.notices ?? [])];
  if (record?.registration?.status === 'submitting' && onChain?.entry.source === 'curated') {
    found.push({ code: 'STATUS_BEHIND', text: notices.STATUS_BEHIND });
  }
  if (signed && record?.isCopy !== true && !hasTrustAnchors && signed.trustedBy === undefined) {
    found.push({ code: 'SIGNER_NOT_PUBLISHED', text: notices.SIGNER_NOT_PUBLISHED(signed.signedBy) });
  }
  if (signed?.isIdentityUnconfirmed) {
    found.push({ code: 'IDENTITY_NOT_CONFIRMED', text: notices.IDENTITY_NOT_CONFIRMED });
  }
  return found;
}
