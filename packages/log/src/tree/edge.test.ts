import { beforeAll, describe, expect, it } from 'vitest';
import { encodeUtf8, isSameBytes } from '../encoding.js';
import { LogFormatError, LogProofError } from '../errors.js';
import { appendEntries, readEdge, type TreeEdge } from './edge.js';
import { portableHasher as hasher } from './hasher.js';

const SIZE = 600;
const entries = Array.from({ length: SIZE }, (_, index) => encodeUtf8(`entry ${index}`));
const files = new Map<string, Uint8Array>();
const readFile = async (path: string) => files.get(path) ?? new Uint8Array();
const empty = { size: 0, root: hasher.emptyRoot };

/** The edge of the tree of every size, each published. */
const edges: TreeEdge[] = [];

beforeAll(async () => {
  edges.push(await readEdge(empty, readFile, hasher));
  for (const entry of entries) {
    const { edge, files: published } = appendEntries(edgeOf(edges.length - 1), [entry], hasher);
    for (const { path, bytes } of published) files.set(path, bytes);
    edges.push(edge);
  }
});

describe('the edge of a tree', () => {
  it('is the same whether entries come one by one or at once, from any size on', () => {
    for (const from of [0, 1, 2, 255, 256, 257, 511, 512, 513, SIZE]) {
      const { edge, files: published } = appendEntries(edgeOf(from), entries.slice(from), hasher);
      expect(toHex(edge)).toEqual(toHex(edgeOf(SIZE)));
      // Never another content under a path that is published.
      const changed = published.filter(({ path, bytes }) => !isSameBytes(bytes, files.get(path) ?? hasher.emptyRoot));
      expect(changed.map(({ path }) => path)).toEqual([]);
    }
  });

  it('publishes what changed, and nothing else', () => {
    const paths = (from: number, to: number) => {
      const start = edges[from];
      return (
        start &&
        appendEntries(start, entries.slice(from, to), hasher)
          .files.map(({ path }) => path)
          .toSorted()
      );
    };
    expect(paths(0, 1)).toEqual(['tile/0/000.p/1', 'tile/entries/000.p/1']);
    expect(paths(255, 256)).toEqual(['tile/0/000', 'tile/1/000.p/1', 'tile/entries/000']);
    expect(paths(256, 257)).toEqual(['tile/0/001.p/1', 'tile/entries/001.p/1']);
    expect(paths(300, 600)).toEqual([
      'tile/0/001',
      'tile/0/002.p/88',
      'tile/1/000.p/2',
      'tile/entries/001',
      'tile/entries/002.p/88',
    ]);
    expect(paths(300, 300)).toEqual([]);
  });

  it('is read again from what was published', async () => {
    for (const size of [0, 1, 255, 256, 257, 512, SIZE]) {
      const edge = await readEdge(edgeOf(size), readFile, hasher);
      expect(toHex(edge)).toEqual(toHex(edgeOf(size)));
    }
  });

  it('is refused if any of its files is missing, damaged or of another tree', async () => {
    const head = edgeOf(SIZE);
    for (const path of ['tile/0/002.p/88', 'tile/1/000.p/2', 'tile/entries/002.p/88']) {
      const bytes = Buffer.from(files.get(path) ?? []);
      const damaged = Buffer.from(bytes);
      damaged.writeUInt8(damaged.readUInt8(40) ^ 1, 40);
      for (const other of [new Uint8Array(), bytes.subarray(1), damaged]) {
        const reading = readEdge(head, async (name) => (name === path ? other : readFile(name)), hasher);
        await expect(reading, path).rejects.toThrow(/./);
        const error = await reading.catch((reason: unknown) => reason);
        expect(error instanceof LogFormatError || error instanceof LogProofError).toBe(true);
      }
    }
    await expect(readEdge({ size: SIZE, root: hasher.emptyRoot }, readFile, hasher)).rejects.toThrow(LogProofError);
    await expect(readEdge({ size: SIZE - 1, root: head.root }, readFile, hasher)).rejects.toThrow(LogProofError);
  });
});

function edgeOf(size: number): TreeEdge {
  const edge = edges[size];
  if (!edge) throw new Error(`no edge of size ${size}`);
  return edge;
}

/** Levels without an incomplete tile may be there or not. */
function toHex({ size, root, tiles, entries }: TreeEdge) {
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
  const levels = tiles.flatMap((hashes, level) => (hashes.length > 0 ? [[level, ...hashes.map(hex)]] : []));
  return { size, root: hex(root), levels, entries: entries.map(hex) };
}
