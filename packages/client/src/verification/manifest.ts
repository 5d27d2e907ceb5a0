// A signed manifest, read and checked by c2pa-rs, the reference implementation. It is loaded when it is first needed.

import { type Fingerprint, parseSoftBindingValue } from '@provenance-registry/core';
import Type, { type Static } from 'typebox';
import { Check } from 'typebox/schema';
import { InvalidResponseError } from '../errors.js';
import type { ManifestEvidence, Stated } from './evidence.js';

const Status = Type.Object({ code: Type.String(), url: Type.Optional(Type.String()) });
const Statuses = Type.Object({ success: Type.Array(Status), failure: Type.Array(Status) });
const Assertion = Type.Object({ label: Type.String(), data: Type.Unknown() });
const Manifest = Type.Object({
  title: Type.Optional(Type.String()),
  assertions: Type.Array(Assertion),
  signature_info: Type.Optional(
    Type.Object({
      issuer: Type.Optional(Type.String()),
      common_name: Type.Optional(Type.String()),
      time: Type.Optional(Type.String()),
    }),
  ),
});
/** As c2pa-rs writes it. */
export const Report = Type.Object({
  active_manifest: Type.String(),
  manifests: Type.Record(Type.String(), Manifest),
  validation_results: Type.Object({
    activeManifest: Statuses,
    ingredientDeltas: Type.Optional(Type.Array(Type.Object({ validationDeltas: Statuses }))),
  }),
});
export type Report = Static<typeof Report>;
/** Its other form, which alone has the hash of the file. */
const Boxes = Type.Object({
  manifests: Type.Array(Type.Object({ label: Type.String(), assertions: Type.Record(Type.String(), Type.Unknown()) })),
});

const DATA_HASH = 'c2pa.hash.data';
const WholeFileHash = Type.Object({
  alg: Type.Literal('sha256'),
  hash: Type.String({ pattern: "^b64'[^']*'$" }),
  exclusions: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 0 })),
});
const SoftBinding = Type.Object({
  alg: Type.String(),
  blocks: Type.Array(Type.Object({ value: Type.String() }), { minItems: 1, maxItems: 1 }),
});
const Words = Type.Array(Type.String(), { minItems: 1 });
const Metadata = Type.Object({
  'dc:creator': Type.Optional(Words),
  'dc:publisher': Type.Optional(Words),
  'dc:identifier': Type.Optional(Type.String()),
  'dc:rights': Type.Optional(Type.String()),
});

/** Without the file's bytes c2pa-rs hashes the sidecar in their place: that mismatch says nothing. */
const DATA_HASH_MISMATCH = 'assertion.dataHash.mismatch';
const UNTRUSTED = 'signingCredential.untrusted';
const REQUIRED = ['claimSignature.validated', 'claimSignature.insideValidity'];

/** Rejects with InvalidResponseError when the bytes are no manifest. */
export async function readManifest(
  sidecar: Uint8Array,
  from: string,
  trustAnchorsPem: string | undefined,
): Promise<ManifestEvidence> {
  const { report, boxes } = await read(sidecar, trustAnchorsPem);
  const label = report.active_manifest;
  const manifest = report.manifests[label];
  if (!manifest) throw new InvalidResponseError('The manifest store does not have its active manifest.');
  const { success } = report.validation_results.activeManifest;
  const has = (code: string) => success.some((status) => status.code === code);
  const { issuer, common_name, time } = manifest.signature_info ?? {};
  return {
    from,
    label,
    fingerprint: wholeFileHash(boxes, label),
    softBinding: softBindingIn(report),
    failures: [...failuresOf(report), ...REQUIRED.filter((code) => !has(code)).map((code) => `no ${code}`)],
    isTrusted: has('signingCredential.trusted'),
    isTimestamped: has('timeStamp.validated') && has('timeStamp.trusted'),
    signedBy: [common_name, issuer].filter((name) => name !== undefined).join(', '),
    signedAt: time,
    stated: statedIn(manifest),
  };
}

/** What the manifest says the file's fingerprint is, as a soft binding. */
export function softBindingIn(report: Report): Fingerprint | undefined {
  const found = assertionOf(report.manifests[report.active_manifest], 'c2pa.soft-binding');
  return Check(SoftBinding, found) ? parseSoftBindingValue(found.blocks[0]?.value ?? '') : undefined;
}

function failuresOf({ active_manifest, validation_results }: Report): string[] {
  const { activeManifest, ingredientDeltas = [] } = validation_results;
  const isOurs = (url = '') => url.includes(active_manifest) && url.endsWith(DATA_HASH);
  const own = activeManifest.failure.filter(({ code, url }) => code !== DATA_HASH_MISMATCH || !isOurs(url));
  const inherited = ingredientDeltas.flatMap(({ validationDeltas }) => validationDeltas.failure);
  return [...own, ...inherited].map(({ code }) => code).filter((code) => code !== UNTRUSTED);
}

function wholeFileHash(boxes: Static<typeof Boxes>, label: string): Fingerprint | undefined {
  const assertion = boxes.manifests.find((manifest) => manifest.label === label)?.assertions[DATA_HASH];
  return Check(WholeFileHash, assertion) ? parseSoftBindingValue(assertion.hash.slice(4, -1)) : undefined;
}

function statedIn(manifest: Static<typeof Manifest>): Stated {
  const metadata = assertionOf(manifest, 'cawg.metadata');
  const found = Check(Metadata, metadata) ? metadata : {};
  return {
    title: manifest.title,
    author: found['dc:creator']?.[0],
    markName: found['dc:publisher']?.[0],
    markId: found['dc:identifier']?.replace(/^urn:uuid:/, ''),
    licence: found['dc:rights'],
  };
}

function assertionOf(manifest: Static<typeof Manifest> | undefined, label: string): unknown {
  return manifest?.assertions.find((assertion) => assertion.label === label)?.data;
}

async function read(sidecar: Uint8Array, trustAnchorsPem: string | undefined) {
  const { WasmReader } = await load();
  const settings = JSON.stringify({
    trust: trustAnchorsPem === undefined ? {} : { trust_anchors: certificatesIn(trustAnchorsPem) },
    verify: {
      verify_after_reading: true,
      verify_trust: true,
      verify_timestamp_trust: true,
      remote_manifest_fetch: false,
      ocsp_fetch: false,
    },
  });
  let report: unknown;
  let boxes: unknown;
  try {
    const reader = await WasmReader.fromBytes('application/c2pa', sidecar, settings);
    try {
      report = JSON.parse(reader.json());
      boxes = JSON.parse(reader.crJson());
    } finally {
      reader.free();
    }
  } catch (cause) {
    throw new InvalidResponseError('What was given as a manifest cannot be read as one.', { cause });
  }
  if (!Check(Report, report) || !Check(Boxes, boxes))
    throw new InvalidResponseError('There is no manifest that could be checked.');
  return { report, boxes };
}

/** c2pa-rs takes nothing else, and blames it on the manifest. */
function certificatesIn(pem: string): string {
  const found = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  if (!found) throw new TypeError('There is no certificate among the trust anchors.');
  return `${found.join('\n')}\n`;
}

let loading: ReturnType<typeof loadOnce> | undefined;

/** Nine megabytes, compiled once. */
function load() {
  loading ??= loadOnce().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function loadOnce() {
  const [c2pa, { c2paWasm }] = await Promise.all([import('@contentauth/c2pa-wasm'), import('#c2paWasm')]);
  await c2pa.default({ module_or_path: await c2paWasm() });
  return c2pa;
}
