// A public log in memory, with a key of its own: for receipts that a service would not make.

import { hash, sign } from 'node:crypto';
import { aiPreferencesOf, LOG_IDENTITY_TYPE, type LogIdentity, manifestHashOf } from '@provenance-registry/core';
import type { Bundle } from '../../packages/client/src/index.js';
import {
  appendEntries,
  commitToTerms,
  cosignNote,
  createTreeHasher,
  decodeTile,
  encodeAiPreferences,
  encodeLeaf,
  formatCheckpoint,
  formatNote,
  formatPolicy,
  formatReceipt,
  formatSalt,
  formatTilePath,
  formatVerifierKey,
  HashTile,
  type Leaf,
  type LeafContent,
  type NoteSigner,
  parseLeaf,
  proveInclusion,
  readEdge,
  signNote,
  type TilePosition,
  type TreeHead,
} from '../../packages/log/src/index.js';
import { createSigner } from '../../packages/log/test/support/signers.js';
import type { IndexSigner } from './indexSigners.js';

const hasher = createTreeHasher((data) => hash('sha256', data, 'buffer'));

/** In seconds since 1970. */
const WITNESSED_AT = 1_794_916_800;

export interface LoggedLeaf {
  readonly receipt: string;
  readonly leaf: string;
}

export interface TestLog {
  /** The verifier key. */
  readonly key: string;
  /** The receipt of a leaf that is appended for it, under a checkpoint with these lines beside the usual ones. */
  readonly logLeaf: (leaf: Leaf, extensions?: readonly string[]) => Promise<LoggedLeaf>;
  /** The same for any text. */
  readonly logText: (text: string) => Promise<LoggedLeaf>;
  /** The proof of a leaf in the tree as it is now. */
  readonly proveLeaf: (index: number) => Promise<TreeHead & { readonly hashes: readonly Uint8Array[] }>;
}

/** Two logs with the same seed have the same key. Each has some leaves before the first that is appended. */
export async function createTestLog(
  origin = 'registry.example/log',
  seed = 'test log',
  witnesses: readonly NoteSigner[] = [],
): Promise<TestLog> {
  const signer = createSigner(origin, 'log', seed);
  const files = new Map<string, Uint8Array>();
  const readFile = async (path: string) => files.get(path) ?? Promise.reject(new Error(`no ${path}`));
  let edge = await readEdge({ size: 0, root: hasher.emptyRoot }, readFile, hasher);
  const append = (entries: readonly Uint8Array[]) => {
    const next = appendEntries(edge, entries, hasher);
    edge = next.edge;
    for (const { path, bytes } of next.files) files.set(path, bytes);
  };
  append(Array.from({ length: 5 }, (_, index) => Buffer.from(`leaf ${index}`)));
  const proveLeaf = async (index: number) => {
    const readTile = async (tile: TilePosition) =>
      new HashTile(decodeTile(await readFile(formatTilePath(tile)), tile.width), hasher);
    return { ...edge, hashes: await proveInclusion({ size: edge.size, readTile, hasher }, index) };
  };
  const logEntry = async (entry: Uint8Array, extensions: readonly string[] = []) => {
    append([entry]);
    const { size, root } = edge;
    const text = formatCheckpoint({ origin, size, root }) + extensions.map((line) => `${line}\n`).join('');
    const cosignatures = await Promise.all(witnesses.map((witness) => cosignNote(text, WITNESSED_AT, witness)));
    const checkpoint = formatNote({ text, signatures: [await signNote(text, signer), ...cosignatures] });
    const { hashes } = await proveLeaf(size - 1);
    const receipt = formatReceipt({ index: size - 1, hashes, checkpoint });
    return { receipt, leaf: Buffer.from(entry).toString() };
  };
  return {
    key: formatVerifierKey(signer.key),
    logLeaf: (leaf, extensions) => logEntry(encodeLeaf(leaf), extensions),
    logText: (text) => logEntry(Buffer.from(text)),
    proveLeaf,
  };
}

type Content = LeafContent<'artifact'>;
type Open = Extract<Content, { readonly mark: string }>;

/** What an honest log has for the file of a bundle, or a leaf that differs from it. */
export function leafOf(
  bundle: Bundle,
  change: Partial<Open> = {},
): { readonly kind: 'artifact' | 'rendition'; readonly content: Open } {
  const { fingerprint, signedCopyOf, manifestId: id, metadata } = bundle;
  if (!metadata?.mark || !metadata.licenseKey) throw new Error('The bundle does not have all metadata.');
  const { mark, licenseKey: license, allowAiTraining = null } = metadata;
  const manifest = `0x${hash('sha256', Buffer.from(bundle.manifest, 'base64'), 'hex')}` as const;
  const ai = readAi(bundle) ?? encodeAiPreferences(aiPreferencesOf({ allowAiTraining }));
  const time = '2026-11-17T12:00:00.035Z';
  const own = { fingerprint, id, manifest, metadata: manifestHashOf(metadata), mark: mark.id, ai, license, time };
  return { kind: signedCopyOf === undefined ? 'artifact' : 'rendition', content: { ...own, ...change } };
}

/** The metadata do not have the preference for each use. */
function readAi({ log }: Bundle): Open['ai'] | undefined {
  const leaf = log && parseLeaf(Buffer.from(log.leaf));
  return leaf && 'ai' in leaf.content ? leaf.content.ai : undefined;
}

/** The same leaf with a commitment in place of the terms, and what opens it. */
export function hideTerms({ kind, content: { mark, ai, license, ...shown } }: ReturnType<typeof leafOf>) {
  const opening = { mark, ai, license, salt: formatSalt(new Uint8Array(32).fill(7)) };
  return { leaf: { kind, content: { ...shown, hidden: commitToTerms(opening) } }, opening };
}

/** What a registry with a log of that key says about itself, signed by that signer. */
export function stateLog(
  { signer, key }: IndexSigner,
  { key: vkey, contract }: Pick<TestLog, 'key'> & Pick<LogIdentity, 'contract'>,
  typ = LOG_IDENTITY_TYPE,
) {
  const identity = {
    origin: vkey.slice(0, vkey.indexOf('+')),
    vkey,
    policy: formatPolicy([vkey]),
    ...(contract && { contract }),
  };
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const signed = `${encode({ alg: 'ES256', typ, x5c: [signer.toString('base64')] })}.${encode(identity)}`;
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
  return { ...identity, jws: `${signed}.${signature.toString('base64url')}` };
}

/** Bundles of the cases in verdictCases.json, with receipts of a log of its own, and the keys that the cases name. */
export async function makeLoggedBundles(bundle: Bundle, other: Bundle) {
  const log = await createTestLog();
  const { leaf: hidden } = hideTerms(leafOf(bundle));
  const { metadata: _, ...withoutMetadata } = bundle;
  const { log: __, ...withoutReceipt } = bundle;
  const bundles: Readonly<Record<string, Bundle>> = {
    logged: { ...bundle, log: await log.logLeaf(leafOf(bundle)) },
    'without receipt': withoutReceipt,
    'with the receipt of another file': { ...bundle, log: await log.logLeaf(leafOf(other)) },
    'without metadata, and its leaf hides the Mark': { ...withoutMetadata, log: await log.logLeaf(hidden) },
  };
  return { bundles, key: log.key, otherKey: (await createTestLog('registry.example/log', 'another key')).key };
}
