// Reads a manifest as evidence, in a worker process: whether it is intact, what it is bound to, and its time-stamp.

import { childOf, childrenOf, contentOf, labelOf } from '@provenance-registry/c2pa';
import Type from 'typebox';
import { Value } from 'typebox/value';
import { extractManifestStore } from '../containers/index.js';
import { encodeCbor } from '../manifest/cbor.js';
import { parseReport, readSoftBinding } from '../manifest/report.js';
import { findUncovered } from '../reading/checkBinding.js';
import { isSameClaim, openFile, refuse } from '../reading/inspectManifest.js';
import type { ReaderSettings } from '../reading/readerSettings.js';
import { openReader } from '../reading/readManifest.js';
import { readSign1 } from '../signing/cose.js';

export interface TimestampedJob {
  readonly bytes: Uint8Array;
  /** Undefined: the bytes are a manifest store. */
  readonly mediaType: string | undefined;
  readonly settings: ReaderSettings;
}

export interface TimestampedInspection {
  readonly store: Uint8Array;
  readonly failures: string[];
  /** SHA-256 in base64. */
  readonly digests: string[];
  readonly matchesFile: boolean;
  readonly timestamp?: { token: Uint8Array; data: Uint8Array; time: string; isTrusted: boolean };
}

/** A manifest with thumbnails and some generations. It is kept for good. */
const MAX_STORE_BYTES = 2 * 1024 * 1024;
const EMPTY = new Uint8Array(0);

/** Codes that do not count here: without the file, c2pa-rs compares the hash of the file with that of the store. */
const bindingCode = /^assertion\.(data|bmff|boxes|collection)Hash\./;
/** The signer's certificate does not matter: what counts is the time-stamp. */
const toleratedCodes = [
  'signingCredential.untrusted',
  'signingCredential.expired',
  'claimSignature.outsideValidity',
  'claimSignature.insideValidity',
];

const Active = Type.Object({
  manifests: Type.Record(
    Type.String(),
    Type.Object({ signature_info: Type.Optional(Type.Object({ time: Type.Optional(Type.String()) })) }),
  ),
});
const Detailed = Type.Object({
  manifests: Type.Array(
    Type.Object({ label: Type.String(), assertions: Type.Optional(Type.Record(Type.String(), Type.Unknown())) }),
  ),
});
/** A hash of the whole file: nothing is excluded. */
const WholeFileHash = Type.Object({
  alg: Type.Optional(Type.Literal('sha256')),
  hash: Type.String({ pattern: "^b64'[A-Za-z0-9+/]{43}='$" }),
  exclusions: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 0 })),
});
const Bytes = Type.Unsafe<Uint8Array>({});
const Header = Type.Object({ sigTst2: Type.Optional(Type.Unknown()), sigTst: Type.Optional(Type.Unknown()) });
const Tokens = Type.Object({ tstTokens: Type.Array(Type.Object({ val: Bytes }), { minItems: 1, maxItems: 1 }) });

/** Undefined when there is no manifest that can be read. */
export async function readTimestampedManifest(job: TimestampedJob): Promise<TimestampedInspection | undefined> {
  const store = job.mediaType === undefined ? wholeStore(job.bytes) : extractManifestStore(job.bytes, job.mediaType);
  if (!store || store.length > MAX_STORE_BYTES) return undefined;
  try {
    return await inspectStore(store, job);
  } catch (error) {
    return refuse(error);
  }
}

async function inspectStore(store: Uint8Array, job: TimestampedJob): Promise<TimestampedInspection> {
  const reader = await openReader('application/c2pa', store, job.settings);
  try {
    const json: unknown = JSON.parse(reader.json());
    const { active_manifest: label, validation_results } = parseReport(json);
    const { success, informational } = validation_results.activeManifest;
    const codes = new Set(success.map(({ code }) => code));
    const time = Value.Parse(Active, json).manifests[label]?.signature_info?.time;
    const isTimeValid = codes.has('timeStamp.validated') && time !== undefined;
    const timestamp = isTimeValid ? readTimestamp(Buffer.from(store), label) : undefined;
    const faults = informational.map(({ code }) => code).filter((code) => code.startsWith('timeStamp.'));
    return {
      store: Uint8Array.from(store),
      failures: findFailures(json, (code) => bindingCode.test(code)),
      digests: readDigests(json, JSON.parse(reader.crJson()), label),
      matchesFile: job.mediaType !== undefined && (await matchesFile(job, job.mediaType, store, label)),
      ...(timestamp &&
        time !== undefined && {
          timestamp: { ...timestamp, time, isTrusted: codes.has('timeStamp.trusted') && faults.length === 0 },
        }),
    };
  } finally {
    reader.free();
  }
}

/** Nothing before or after it is kept. */
function wholeStore(bytes: Uint8Array): Uint8Array | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return buffer.length >= 8 && buffer.readUInt32BE(0) === buffer.length ? bytes : undefined;
}

function findFailures(json: unknown, isIgnored: (code: string) => boolean): string[] {
  const { activeManifest, ingredientDeltas = [] } = parseReport(json).validation_results;
  const isSigned = activeManifest.success.some(({ code }) => code === 'claimSignature.validated');
  const codes = [
    ...activeManifest.failure.filter(({ code }) => !isIgnored(code)),
    ...ingredientDeltas.flatMap(({ validationDeltas }) => validationDeltas.failure),
  ].map(({ code }) => code);
  return [...(isSigned ? [] : ['no claimSignature.validated']), ...codes].filter(
    // Whose identity the manifest states does not matter either.
    (code) => !toleratedCodes.includes(code) && !code.startsWith('cawg.'),
  );
}

/** Reads the digests in assertions that the signed claim refers to, and whose hash is the one in the claim. */
function readDigests(json: unknown, detailed: unknown, label: string): string[] {
  const { success } = parseReport(json).validation_results.activeManifest;
  const isSigned = (assertion: string) =>
    success.some(
      ({ code, url = '' }) =>
        code === 'assertion.hashedURI.match' && url === `self#jumbf=/c2pa/${label}/c2pa.assertions/${assertion}`,
    );
  const active = Value.Parse(Detailed, detailed).manifests.find((manifest) => manifest.label === label);
  const wholeFile = active?.assertions?.['c2pa.hash.data'];
  const softBinding = readSoftBinding(json);
  return [
    ...(Value.Check(WholeFileHash, wholeFile) && isSigned('c2pa.hash.data') ? [wholeFile.hash.slice(4, -1)] : []),
    ...(softBinding !== undefined && isSigned('c2pa.soft-binding') ? [softBinding] : []),
  ];
}

/** The file's hard binding holds, by c2pa-rs, for the same claim as in the store. */
async function matchesFile(job: TimestampedJob, mediaType: string, store: Uint8Array, label: string): Promise<boolean> {
  const reader = await openFile({ ...job, mediaType });
  try {
    const json: unknown = JSON.parse(reader.json());
    const { success } = parseReport(json).validation_results.activeManifest;
    const isBound = success.some(({ code }) => bindingCode.test(code) && code.endsWith('.match'));
    const isIntact = findFailures(json, () => false).length === 0 && !findUncovered(json, job.bytes, mediaType);
    return isBound && isIntact && (await isSameClaim(reader, store, label, job.settings));
  } finally {
    reader.free();
  }
}

/** Undefined without exactly one token. */
function readTimestamp(store: Buffer, label: string): { token: Uint8Array; data: Uint8Array } | undefined {
  const manifest = childOf(store, label);
  const { protectedHeader, header, signature } = readSign1(manifest);
  const { sigTst2, sigTst } = Value.Parse(Header, header);
  if ((sigTst2 === undefined) === (sigTst === undefined)) return undefined;
  const tokens: unknown = sigTst2 ?? sigTst;
  if (!Value.Check(Tokens, tokens)) return undefined;
  // C2PA 2 time-stamps the signature, C2PA 1 the claim.
  const payload = sigTst2 === undefined ? readClaim(manifest) : encodeCbor(signature);
  const data = encodeCbor(['CounterSignature', protectedHeader, EMPTY, payload]);
  const [token] = tokens.tstTokens;
  return token && { token: Uint8Array.from(token.val), data };
}

function readClaim(manifest: Buffer): Buffer {
  const claim = childrenOf(manifest).find((child) => /^c2pa\.claim(\.v2)?$/.test(labelOf(child)));
  if (!claim) throw new Error('the manifest has no claim');
  return contentOf(claim);
}
