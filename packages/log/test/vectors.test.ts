// Against Tessera, golang.org/x/mod and transparency-dev/formats: the same tiles, roots, proofs, notes and receipts.

import { hash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  appendEntries,
  checkSignature,
  cosignNote,
  decodeUtf8,
  encodeUtf8,
  formatCheckpoint,
  formatNote,
  formatReceipt,
  formatVerifierKey,
  isConsistent,
  isIncluded,
  parseNote,
  parseReceipt,
  parseVerifierKey,
  proveConsistency,
  proveInclusion,
  readEdge,
  readRoot,
  signNote,
  type TreeEdge,
  verifyCheckpoint,
  verifyReceipt,
} from '../src/index.js';
import { verifyMutations } from './support/receiptMutations.js';
import { createSigner } from './support/signers.js';
import {
  createTreeOpener,
  nodeHasher,
  VECTOR_SIZE,
  vectorEntry,
  vectorHash,
  vectorKey,
  vectorPolicy,
  vectors,
} from './support/vectors.js';

describe('a tree of 100,000 entries', () => {
  const files = new Map<string, Uint8Array>();
  const openTree = createTreeOpener(files);
  let edge: TreeEdge;
  const digests = (paths: string[]) =>
    paths.map((path) => [path, hash('sha256', files.get(path) ?? new Uint8Array(), 'base64')]);
  /** As a service publishes: what exists has the same bytes. */
  const publish = (path: string, bytes: Uint8Array) => {
    expect([path, Buffer.from(files.get(path) ?? bytes).equals(bytes)]).toEqual([path, true]);
    files.set(path, bytes);
  };

  beforeAll(async () => {
    const readFile = async (path: string) => files.get(path) ?? new Uint8Array();
    edge = await readEdge({ size: 0, root: nodeHasher.emptyRoot }, readFile, nodeHasher);
    // Rounds of every size, from one entry to several tiles.
    for (let round = 1; edge.size < VECTOR_SIZE; round = (round * 5 + 3) % 1_999) {
      const count = Math.min(round, VECTOR_SIZE - edge.size);
      const entries = Array.from({ length: count }, (_, place) => vectorEntry(edge.size + place));
      const appended = appendEntries(edge, entries, nodeHasher);
      for (const { path, bytes } of appended.files) publish(path, bytes);
      edge = appended.edge;
    }
  });

  it('has the tiles and bundles of Tessera, and its root', async () => {
    const paths = Object.keys(vectors.files);
    expect(paths).toHaveLength(391 + 2 + 1 + 391);
    expect(digests(paths)).toEqual(Object.entries(vectors.files));
    const { size, root } = await verifyCheckpoint(vectors.checkpoint, { ...vectorPolicy, quorum: undefined });
    expect({ size, root: Buffer.from(root) }).toEqual({ size: VECTOR_SIZE, root: Buffer.from(edge.root) });
  });

  it('has the roots of x/mod at every size', async () => {
    for (const [size, root] of vectors.roots) {
      expect([size, Buffer.from(await readRoot(openTree(size))).toString('base64')]).toEqual([size, root]);
    }
  });

  it('gives the same inclusion proofs as x/mod, and accepts them', async () => {
    for (const [index, size, root, numbers] of vectors.inclusion) {
      const hashes = numbers.map(vectorHash);
      expect(toHex(await proveInclusion(openTree(size), index))).toBe(toHex(hashes));
      const leafHash = nodeHasher.hashLeaf(vectorEntry(index));
      expect(isIncluded(leafHash, { index, hashes }, { size, root: vectorHash(root) })).toBe(true);
    }
    expect(vectors.inclusion).toHaveLength(500);
  });

  it('gives the same consistency proofs as x/mod, and accepts them', async () => {
    for (const [oldSize, size, [oldRoot = -1, root = -1], numbers] of vectors.consistency) {
      const hashes = numbers.map(vectorHash);
      expect(toHex(await proveConsistency(openTree(size), oldSize))).toBe(toHex(hashes));
      const old = { size: oldSize, root: vectorHash(oldRoot) };
      expect(isConsistent(old, { size, root: vectorHash(root) }, hashes)).toBe(true);
    }
    expect(vectors.consistency).toHaveLength(500);
  });
});

describe('notes', () => {
  it.each(vectors.notes)(
    'signed by x/mod are verified, and written as they were read: $keys',
    async ({ note, keys }) => {
      const { text, signatures } = parseNote(note);
      expect(formatNote({ text, signatures })).toBe(note);
      expect(signatures).toHaveLength(keys.length);
      for (const [place, name] of keys.entries()) {
        const [key, signature] = [parseVerifierKey(vectorKey(name)), signatures[place]?.signature ?? new Uint8Array()];
        expect(await checkSignature(text, key, signature)).toEqual({});
        expect(await checkSignature(`${text} `, key, signature)).toBeUndefined();
      }
    },
  );

  it('are the same as bytes and as text', () => {
    for (const { note } of vectors.notes) expect(decodeUtf8(encodeUtf8(note))).toBe(note);
  });
});

describe('checkpoints with cosignatures of `formats`', () => {
  it('are verified, beside a signature of an unknown kind', async () => {
    expect(parseNote(vectors.checkpoints[0] ?? '').signatures).toHaveLength(5);
    const { size, cosignatures } = await verifyCheckpoint(vectors.checkpoints[0] ?? '', vectorPolicy);
    expect([size, cosignatures.map(({ name }) => name)]).toEqual([
      70_000,
      ['witness1.example/w', 'witness2.example/w', 'witness3.example/w'],
    ]);
    expect(new Date((cosignatures[0]?.time ?? 0) * 1000).getUTCFullYear()).toBeGreaterThanOrEqual(2026);
  });

  it('are signed here as there', async () => {
    const { text, signatures } = parseNote(vectors.checkpoints[1] ?? '');
    const { cosignatures } = await verifyCheckpoint(vectors.checkpoints[1] ?? '', vectorPolicy);
    const log = createSigner('vectors.example/log', 'log', 'vectors log key');
    const cosigned = cosignatures.map(({ name, time }, place) =>
      cosignNote(text, time, createSigner(name, 'cosignature', `vectors witness key ${place + 1}`)),
    );
    const signed = await Promise.all([signNote(text, log), ...cosigned]);
    expect(formatNote({ text, signatures: signed })).toBe(formatNote({ text, signatures }));
    expect(formatVerifierKey(log.key)).toBe(vectorKey('log'));
  });

  it('are verified with extension lines', async () => {
    const { extensions } = await verifyCheckpoint(vectors.checkpoints[1] ?? '', vectorPolicy);
    expect(extensions).toEqual(['extension 1', 'extension 2']);
  });
});

describe('receipts', () => {
  it.each(vectors.receipts)(
    'written by `formats` are verified, and written the same: entry $index',
    async ({ index, receipt }) => {
      expect(formatReceipt(parseReceipt(receipt))).toBe(receipt);
      expect((await verifyReceipt(receipt, vectorEntry(index), vectorPolicy)).index).toBe(index);
    },
  );

  it('are refused with any change', async () => {
    // Many more in `mutations.long.test.ts`.
    expect((await verifyMutations(1_000)).faults).toEqual([]);
  });

  it.each([
    { size: 1_000_000, hashes: 20, cosignatures: 1, bytes: 1_300 },
    { size: 1_000_000_000, hashes: 30, cosignatures: 3, bytes: 2_200 },
  ])('of $size entries with $cosignatures cosignatures have at most $bytes bytes', ({ size, hashes, ...limits }) => {
    const hash = new Uint8Array(32);
    const signature = (name: string, bytes: number) => ({ name, keyId: 0, signature: new Uint8Array(bytes) });
    const cosignatures = Array.from({ length: limits.cosignatures }, () => signature('witness.example/w1', 72));
    const signatures = [signature('registry.example/log', 64), ...cosignatures];
    const checkpoint = formatNote({
      text: formatCheckpoint({ origin: 'registry.example/log', size, root: hash }),
      signatures,
    });
    const receipt = formatReceipt({ index: size - 1, hashes: Array.from({ length: hashes }, () => hash), checkpoint });
    expect(Buffer.byteLength(receipt)).toBeLessThanOrEqual(limits.bytes);
  });
});

function toHex(hashes: readonly Uint8Array[]): string {
  return Buffer.concat(hashes).toString('hex');
}
