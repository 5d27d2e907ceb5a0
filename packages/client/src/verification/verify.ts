// Verification in six steps: identify the file; read the registry, the chain, the signed manifest and the public log; decide.
// Each source is read by itself, and none is relied on alone.

import type { Fingerprint } from '@provenance-registry/core';
import { InvalidArgumentError } from '../errors.js';
import { aboutOriginal, serviceDegraded, skippedSources } from '../explanations.js';
import { DisclosureLog } from '../lookups/disclosure.js';
import { type FileInput, identifyFile } from '../lookups/fileInput.js';
import { buildVerification } from './buildVerification.js';
import { expectedManifestId } from './contradictions.js';
import type { EmbeddedManifest } from './embedded/embeddedManifest.js';
import { readEmbeddedManifest } from './embedded/readEmbeddedManifest.js';
import {
  type ChainEvidence,
  evidenceOf,
  type LogEvidence,
  type ManifestEvidence,
  type RegistryEvidence,
  type SourceResult,
  skip,
  skipUnproven,
  tryReadWithin,
} from './evidence.js';
import { addPublishedAnchor } from './log/anchor.js';
import { type LogKeys, parseLogKeys, readStatedKeys } from './log/logKeys.js';
import { checkReceipt, fetchReceipt, limitToSigner } from './log/receipt.js';
import { findManifest } from './manifestSources.js';
import { readMirror, readMirrorIdentity } from './mirror/readMirror.js';
import { type MirrorSource, openMirror } from './mirror/source.js';
import {
  dropServiceWord,
  listNodes,
  readCallerRoots,
  SOURCE_TIMEOUT_MS,
  serviceTimeout,
  type VerifyOptions,
} from './options.js';
import { readRegistry } from './registry.js';
import type { RootSet } from './rootSet.js';
import { readServiceInfo, type ServiceInfo } from './serviceInfo.js';
import type { Check, Verification } from './types.js';
import { isConclusive, limitToServiceWord } from './verdict.js';

/**
 * Finds out what the service, the chain, the signed manifest and the public log say about a file, and whether they agree. With the content
 * of the file, the manifest inside it is read too.
 *
 * A copy that the registry signed leads to the file that was registered. A copy or card without an entry of its own is at
 * most `consistent`.
 * @throws InvalidArgumentError when the fingerprint is malformed, or the trust anchors contain no certificate. Sources
 * that fail do not throw: their checks are `unavailable`.
 * @example
 * ```ts
 * const address = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
 * const { verdict, facts } = await verify(fingerprint, { client, chain: { rpcUrl: 'https://rpc.example', address } });
 * for (const { name, value, evidence } of facts) console.log(name, value, evidence);
 * ```
 */
export async function verify(file: FileInput, given: VerifyOptions): Promise<Verification> {
  const options = dropServiceWord(given);
  if (options.client && options.mirror) throw new InvalidArgumentError('Name a service or a mirror, not both.');
  const { fingerprint, content } = await identify(file, options);
  const [own, embedded] = await Promise.all([verifySources({ fingerprint, content }, options), content?.embedded]);
  const original = embedded?.signedCopyOf;
  const found = { ...(embedded && { embedded }), ...(original && { signedCopyOf: original }) };
  if (!original || isConclusive(own)) return { ...own, ...found };
  const ofOriginal = await verifySources({ fingerprint: original, content: undefined }, options);
  if (!isConclusive(ofOriginal)) return { ...own, ...found, ...mostRevealing(own, ofOriginal) };
  return { ...describeOriginal(ofOriginal, options), fingerprint, ...found, isAboutOriginal: true };
}

interface Subject {
  readonly fingerprint: Fingerprint;
  /** Undefined when only the fingerprint is known. */
  readonly content: { readonly embedded: Promise<EmbeddedManifest | undefined> } | undefined;
}

/** What all steps share. */
interface Run extends Subject {
  readonly options: VerifyOptions;
  readonly callerRoots: RootSet | undefined;
  readonly callerLogKeys: LogKeys | undefined;
  readonly log: DisclosureLog;
}

async function verifySources(subject: Subject, options: VerifyOptions): Promise<Verification> {
  const { fingerprint, content } = subject;
  const callerRoots = readCallerRoots(options);
  const callerLogKeys = parseLogKeys(options);
  const run: Run = { ...subject, options, callerRoots, callerLogKeys, log: new DisclosureLog(options.lookupBy) };
  const asked = await askRegistry(run);
  // After the service, so that the chain already has what the service reports as registered.
  const chain = await askChain(run, asked);
  const registry = isBehindChain(asked.registry, chain) ? await askRegistryAgain(run) : asked.registry;
  const statements = { registry, info: asked.info };
  const { manifest, log } = await readLogAndManifest(run, { ...statements, chain });
  const evidence = {
    fingerprint,
    registry,
    chain,
    manifest,
    log: limitToSigner(log, evidenceOf(manifest)),
    hasTrustAnchors: callerRoots !== undefined,
    hasLogKeys: callerLogKeys !== undefined,
    isNodeFromCaller: listNodes(options.chain).length > 0,
    statedContract: asked.info?.contract,
    content: content && { embedded: await content.embedded },
  };
  const { disclosure } = run.log;
  return { ...buildVerification(evidence, options), ...(disclosure && { disclosure }) };
}

/** Step 1: the fingerprint of the file, and the manifest inside it, which another thread reads beside the other steps. */
async function identify(file: FileInput, options: VerifyOptions): Promise<Subject> {
  const { fingerprint, content } = await identifyFile(file, options.signal);
  if (!content) return { fingerprint, content: undefined };
  // The time limits of sources are for the network.
  const { timeoutMs: _, ...readOptions } = options;
  const embedded = readEmbeddedManifest(content, readOptions);
  // Reading in this thread would count as time in which no source responded.
  if (!options.embeddedReader) await embedded;
  // Awaited by all steps, but not if another one fails first.
  embedded.catch(() => {});
  return { fingerprint, content: { embedded } };
}

interface RegistryStatements {
  readonly registry: SourceResult<RegistryEvidence>;
  /** Undefined when the service does not tell. */
  readonly info: ServiceInfo | undefined;
}

/** Step 2: what the service says about the file and about itself. */
async function askRegistry(run: Run): Promise<RegistryStatements> {
  const registry = await tryReadRegistry(run);
  if (registry.kind === 'failed') return { registry, info: undefined };
  const { client, mirror, signal: caller } = run.options;
  const info = await tryReadWithin<ServiceInfo>(serviceTimeout(run.options), caller, async (signal) => {
    const value = client ? await readServiceInfo(client, signal) : mirror && (await readMirrorIdentity(mirror, signal));
    return value ? { kind: 'found', value } : { kind: 'absent' };
  });
  return { registry, info: evidenceOf(info) };
}

async function tryReadRegistry({ fingerprint, log, options }: Run): Promise<SourceResult<RegistryEvidence>> {
  const { client } = options;
  if (!client) return skip(skippedSources.NO_SERVICE);
  return tryReadWithin(serviceTimeout(options), options.signal, (signal) =>
    readRegistry(client, fingerprint, log, signal),
  );
}

/** The service may have registered the file after it was asked. */
function isBehindChain(registry: SourceResult<RegistryEvidence>, chain: SourceResult<ChainEvidence>): boolean {
  if (evidenceOf(chain)?.entry.source !== 'curated') return false;
  return registry.kind === 'absent' || evidenceOf(registry)?.registration?.status === 'pending';
}

/** A service that cannot read the chain finds less, and reports that. */
async function askRegistryAgain(run: Run): Promise<SourceResult<RegistryEvidence>> {
  const { client, signal: caller } = run.options;
  const registry = await tryReadRegistry(run);
  if (!client || registry.kind !== 'absent') return registry;
  return tryReadWithin<RegistryEvidence>(serviceTimeout(run.options), caller, async (signal) => {
    const { status } = await client.getServiceStatus({ signal });
    if (status === 'ok') return registry;
    return { kind: 'failed', reason: serviceDegraded(status) };
  });
}

/** Step 3: the entry on chain, by the nodes and the contract that the caller named, or else those of the service. */
async function askChain(run: Run, { registry, info }: RegistryStatements): Promise<SourceResult<ChainEvidence>> {
  const { fingerprint, log, options } = run;
  const { chain, timeoutMs = SOURCE_TIMEOUT_MS, signal: caller } = options;
  const own = listNodes(chain);
  const stated = info?.contract?.rpcUrl;
  const rpcUrls = own.length > 0 ? own : stated === undefined ? [] : [stated];
  const address = chain?.address ?? info?.contract?.address;
  if (rpcUrls.length === 0) return skip(skippedSources.NO_NODE);
  if (address === undefined) return skip(skippedSources.NO_CONTRACT);
  // The node of the service would learn what the service was not told.
  if (own.length === 0 && log.disclosure?.fingerprintDisclosed === false) {
    return skip(skippedSources[log.isChainKnown ? 'NODE_WOULD_LEARN' : 'NODE_WOULD_LEARN_CHAIN_UNKNOWN']);
  }
  const location = {
    rpcUrls,
    fetch: own.length > 0 ? chain?.fetch : undefined,
    from: own.length > 0 ? 'caller' : 'service',
    address,
    addressFrom: chain?.address === undefined ? 'service' : 'caller',
    expectedChainId: chain?.chainId,
    transactionHash: evidenceOf(registry)?.registration?.transactionHash,
  } as const;
  return tryReadWithin(timeoutMs, caller, async (signal) => {
    const { readChain } = await import('./chain.js');
    return readChain(fingerprint, location, signal);
  });
}

/** Steps 4 and 5. In a copy, the leaf of the log names the manifest. */
async function readLogAndManifest(
  run: Run,
  statements: RegistryStatements & { readonly chain: SourceResult<ChainEvidence> },
) {
  const { mirror } = run.options;
  if (mirror) return askMirror(run, mirror, statements);
  const [manifest, log] = await Promise.all([fetchManifest(run, statements), askLogAndChain(run, statements)]);
  return { manifest, log };
}

async function askMirror(
  run: Run,
  mirror: MirrorSource,
  statements: RegistryStatements & { readonly chain: SourceResult<ChainEvidence> },
) {
  const { fingerprint, callerRoots, callerLogKeys, options } = run;
  const { c2paWasmUrl, signal } = options;
  const roots = { caller: callerRoots, service: statements.info?.roots };
  const keys = callerLogKeys ?? (await readStatedKeys(statements.info?.logStatement ?? '', roots));
  const query = { fingerprint, keys, roots, manifestId: expectedManifestId(statements), c2paWasmUrl };
  const found = await readMirror(mirror, query, serviceTimeout(options), signal);
  return options.manifest ? { ...found, manifest: await fetchManifest(run, statements) } : found;
}

/** Step 4: the signed manifest that the chain or the service names, or the one that the caller has. */
async function fetchManifest(
  { content, callerRoots, log, options }: Run,
  { info, ...evidence }: RegistryStatements & { readonly chain: SourceResult<ChainEvidence> },
): Promise<SourceResult<ManifestEvidence>> {
  // Threads share what c2pa-rs has compiled, function by function: two that read at the same time would compile it twice.
  await content?.embedded;
  const roots = { caller: callerRoots, service: info?.roots, issuer: info?.issuer };
  return findManifest(evidence, { roots, log }, options);
}

/** With the anchor that covers the leaf, if there is one that the caller's nodes can show. */
async function askLogAndChain(run: Run, statements: RegistryStatements): Promise<SourceResult<LogEvidence>> {
  const log = await askLog(run, statements);
  const { client } = run.options;
  return client ? addPublishedAnchor(log, openMirror(client), run.options) : log;
}

/** Step 5: the receipt that the service has, checked with the keys that the caller named, or else those that it states. */
async function askLog(run: Run, { registry, info }: RegistryStatements): Promise<SourceResult<LogEvidence>> {
  const { fingerprint, callerRoots, callerLogKeys, log, options } = run;
  const { client, signal: caller } = options;
  const record = evidenceOf(registry);
  if (!client || !record || record.source !== undefined) return skip(skippedSources.NO_RECORD_FOR_LOG);
  if (!callerLogKeys && info?.logStatement === undefined) return skip(skippedSources.NO_LOG);
  return tryReadWithin<LogEvidence>(serviceTimeout(options), caller, async (signal) => {
    const roots = { caller: callerRoots, service: info?.roots };
    const keys = callerLogKeys ?? (await readStatedKeys(info?.logStatement ?? '', roots));
    if (!keys) return skipUnproven(skippedSources.LOG_NOT_VOUCHED_FOR);
    const receipt = await fetchReceipt(client, fingerprint, log, { signal });
    return receipt ? checkReceipt(receipt, client.baseUrl, keys) : { kind: 'absent' };
  });
}

/** A copy is disclosed to the service by its original too. */
function mostRevealing(...verifications: readonly Verification[]): Pick<Verification, 'disclosure'> {
  const disclosures = verifications.flatMap(({ disclosure }) => disclosure ?? []);
  const disclosure = disclosures.find(({ fingerprintDisclosed }) => fingerprintDisclosed) ?? disclosures[0];
  return disclosure ? { disclosure } : {};
}

/** What is said about the registered file must not read as if it were about its copy. */
function describeOriginal(verification: Verification, { require = [] }: VerifyOptions): Verification {
  const limited = limitToServiceWord(verification, require);
  const describe = <D>(check: Check<D>): Check<D> => ({
    ...check,
    proves: aboutOriginal(check.proves),
    ...(check.reason !== undefined && { reason: aboutOriginal(check.reason) }),
  });
  const { registry, chain, manifest, log } = limited.checks;
  return {
    ...limited,
    checks: { registry: describe(registry), chain: describe(chain), manifest: describe(manifest), log: describe(log) },
    problems: limited.problems.map((problem) => ({ ...problem, reason: aboutOriginal(problem.reason) })),
  };
}
