// What a copy of a registry's log and manifests has about a file. The copy is no trusted party: the leaf counts with its proof and the
// signatures of the checkpoint, the manifest with its own signature.

import { type Fingerprint, type LogReceipt, RegistryIdentity } from '@provenance-registry/core';
import {
  copyPaths,
  decodeBundle,
  decodeIndex,
  decodeUtf8,
  encodeUtf8,
  formatReceipt,
  parseCheckpoint,
  parseLeaf,
  parseNote,
  TILE_WIDTH,
} from '@provenance-registry/log';
import { Check } from 'typebox/schema';
import { InvalidResponseError } from '../../errors.js';
import { mirrorTexts, problems, skippedSources } from '../../explanations.js';
import {
  bareManifestId,
  evidenceOf,
  type LogEvidence,
  type ManifestEvidence,
  type SourceResult,
  skip,
  skipUnproven,
  tryReadWithin,
} from '../evidence.js';
import { readInclusion, readTile, requireFile } from '../log/inclusion.js';
import type { LogKeys } from '../log/logKeys.js';
import { checkMiss, checkReceipt } from '../log/receipt.js';
import type { TrustRoots } from '../manifest.js';
import { parseManifest } from '../manifestSources.js';
import { describeIdentity, type ServiceInfo } from '../serviceInfo.js';
import type { MirrorSource } from './source.js';

/** What the registry said about itself when it was copied. Undefined: the copy does not have it. */
export async function readMirrorIdentity(mirror: MirrorSource, signal: AbortSignal): Promise<ServiceInfo | undefined> {
  const bytes = await mirror.readFile(copyPaths.identity, signal);
  if (!bytes) return undefined;
  const identity = parseJson(decodeUtf8(bytes));
  if (!Check(RegistryIdentity, identity)) throw new InvalidResponseError(mirrorTexts.malformed(copyPaths.identity));
  return describeIdentity(identity);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What the copy shows for a file: its leaf with a proof, or that it has none. Nothing of it is checked yet. */
interface Shown {
  readonly checkpoint: string;
  readonly receipt: LogReceipt | undefined;
}

export interface MirrorQuery {
  readonly fingerprint: Fingerprint;
  /** Undefined: nobody vouches for the key of the log. */
  readonly keys: LogKeys | undefined;
  readonly roots: TrustRoots;
  /** The one that the chain names. */
  readonly manifestId: string | undefined;
  readonly c2paWasmUrl: string | URL | undefined;
}

/** Reads the leaf first, because it names the manifest. A manifest proves itself, also if nothing proves the leaf. */
export async function readMirror(
  mirror: MirrorSource,
  query: MirrorQuery,
  timeoutMs: number,
  caller: AbortSignal | undefined,
): Promise<{ log: SourceResult<LogEvidence>; manifest: SourceResult<ManifestEvidence> }> {
  const shown = await tryReadWithin<Shown>(timeoutMs, caller, async (signal) => ({
    kind: 'found',
    value: await readShown(mirror, query.fingerprint, signal),
  }));
  if (shown.kind !== 'found') return { log: shown, manifest: shown };
  const log = await checkShown(shown.value, mirror, query.keys);
  const manifest = await tryReadWithin<ManifestEvidence>(timeoutMs, caller, async (signal) => {
    const id = query.manifestId ?? readManifestId(shown.value);
    if (id === undefined) return skip(skippedSources.NO_MANIFEST_NAMED);
    const sidecar = await requireFile(mirror, copyPaths.manifest(bareManifestId(id)), signal);
    return compareWithLeaf(await parseManifest(sidecar, mirror.name, query.roots, query.c2paWasmUrl), log);
  });
  return { log, manifest };
}

async function readShown(mirror: MirrorSource, fingerprint: Fingerprint, signal: AbortSignal): Promise<Shown> {
  const checkpoint = decodeUtf8(await requireFile(mirror, copyPaths.checkpoint, signal));
  const { size } = parseCheckpoint(parseNote(checkpoint).text);
  const index = await findLeaf(mirror, fingerprint, size, signal);
  if (index === undefined) return { checkpoint, receipt: undefined };
  const hashes = await readInclusion(mirror, { index, size }, signal);
  const number = Math.floor(index / TILE_WIDTH);
  const width = Math.min(TILE_WIDTH, size - number * TILE_WIDTH);
  const entries = await readTile(mirror, { level: 'entries', index: number, width }, decodeBundle, signal);
  const leaf = decodeUtf8(entries[index % TILE_WIDTH] ?? new Uint8Array());
  return { checkpoint, receipt: { receipt: formatReceipt({ index, hashes, checkpoint }), leaf } };
}

/** The first leaf that counts: the index of a copy leaves out registrations that failed. */
async function findLeaf(
  mirror: MirrorSource,
  fingerprint: Fingerprint,
  size: number,
  signal: AbortSignal,
): Promise<number | undefined> {
  const records = decodeIndex((await mirror.readFile(copyPaths.index(fingerprint), signal)) ?? new Uint8Array());
  // A copy that grows has the records of new leaves before their checkpoint.
  return records.find((record) => record.fingerprint === fingerprint && record.index < size)?.index;
}

async function checkShown(
  { checkpoint, receipt }: Shown,
  mirror: MirrorSource,
  keys: LogKeys | undefined,
): Promise<SourceResult<LogEvidence>> {
  if (!keys) return skipUnproven(skippedSources.LOG_NOT_VOUCHED_FOR);
  return receipt ? checkReceipt(receipt, mirror.name, keys) : checkMiss(checkpoint, keys);
}

/** By a leaf that may not be proven. */
function readManifestId({ receipt }: Shown): string | undefined {
  const leaf = receipt && parseLeaf(encodeUtf8(receipt.leaf));
  return leaf?.kind === 'artifact' || leaf?.kind === 'rendition' ? leaf.content.id : undefined;
}

function compareWithLeaf(
  manifest: SourceResult<ManifestEvidence>,
  log: SourceResult<LogEvidence>,
): SourceResult<ManifestEvidence> {
  const digest = evidenceOf(manifest)?.digest;
  const logged = evidenceOf(log)?.leaf.manifest;
  if (digest === undefined || logged === undefined || digest === logged) return manifest;
  return { kind: 'invalid', code: 'LEAF_MISMATCH', reason: problems.LEAF_MISMATCH.manifest };
}
