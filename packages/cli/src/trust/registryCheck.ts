// Whether the registry that responds at a URL is the one that the profile knows. As with ssh, it is remembered at first
// contact, and a change is an alarm from then on.

import type { RegistryClient } from '@provenance-registry/client';
import { type RegistryIdentity, shortFingerprint } from '@provenance-registry/core';
import type { RegistryRecord } from '../configSchema.js';
import { type Context, formatWarning } from '../context.js';
import { CommandError } from '../errors.js';
import { createServiceClient, type ServiceClientOptions } from '../serviceClient.js';
import { toCommandError } from '../toCommandError.js';
import { type KnownRegistry, readKnownRegistry, rememberRecord, saveRenewedRecord } from './knownRegistries.js';

/** Nothing is sent before a known registry has said who it is. The SDK gives up on other requests after the same time. */
const KNOWN_TIMEOUT_MS = 30_000;
/** A registry that is not known, or that the user does not need, costs no more than this. */
const DISPENSABLE_TIMEOUT_MS = 5_000;
/** Enough for a response that was lost; the verification makes attempts of its own. */
const ATTEMPTS_BESIDE = 3;
/** Limit of the wait when the user named a node: verification then needs nothing of the service. */
const DISPENSABLE_WAIT_MS = 1_500;

/** What the comparison of a known registry has shown. */
export interface RegistryCheck {
  /** The registry is not the one that was pinned or remembered. */
  readonly alarm?: string | undefined;
  /** It could not be compared: the reason, and the error of a command that needs the comparison. */
  readonly failure?: { readonly reason: string; readonly error: CommandError } | undefined;
  readonly note?: string | undefined;
}

/**
 * Asks the registry who it is, before anything else is sent there. Throws unless it is the one that the profile knows.
 * Returns what the user should know, such as that it is remembered from now on.
 */
export async function requireSameRegistry(
  context: Context,
  url: string,
  { maxAttempts }: Pick<ServiceClientOptions, 'maxAttempts'> = {},
): Promise<string | undefined> {
  const known = await findKnown(context, url);
  if (!known) return meetRegistry(context, url);
  const identity = readIdentity(context, url, { maxAttempts, timeoutMs: KNOWN_TIMEOUT_MS });
  const { alarm, failure, note } = await compareKnown(context, url, known, identity);
  if (alarm !== undefined) throw new CommandError('REGISTRY_CHANGED', 1, alarm);
  if (failure) throw failure.error;
  return note;
}

/** A registry that does not say who it is gets the request nevertheless: there is nothing to compare with. */
async function meetRegistry(context: Context, url: string): Promise<string | undefined> {
  const { ServiceUnreachableError } = await import('@provenance-registry/client');
  try {
    const identity = await readIdentity(context, url, { maxAttempts: 1, timeoutMs: DISPENSABLE_TIMEOUT_MS });
    return await remember(context, url, identity);
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof ServiceUnreachableError))
      return `${url} does not say who it is, so that it cannot be remembered: ${(await toCommandError(error)).message}`;
    // Another request would fail the same way.
    if (error.isPermanent) throw error;
    return undefined;
  }
}

/** Returns what the user should know; undefined if the registry is not ready to be remembered. */
async function remember(context: Context, url: string, identity: RegistryIdentity): Promise<string | undefined> {
  // It has not reached its chain since it started.
  if (identity.chainId === undefined) return undefined;
  const { createRecord } = await import('./registryRecords.js');
  let record: RegistryRecord;
  try {
    record = await createRecord(identity, identity.chainId, new Date().toISOString());
  } catch {
    return `${url} publishes a certificate that cannot be read, so that it cannot be remembered.`;
  }
  const { profile } = await context.loadSettings();
  const problem = await rememberRecord(context.env, profile.value, url, record);
  const outcome = problem === undefined ? 'remembered, not compared' : `not remembered: ${problem}`;
  // Without its name, which it could choose to mislead.
  return `First contact with ${url}: fingerprint ${shortFingerprint(record.fingerprint)}, ${outcome}`;
}

export interface CheckedRegistry {
  /** The same client, which asks the registry once who it is. */
  readonly client: RegistryClient;
  /** The record to rely on, if the registry is pinned; it may be a renewed one. */
  readonly pin: RegistryRecord | undefined;
  /** A promise while the registry has not responded: it resolves in bounded time. */
  readonly check: RegistryCheck | Promise<RegistryCheck>;
}

type PinCheck = Pick<CheckedRegistry, 'pin' | 'check'>;

/** Asks a registry who it is beside the requests of a verification, with the request that is part of these anyway. */
export async function checkBeside(context: Context, client: RegistryClient): Promise<CheckedRegistry> {
  const url = client.baseUrl;
  const known = await findKnown(context, url);
  if (!known) return { client: rememberAtFirstContact(context, client), pin: undefined, check: {} };
  const { rpcUrl } = await context.loadSettings();
  const timeoutMs = rpcUrl ? DISPENSABLE_TIMEOUT_MS : KNOWN_TIMEOUT_MS;
  const identity = readIdentity(context, url, { timeoutMs, maxAttempts: ATTEMPTS_BESIDE });
  // Its failure is a part of the check; verification may not ask for it.
  identity.catch(() => {});
  const check = compareKnown(context, url, known, identity);
  const getRegistryIdentity: RegistryClient['getRegistryIdentity'] = (options) => withSignal(identity, options?.signal);
  const shared = { ...client, getRegistryIdentity };
  if (!known.isCompared) return { client: shared, pin: undefined, check: ignoreInterrupt(check) };
  const checked = check.then(({ renewed, ...result }): PinCheck => ({ pin: renewed ?? known.record, check: result }));
  const late = { pin: known.record, check: ignoreInterrupt(check) };
  const found = rpcUrl ? await waitBriefly(checked, late) : await checked;
  return { client: shared, ...found };
}

/** The request of the verification is the first contact. */
function rememberAtFirstContact(context: Context, client: RegistryClient): RegistryClient {
  let remembered: Promise<void> | undefined;
  return {
    ...client,
    async getRegistryIdentity(options) {
      const identity = await client.getRegistryIdentity(options);
      remembered ??= remember(context, client.baseUrl, identity).then((note) => {
        if (note !== undefined) context.printNote(formatWarning(note));
      });
      await remembered;
      return identity;
    },
  };
}

interface Comparison extends RegistryCheck {
  readonly renewed?: RegistryRecord;
}

async function compareKnown(
  { env, signal }: Context,
  url: string,
  known: KnownRegistry,
  reading: Promise<RegistryIdentity>,
): Promise<Comparison> {
  let identity: RegistryIdentity;
  try {
    identity = await reading;
  } catch (error) {
    signal.throwIfAborted();
    return { failure: await describeFailure(url, known, error) };
  }
  const { compareRecord } = await import('./registryRecords.js');
  const comparison = await compareRecord(known.record, identity, new Date());
  if (comparison.state === 'same') return {};
  if (comparison.state === 'changed') return { alarm: formatAlarm(url, known, comparison.differences) };
  const problem = await saveRenewedRecord(env, known.profile, url, comparison.record);
  const note =
    `${url} has changed its roots, or the key or the contract of its log: ${comparison.changes.join('; ')}. The known roots allow this. ` +
    (problem === undefined ? 'The record was updated.' : `The record could not be saved: ${problem}`);
  return { note, renewed: comparison.record };
}

async function describeFailure(url: string, known: KnownRegistry, error: unknown): Promise<RegistryCheck['failure']> {
  const { code, message } = await toCommandError(error);
  const reason = error instanceof Error ? error.message : message;
  // Most likely, nothing at all responds there: what the command always says then.
  if (code === 'UNREACHABLE') return { reason, error: new CommandError(code, 3, message, { cause: error }) };
  const what = `Whether ${url} is still the registry that ${describeRecord(known)} could not be checked`;
  return { reason, error: new CommandError('REGISTRY_NOT_CHECKED', 3, `${what}: ${reason}`, { cause: error }) };
}

function formatAlarm(url: string, known: KnownRegistry, differences: readonly string[]): string {
  return (
    `${url} is not the registry "${known.record.name}" that ${describeRecord(known)}: ${differences.join('; ')}. ` +
    `Ask the operator through another channel. If the change is right, compare it with 'provenance config trust add ${url}'.`
  );
}

function describeRecord({ record, isCompared }: KnownRegistry): string {
  return `${isCompared ? 'you pinned on' : 'is known here since'} ${record.addedAt.slice(0, 10)}`;
}

async function findKnown(context: Context, url: string): Promise<KnownRegistry | undefined> {
  const { profile } = await context.loadSettings();
  return readKnownRegistry(context.env, profile.value, url);
}

/** Without a credential: another party may respond. */
async function readIdentity(
  context: Context,
  url: string,
  options: Omit<ServiceClientOptions, 'credential'>,
): Promise<RegistryIdentity> {
  const client = await createServiceClient(context, url, options);
  return client.getRegistryIdentity();
}

/** Ctrl-C ends the command: a check that it interrupts has nothing to say. */
function ignoreInterrupt(check: Promise<RegistryCheck>): Promise<RegistryCheck> {
  return check.catch(() => ({}));
}

async function waitBriefly<T>(result: Promise<T>, otherwise: T): Promise<T> {
  const { setTimeout: delay } = await import('node:timers/promises');
  return Promise.race([result, delay(DISPENSABLE_WAIT_MS, otherwise, { ref: false })]);
}

/** Each caller has its own time limit. */
function withSignal<T>(result: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return result;
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    result.then(resolve, reject);
  });
}
