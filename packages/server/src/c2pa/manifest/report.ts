// Reports of c2pa-rs on manifests. The published one leaves out the one statement that needs the file's bytes.

import { childOf, contentOf } from '@provenance-registry/c2pa';
import { SOFT_BINDING_ALGORITHM } from '@provenance-registry/core';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { Value } from 'typebox/value';
import type { PublishedStatements } from '../../domain/ports/index.js';
import { decodeCbor } from './cbor.js';

const Status = Type.Object({
  code: Type.String(),
  url: Type.Optional(Type.String()),
  explanation: Type.Optional(Type.String()),
});
const Statuses = Type.Object({
  success: Type.Array(Status),
  informational: Type.Array(Status),
  failure: Type.Array(Status),
});
/** The results of a validation, as C2PA has them in ingredients and c2pa-rs in its reports. */
export const ValidationResults = Type.Object({
  activeManifest: Statuses,
  ingredientDeltas: Type.Optional(
    Type.Array(Type.Object({ ingredientAssertionURI: Type.String(), validationDeltas: Statuses })),
  ),
});
export type ValidationResults = Static<typeof ValidationResults>;

const ReaderReport = Type.Object({
  active_manifest: Type.String(),
  validation_results: ValidationResults,
  validation_status: Type.Optional(Type.Array(Status)),
  validation_state: Type.Optional(Type.String()),
});
type ReaderReport = Static<typeof ReaderReport>;
/** Compiled, because it runs for every creation. */
const reportValidator = Compile(ReaderReport);

export const IDENTITY_LABEL = 'cawg.identity';
const DATA_HASH = 'c2pa.assertions/c2pa.hash.data';
const DATA_HASH_MISMATCH = 'assertion.dataHash.mismatch';
/** c2pa-rs reports an invalid time-stamp only as information; here it must be valid. */
const REQUIRED_CODES = ['claimSignature.validated', 'claimSignature.insideValidity', 'timeStamp.validated'];
/** One of them says that the bytes of a file are those that its manifest is bound to. */
const HARD_BINDING_CODES = ['assertion.dataHash.match', 'assertion.bmffHash.match'];
const HARD_BINDING_FAILURE = /^assertion\.(?:data|bmff)Hash\./;
/** Prefix of codes of identities, which neither change what a manifest says about a file nor can all be checked: see `requireIdentity`. */
const IDENTITY_CODES = 'cawg.';
const IDENTITY_VALID = 'cawg.ica.credential_valid';
/** The certificate chain ends in no configured root, which operators with their own certificate may accept. */
const TOLERATED_CODE = 'signingCredential.untrusted';

/** A new manifest is not valid and must not be published. */
class InvalidManifestError extends Error {}

/**
 * The report on a sidecar. Without the file's bytes, c2pa-rs hashes the sidecar instead: that mismatch is meaningless and
 * left out. So is the state, which only a holder of the file can determine.
 */
export function sidecarReport(read: unknown, sidecar: Uint8Array, digest: Uint8Array | undefined): ReaderReport {
  const report = parseReport(read);
  const isMeaningless = ({ code, url = '' }: { code: string; url?: string }) =>
    code === DATA_HASH_MISMATCH && url.endsWith(DATA_HASH) && url.includes(report.active_manifest);
  const { success, informational, failure } = report.validation_results.activeManifest;
  const failures = failure.filter((status) => !isMeaningless(status));
  requireValid(report, success, failures);

  const matchStatus = digest === undefined ? undefined : checkDataHash(sidecar, report.active_manifest, digest);
  const { validation_state: _, validation_status = [], ...rest } = report;
  const statuses = validation_status.filter((status) => !isMeaningless(status));
  return {
    ...rest,
    ...(statuses.length > 0 && { validation_status: statuses }),
    validation_results: {
      ...report.validation_results,
      activeManifest: { success: matchStatus ? [...success, matchStatus] : success, informational, failure: failures },
    },
    // Whether it is also trusted depends on the reader's trust anchors.
    ...(matchStatus && { validation_state: 'Valid' }),
  };
}

const PublishedReport = Type.Object({
  active_manifest: Type.String(),
  manifests: Type.Record(
    Type.String(),
    Type.Object({
      title: Type.Optional(Type.String()),
      assertions: Type.Array(Type.Object({ label: Type.String(), data: Type.Unknown() })),
    }),
  ),
});
const Identities = Type.Object({ verifiedIdentities: Type.Array(Type.Object({ uri: Type.String() })) });

export function readStatements(report: Uint8Array): PublishedStatements {
  const { active_manifest, manifests } = Value.Parse(PublishedReport, JSON.parse(Buffer.from(report).toString()));
  const { title, assertions = [] } = manifests[active_manifest] ?? {};
  const identity = assertions.find(({ label }) => label === IDENTITY_LABEL)?.data;
  const identities = Value.Check(Identities, identity) ? identity.verifiedIdentities : [];
  return {
    isNamed: title !== undefined,
    domains: new Set(identities.map(({ uri }) => uri.replace(/^https:\/\//, ''))),
    manifestIds: new Set(Object.keys(manifests).map((label) => label.replace(/^urn:c2pa:/, ''))),
  };
}

/** The report on a file with an embedded manifest, which c2pa-rs checks completely. */
export function assetReport(read: unknown): ReaderReport {
  const report = parseReport(read);
  const { success, failure } = report.validation_results.activeManifest;
  requireValid(report, success, failure);
  if (success.some(({ code }) => HARD_BINDING_CODES.includes(code))) return report;
  throw new InvalidManifestError('the manifest is not bound to the bytes of the file');
}

/** What is wrong with a file that the service has signed, and not with its signature; undefined if nothing is known. */
export function findFileFault({ activeManifest, ingredientDeltas = [] }: ValidationResults): string | undefined {
  const ofFile = activeManifest.failure.filter(({ code }) => HARD_BINDING_FAILURE.test(code));
  const ofHistory = ingredientDeltas.flatMap(({ validationDeltas }) => validationDeltas.failure);
  return [...ofFile, ...ofHistory][0]?.code;
}

/**
 * Throws unless the identity that the manifest states is valid. It must succeed and must not fail: c2pa-rs reports both of
 * a credential that was copied from another manifest.
 */
export function requireIdentity(read: unknown): void {
  const { active_manifest, validation_results } = parseReport(read);
  const { success, failure } = validation_results.activeManifest;
  const isOwn = ({ url = '' }: { url?: string }) => url.includes(active_manifest);
  const failures = failure.filter((status) => status.code.startsWith(IDENTITY_CODES) && isOwn(status));
  if (failures.length === 0 && success.some((status) => status.code === IDENTITY_VALID && isOwn(status))) return;
  const codes = failures.map(({ code }) => code).join(', ');
  throw new InvalidManifestError(`the identity does not verify: ${codes || `no ${IDENTITY_VALID}`}`);
}

export function parseReport(read: unknown): ReaderReport {
  if (!reportValidator.Check(read)) throw new InvalidManifestError('the reader found no verifiable manifest');
  return read;
}

function requireValid(report: ReaderReport, success: { code: string }[], failures: { code: string }[]): void {
  const inIngredients = (report.validation_results.ingredientDeltas ?? []).flatMap(
    ({ validationDeltas }) => validationDeltas.failure,
  );
  const failureCodes = [...failures, ...inIngredients]
    .map(({ code }) => code)
    .filter((code) => code !== TOLERATED_CODE && !code.startsWith(IDENTITY_CODES));
  const missing = REQUIRED_CODES.filter((code) => !success.some((status) => status.code === code));
  if (failureCodes.length + missing.length === 0) return;
  throw new InvalidManifestError(
    `the manifest does not verify: ${[...failureCodes, ...missing.map((code) => `no ${code}`)].join(', ')}`,
  );
}

/** Compares with the hash in the signed manifest, not with the one that was requested. */
function checkDataHash(sidecar: Uint8Array, active: string, digest: Uint8Array) {
  const manifest = childOf(Buffer.from(sidecar), active);
  const content = decodeCbor(contentOf(childOf(childOf(manifest, 'c2pa.assertions'), 'c2pa.hash.data')));
  const hash = Value.Parse(Type.Object({ hash: Type.Unsafe<Uint8Array>({}) }), content).hash;
  if (!Buffer.from(hash).equals(digest)) throw new InvalidManifestError('the manifest is bound to other bytes');
  return {
    code: 'assertion.dataHash.match',
    url: `self#jumbf=/c2pa/${active}/${DATA_HASH}`,
    explanation: 'data hash valid',
  };
}

const ManifestsReport = Type.Object({
  active_manifest: Type.String(),
  manifests: Type.Record(Type.String(), Type.Unknown()),
});
const Manifest = Type.Object({
  assertions: Type.Array(Type.Object({ label: Type.String(), data: Type.Unknown() })),
});
const SoftBinding = Type.Object({
  alg: Type.Literal(SOFT_BINDING_ALGORITHM),
  blocks: Type.Array(Type.Object({ value: Type.String() }), { minItems: 1, maxItems: 1 }),
});

/** Returns the soft binding of the active manifest, in base64; undefined unless it has one, in the algorithm of this service. */
export function readSoftBinding(report: unknown): string | undefined {
  if (!Value.Check(ManifestsReport, report)) return undefined;
  const manifest = report.manifests[report.active_manifest];
  if (!Value.Check(Manifest, manifest)) return undefined;
  const [binding, ...others] = manifest.assertions.filter(({ label }) => label.startsWith('c2pa.soft-binding'));
  return Value.Check(SoftBinding, binding?.data) && others.length === 0 ? binding.data.blocks[0]?.value : undefined;
}
