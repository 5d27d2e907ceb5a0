// Reads and validates signed manifests with c2pa-rs, the reference implementation, which is loaded on first use.

import {
  bindingFaults,
  childrenOf,
  findStoreFault,
  hash,
  labelOf,
  stampHeaders,
  toHex,
} from '@provenance-registry/c2pa';
import {
  type AiPreferences,
  aiPermissions,
  allowAiTrainingOf,
  type Fingerprint,
  fillAiPreferences,
  parseSoftBindingValue,
  StringEnum,
  trustedPurposes,
} from '@provenance-registry/core';
import Type, { type Static } from 'typebox';
import { Check } from 'typebox/schema';
import { InvalidResponseError } from '../errors.js';
import type { ManifestClaims, ManifestEvidence, ManifestTimestamp } from './evidence.js';
import { checkIdentity, hasIdentityOf, identitySettings } from './identity.js';
import type { RootSet } from './rootSet.js';
import { readSigningTimes, type SigningTime, type SigningTimes } from './signingTime.js';

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
    }),
  ),
});
/** The JSON report of c2pa-rs. */
const Report = Type.Object({
  active_manifest: Type.String(),
  manifests: Type.Record(Type.String(), Manifest),
  validation_results: Type.Object({
    activeManifest: ValidationResult,
    ingredientDeltas: Type.Optional(Type.Array(Type.Object({ validationDeltas: ValidationResult }))),
  }),
});
type Report = Static<typeof Report>;
/** The crJSON report of c2pa-rs; only this form has the hash of the file. */
export const CrReport = Type.Object({
  manifests: Type.Array(Type.Object({ label: Type.String(), assertions: Type.Record(Type.String(), Type.Unknown()) })),
});
type CrReport = Static<typeof CrReport>;

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
  'xmpRights:WebStatement': Type.Optional(Type.String()),
});
const TrainingAndMining = Type.Object({ entries: Type.Record(Type.String(), Type.Unknown()) });
const UseEntry = Type.Object({
  use: StringEnum(aiPermissions, { description: 'Of this use.' }),
  constraint_info: Type.Optional(Type.String()),
});
/** The parent of a manifest; `activeManifest` is a hashed URI, so that the signature covers the parent. */
const ParentIngredient = Type.Object({
  relationship: Type.Literal('parentOf'),
  activeManifest: Type.Object({ url: Type.String() }),
});

/** The mismatch that is expected without the file, because c2pa-rs hashes the sidecar instead. */
const DATA_HASH_MISMATCH = 'assertion.dataHash.mismatch';
const UNTRUSTED_SIGNER = 'signingCredential.untrusted';
/** The certificate of a signer is not valid now, and no time-stamp that counts is of a time when it was. */
const EXPIRED_SIGNER = 'signingCredential.expired';
/** The first byte of a text in CBOR, without its length. */
const CBOR_TEXT = 0x60;
/** The letter that names of hidden headers begin with. */
const X = 0x78;
const REQUIRED_CODES = ['claimSignature.validated', 'claimSignature.insideValidity'];

/** Root certificates (PEM) by who named them. Those of the service are its word. */
export interface TrustRoots {
  /** Undefined when the caller named none. */
  readonly caller?: RootSet | undefined;
  readonly service?: RootSet | undefined;
  /** The DID of the service, whose identity credentials are checked. */
  readonly issuer?: string | undefined;
}

/** Rejects with InvalidResponseError when the bytes are not a manifest. */
export async function readManifest(
  sidecar: Uint8Array,
  from: string,
  roots: TrustRoots,
  wasmUrl?: string | URL,
): Promise<ManifestEvidence> {
  await loadC2pa(wasmUrl);
  const origin = roots.caller ? 'caller' : 'service';
  const rootSet = roots.caller ?? roots.service ?? { signer: '', timestamp: '' };
  const times = await readSigningTimes(sidecar, rootSet);
  // c2pa-rs judges the signer at the time of a time-stamp: it gets none but those that were checked here.
  const shown = hideTimestamps(sidecar, times);
  const { report, crReport } = await validate(shown, rootSet.signer);
  const label = report.active_manifest;
  const manifest = report.manifests[label];
  if (!manifest) throw new InvalidResponseError('The manifest store lacks its active manifest.');
  const time = times.get(label);
  const missing = REQUIRED_CODES.filter((code) => !hasSucceeded(report, code));
  const { issuer, common_name } = manifest.signature_info ?? {};
  const isTrusted = hasSucceeded(report, 'signingCredential.trusted') && time?.isSignerTrusted === true;
  const identity = isTrusted && (await readIdentity(shown, crReport, label, roots.issuer));
  return {
    from,
    label,
    digest: `0x${toHex(await hash('sha256', sidecar))}`,
    fingerprint: readFileHash(crReport, label),
    softBinding: readSoftBinding(report),
    failures: [...listFailures(report), ...missing.map((code) => `no ${code}`), ...listOwnFailures(sidecar, time)],
    trustedBy: isTrusted ? origin : undefined,
    signedBy: [common_name, issuer].filter((name) => name !== undefined).join(', '),
    signer: time?.signer,
    timestamp: toTimestamp(time, origin),
    certifiedSince: time?.certifiedSince,
    claims: readClaims(manifest, crReport, label),
    ...identity,
  };
}

/** What c2pa-rs overlooks. Manifests that this one builds on must not have changed: they may not be valid themselves. */
function listOwnFailures(sidecar: Uint8Array, time: SigningTime | undefined): string[] {
  const faults = [findStoreFault(sidecar), findSignerFault(time)].filter((fault) => fault !== undefined);
  return [...new Set(faults)];
}

/** Nothing says that a certificate was valid when it signed but a time-stamp of an authority that counts. */
export function findSignerFault(time: SigningTime | undefined): string | undefined {
  // c2pa-rs has found a signature, and not where the format has it.
  if (!time) return bindingFaults.malformedStore;
  return time.isSignerValid ? undefined : EXPIRED_SIGNER;
}

async function readIdentity(sidecar: Uint8Array, crReport: CrReport, label: string, issuer: string | undefined) {
  if (issuer === undefined) return {};
  const read = async () => (await validate(sidecar, '', issuer)).report;
  const identity = await checkIdentity(crReport, label, issuer, read);
  return identity ? { identity } : { isIdentityUnconfirmed: hasIdentityOf(crReport, label, issuer) };
}

function toTimestamp(time: SigningTime | undefined, origin: 'caller' | 'service'): ManifestTimestamp | undefined {
  if (!time?.at) return undefined;
  return { at: time.at.toISOString(), isIndependent: time.isIndependent && origin === 'caller' };
}

function hasSucceeded({ validation_results }: Report, code: string): boolean {
  return validation_results.activeManifest.success.some((status) => status.code === code);
}

/** The fingerprint in the manifest's soft binding. */
function readSoftBinding(report: Report): Fingerprint | undefined {
  const binding = findAssertion(report.manifests[report.active_manifest], 'c2pa.soft-binding');
  return Check(SoftBinding, binding) ? parseSoftBindingValue(binding.blocks[0]?.value ?? '') : undefined;
}

/**
 * Gives headers with time-stamps that do not count a name that no reader knows, in the manifest that nothing else in the store has
 * a hash of: the last one. No signature covers them, and a time-stamp that is wrong dates nothing.
 */
function hideTimestamps(sidecar: Uint8Array, times: SigningTimes): Uint8Array {
  const hidden = Uint8Array.from(sidecar);
  const manifest = lastManifest(hidden);
  const kept = times.get(manifest ? labelOf(manifest) : '')?.headers ?? [];
  for (const header of stampHeaders.filter((one) => !kept.includes(one))) {
    const name = Uint8Array.of(CBOR_TEXT + header.length, ...new TextEncoder().encode(header));
    const start = manifest?.findIndex((_, at) => name.every((byte, index) => manifest[at + index] === byte)) ?? -1;
    if (start >= 0) manifest?.set([X], start + 1);
  }
  return hidden;
}

/** Undefined when the bytes are not boxes, which c2pa-rs will find as well. */
function lastManifest(store: Uint8Array): Uint8Array | undefined {
  try {
    return childrenOf(store).at(-1);
  } catch {
    return undefined;
  }
}

function listFailures({ active_manifest, validation_results }: Report): string[] {
  const { activeManifest, ingredientDeltas = [] } = validation_results;
  const isFileHash = (url = '') => url.includes(active_manifest) && url.endsWith(DATA_HASH);
  const own = activeManifest.failure.filter(({ code, url }) => code !== DATA_HASH_MISMATCH || !isFileHash(url));
  const inherited = listInherited(ingredientDeltas);
  return [...own, ...inherited].map(({ code }) => code).filter((code) => code !== UNTRUSTED_SIGNER);
}

/** What is wrong with manifests that this one builds on since it was signed, except for certificates that have expired. */
export function listInherited(
  deltas: readonly { readonly validationDeltas: { readonly failure: readonly Static<typeof ValidationStatus>[] } }[],
): Static<typeof ValidationStatus>[] {
  return deltas.flatMap(({ validationDeltas }) =>
    validationDeltas.failure.filter(({ code }) => code !== EXPIRED_SIGNER),
  );
}

function readFileHash(crReport: CrReport, label: string): Fingerprint | undefined {
  const assertion = findCrManifest(crReport, label)?.assertions[DATA_HASH];
  return Check(WholeFileHash, assertion) ? parseSoftBindingValue(assertion.hash.slice(4, -1)) : undefined;
}

function findCrManifest({ manifests }: CrReport, label: string) {
  return manifests.find((manifest) => manifest.label === label);
}

function readClaims(manifest: Static<typeof Manifest>, crReport: CrReport, label: string): ManifestClaims {
  const assertion = findAssertion(manifest, 'cawg.metadata');
  const metadata = Check(Metadata, assertion) ? assertion : {};
  const aiPreferences = readAiPreferences(findAssertion(manifest, 'cawg.training-mining'));
  return {
    title: manifest.title,
    author: metadata['dc:creator']?.[0],
    markName: metadata['dc:publisher']?.[0],
    markId: metadata['dc:identifier']?.replace(/^urn:uuid:/, ''),
    license: metadata['dc:rights'],
    licenseUrl: metadata['xmpRights:WebStatement'],
    allowAiTraining: (aiPreferences && allowAiTrainingOf(aiPreferences)) ?? undefined,
    aiPreferences,
    previousFingerprint: readPreviousFingerprint(crReport, label),
  };
}

function readAiPreferences(assertion: unknown): AiPreferences | undefined {
  if (!Check(TrainingAndMining, assertion)) return undefined;
  return fillAiPreferences((name) => {
    const entry = assertion.entries[`cawg.${name}`];
    if (!Check(UseEntry, entry)) return null;
    const { use, constraint_info: constraint } = entry;
    return { use, ...(constraint !== undefined && { constraint }) };
  });
}

/** The file that the parent's manifest was signed for. */
function readPreviousFingerprint(crReport: CrReport, label: string): Fingerprint | undefined {
  const { assertions = {} } = findCrManifest(crReport, label) ?? {};
  const parent = Object.values(assertions).find((assertion) => Check(ParentIngredient, assertion));
  const [, parentLabel] = Check(ParentIngredient, parent)
    ? (/\/c2pa\/([^/]+)$/.exec(parent.activeManifest.url) ?? [])
    : [];
  return parentLabel === undefined ? undefined : readFileHash(crReport, parentLabel);
}

function findAssertion(manifest: Static<typeof Manifest> | undefined, label: string): unknown {
  return manifest?.assertions.find((assertion) => assertion.label === label)?.data;
}

/** Settings of c2pa-rs: everything is checked, and nothing is fetched. With an issuer, identities are checked too. */
export function formatSettings(rootsPem: string, issuer?: string): string {
  const { core, ...cawg } = identitySettings(issuer);
  return JSON.stringify({
    core,
    trust: { trust_config: trustedPurposes, ...(rootsPem !== '' && { trust_anchors: rootsPem }), ...cawg },
    verify: {
      verify_after_reading: true,
      verify_trust: true,
      // It is checked here, for all versions of claims.
      verify_timestamp_trust: false,
      remote_manifest_fetch: false,
      ocsp_fetch: false,
    },
  });
}

async function validate(sidecar: Uint8Array, rootsPem: string, identityIssuer?: string) {
  const { WasmReader } = await loadC2pa();
  let report: unknown;
  let crReport: unknown;
  try {
    const reader = await WasmReader.fromBytes('application/c2pa', sidecar, formatSettings(rootsPem, identityIssuer));
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

let loading: ReturnType<typeof instantiateC2pa> | undefined;

/** Nine megabytes, compiled once, from the first URL; a failure is not cached. */
export function loadC2pa(wasmUrl?: string | URL) {
  loading ??= instantiateC2pa(wasmUrl).catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function instantiateC2pa(wasmUrl: string | URL | undefined) {
  const [c2pa, { loadC2paWasm }] = await Promise.all([import('@contentauth/c2pa-wasm'), import('#c2paWasm')]);
  await c2pa.default({ module_or_path: await loadC2paWasm(wasmUrl) });
  return c2pa;
}
