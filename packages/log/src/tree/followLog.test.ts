import { beforeAll, describe, expect, it } from 'vitest';
import { nodeHasher as hasher } from '../../test/support/vectors.js';
import { encodeUtf8, isSameBytes } from '../encoding.js';
import { LogFileError, LogForkError } from '../errors.js';
import { encodeLeaf } from '../leaves/leaf.js';
import { appendEntries, readEdge, type TreeEdge } from './edge.js';
import { type FollowedBatch, followLog } from './followLog.js';
import type { TreeHead } from './proofs.js';

/** Beyond a complete tile of level 1, so that there are tiles of three levels. */
const SIZE = 66_300;
const SIZES = [0, 1, 255, 256, 300, 4_096, 5_000];
/** Where tests of the large tree begin, for brevity. */
const LATE = 65_500;
const empty = { size: 0, root: hasher.emptyRoot };

const entryAt = (index: number) =>
  encodeLeaf({ kind: 'failed', content: { index, time: new Date(index).toISOString() } });
const files = new Map<string, Uint8Array>();
const heads = new Map<number, TreeHead>();
const read = async (path: string) => files.get(path);

beforeAll(async () => {
  let edge = await readEdge(empty, async () => new Uint8Array(), hasher);
  for (const size of [...SIZES, LATE, 65_536, SIZE]) {
    edge = grow(edge, size, files);
    heads.set(size, edge);
  }
});

function grow(edge: TreeEdge, size: number, into: Map<string, Uint8Array>): TreeEdge {
  const added = Array.from({ length: size - edge.size }, (_, place) => entryAt(edge.size + place));
  const next = appendEntries(edge, added, hasher);
  for (const { path, bytes } of next.files) into.set(path, bytes);
  return next.edge;
}

const headOf = (size: number): TreeHead => heads.get(size) ?? empty;

async function follow(from: TreeHead, to: TreeHead, readFile: typeof read = read): Promise<FollowedBatch[]> {
  const batches: FollowedBatch[] = [];
  for await (const batch of followLog({ from, to, readFile, hasher })) batches.push(batch);
  return batches;
}

describe('a log is followed', () => {
  it('from every size to every larger one, each leaf once and in order', async () => {
    for (const [place, from] of SIZES.entries()) {
      for (const to of SIZES.slice(place)) {
        const batches = await follow(headOf(from), headOf(to));
        const leaves = batches.flatMap((batch) => batch.leaves);
        expect(leaves.length).toBe(to - from);
        const isRight = leaves.every(
          ({ index, leaf }, at) => index === from + at && leaf?.kind === 'failed' && leaf.content.index === index,
        );
        expect([from, to, isRight]).toEqual([from, to, true]);
      }
    }
  });

  it('again from the end of any batch, of which each has the files of its leaves', async () => {
    const batches = await follow(empty, headOf(5_000));
    expect(batches.map(({ leaves }) => leaves.length)).toEqual([4_096, 904]);
    const [first] = batches;
    const rest = await follow(first?.head ?? empty, headOf(5_000));
    expect(rest.map(({ leaves, head }) => [leaves.length, head.size])).toEqual([[904, 5_000]]);
    const copied = new Map(batches.flatMap((batch) => batch.files).map(({ path, bytes }) => [path, bytes]));
    const isSame = [...copied].every(([path, bytes]) => isSameBytes(bytes, files.get(path) ?? hasher.emptyRoot));
    expect(isSame).toBe(true);
    expect(await follow(empty, headOf(5_000), async (path) => copied.get(path))).toHaveLength(2);
  });

  it('over a complete tile of each level', async () => {
    const batches = await follow(headOf(LATE), headOf(SIZE));
    expect(batches.map(({ head }) => head.size)).toEqual([65_536, SIZE]);
    expect(batches.flatMap(({ files: read }) => read.map(({ path }) => path))).toEqual(
      expect.arrayContaining(['tile/1/000', 'tile/0/255', 'tile/entries/255', 'tile/2/000.p/1', 'tile/0/258.p/252']),
    );
    const [first] = batches;
    expect(isSameBytes(first?.head.root ?? hasher.emptyRoot, headOf(65_536).root)).toBe(true);
  });

  it('to a checkpoint whose incomplete tiles were removed when they were complete', async () => {
    const pruned = async (path: string) => (path.includes('.p/') ? undefined : files.get(path));
    await expect(follow(empty, headOf(5_000), pruned)).resolves.toHaveLength(2);
    await expect(follow(headOf(LATE), headOf(SIZE), pruned)).rejects.toMatchObject({ flaw: 'missing' });
  });

  it('over entries that are no leaves, and leaves of kinds that came later', async () => {
    const strange = ['provenance-leaf/1 artifact\n{}', 'provenance-leaf/9 new\n{}'].map(encodeUtf8);
    const { edge, files: added } = appendEntries({ ...empty, tiles: [], entries: [] }, strange, hasher);
    const readFile = async (path: string) => added.find((file) => file.path === path)?.bytes;
    const [batch] = await follow(empty, edge, readFile);
    expect(batch?.leaves).toMatchObject([
      { leaf: undefined, problem: expect.stringContaining('artifact') },
      { leaf: undefined },
    ]);
    expect(batch?.leaves[1]).not.toHaveProperty('problem');
  });
});

describe('a log is not followed', () => {
  it('over any file that is missing, damaged, cut off or another one', async () => {
    const paths = ['tile/1/000', 'tile/1/001.p/2', 'tile/2/000.p/1', 'tile/0/255', 'tile/entries/255'];
    for (const path of [...paths, 'tile/0/257', 'tile/0/258.p/252', 'tile/entries/258.p/252']) {
      const bytes = Buffer.from(files.get(path) ?? []);
      expect(bytes.length, path).toBeGreaterThan(0);
      const damaged = Buffer.from(bytes);
      damaged.writeUInt8(damaged.readUInt8(20) ^ 1, 20);
      const cases = { missing: undefined, malformed: bytes.subarray(1), wrong: damaged };
      for (const [flaw, other] of Object.entries(cases)) {
        const served = async (name: string) => (name === path ? other : files.get(name));
        const failure = await follow(headOf(LATE), headOf(SIZE), served).catch((error: unknown) => error);
        expect(failure, `${path} ${flaw}`).toBeInstanceOf(LogFileError);
        // Of the tiles that make the root, each may be the wrong one.
        expect(failure).toMatchObject({ flaw, path: expect.stringContaining(path) });
      }
    }
  });

  it('to a tree that does not begin with the known one, or is smaller', async () => {
    const other = new Map<string, Uint8Array>();
    const changed = appendEntries({ ...empty, tiles: [], entries: [] }, [encodeUtf8('other')], hasher);
    for (const { path, bytes } of changed.files) other.set(path, bytes);
    const forked = grow(changed.edge, 5_000, other);
    const served = async (path: string) => other.get(path);
    for (const size of [1, 255, 256, 300, 4_096]) {
      await expect(follow(headOf(size), forked, served), String(size)).rejects.toThrow(LogForkError);
    }
    await expect(follow({ size: 5_000, root: headOf(4_096).root }, forked, served)).rejects.toThrow(LogForkError);
    await expect(follow(headOf(5_000), headOf(4_096))).rejects.toThrow(LogForkError);
  });
});
