// Reads what c2pa-rs reports about a manifest inside a file. Every text in it is untrusted.

import { parseSoftBindingValue, SOFT_BINDING_ALGORITHM } from '@provenance-registry/core';
import Type, { type Static, type TSchema } from 'typebox';
import { Check } from 'typebox/schema';
import { InvalidResponseError } from '../../errors.js';
import { sanitize } from '../../sanitize.js';
import { findSignerFault, listInherited } from '../manifest.js';
import type { SigningTime, SigningTimes } from '../signingTime.js';
import type {
  EmbeddedManifest,
  ManifestAction,
  ManifestSigner,
  ManifestStep,
  UsePermission,
} from './embeddedManifest.js';

/** More than any editor writes; a page with more would not be read. */
const MAX_STEPS = 50;
const MAX_ACTIONS = 50;
const MAX_FAILURES = 20;

const Text = Type.Optional(Type.String());
const Status = Type.Object({ code: Type.String(), url: Text });
const Statuses = Type.Object({ success: Type.Array(Status), failure: Type.Array(Status) });
const ValidationResults = Type.Object({
  activeManifest: Type.Optional(Statuses),
  ingredientDeltas: Type.Optional(Type.Array(Type.Object({ validationDeltas: Statuses }))),
});
const Ingredient = Type.Object({
  title: Text,
  relationship: Text,
  active_manifest: Text,
  validation_results: Type.Optional(ValidationResults),
});
const Manifest = Type.Object({
  title: Text,
  claim_generator: Text,
  claim_generator_info: Type.Optional(Type.Array(Type.Unknown())),
  ingredients: Type.Optional(Type.Array(Ingredient)),
  assertions: Type.Optional(Type.Array(Type.Object({ label: Type.String(), data: Type.Unknown() }))),
  signature_info: Type.Optional(Type.Object({ issuer: Text, common_name: Text })),
});
type Manifest = Static<typeof Manifest>;
const Report = Type.Object({
  active_manifest: Type.String(),
  manifests: Type.Record(Type.String(), Manifest),
  validation_results: Type.Object({ ...ValidationResults.properties, activeManifest: Statuses }),
  validation_state: Type.String(),
});
type Report = Static<typeof Report>;

const Actions = Type.Object({ actions: Type.Array(Type.Unknown()) });
const Action = Type.Object({
  action: Type.String(),
  when: Text,
  softwareAgent: Type.Optional(Type.Unknown()),
  digitalSourceType: Text,
  description: Text,
});
const Program = Type.Object({ name: Type.String(), version: Text });
const Permissions = Type.Object({ entries: Type.Record(Type.String(), Type.Unknown()) });
const Permission = Type.Object({
  use: Type.Union([Type.Literal('allowed'), Type.Literal('notAllowed'), Type.Literal('constrained')]),
});
const SoftBinding = Type.Object({ alg: Type.String(), blocks: Type.Array(Type.Unknown()) });
const SoftBindingBlock = Type.Object({ value: Type.String() });

/** Whether the signer leads to the roots is told separately. */
const UNTRUSTED_SIGNER = 'signingCredential.untrusted';
const REQUIRED_CODES = ['claimSignature.validated', 'claimSignature.insideValidity'];
/** The hash of the file itself was compared. */
const FILE_HASH_MATCH = /^assertion\.(dataHash|boxesHash|bmffHash|collectionHash)\.match$/;

/** What a manifest says, and what of it leads to the roots with which it was read. */
export interface ReportedManifest extends EmbeddedManifest {
  /** Of the assertion whose hash is the file's. Empty unless there is one. */
  readonly fileHashUrl: string;
  readonly isSignerTrusted: boolean;
  /** When the active manifest was signed. */
  readonly time: SigningTime | undefined;
}

/**
 * @param times what time-stamps prove, which is not taken from c2pa-rs
 * @throws InvalidResponseError when it is not a report.
 */
export function summarizeEmbeddedReport(report: unknown, times: SigningTimes): ReportedManifest {
  const manifest = Check(Report, report) ? report.manifests[report.active_manifest] : undefined;
  if (!Check(Report, report) || !manifest) throw new InvalidResponseError('The manifest has an unknown form.');
  const failures = listFailures(report, times);
  const time = times.get(report.active_manifest);
  const history = listHistory(report, times);
  return {
    state: failures.length === 0 ? 'intact' : 'invalid',
    failures: failures.slice(0, MAX_FAILURES),
    ...describeManifest(manifest),
    history: history.slice(-MAX_STEPS),
    omittedSteps: Math.max(0, history.length - MAX_STEPS),
    permissions: readPermissions(manifest),
    ...readSoftBinding(manifest),
    fileHashUrl: findFileHash(report)?.url ?? '',
    isSignerTrusted: hasSucceeded(report, 'signingCredential.trusted') && time?.isSignerTrusted === true,
    time,
  };
}

/** Looks at the active manifest only: an ingredient's signer may be trusted where the file's own is not. */
function hasSucceeded({ active_manifest, validation_results }: Report, code: string): boolean {
  return validation_results.activeManifest.success.some(
    (status) => status.code === code && labelInUrl(status.url) === active_manifest,
  );
}

function labelInUrl(url = ''): string | undefined {
  return /^self#jumbf=\/c2pa\/([^/]+)/.exec(url)?.[1];
}

function listFailures(report: Report, times: SigningTimes): string[] {
  const { activeManifest, ingredientDeltas = [] } = report.validation_results;
  const failed = [...activeManifest.failure, ...listInherited(ingredientDeltas)];
  const codes = [...new Set([...collectCodes(failed), ...listSignerFaults(report.active_manifest, times)])];
  const missing = REQUIRED_CODES.filter((code) => !hasSucceeded(report, code)).map((code) => `no ${code}`);
  const isValid = ['Valid', 'Trusted'].includes(report.validation_state);
  return [
    ...codes,
    ...missing,
    ...(findFileHash(report) || codes.length > 0 ? [] : ['no match of the file’s hash']),
    ...(isValid || codes.length > 0 ? [] : [`state ${sanitize(report.validation_state)}`]),
  ];
}

function listSignerFaults(label: string | undefined, times: SigningTimes): string[] {
  const fault = label === undefined ? undefined : findSignerFault(times.get(label));
  return fault === undefined ? [] : [fault];
}

/** Of an update, it is in the manifest before it. */
function findFileHash({ validation_results }: Report): Static<typeof Status> | undefined {
  return validation_results.activeManifest.success.find(({ code }) => FILE_HASH_MATCH.test(code));
}

function collectCodes(statuses: readonly Static<typeof Status>[]): string[] {
  const codes = statuses.map(({ code }) => sanitize(code)).filter((code) => code !== UNTRUSTED_SIGNER);
  return [...new Set(codes)];
}

/** Depth first, so that each step comes after those that went into it; each manifest once. */
function listHistory(report: Report, times: SigningTimes): ManifestStep[] {
  const steps: ManifestStep[] = [];
  const seen = new Set<string>();
  const visit = (label: string | undefined, own: Omit<ManifestStep, 'actions' | 'failures'>, failures: string[]) => {
    const manifest = label === undefined ? undefined : report.manifests[label];
    if (label !== undefined && seen.has(label)) return;
    if (label !== undefined) seen.add(label);
    for (const { title, relationship, active_manifest, validation_results } of manifest?.ingredients ?? []) {
      const used = { ...optional('title', title), ...optional('relationship', relationship) };
      const failures = ingredientFailures(report, active_manifest, validation_results);
      visit(active_manifest, used, [...new Set([...failures, ...listSignerFaults(active_manifest, times)])]);
    }
    const time = failures.length === 0 ? times.get(label ?? '') : undefined;
    const described = manifest && describeStep(manifest, time);
    steps.push({ ...own, ...described, ...readActions(manifest), failures });
  };
  visit(report.active_manifest, {}, listFailures(report, times));
  return steps;
}

/** Those found when it was added, and those found now: c2pa-rs reports only the difference. */
function ingredientFailures(
  { validation_results: { ingredientDeltas = [] } }: Report,
  label: string | undefined,
  recorded: Static<typeof ValidationResults> | undefined,
): string[] {
  const now = ingredientDeltas.flatMap(({ validationDeltas }) =>
    validationDeltas.failure.filter(({ url }) => labelInUrl(url) === label),
  );
  return collectCodes([...(recorded?.activeManifest?.failure ?? []), ...now]).slice(0, MAX_FAILURES);
}

function describeStep(manifest: Manifest, time: SigningTime | undefined) {
  return {
    ...describeManifest(manifest),
    ...(time?.at && time.isOfNamedAuthority && { signedAt: time.at.toISOString() }),
  };
}

function describeManifest({ title, claim_generator, claim_generator_info, signature_info }: Manifest) {
  const generator = formatProgram(claim_generator_info?.[0]) ?? claim_generator;
  return {
    ...optional('title', title),
    ...optional('generator', generator),
    signer: {
      ...optional('name', signature_info?.common_name),
      ...optional('issuer', signature_info?.issuer),
    } satisfies ManifestSigner,
  };
}

function readActions(manifest: Manifest | undefined): Pick<ManifestStep, 'actions' | 'omittedActions'> {
  const stated = findAssertions(manifest, /^c2pa\.actions(\.v2)?$/, Actions)
    .flatMap(({ actions }) => actions)
    .filter((action) => Check(Action, action));
  const actions = stated.slice(0, MAX_ACTIONS).map(
    ({ action, when, softwareAgent, digitalSourceType, description }) =>
      ({
        action: sanitize(action),
        ...optional('when', when),
        ...optional('softwareAgent', typeof softwareAgent === 'string' ? softwareAgent : formatProgram(softwareAgent)),
        ...optional('digitalSourceType', digitalSourceType),
        ...optional('description', description),
      }) satisfies ManifestAction,
  );
  const omittedActions = stated.length - actions.length;
  return { actions, ...(omittedActions > 0 && { omittedActions }) };
}

function formatProgram(program: unknown): string | undefined {
  if (!Check(Program, program)) return undefined;
  return program.version === undefined ? program.name : `${program.name} ${program.version}`;
}

function readPermissions(manifest: Manifest): Record<string, UsePermission> {
  const statements = findAssertions(manifest, /^(c2pa|cawg)\.training-mining$/, Permissions);
  const entries = statements.flatMap((statement) => Object.entries(statement.entries)).slice(0, MAX_ACTIONS);
  return Object.fromEntries(
    entries.flatMap(([name, entry]) =>
      Check(Permission, entry) ? [[sanitize(name.replace(/^(c2pa|cawg)\./, '')), entry.use]] : [],
    ),
  );
}

/** If there are several, none can be said to be the manifest's. */
function readSoftBinding(manifest: Manifest): Pick<EmbeddedManifest, 'softBinding'> {
  const [binding, ...others] = findAssertions(manifest, /^c2pa\.soft-binding$/, SoftBinding);
  if (!binding || others.length > 0) return {};
  const [block, ...more] = binding.blocks;
  const isOwn = binding.alg === SOFT_BINDING_ALGORITHM && more.length === 0 && Check(SoftBindingBlock, block);
  const fingerprint = isOwn ? parseSoftBindingValue(block.value) : undefined;
  return { softBinding: { algorithm: sanitize(binding.alg), ...(fingerprint && { fingerprint }) } };
}

/** Those with this label, of which c2pa-rs numbers the further ones (`__1`). */
function findAssertions<T extends TSchema>(manifest: Manifest | undefined, label: RegExp, schema: T): Static<T>[] {
  return (manifest?.assertions ?? [])
    .filter((assertion) => label.test(assertion.label.replace(/__\d+$/, '')))
    .map(({ data }) => data)
    .filter((data): data is Static<T> => Check(schema, data));
}

function optional<Name extends string>(name: Name, text: string | undefined): { [N in Name]?: string } {
  return text === undefined || text === '' ? {} : ({ [name]: sanitize(text) } as { [N in Name]?: string });
}
