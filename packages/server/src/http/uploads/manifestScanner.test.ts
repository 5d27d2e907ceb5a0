import { expect, it } from 'vitest';
import { ManifestScanner } from './manifestScanner.js';

const jpeg = Buffer.concat([
  Buffer.from([0xff, 0xd8, 0xff, 0xeb]),
  Buffer.alloc(40, 7),
  Buffer.from('jumdc2pa'),
  Buffer.alloc(40),
]);
const svg = Buffer.from('\ufeff <svg xmlns="x"><metadata><c2pa:manifest>AAAA</c2pa:manifest></metadata></svg>');
const heic = Buffer.concat([Buffer.from('\0\0\0\x20ftypheic'), Buffer.alloc(30), Buffer.from('jumjumdc2pa')]);

function scan(file: Buffer, chunkBytes: number): ManifestScanner {
  const scanner = new ManifestScanner();
  for (let at = 0; at < file.length; at += chunkBytes) scanner.add(Buffer.from(file.subarray(at, at + chunkBytes)));
  return scanner;
}

it.each([
  ['JPEG', jpeg],
  ['SVG', svg],
  ['HEIC', heic],
])('finds the manifest of a %s, wherever the chunks end', (_, file) => {
  for (let chunkBytes = 1; chunkBytes <= file.length; chunkBytes += 1) {
    expect([chunkBytes, scan(file, chunkBytes).isFound]).toEqual([chunkBytes, true]);
  }
});

it.each([
  [
    'an image without a manifest',
    Buffer.concat([jpeg.subarray(0, 40), Buffer.from('jumdc2p'), Buffer.alloc(20)]),
    false,
  ],
  ['a file that is no image', Buffer.concat([Buffer.from('PK\x03\x04'), jpeg]), true],
  ['a file of a few bytes', jpeg.subarray(0, 8), false],
  ['nothing', Buffer.alloc(0), false],
])('finds none in %s', (_, file, isHopeless) => {
  for (const chunkBytes of [1, 7, 64, 1_000]) {
    const scanner = scan(file, chunkBytes);
    expect([scanner.isFound, scanner.isHopeless]).toEqual([false, isHopeless]);
  }
});
