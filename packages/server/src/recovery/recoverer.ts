// Adds one lost Artifact or signed copy again, from its entry on chain and its published manifest.

import {
  type ArtifactMetadata,
  allowAiTrainingOf,
  explicitAiPreferences,
  licenses,
  manifestHashOf,
} from '@provenance-registry/core';
import type { Hex, LoggedEntry, RecordedManifest, RecoveredArtifact } from '../domain/ports/index.js';
import type { RecoveryFinding, RecoveryOutcome, RecoveryParts } from './findings.js';
import type { Registrant } from './registrantSearch.js';

/** Of a signed copy whose Artifact does not say. */
const UNKNOWN_TYPE = 'application/octet-stream';

export class Recoverer {
  /** Artifacts that a dry run would recover: their signed copies could be, too. */
  readonly #recoverable = new Set<string>();

  constructor(
    private readonly parts: RecoveryParts,
    private readonly isDryRun: boolean,
    private readonly registrants: ReadonlyMap<Hex, Registrant>,
  ) {}

  async recoverEntry(entry: LoggedEntry): Promise<RecoveryFinding> {
    const { manifestId: artifactId, fingerprint } = entry;
    const manifest = await this.#readManifest(artifactId);
    const isOriginal = manifest === undefined || manifest.fingerprint === fingerprint;
    const outcome = !manifest
      ? 'manifest-lost'
      : isOriginal
        ? await this.#recoverArtifact(entry, manifest)
        : await this.#recoverSignedCopy(entry);
    if (isOriginal && outcome === 'recoverable') this.#recoverable.add(artifactId);
    return { outcome, kind: isOriginal ? 'artifact' : 'signed-copy', artifactId, fingerprint, source: 'chain' };
  }

  /** An Artifact that was not on chain yet. Undefined when its files are gone by now, or are no Artifact's. */
  async recoverFiles(artifactId: string): Promise<RecoveryFinding | undefined> {
    const manifest = await this.#readManifest(artifactId);
    if (!manifest) return undefined;
    const { fingerprint } = manifest;
    return {
      outcome: await this.#recoverUnregistered(manifest),
      kind: 'artifact',
      artifactId,
      fingerprint,
      source: 'files',
    };
  }

  async #readManifest(artifactId: string): Promise<RecordedManifest | undefined> {
    const sidecar = await this.parts.files.read(`${artifactId}.c2pa`);
    const manifest = sidecar && (await this.parts.manifests.read(sidecar));
    return manifest?.artifactId === artifactId ? manifest : undefined;
  }

  async #recoverArtifact(entry: LoggedEntry, manifest: RecordedManifest): Promise<RecoveryOutcome> {
    const registrant = this.registrants.get(entry.registrantTopic);
    const markId = manifest.mark?.id ?? registrant?.markId;
    if (markId === undefined || (await this.#listWriters(markId)).length === 0) return 'mark-lost';
    if (!registrant) return 'creator-lost';
    const metadata = describe(manifest, registrant.userId);
    return this.#add({
      id: entry.manifestId,
      markId,
      createdBy: registrant.userId,
      createdAt: manifest.signedAt,
      fingerprint: manifest.fingerprint,
      manifestHash: entry.manifestHash,
      metadata,
      aiPreferences: explicitAiPreferences(manifest.aiPreferences),
      transactionHash: entry.transactionHash,
      isIncomplete: true,
    });
  }

  /** Nothing but the manifest says who registered it: only one writer of the Mark may have the author's name. */
  async #recoverUnregistered(manifest: RecordedManifest): Promise<RecoveryOutcome> {
    const { mark, authorName, title } = manifest;
    const writers = mark ? await this.#listWriters(mark.id) : [];
    if (!mark || writers.length === 0) return 'mark-lost';
    const [author, ...namesakes] = writers.filter(({ userName }) => userName === authorName);
    if (!author || namesakes.length > 0) return 'creator-lost';
    const metadata = { ...(title !== undefined && { filename: title }), ...describe(manifest, author.userId) };
    return this.#add({
      id: manifest.artifactId,
      markId: mark.id,
      createdBy: author.userId,
      createdAt: manifest.signedAt,
      fingerprint: manifest.fingerprint,
      manifestHash: manifestHashOf(metadata),
      metadata,
      aiPreferences: explicitAiPreferences(manifest.aiPreferences),
      transactionHash: undefined,
      isIncomplete: false,
    });
  }

  async #recoverSignedCopy(entry: LoggedEntry): Promise<RecoveryOutcome> {
    const { manifestId: artifactId, manifestHash, transactionHash } = entry;
    const originals = await this.parts.records.readOriginals([artifactId]);
    const original = originals.get(artifactId);
    if (!original) return this.#recoverable.has(artifactId) ? 'recoverable' : 'original-lost';
    if (this.isDryRun) return 'recoverable';
    const isAdded = await this.parts.records.addSignedCopy({
      artifactId,
      markId: original.markId,
      createdBy: original.createdBy,
      createdAt: await this.parts.chain.readBlockTime(entry.blockNumber),
      fingerprint: entry.fingerprint,
      manifestHash,
      mediaType: original.mediaType ?? UNKNOWN_TYPE,
      transactionHash,
    });
    return isAdded ? 'recovered' : 'in-use';
  }

  async #add(artifact: RecoveredArtifact): Promise<RecoveryOutcome> {
    if (this.isDryRun) return 'recoverable';
    return (await this.parts.records.addArtifact(artifact)) ? 'recovered' : 'in-use';
  }

  #listWriters(markId: string) {
    return this.parts.records.listWriters([markId]);
  }
}

/** The part of the metadata that the manifest has. The filename is left to the manifest while the rest is lost. */
function describe({ mark, authorName, licenseKey, aiPreferences }: RecordedManifest, userId: string): ArtifactMetadata {
  return {
    kind: 'other',
    ...(licenseKey && { license: licenses[licenseKey], licenseKey }),
    ...(mark && { allowAiTraining: allowAiTrainingOf(aiPreferences), mark }),
    ...(authorName !== undefined && { author: { id: userId, name: authorName } }),
  };
}
