// Images with manifests of other signers than the service: each has a certificate authority of its own, and another one for
// its time-stamps. Written by c2pa-rs.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { initSync, WasmBuilder } from '@contentauth/c2pa-wasm';
import { type EmbeddableType, type Fingerprint, trustedPurposes } from '@provenance-registry/core';
import sharp from 'sharp';
import { measureSignatureSize } from '../../packages/server/src/c2pa/embedding/embeddedManifest.js';
import type { Signing } from '../../packages/server/src/c2pa/manifest/manifestStore.js';
import { readC2paRs } from '../../packages/server/src/c2pa/reading/wasm.js';
import { coseSign1, type Timestamper } from '../../packages/server/src/c2pa/signing/cose.js';
import { prepareSigning } from '../../packages/server/src/c2pa/signing/signingSetup.js';
import { type CertificateOptions, makeCertificate } from '../../packages/server/test/support/manifests.js';
import { randomBytes } from './random.js';
import { temporaryFolder } from './service.js';
import { stampSign1 } from './stampedManifests.js';

type ImageType = 'image/jpeg' | 'image/png';
/** All that c2pa-rs writes, and animated PNG. */
export type SignableType =
  | EmbeddableType
  | 'audio/wav'
  | 'audio/mpeg'
  | 'audio/flac'
  | 'audio/mp4'
  | 'video/mp4'
  | 'application/pdf'
  | 'image/jxl';

export interface SignedImageOptions {
  readonly title?: string;
  readonly actions?: readonly object[];
  /** The soft binding in the algorithm of this registry, true or not. */
  readonly softBinding?: Fingerprint;
  /** `cawg.training-mining`. */
  readonly permissions?: Readonly<Record<string, string>>;
  /** Additional bytes of padding. */
  readonly room?: number;
  /** Of the claim; 2 by default. */
  readonly claimVersion?: number;
  /** In the header of C2PA 1 instead of that of C2PA 2, by this authority instead of the signer's. */
  readonly oldStamp?: Timestamper['stamp'];
}

/** An image that no test has used before. */
export async function newImage(type: ImageType): Promise<Buffer<ArrayBuffer>> {
  const [r = 0, g = 0, b = 0] = randomBytes(3);
  const image = sharp({ create: { width: 48, height: 32, channels: 3, background: { r, g, b } } });
  return Buffer.from(await (type === 'image/png' ? image.png() : image.jpeg()).toBuffer());
}

interface SignerOptions extends Pick<CertificateOptions, 'purposes' | 'name' | 'validFromDays' | 'validToDays'> {
  /** What the time-stamp authority states, which is older then; the signer's certificate begins now. */
  readonly backDatedTo?: Date;
}

export async function createImageSigner({ backDatedTo, ...options }: SignerOptions = {}) {
  const [folder, { certificatePem, rootPem, keyPem }] = await Promise.all([
    temporaryFolder(),
    makeCertificate(options),
  ]);
  const certificateFile = join(folder, 'certificate.pem');
  const keyFile = join(folder, 'key.pem');
  await Promise.all([writeFile(certificateFile, certificatePem + rootPem), writeFile(keyFile, keyPem)]);
  const common = { dataDir: folder, version: '0.0.0', timestampUrls: [] };
  // Makes the authority.
  if (backDatedTo) await prepareSigning({ ...common, source: undefined, clock: () => backDatedTo });
  // A certificate that has expired is not accepted later.
  let readClock = () => (backDatedTo && (options.validToDays ?? 0) < 0 ? backDatedTo : new Date());
  const { signing, authority } = await prepareSigning({
    ...common,
    source: { certificateFile, keyFile },
    clock: () => readClock(),
  });
  if (backDatedTo) readClock = () => backDatedTo;
  return {
    signersPem: rootPem,
    timestampsPem: authority?.rootPem ?? '',
    stamp: (data: Uint8Array) => signing.timestamper.stamp(data),
    /** The image is the parent of the result, with its manifest if it has one. */
    sign: (format: SignableType, bytes: Uint8Array, options?: SignedImageOptions) =>
      signImage(signing, format, bytes, options),
  };
}

/** Room for a token of another authority. */
const TOKEN_BYTES = 4000;

export async function signImage(
  signing: Signing,
  format: SignableType,
  bytes: Uint8Array,
  options: SignedImageOptions = {},
): Promise<Buffer<ArrayBuffer>> {
  const { room = 0, oldStamp } = options;
  const signatureSize = (await measureSignatureSize(signing)) + room + (oldStamp ? TOKEN_BYTES : 0);
  const settings = {
    trust: { trust_config: trustedPurposes },
    verify: { verify_after_sign: false },
    builder: { thumbnail: { enabled: false } },
  };
  initSync({ module: readC2paRs() });
  const builder = WasmBuilder.fromJson(JSON.stringify(describeManifest(options)), JSON.stringify(settings));
  try {
    Object.assign(globalThis, { FileReaderSync: BytesReader });
    builder.setIntent('edit');
    const sign = async (claim: Uint8Array) => {
      const sign1 = await coseSign1(claim, signing.signer, signing.timestamper, signatureSize);
      return new Uint8Array(oldStamp ? await stampSign1(sign1, claim, 'sigTst', oldStamp, signatureSize) : sign1);
    };
    const signer = { alg: 'ed25519', reserveSize: signatureSize, sign };
    return Buffer.from(await builder.sign(signer, [], format, new BytesBlob(bytes, format)));
  } finally {
    Reflect.deleteProperty(globalThis, 'FileReaderSync');
    builder.free();
  }
}

function describeManifest({ title, actions, softBinding, permissions, claimVersion = 2 }: SignedImageOptions) {
  const value = softBinding && Buffer.from(softBinding.slice(2), 'hex').toString('base64');
  const entries = Object.entries(permissions ?? {}).map(([name, use]) => [`cawg.${name}`, { use }]);
  return {
    claim_version: claimVersion,
    claim_generator_info: [{ name: 'Darkroom', version: '3.1' }],
    ...(title !== undefined && { title }),
    assertions: [
      ...(actions ? [{ label: 'c2pa.actions.v2', data: { actions } }] : []),
      ...(value
        ? [{ label: 'c2pa.soft-binding', data: { alg: 'com.service.sha256', blocks: [{ scope: {}, value }], pad: [] } }]
        : []),
      ...(permissions ? [{ label: 'cawg.training-mining', data: { entries: Object.fromEntries(entries) } }] : []),
    ],
  };
}

/** A Blob with synchronous access to its bytes, as c2pa-rs reads blobs by FileReaderSync. */
class BytesBlob extends Blob {
  override readonly size: number;
  readonly content: Uint8Array;

  constructor(content: Uint8Array, type = '') {
    super([], { type });
    this.size = content.length;
    this.content = content;
  }

  override slice(start = 0, end = this.content.length): Blob {
    return new BytesBlob(this.content.subarray(start, end));
  }
}

class BytesReader {
  readAsArrayBuffer(blob: Blob): ArrayBuffer {
    if (!(blob instanceof BytesBlob)) throw new TypeError('not a BytesBlob');
    return Uint8Array.from(blob.content).buffer;
  }
}
