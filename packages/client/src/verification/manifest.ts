// Reads and validates signed manifests with c2pa-rs, the reference implementation, which is loaded on first use.

import { type Fingerprint, parseSoftBindingValue } from '@provenance-registry/core';
import Type, { type Static } from 'typebox';
import { Check } from 'typebox/schema';
import { InvalidArgumentError, InvalidResponseError } from '../errors.js';
import type { ManifestClaims, ManifestEvidence } from './evidence.js';

const ValidationStatus = Type.Object({ code: Type.String(), url: Type.Optional(Type.String()) });
const ValidationResult = Type.Object({ success: Type.Array(ValidationStatus), failure: Type.Array(ValidationStatus) });
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
/** The JSON report of c2pa-rs. */
export const Report = Type.Object({
  active_manifest: Type.String(),
  manifests: Type.Record(Type.String(), Manifest),
  validation_results: Type.Object({
    activeManifest: ValidationResult,
    ingredientDeltas: Type.Optional(Type.Array(Type.Object({ validationDeltas: ValidationResult }))),
  }),
});
export type Report = Static<typeof Report>;
/** The crJSON report of c2pa-rs; only this form has the hash of the file. */
const CrReport = Type.Object({
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
const Texts = Type.Array(Type.String(), { minItems: 1 });
const Metadata = Type.Object({
  'dc:creator': Type.Optional(Texts),
  'dc:publisher': Type.Optional(Texts),
  'dc:identifier': Type.Optional(Type.String()),
  'dc:rights': Type.Optional(Type.String()),
});

/** Without the file, c2pa-rs hashes the sidecar instead: this mismatch is expected. */
const DATA_HASH_MISMATCH = 'assertion.dataHash.mismatch';
const UNTRUSTED_SIGNER = 'signingCredential.untrusted';
const REQUIRED_CODES = ['claimSignature.validated', 'claimSignature.insideValidity'];

/** Rejects with InvalidResponseError when the bytes are not a manifest. */
export async function readManifest(
  sidecar: Uint8Array,
  from: string,
  trustAnchorsPem: string | undefined,
): Promise<ManifestEvidence> {
  const { report, crReport } = await validate(sidecar, trustAnchorsPem);
  const label = report.active_manifest;
  const manifest = report.manifests[label];
  if (!manifest) throw new InvalidResponseError('The manifest store lacks its active manifest.');
  const { success } = report.validation_results.activeManifest;
  const has = (code: string) => success.some((status) => status.code === code);
  const { issuer, common_name, time } = manifest.signature_info ?? {};
  return {
    from,
    label,
    fingerprint: readFileHash(crReport, label),
    softBinding: readSoftBinding(report),
    failures: [...listFailures(report), ...REQUIRED_CODES.filter((code) => !has(code)).map((code) => `no ${code}`)],
    isTrusted: has('signingCredential.trusted'),
    isTimestamped: has('timeStamp.validated') && has('timeStamp.trusted'),
    signedBy: [common_name, issuer].filter((name) => name !== undefined).join(', '),
    signedAt: time,
    claims: readClaims(manifest),
  };
}

/** The fingerprint in the manifest's soft binding. */
export function readSoftBinding(report: Report): Fingerprint | undefined {
  const binding = findAssertion(report.manifests[report.active_manifest], 'c2pa.soft-binding');
  return Check(SoftBinding, binding) ? parseSoftBindingValue(binding.blocks[0]?.value ?? '') : undefined;
}

function listFailures({ active_manifest, validation_results }: Report): string[] {
  const { activeManifest, ingredientDeltas = [] } = validation_results;
  const isFileHash = (url = '') => url.includes(active_manifest) && url.endsWith(DATA_HASH);
  const own = activeManifest.failure.filter(({ code, url }) => code !== DATA_HASH_MISMATCH || !isFileHash(url));
  const inherited = ingredientDeltas.flatMap(({ validationDeltas }) => validationDeltas.failure);
  return [...own, ...inherited].map(({ code }) => code).filter((code) => code !== UNTRUSTED_SIGNER);
}

function readFileHash(crReport: Static<typeof CrReport>, label: string): Fingerprint | undefined {
  const assertion = crReport.manifests.find((manifest) => manifest.label === label)?.assertions[DATA_HASH];
  return Check(WholeFileHash, assertion) ? parseSoftBindingValue(assertion.hash.slice(4, -1)) : undefined;
}

function readClaims(manifest: Static<typeof Manifest>): ManifestClaims {
  const assertion = findAssertion(manifest, 'cawg.metadata');
  const metadata = Check(Metadata, assertion) ? assertion : {};
  return {
    title: manifest.title,
    author: metadata['dc:creator']?.[0],
    markName: metadata['dc:publisher']?.[0],
    markId: metadata['dc:identifier']?.replace(/^urn:uuid:/, ''),
    license: metadata['dc:rights'],
  };
}

function findAssertion(manifest: Static<typeof Manifest> | undefined, label: string): unknown {
  return manifest?.assertions.find((assertion) => assertion.label === label)?.data;
}

async function validate(sidecar: Uint8Array, trustAnchorsPem: string | undefined) {
  const { WasmReader } = await loadC2pa();
  const settings = JSON.stringify({
    trust: trustAnchorsPem === undefined ? {} : { trust_anchors: extractCertificates(trustAnchorsPem) },
    verify: {
      verify_after_reading: true,
      verify_trust: true,
      verify_timestamp_trust: true,
      remote_manifest_fetch: false,
      ocsp_fetch: false,
    },
  });
  let report: unknown;
  let crReport: unknown;
  try {
    const reader = await WasmReader.fromBytes('application/c2pa', sidecar, settings);
    try {
      report = JSON.parse(reader.json());
      crReport = JSON.parse(reader.crJson());
    } finally {
      reader.free();
    }
  } catch (cause) {
    throw new InvalidResponseError('The manifest cannot be read.', { cause });
  }
  if (!Check(Report, report) || !Check(CrReport, crReport)) {
    throw new InvalidResponseError('The file has no manifest that can be checked.');
  }
  return { report, crReport };
}

/** c2pa-rs reports anything but certificates as an error of the manifest. */
export function extractCertificates(pem: string): string {
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  if (!certificates) throw new InvalidArgumentError('The trust anchors contain no certificate.');
  return `${certificates.join('\n')}\n`;
}

let loading: ReturnType<typeof instantiateC2pa> | undefined;

/** Nine megabytes, compiled once; a failure is not cached. */
export function loadC2pa() {
  loading ??= instantiateC2pa().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function instantiateC2pa() {
  const [c2pa, { loadC2paWasm }] = await Promise.all([import('@contentauth/c2pa-wasm'), import('#c2paWasm')]);
  await c2pa.default({ module_or_path: await loadC2paWasm() });
  return c2pa;
}
