// Images of unusual structure, each small, and whether a manifest can be embedded in them.

import { gzipSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import { pngChunk } from '../../src/c2pa/containers/png.js';
import { type EmbeddableType, heicWithThumbnail } from './embeddableImages.js';
import { draw } from './pictures.js';

export interface UnusualImage {
  readonly type: EmbeddableType;
  readonly bytes: Buffer;
}

const SVG = 'xmlns="http://www.w3.org/2000/svg"';
const CONTENT = '<rect width="3" height="3"/>';
const ROOT = `<svg ${SVG}>${CONTENT}</svg>`;
const RDF = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description/></rdf:RDF>';
const XMP = `<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">${RDF}</x:xmpmeta><?xpacket end="w"?>`;
const MANIFEST = '<c2pa:manifest xmlns:c2pa="http://c2pa.org/manifest">AAAA</c2pa:manifest>';

/** Byte for byte the same afterwards, but for the manifest and the byte order mark. */
export const signableSvgs: Readonly<Record<string, string | Buffer>> = {
  'a byte order mark': `\ufeff${ROOT}`,
  'a byte order mark and an XML declaration': `\ufeff<?xml version="1.0" encoding="utf-8"?>\n${ROOT}`,
  'an XML declaration': `<?xml version="1.0" standalone="no"?>${ROOT}`,
  'another encoding': Buffer.from(
    `<?xml version="1.0" encoding="ISO-8859-1"?><svg ${SVG}><title>\xe9</title></svg>`,
    'latin1',
  ),
  'bytes that are not UTF-8': Buffer.concat([
    Buffer.from(`<svg ${SVG}><title>`),
    Buffer.from('fffec0', 'hex'),
    Buffer.from('</title></svg>'),
  ]),
  'a document type': `<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">${ROOT}`,
  'an internal subset': `<!DOCTYPE svg [<!ENTITY a ">"><!ENTITY b "x"><!ELEMENT svg ANY>]><svg ${SVG}><text>&b;&a;</text></svg>`,
  'comments before the root, with a quote and a tag': `<!-- Don't --><!-- <svg> -->\n${ROOT}\n<!-- end -->`,
  instructions: `<?xml-stylesheet href="a.css"?><?foo <svg> ?>${ROOT}`,
  'text in its metadata': `<svg ${SVG}><metadata>some text</metadata>${CONTENT}</svg>`,
  'RDF in its metadata, at the end': `<svg ${SVG}>${CONTENT}<metadata id="m">${RDF}</metadata></svg>`,
  'XMP in its metadata': `<svg ${SVG}><metadata>${XMP}</metadata>${CONTENT}</svg>`,
  'character data in its metadata': `<svg ${SVG}><metadata><![CDATA[<c2pa:manifest>]]></metadata></svg>`,
  'several metadata': `<svg ${SVG}><metadata>a</metadata><metadata id="2">b</metadata><g><metadata>c</metadata></g></svg>`,
  'empty metadata': `<svg ${SVG}><metadata/>${CONTENT}<metadata></metadata></svg>`,
  'no content': `<svg ${SVG}></svg>`,
  'character data': `<svg ${SVG}><style><![CDATA[a > b { } <svg> ]]></style></svg>`,
  entities: `<svg ${SVG}><text>&lt;&amp;&#233;&unknown;</text></svg>`,
  brackets: `<svg ${SVG} data-a=">[" data-b='"'><text>a[b]]c</text></svg>`,
  'line ends of Windows': `${ROOT.replaceAll('><', '>\r\n<')}\r\n`,
  'spaces in its tags': `\n <svg ${SVG}\n><g ></g\n></svg >`,
  'text and zeros after the root': `${ROOT}end\0\0`,
  'an empty element for a manifest': `<svg ${SVG}><metadata><c2pa:manifest xmlns:c2pa="http://c2pa.org/manifest"/></metadata></svg>`,
};

/** A manifest that is none is replaced. */
export const svgsWithManifests: Readonly<Record<string, string>> = {
  'a manifest': `<svg ${SVG}><metadata>${MANIFEST}</metadata></svg>`,
  'a manifest between other metadata': `<svg ${SVG}><metadata id="x">note${MANIFEST}more</metadata>${CONTENT}</svg>`,
  'a manifest in the first of several metadata': `<svg ${SVG}><metadata>${MANIFEST}</metadata><metadata>last</metadata></svg>`,
  'a comment in its manifest': `<svg ${SVG}><metadata>${MANIFEST.replace('AAAA', 'AA<!-- -->AA')}</metadata></svg>`,
};

/** With the reason. */
export const refusedSvgs: Readonly<Record<string, readonly [string | Buffer, RegExp]>> = {
  'UTF-16, little-endian': [Buffer.from(`\ufeff${ROOT}`, 'utf16le'), /not in UTF-8/],
  'UTF-16, big-endian': [Buffer.from(`\ufeff${ROOT}`, 'utf16le').swap16(), /not in UTF-8/],
  'UTF-16 without a mark': [Buffer.from(`<?xml version="1.0" encoding="UTF-16"?>${ROOT}`, 'utf16le'), /not in UTF-8/],
  'a byte order mark and another encoding': [
    `\ufeff<?xml version="1.0" encoding="ISO-8859-1"?>${ROOT}`,
    /another encoding/,
  ],
  'an empty root': [`<svg ${SVG}/>`, /no content/],
  'a prefix': ['<svg:svg xmlns:svg="http://www.w3.org/2000/svg"><svg:g/></svg:svg>', /not called svg/],
  capitals: [`<SVG ${SVG}></SVG>`, /not called svg/],
  compression: [gzipSync(ROOT), /not complete/],
  'elements that are closed in another order': [`<svg ${SVG}><g></svg></g>`, /not well-formed/],
  'two roots': [`${ROOT}${ROOT}`, /not called svg/],
  'an ampersand': [`<svg ${SVG}><text>Fish & chips</text></svg>`, /No reader .* intact/],
  'two manifests': [
    `<svg ${SVG}><metadata>${MANIFEST}</metadata><metadata>${MANIFEST}</metadata></svg>`,
    /several manifests/,
  ],
  'a manifest by another prefix': [
    `<svg ${SVG}><metadata>${MANIFEST.replaceAll('c2pa:m', 'a:m').replace(':c2pa', ':a')}</metadata></svg>`,
    /No reader .* intact/,
  ],
};

export async function makeUnusualImages(): Promise<Record<string, UnusualImage>> {
  const groups = await Promise.all([
    named('image/jpeg', jpegs()),
    named('image/png', pngs()),
    named('image/webp', webps()),
    named('image/gif', gifs()),
    named('image/tiff', tiffs()),
    named('image/avif', avifs()),
    named('image/heic', heics()),
  ]);
  return Object.fromEntries(groups.flat());
}

async function named(type: EmbeddableType, images: Promise<Record<string, Buffer>>) {
  return Object.entries(await images).map(([name, bytes]): [string, UnusualImage] => [
    `${type} ${name}`,
    { type, bytes },
  ]);
}

const picture = (width = 64, height = 48): Sharp => draw({ seed: 7, width, height, cell: 9 });
/** Three frames or pages in one. */
const film = () =>
  picture(48, 96)
    .raw()
    .toBuffer()
    .then((data) => sharp(data, { raw: { width: 48, height: 96, channels: 3, pageHeight: 32 } }));

async function jpegs(): Promise<Record<string, Buffer>> {
  const [plain, thumbnail, exif] = await Promise.all([
    picture().jpeg().toBuffer(),
    picture(16, 12).jpeg().toBuffer(),
    picture()
      .withExif({ IFD0: { Make: 'A camera' } })
      .jpeg({ progressive: true })
      .toBuffer(),
  ]);
  const segment = (kind: number, content: string | Buffer) => {
    const header = Buffer.from([0xff, kind, 0, 0]);
    header.writeUInt16BE(2 + content.length, 2);
    return Buffer.concat([header, Buffer.from(content)]);
  };
  const afterApp0 = 4 + plain.readUInt16BE(4);
  const insert = (...segments: Buffer[]) =>
    Buffer.concat([plain.subarray(0, afterApp0), ...segments, plain.subarray(afterApp0)]);
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
  return {
    'with sixty segments': insert(...numbers(60).map((index) => segment(0xe1 + (index % 15), `segment ${index}`))),
    'with a thumbnail in its EXIF data': insert(
      segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0II*\0\x08\0\0\0\0\0'), thumbnail])),
    ),
    'with extended XMP': insert(
      ...numbers(3).map(() => segment(0xe1, `http://ns.adobe.com/xmp/extension/\0${'x'.repeat(65_000)}`)),
    ),
    'with another use of APP11': insert(segment(0xeb, 'HDR_RI ver=11')),
    'with a box of another kind': insert(
      segment(0xeb, Buffer.from('4a5000010000000100000012787878780000000000000000', 'hex')),
    ),
    'with a second picture and its index': Buffer.concat([
      insert(segment(0xe2, 'MPF\0MM\0*\0\0\0\x08\0\0\0\0')),
      plain,
    ]),
    'with a film after its end': Buffer.concat([plain, Buffer.from('MotionPhoto_Data'), plain]),
    'with fill bytes': insert(Buffer.from('ffffff', 'hex'), segment(0xfe, 'a comment')),
    'without APP0': Buffer.concat([plain.subarray(0, 2), plain.subarray(afterApp0)]),
    'without its end': plain.subarray(0, -2),
    'progressive, with EXIF data': exif,
    'with inks': await picture().toColourspace('cmyk').jpeg().toBuffer(),
  };
}

async function pngs(): Promise<Record<string, Buffer>> {
  const plain = await picture().png().toBuffer();
  const insert = (...chunks: Buffer[]) => Buffer.concat([plain.subarray(0, 33), ...chunks, plain.subarray(33)]);
  return {
    'with texts and unknown chunks': insert(
      pngChunk('tEXt', Buffer.from('Title\0a')),
      pngChunk('prVt', Buffer.alloc(500, 7)),
    ),
    'with a manifest that is none': insert(pngChunk('caBX', Buffer.from('no manifest'))),
    'with text after its data': Buffer.concat([
      plain.subarray(0, -12),
      pngChunk('tEXt', Buffer.from('a\0b')),
      plain.subarray(-12),
    ]),
    'with bytes after its end': Buffer.concat([plain, Buffer.from('after the end')]),
    'of 16 bits, interlaced': await picture().toColourspace('rgb16').png({ progressive: true }).toBuffer(),
  };
}

async function webps(): Promise<Record<string, Buffer>> {
  const [plain, extended] = await Promise.all([
    picture().webp().toBuffer(),
    picture()
      .ensureAlpha(0.5)
      .withExif({ IFD0: { Make: 'A camera' } })
      .withIccProfile('p3')
      .webp()
      .toBuffer(),
  ]);
  const add = (file: Buffer, name: string, text: string) => {
    const header = Buffer.from(`${name}\0\0\0\0`);
    header.writeUInt32LE(text.length, 4);
    const longer = Buffer.concat([file, header, Buffer.from(text), Buffer.alloc(text.length % 2)]);
    longer.writeUInt32LE(longer.length - 8, 4);
    return longer;
  };
  return {
    'with metadata and an unknown chunk of odd size': add(extended, 'abcd', 'odd'),
    'with an unknown chunk': add(plain, 'abcd', 'odd'),
    'with a manifest that is none': add(plain, 'C2PA', 'none'),
    'with bytes after its end': Buffer.concat([plain, Buffer.from('after the end')]),
    'with frames': await (await film()).webp({ delay: [50, 50, 50] }).toBuffer(),
  };
}

async function gifs(): Promise<Record<string, Buffer>> {
  const [plain, frames] = await Promise.all([
    picture().gif().toBuffer(),
    film().then((image) => image.gif({ delay: [50, 50, 50] }).toBuffer()),
  ]);
  const start = 13 + 3 * 2 ** ((plain.readUInt8(10) & 7) + 1);
  const insert = (blocks: string) =>
    Buffer.concat([plain.subarray(0, start), Buffer.from(blocks, 'latin1'), plain.subarray(start)]);
  const xmpEnd = String.fromCharCode(1, ...Array.from({ length: 256 }, (_, index) => 255 - index), 0);
  return {
    'with a comment': insert('\x21\xfe\x05hello\0'),
    'with XMP': insert(`\x21\xff\x0bXMP DataXMP<x:xmpmeta xmlns:x="adobe:ns:meta/"/>${xmpEnd}`),
    'with bytes after its end': Buffer.concat([plain, Buffer.from('after the end')]),
    'of the first version': Buffer.concat([Buffer.from('GIF87a'), plain.subarray(6)]),
    'with frames': frames,
  };
}

async function tiffs(): Promise<Record<string, Buffer>> {
  const plain = await picture().tiff({ compression: 'none' }).toBuffer();
  const pyramid = { tile: true, pyramid: true, tileWidth: 64, tileHeight: 64 };
  return {
    'of several pages': await (await film()).tiff().toBuffer(),
    'big, of several pages': await (await film()).tiff({ bigtiff: true }).toBuffer(),
    'big-endian': toBigEndian(plain),
    'in tiles, of several sizes': await picture(200, 200).tiff(pyramid).toBuffer(),
    'with metadata': await picture()
      .withExif({ IFD0: { Make: 'A camera' } })
      .withIccProfile('p3')
      .tiff()
      .toBuffer(),
    'with a byte after its end': Buffer.concat([plain, Buffer.alloc(1)]),
  };
}

async function avifs(): Promise<Record<string, Buffer>> {
  const plain = await picture().avif({ effort: 0 }).toBuffer();
  return {
    'with several items': await picture()
      .ensureAlpha(0.5)
      .withExif({ IFD0: { Make: 'A camera' } })
      .avif({ effort: 0 })
      .toBuffer(),
    'with free space': Buffer.concat([plain, Buffer.from('\0\0\0\x14free'), Buffer.alloc(12)]),
    'whose last box has no size': Buffer.concat([plain, Buffer.from('\0\0\0\0free')]),
  };
}

async function heics(): Promise<Record<string, Buffer>> {
  const jpeg = await picture()
    .withExif({ IFD0: { Make: 'A camera' } })
    .jpeg()
    .toBuffer();
  return { 'with a thumbnail and EXIF data': heicWithThumbnail(jpeg) };
}

/** A TIFF of one page in the other byte order; its samples are bytes. */
function toBigEndian(file: Buffer): Buffer {
  const copy = Buffer.from(file);
  const swap = (at: number, bytes: number) => copy.subarray(at, at + bytes).reverse();
  const directory = file.readUInt32LE(4);
  const end = directory + 2 + 12 * file.readUInt16LE(directory);
  copy.write('MM');
  for (const [at, bytes] of [
    [2, 2],
    [4, 4],
    [directory, 2],
    [end, 4],
  ] as const)
    swap(at, bytes);
  for (let entry = directory + 2; entry < end; entry += 12) {
    const size = [0, 1, 1, 2, 4, 8][file.readUInt16LE(entry + 2)] ?? 1;
    const count = file.readUInt32LE(entry + 4);
    const isInPlace = size * count <= 4;
    const values = isInPlace ? entry + 8 : file.readUInt32LE(entry + 8);
    for (const [at, bytes] of [
      [entry, 2],
      [entry + 2, 2],
      [entry + 4, 4],
    ] as const)
      swap(at, bytes);
    if (!isInPlace) swap(entry + 8, 4);
    const unit = Math.min(size, 4);
    for (let at = values; at < values + size * count; at += unit) swap(at, unit);
  }
  return copy;
}
