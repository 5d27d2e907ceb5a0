// Small files with a manifest, in every format that is read: of the registry, where it embeds manifests, and of another signer,
// written by c2pa-rs. Their signatures have padding, which no signature covers.

import { createHash } from 'node:crypto';
import { bindingOf, prepareFile, writableTypes } from '../../../packages/server/src/c2pa/containers/index.js';
import { prepareEmbeddedManifest } from '../../../packages/server/src/c2pa/embedding/embeddedManifest.js';
import { embedStore } from '../../../packages/server/src/c2pa/embedding/embedStore.js';
import {
  createdActionAssertion,
  createdAssertion,
  softBindingAssertion,
} from '../../../packages/server/src/c2pa/manifest/assertions.js';
import { encodeCbor } from '../../../packages/server/src/c2pa/manifest/cbor.js';
import { bmffHash, hardBindingAssertion } from '../../../packages/server/src/c2pa/manifest/hardBinding.js';
import type { Assertion, Signing } from '../../../packages/server/src/c2pa/manifest/manifestStore.js';
import { type EmbeddableType, embeddableImage } from '../../../packages/server/test/support/embeddableImages.js';
import { startEngine } from '../../../packages/server/test/support/manifests.js';
import { mp4Box } from '../../../packages/server/test/support/mp4.js';
import { chirp, encodedMelody, flac, wav } from '../../../packages/server/test/support/sounds.js';
import { randomBytes, randomUUID } from '../random.js';
import { createImageSigner, type SignableType } from '../signedImages.js';
import { type Carried, c2paBox, carriers } from './carriers.js';

/** Enough for the largest thing that is hidden, a manifest. */
const ROOM_BYTES = 6_000;
const FINGERPRINT = `0x${'ab'.repeat(32)}` as const;

/** `parts`: the registry, with a hash of each part of the file. */
type Signer = 'registry' | 'other' | 'parts';

export interface SignedFile {
  readonly name: string;
  readonly format: keyof typeof carriers;
  readonly mediaType: SignableType;
  readonly signer: Signer;
  readonly bytes: Buffer;
  readonly carried: Carried;
}

const formats: Readonly<Record<SignableType, keyof typeof carriers>> = {
  'image/jpeg': 'jpeg',
  'image/png': 'png',
  'image/apng': 'png',
  'image/webp': 'riff',
  'image/tiff': 'raw',
  'image/x-adobe-dng': 'raw',
  'image/gif': 'gif',
  'image/svg+xml': 'svg',
  'image/avif': 'bmff',
  'image/heic': 'bmff',
  'image/heif': 'bmff',
  'audio/wav': 'riff',
  'audio/mpeg': 'raw',
  'audio/flac': 'raw',
  'audio/mp4': 'bmff',
  'video/mp4': 'bmff',
  'application/pdf': 'raw',
  'image/jxl': 'raw',
};

/** c2pa-rs does not write animated PNG, and the others are the same to it as one that is here. */
const writtenByOthers = Object.keys(formats).filter((type) => !/apng|dng|heif/.test(type)) as SignableType[];

/** Names of all files that {@link createSigners} signs. */
export const fileNames: readonly string[] = [
  ...writableTypes.map((type) => `${type} of the registry`),
  ...writtenByOthers.map((type) => `${type} of another signer`),
  'image/jpeg with hashed parts',
  'image/png with hashed parts',
  'video/mp4 with a hashed file type',
];

/** Signers whose signatures count as the registry's, and the roots of all of them. */
export async function createSigners() {
  const { signing: registry, trustAnchorsPem } = await startEngine();
  const other = await createImageSigner();
  const signing = withRoom(registry);

  async function sign(name: string): Promise<Buffer> {
    const mediaType = name.split(' ')[0] as SignableType;
    const bytes = await newFile(mediaType);
    if (name.endsWith('another signer')) {
      return other.sign(mediaType, bytes, { softBinding: FINGERPRINT, room: ROOM_BYTES });
    }
    // All others are of types that the service writes.
    const type = mediaType as EmbeddableType;
    if (name.endsWith('hashed file type')) return signMp4(bytes, signing);
    return name.endsWith('hashed parts') ? signParts(type, bytes, signing) : signWhole(type, bytes, signing);
  }

  return {
    trustAnchorsPem: `${trustAnchorsPem}\n${other.signersPem}\n${other.timestampsPem}`,
    async sign(name: string): Promise<SignedFile> {
      const mediaType = name.split(' ')[0] as SignableType;
      const bytes = await sign(name);
      const format = formats[mediaType];
      const signer = name.endsWith('hashed parts') ? 'parts' : name.endsWith('another signer') ? 'other' : 'registry';
      return { name, format, mediaType, signer, bytes, carried: carriers[format](bytes) };
    },
  };
}

/** The size of a signature is that of a first one, whose time-stamp is longer here. */
function withRoom(signing: Signing): Signing {
  let isFirst = true;
  const stamp = async (data: Uint8Array) => {
    const token = await signing.timestamper.stamp(data);
    if (!isFirst) return token;
    isFirst = false;
    return Buffer.concat([token, Buffer.alloc(ROOM_BYTES)]);
  };
  return { ...signing, timestamper: { stamp } };
}

async function newFile(type: SignableType): Promise<Buffer<ArrayBuffer>> {
  if (type === 'audio/wav') return Buffer.from(wav(chirp(1), 's16'));
  if (type === 'audio/flac') return Buffer.from(flac(chirp(1)));
  if (type === 'audio/mpeg') return Buffer.from(encodedMelody('mp3'));
  if (type === 'audio/mp4' || type === 'video/mp4') return Buffer.from(encodedMelody('m4a'));
  if (type === 'image/jxl') return newJxl();
  return type === 'application/pdf' ? newPdf() : embeddableImage(type, 7);
}

/** A container whose content is no picture: c2pa-rs does not decode it. */
function newJxl(): Buffer<ArrayBuffer> {
  const signature = mp4Box('JXL ', Buffer.from('0d0a870a', 'hex'));
  const fileType = mp4Box('ftyp', Buffer.from('jxl \0\0\0\0jxl '));
  return Buffer.concat([signature, fileType, mp4Box('jxlc', Buffer.from('ff0a', 'hex'), randomBytes(500))]);
}

function newPdf(): Buffer<ArrayBuffer> {
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 90 60]>>',
  ];
  let text = '%PDF-1.4\n';
  const places = objects.map((object, index) => {
    const place = text.length;
    text += `${index + 1} 0 obj${object}endobj\n`;
    return `${String(place).padStart(10, '0')} 00000 n \n`;
  });
  const index = `xref\n0 4\n0000000000 65535 f \n${places.join('')}`;
  return Buffer.from(`${text}${index}trailer<</Size 4/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`);
}

const describe = (hardBinding: Assertion) => ({
  label: `urn:c2pa:${randomUUID()}`,
  title: undefined,
  assertions: [createdActionAssertion(), softBindingAssertion(Buffer.alloc(32, 0xab)), hardBinding],
  ingredientManifests: [],
});

async function signWhole(mediaType: EmbeddableType, bytes: Buffer, signing: Signing): Promise<Buffer> {
  const { label } = describe(createdActionAssertion());
  const content = (binding: Uint8Array) => ({
    ...describe(hardBindingAssertion(bindingOf(mediaType), binding)),
    label,
  });
  const { storeSize, buildStore } = await prepareEmbeddedManifest(content, signing);
  return embedStore({ mediaType, bytes, storeSize }, buildStore);
}

/** With a hash of each part of the file. */
async function signParts(mediaType: EmbeddableType, bytes: Buffer, signing: Signing): Promise<Buffer> {
  const parts = mediaType === 'image/png' ? listPngParts(bytes) : listJpegParts(bytes);
  const position = mediaType === 'image/png' ? 2 : 1;
  const pad = Buffer.alloc(0);
  const boxes = parts.map(({ name, part }) => ({
    names: [name],
    hash: createHash('sha256').update(part).digest(),
    pad,
  }));
  const manifest = { names: ['C2PA'], hash: Buffer.alloc(1), pad };
  const hashes = encodeCbor({ alg: 'sha256', boxes: boxes.toSpliced(position, 0, manifest) });
  const content = (binding: Uint8Array) => describe(createdAssertion('c2pa.hash.boxes', binding));
  const { buildStore } = await prepareEmbeddedManifest(content, signing);
  const store = await buildStore(hashes);
  const { before, wrap, after } = prepareFile(bytes, mediaType).place(store.length);
  return Buffer.concat([...before, wrap(store), ...after]);
}

/** As signed copies of AVIF and HEIC: only the manifest is left out of the hash. It is at the end, so that nothing moves. */
async function signMp4(mp4: Buffer, signing: Signing): Promise<Buffer> {
  const hash = createHash('sha256');
  for (let at = 0; at < mp4.length; ) {
    const end = at + mp4.readUInt32BE(at);
    const place = Buffer.alloc(8);
    place.writeBigUInt64BE(BigInt(at));
    hash.update(place).update(mp4.subarray(at, end));
    at = end;
  }
  const content = (binding: Uint8Array) => describe(hardBindingAssertion('bmff', binding));
  const { buildStore } = await prepareEmbeddedManifest(content, signing);
  return Buffer.concat([mp4, c2paBox('manifest', Buffer.from(await buildStore(bmffHash(hash.digest()))))]);
}

interface Part {
  readonly name: string;
  readonly part: Buffer;
}

function listPngParts(png: Buffer): Part[] {
  const parts: Part[] = [{ name: 'PNGh', part: png.subarray(0, 8) }];
  for (let at = 8; at < png.length; ) {
    const end = at + 12 + png.readUInt32BE(at);
    parts.push({ name: png.toString('latin1', at + 4, at + 8), part: png.subarray(at, end) });
    at = end;
  }
  return parts;
}

const segmentNames: Readonly<Record<number, string>> = {
  ...{ 224: 'APP0', 219: 'DQT', 192: 'SOF0', 196: 'DHT', 218: 'SOS' },
};

/** There is no other kind of segment, and the scan is the last one. */
function listJpegParts(jpeg: Buffer): Part[] {
  const parts: Part[] = [{ name: 'SOI', part: jpeg.subarray(0, 2) }];
  const last = jpeg.length - 2;
  for (let at = 2; at < last; ) {
    const name = segmentNames[jpeg.readUInt8(at + 1)] ?? '';
    const end = name === 'SOS' ? last : at + 2 + jpeg.readUInt16BE(at + 2);
    parts.push({ name, part: jpeg.subarray(at, end) });
    at = end;
  }
  return [...parts, { name: 'EOI', part: jpeg.subarray(last) }];
}
