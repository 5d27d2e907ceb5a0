// What is published about a manifest: what c2pa-rs says of it, with the one thing left out that it cannot know.

import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { Value } from 'typebox/value';
import { decodeCbor } from './cbor.js';
import { childOf, contentOf } from './jumbf.js';

const Status = Type.Object({ code: Type.String(), url: Type.Optional(Type.String()) }, { additionalProperties: true });
const Statuses = Type.Object({
  success: Type.Array(Status),
  informational: Type.Array(Status),
  failure: Type.Array(Status),
});
const ReaderReport = Type.Object(
  {
    active_manifest: Type.String(),
    validation_results: Type.Object(
      {
        activeManifest: Statuses,
        ingredientDeltas: Type.Optional(
          Type.Array(Type.Object({ validationDeltas: Statuses }, { additionalProperties: true })),
        ),
      },
      { additionalProperties: true },
    ),
    validation_status: Type.Optional(Type.Array(Status)),
    validation_state: Type.Optional(Type.String()),
  },
  { additionalProperties: true },
);
type ReaderReport = Static<typeof ReaderReport>;
/** Compiled: it is done for every creation. */
const checkedReport = Compile(ReaderReport);

const DATA_HASH = 'c2pa.assertions/c2pa.hash.data';
const DATA_HASH_MISMATCH = 'assertion.dataHash.mismatch';
/** A faulty time-stamp is only a remark to c2pa-rs: here it must be a success. */
const REQUIRED = ['claimSignature.validated', 'claimSignature.insideValidity', 'timeStamp.validated'];
/** A chain that ends in no configured root: fine for those who bring their own certificate. */
const TOLERATED = 'signingCredential.untrusted';

/** Thrown when a manifest that was just made does not stand up: nothing may be published then. */
class InvalidManifestError extends Error {}

/**
 * The report for a sidecar. Without the file's bytes c2pa-rs hashes the sidecar in their place, so that one mismatch says
 * nothing and is left out, and so is the state, which the holder of the file has to find out.
 */
export function sidecarReport(read: unknown, sidecar: Uint8Array, digest: Uint8Array | undefined): ReaderReport {
  const report = parse(read);
  const meaningless = ({ code, url = '' }: { code: string; url?: string }) =>
    code === DATA_HASH_MISMATCH && url.endsWith(DATA_HASH) && url.includes(report.active_manifest);
  const { success, informational, failure } = report.validation_results.activeManifest;
  const failures = failure.filter((status) => !meaningless(status));
  refuse(report, success, failures);

  const bound = digest === undefined ? undefined : boundStatus(sidecar, report.active_manifest, digest);
  const { validation_state: _, validation_status = [], ...rest } = report;
  const statuses = validation_status.filter((status) => !meaningless(status));
  return {
    ...rest,
    ...(statuses.length > 0 && { validation_status: statuses }),
    validation_results: {
      ...report.validation_results,
      activeManifest: { success: bound ? [...success, bound] : success, informational, failure: failures },
    },
    // Whether it is trusted as well depends on whom the reader trusts.
    ...(bound && { validation_state: 'Valid' }),
  };
}

/** The report for a file that has its manifest inside: c2pa-rs has seen everything. */
export function assetReport(read: unknown): ReaderReport {
  const report = parse(read);
  const { success, failure } = report.validation_results.activeManifest;
  refuse(report, success, failure);
  return report;
}

function parse(read: unknown): ReaderReport {
  if (!checkedReport.Check(read)) throw new InvalidManifestError('the reader found no manifest that it could check');
  return read;
}

function refuse(report: ReaderReport, success: { code: string }[], failures: { code: string }[]): void {
  const inIngredients = (report.validation_results.ingredientDeltas ?? []).flatMap(
    ({ validationDeltas }) => validationDeltas.failure,
  );
  const real = [...failures, ...inIngredients].map(({ code }) => code).filter((code) => code !== TOLERATED);
  const missing = REQUIRED.filter((code) => !success.some((status) => status.code === code));
  if (real.length + missing.length === 0) return;
  throw new InvalidManifestError(
    `the manifest does not verify: ${[...real, ...missing.map((code) => `no ${code}`)].join(', ')}`,
  );
}

/** Compared with the hash inside the signed manifest, not with what was asked for. */
function boundStatus(sidecar: Uint8Array, active: string, digest: Uint8Array) {
  const manifest = childOf(Buffer.from(sidecar), active);
  const content = decodeCbor(contentOf(childOf(childOf(manifest, 'c2pa.assertions'), 'c2pa.hash.data')));
  const hash = Value.Parse(
    Type.Object({ hash: Type.Unsafe<Uint8Array>({}) }, { additionalProperties: true }),
    content,
  ).hash;
  if (!Buffer.from(hash).equals(digest)) throw new InvalidManifestError('the manifest is bound to other bytes');
  return {
    code: 'assertion.dataHash.match',
    url: `self#jumbf=/c2pa/${active}/${DATA_HASH}`,
    explanation: 'data hash valid',
  };
}
