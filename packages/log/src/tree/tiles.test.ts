import { describe, expect, it } from 'vitest';
import { concatBytes } from '../encoding.js';
import { LogFormatError } from '../errors.js';
import { decodeBundle, encodeBundle } from './bundles.js';
import { portableHasher } from './hasher.js';
import { decodeTile, formatTilePath, HashTile, parseTilePath, type TilePosition } from './tiles.js';

const paths: [path: string, position: TilePosition][] = [
  ['tile/0/000', { level: 0, index: 0, width: 256 }],
  ['tile/0/273.p/112', { level: 0, index: 273, width: 112 }],
  ['tile/1/001.p/17', { level: 1, index: 1, width: 17 }],
  ['tile/63/999', { level: 63, index: 999, width: 256 }],
  ['tile/3/x001/000', { level: 3, index: 1_000, width: 256 }],
  ['tile/entries/x001/x234/067', { level: 'entries', index: 1_234_067, width: 256 }],
  [
    'tile/entries/x009/x007/x199/x254/740/991.p/1'.replace('740/', 'x740/'),
    { level: 'entries', index: Number.MAX_SAFE_INTEGER, width: 1 },
  ],
];

describe('paths of tiles', () => {
  it.each(paths)('%s', (path, position) => {
    expect(formatTilePath(position)).toBe(path);
    expect(parseTilePath(path)).toEqual(position);
  });

  it.each([
    '',
    'tile',
    'tile/0',
    'tile/0/',
    '/tile/0/000',
    'tile/0/000/',
    'tile/0/000\n',
    'tile//000',
    'tile/00/000',
    'tile/64/000',
    'tile/-1/000',
    'tile/0/0',
    'tile/0/0000',
    'tile/0/x000/000',
    'tile/0/001/000',
    'tile/0/x001',
    'tile/0/x001/x000',
    'tile/0/000.p/',
    'tile/0/000.p/0',
    'tile/0/000.p/01',
    'tile/0/000.p/256',
    'tile/0/000.p/1000',
    'tile/0/000.p/-1',
    'tile/0/000.p1',
    'tile/entry/000',
    'tile/ENTRIES/000',
    'tile/0/../000',
    'tile/0/%30%30%30',
    'checkpoint',
    `tile/0/${'x999/'.repeat(5)}999`,
    `tile/0/${'x001/'.repeat(200)}000`,
  ])('are refused in any other form: %j', (path) => {
    expect(() => parseTilePath(path)).toThrow(LogFormatError);
  });
});

describe('tiles', () => {
  const hashes = Array.from({ length: 5 }, (_, index) => portableHasher.hashLeaf(Uint8Array.of(index)));
  const bytes = concatBytes(hashes);

  it('have as many hashes as their path says', () => {
    expect(decodeTile(bytes, 5)).toEqual(hashes);
    for (const width of [4, 6]) expect(() => decodeTile(bytes, width)).toThrow(LogFormatError);
    expect(() => decodeTile(bytes.subarray(1), 5)).toThrow(LogFormatError);
  });

  it('have no subtree that is not complete', () => {
    const tile = new HashTile(hashes, portableHasher);
    const [, , two, three, four] = hashes;
    expect(tile.readSubtree(0, 4)).toEqual(four);
    expect(tile.readSubtree(1, 1)).toEqual(portableHasher.hashNode(two ?? bytes, three ?? bytes));
    expect(() => tile.readSubtree(1, 2)).toThrow(LogFormatError);
    expect(() => tile.readSubtree(3, 0)).toThrow(LogFormatError);
    expect(() => tile.readSubtree(0, 5)).toThrow(LogFormatError);
  });

  it('have no hashes of another length', () => {
    const [hash = bytes] = hashes;
    expect(() => portableHasher.hashNode(hash, hash.subarray(1))).toThrow(LogFormatError);
    expect(() => portableHasher.hashNode(Buffer.concat([hash, hash]), hash)).toThrow(LogFormatError);
  });
});

describe('bundles of entries', () => {
  const entries = [new Uint8Array(), Uint8Array.of(1), new Uint8Array(256).fill(2), new Uint8Array(65_535).fill(3)];

  it('have the length before each entry', () => {
    const bytes = encodeBundle(entries);
    expect([...bytes.subarray(0, 7)]).toEqual([0, 0, 0, 1, 1, 1, 0]);
    expect(decodeBundle(bytes, 4).map(toHex)).toEqual(entries.map(toHex));
    expect(() => encodeBundle([new Uint8Array(65_536)])).toThrow(LogFormatError);
  });

  it('are refused if anything is missing or left over', () => {
    const bytes = encodeBundle(entries.slice(0, 3));
    for (const width of [0, 2, 4]) expect(() => decodeBundle(bytes, width)).toThrow(LogFormatError);
    for (const length of [1, 2, 4, 6, bytes.length - 1]) {
      expect(() => decodeBundle(bytes.subarray(0, length), 3)).toThrow(LogFormatError);
    }
    expect(() => decodeBundle(Buffer.concat([bytes, Uint8Array.of(0)]), 3)).toThrow(LogFormatError);
    expect(() => decodeBundle(Buffer.concat([bytes, Uint8Array.of(0, 0)]), 3)).toThrow(LogFormatError);
  });
});

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
