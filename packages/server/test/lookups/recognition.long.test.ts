// Files that are recognized by the manifest inside, and manifests that only pretend to be of this service.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Fingerprint } from '@provenance-registry/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { createMark, createUser } from '../../../../test/support/accounts.js';
import { fieldParts, filePart, sendForm } from '../../../../test/support/artifacts.js';
import { toTestFile } from '../../../../test/support/files.js';
import { createTestEmbedder } from '../../../../test/support/manifestReader.js';
import { randomUUID } from '../../../../test/support/random.js';
import { newDataFolder, startService } from '../../../../test/support/service.js';
import { createImageSigner, newImage } from '../../../../test/support/signedImages.js';
import { pngChunk } from '../../src/c2pa/containers/png.js';
import { signPng } from '../../src/c2pa/embedding/signPng.js';
import { createdActionAssertion, softBindingAssertion } from '../../src/c2pa/manifest/assertions.js';
import { encodeCbor } from '../../src/c2pa/manifest/cbor.js';
import type { HashedUri } from '../../src/c2pa/manifest/jumbf.js';
import type { Assertion } from '../../src/c2pa/manifest/manifestStore.js';
import { createManifestInspector } from '../../src/c2pa/reading/manifestInspector.js';
import { type PreparedSigning, prepareSigning } from '../../src/c2pa/signing/signingSetup.js';
import type { EmbeddableType } from '../../src/domain/ports/index.js';
import { embeddableImages } from '../support/embeddableImages.js';
import { registerFile, sendRaw } from '../support/resolution.js';

let service: Awaited<ReturnType<typeof startService>>;
let mark: { token: string; markId: string };
/** With the service's own keys, to sign what it has no record of. */
let own: PreparedSigning;
let embedder: ReturnType<typeof createTestEmbedder>;
let forger: Awaited<ReturnType<typeof createImageSigner>>;

beforeAll(async () => {
  const DATA_DIR = await newDataFolder();
  [service, forger] = await Promise.all([startService({ DATA_DIR }), createImageSigner()]);
  const owner = await createUser(service, 'creator');
  const fields = { visibility: 'private' };
  mark = { token: owner.token, markId: String((await createMark(service, owner, fields)).body.id) };
  own = await prepareSigning({
    dataDir: DATA_DIR,
    version: '0',
    source: undefined,
    timestampUrls: [],
    clock: () => new Date(),
  });
  embedder = createTestEmbedder(own);
});

/** Signs as the service does, but records nothing: as before there were renditions. */
async function signUnrecorded(
  mediaType: EmbeddableType,
  bytes: Buffer<ArrayBuffer>,
  fingerprint = fingerprintOf(bytes),
) {
  const image = { mediaType, bytes, fingerprint, claims: { allowAiTraining: null } };
  return Buffer.from(await embedder.embed(image));
}

const fingerprintOf = (bytes: Buffer<ArrayBuffer>) => Buffer.from(toTestFile(bytes).fingerprint.slice(2), 'hex');

async function registerImage() {
  const original = toTestFile(await newImage('image/png'));
  return { original, id: await registerFile(service, mark, original) };
}

async function findByContent(body: Uint8Array, type = 'application/octet-stream') {
  const headers = { 'content-type': type, 'content-length': String(body.length) };
  const response = await sendRaw(service, '/api/c2pa/matches/byContent', { method: 'POST', headers, body });
  return [response.status, JSON.parse(response.body.toString())];
}

const match = (manifestId: string) => [
  200,
  { matches: [{ manifestId, endpoint: `${service.url}/api/c2pa`, similarityScore: 100 }] },
];
const nothing = [200, { matches: [] }];

describe('a lookup by content', () => {
  it('finds the Artifact of a signed copy that has no record, in every format', async () => {
    const images = Object.entries(await embeddableImages(11)) as [EmbeddableType, Buffer<ArrayBuffer>][];
    for (const [type, bytes] of images) {
      const id = await registerFile(service, mark, toTestFile(bytes));
      const signed = await signUnrecorded(type, bytes);
      expect([type, await findByContent(signed)]).toEqual([type, match(id)]);
    }
  });

  it('finds it for a card, and in a form', async () => {
    const { id } = await registerImage();
    const card = Buffer.from(await (await fetch(`${service.url}/cdn/${id}.png`)).arrayBuffer());
    expect(await findByContent(card)).toEqual(match(id));
    const start = '--part\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n';
    const form = Buffer.concat([Buffer.from(start), card, Buffer.from('\r\n--part--\r\n')]);
    expect(await findByContent(form, 'multipart/form-data; boundary=part')).toEqual(match(id));
  });

  it('finds it although bytes changed that the signature leaves open', async () => {
    const { original, id } = await registerImage();
    const signed = await signUnrecorded('image/jpeg', await newImage('image/jpeg'), fingerprintOf(original.bytes));
    const padding = signed.indexOf(Buffer.concat([Buffer.from('cpad'), Buffer.from([0x58])]));
    signed.writeUInt8(1, padding + 8);
    expect(await findByContent(signed)).toEqual(match(id));
  });

  it('finds nothing if the original is not registered', async () => {
    expect(await findByContent(await signUnrecorded('image/png', await newImage('image/png')))).toEqual(nothing);
  });
});

describe('a creation with a file', () => {
  it('that is a signed copy or the card of another Mark’s Artifact is 409', async () => {
    const { original, id } = await registerImage();
    const other = await createUser(service, 'creator');
    const markId = String((await createMark(service, other)).body.id);
    const register = (bytes: Buffer) => {
      const parts = [...fieldParts({ markId, filename: 'mine.png' }), filePart(bytes, 'mine.png')];
      return sendForm(service, other, parts, { path: '/api/c2pa/manifests' });
    };
    const card = Buffer.from(await (await fetch(`${service.url}/cdn/${id}.png`)).arrayBuffer());
    const signed = await signUnrecorded('image/png', original.bytes);
    for (const file of [signed, card]) {
      const { status, body } = await register(file);
      expect([status, body.code]).toEqual([409, 'CONFLICT']);
      expect(await findByContent(file)).toEqual(match(id));
    }
    // A signer of one's own is no reason to refuse.
    const softBinding = original.fingerprint;
    expect((await register(await forger.sign('image/png', await newImage('image/png'), { softBinding }))).status).toBe(
      201,
    );
  });
});

describe('a manifest that names a registered file is not believed', () => {
  const signCard = async (fingerprint: Uint8Array, more: Assertion[] = []) => {
    const assertions = [createdActionAssertion(), softBindingAssertion(fingerprint), ...more];
    const manifest = { label: `urn:c2pa:${randomUUID()}`, title: undefined, assertions };
    return signPng(await newImage('image/png'), manifest, own.signing);
  };

  /** The chunk after the header, which has 33 bytes with the signature of the format. */
  const manifestChunk = (png: Buffer) => png.subarray(33, 33 + 12 + png.readUInt32BE(33));

  const lies: Record<string, (fingerprint: Buffer) => Promise<Buffer>> = {
    'of another signer': async (fingerprint) =>
      forger.sign('image/png', await newImage('image/png'), {
        softBinding: `0x${fingerprint.toString('hex')}` satisfies Fingerprint,
      }),
    'in a signed copy whose image was changed': async (fingerprint) => {
      const signed = await signCard(fingerprint);
      const byte = signed.indexOf('IDAT') + 8;
      return Buffer.from(signed.with(byte, signed.readUInt8(byte) ^ 1));
    },
    'that was copied into another image': async (fingerprint) => {
      const other = await newImage('image/png');
      return Buffer.concat([other.subarray(0, 33), manifestChunk(await signCard(fingerprint)), other.subarray(33)]);
    },
    'that is only the history of another signer’s': async (fingerprint) =>
      forger.sign('image/png', await signCard(fingerprint)),
    'with two soft bindings': async (fingerprint) =>
      signCard(fingerprint, [{ ...softBindingAssertion(Buffer.alloc(32, 7)), label: 'c2pa.soft-binding__1' }]),
    'whose signed statements were changed': async (fingerprint) => {
      const signed = await signCard(Buffer.alloc(32, 7));
      const at = signed.indexOf(Buffer.alloc(32, 7));
      fingerprint.copy(signed, at);
      const chunk = manifestChunk(signed);
      return Buffer.concat([
        signed.subarray(0, 33),
        pngChunk('caBX', chunk.subarray(8, -4)),
        signed.subarray(33 + chunk.length),
      ]);
    },
    'in a file that ends too early': async (fingerprint) => {
      const signed = await signCard(fingerprint);
      return signed.subarray(0, signed.length - 30);
    },
    'next to a second manifest': async (fingerprint) => {
      const [one, other] = [await signCard(fingerprint), await signCard(fingerprint)];
      return Buffer.concat([one.subarray(0, 33), manifestChunk(other), one.subarray(33)]);
    },
  };

  it.each(Object.keys(lies))('%s', async (name) => {
    const { original } = await registerImage();
    const file = await lies[name]?.(fingerprintOf(original.bytes));
    expect(await findByContent(file ?? Buffer.alloc(0))).toEqual(nothing);
  });

  it('of a hostile file that has nothing but markers, or a manifest of many megabytes', async () => {
    const head = Buffer.from([0xff, 0xd8, 0xff, 0xeb]);
    const boxes = Buffer.concat(
      Array.from({ length: 200_000 }, () => Buffer.concat([Buffer.from([0, 0, 0, 60]), Buffer.from('jumbjumdc2pa')])),
    );
    expect(await findByContent(Buffer.concat([head, boxes]))).toEqual(nothing);
    const png = await newImage('image/png');
    for (const content of [boxes, Buffer.concat([boxes.subarray(0, 16), Buffer.alloc(9_000_000, 'jumdc2pa')])]) {
      const file = Buffer.concat([png.subarray(0, 33), pngChunk('caBX', content), png.subarray(33)]);
      expect(await findByContent(file)).toEqual(nothing);
    }
  });
});

describe('the inspector', () => {
  it('takes a trusted signer for its own only if the service has signed with that certificate', async () => {
    const fingerprint: Fingerprint = `0x${'ab'.repeat(32)}`;
    const bytes = await forger.sign('image/png', await newImage('image/png'), { softBinding: fingerprint });
    for (const isOwn of [false, true]) {
      const inspector = createManifestInspector({
        trustAnchorsPem: forger.signersPem,
        isOwnCertificate: async () => isOwn,
      });
      const manifest = await inspector.inspect({ client: 'test', mediaType: 'image/png', bytes });
      await inspector.close();
      expect(manifest?.ownFingerprint).toBe(isOwn ? fingerprint : undefined);
      expect(bytes.includes(Buffer.from(manifest?.store ?? []))).toBe(true);
      expect(manifest?.validationResults).toMatchObject({
        activeManifest: {
          success: expect.arrayContaining([
            expect.objectContaining({ code: 'signingCredential.trusted' }),
            expect.objectContaining({ code: 'assertion.dataHash.match', url: expect.stringContaining('urn:c2pa:') }),
          ]),
          failure: [],
        },
      });
    }
  });

  it('reaches no network, even if the identity in a manifest is to be resolved there', async () => {
    let requests = 0;
    const server = createServer((_, response) => {
      requests += 1;
      response.end('{}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const assertions = [createdActionAssertion(), aggregatedIdentity(`did:web:localhost%3A${port}`)];
    const manifest = { label: `urn:c2pa:${randomUUID()}`, title: undefined, assertions };
    const bytes = await signPng(await newImage('image/png'), manifest, own.signing);
    const inspector = createManifestInspector({ trustAnchorsPem: '', isOwnCertificate: async () => true });
    const inspected = await inspector.inspect({ client: 'test', mediaType: 'image/png', bytes });
    await inspector.close();
    server.close();
    expect(JSON.stringify(inspected?.validationResults)).toContain('cawg.ica.did_unavailable');
    expect([inspected?.ownFingerprint, requests]).toEqual([undefined, 0]);
  });
});

/** An identity (CAWG) that an aggregator of that name vouches for. */
function aggregatedIdentity(issuer: string): Assertion {
  const sig_type = 'cawg.identity_claims_aggregation';
  const at = '2024-05-27T11:40:40Z';
  const content = (before: ReadonlyMap<string, HashedUri>) => {
    const action = before.get('c2pa.actions.v2');
    const hash = Buffer.from(action?.hash ?? []).toString('base64');
    const credential = {
      '@context': ['https://www.w3.org/ns/credentials/v2', 'https://cawg.io/identity/1.1/ica/context/'],
      type: ['VerifiableCredential', 'IdentityClaimsAggregationCredential'],
      issuer,
      validFrom: at,
      credentialSubject: {
        verifiedIdentities: [
          {
            type: 'cawg.social_media',
            username: 'ada',
            uri: 'https://social.example/ada',
            verifiedAt: at,
            provider: { id: 'https://social.example', name: 'Social' },
          },
        ],
        c2paAsset: { referenced_assertions: [{ url: action?.url, hash }], sig_type },
      },
    };
    // COSE: the algorithm EdDSA, and the type of the payload.
    const header = Buffer.concat([
      Buffer.from([0xa2, 1]),
      encodeCbor(-8),
      Buffer.from([3]),
      encodeCbor('application/vc'),
    ]);
    const payload = Buffer.from(JSON.stringify(credential));
    const signature = Buffer.concat([Buffer.from([0xd2]), encodeCbor([header, {}, payload, Buffer.alloc(64)])]);
    return { signer_payload: { referenced_assertions: [action], sig_type }, signature, pad1: Buffer.alloc(0) };
  };
  return { label: 'cawg.identity', format: 'cbor', origin: 'gathered', content };
}
