// What the user obtained elsewhere than from the service: options and profile first, then the pin of the registry.

import { setTimeout as delay } from 'node:timers/promises';
import type { RegistryClient } from '@provenance-registry/client';
import type { RegistryIdentity } from '@provenance-registry/core';
import { changeProfile } from '../configFile.js';
import type { Pin } from '../configSchema.js';
import { connectTo } from '../connect.js';
import type { Context } from '../context.js';
import { UsageError } from '../errors.js';
import { readTextFile } from '../files.js';
import { type Settings, toPinKey } from '../settings.js';

/** A pin protects even if the service does not say who it is: a dead one costs no more than this without --timeout. */
const IDENTITY_TIMEOUT_MS = 5_000;
/** Limit of the wait when the user named a node: verification then needs nothing of the service. */
const DISPENSABLE_IDENTITY_WAIT_MS = 1_500;

/** Sources of trust, in the form of the SDK's options. */
export interface Trust {
  readonly chain: {
    readonly rpcUrl?: readonly string[] | undefined;
    readonly address?: string | undefined;
    readonly chainId?: number | undefined;
  };
  readonly trustAnchorsPem: string | undefined;
  /** Empty: no time-stamp authority counts as independent. Undefined: the trust anchors apply. */
  readonly timestampAnchorsPem: string | undefined;
  /** A promise while the registry has not responded: it resolves within seconds. */
  readonly pinCheck: PinCheckResult | Promise<PinCheckResult>;
}

/** What the comparison of the pin with the registry has shown. */
export interface PinCheckResult {
  /** The registry is not the one that was pinned. */
  readonly alarm?: string | undefined;
  readonly note?: string | undefined;
}

/** Loads the pins. They are compared with what the registry says now if a client is given. */
export async function loadTrust(context: Context, client?: RegistryClient): Promise<Trust> {
  const settings = await context.loadSettings();
  const { rpcUrl, chainId, contract } = settings;
  const { pin, pinCheck } = await checkPinInTime(context, settings, client);
  const anchors = await readTrustAnchors(context, settings);
  return {
    chain: {
      rpcUrl: rpcUrl?.value,
      address: contract?.value ?? pin?.contract,
      chainId: chainId ? Number(chainId.value) : pin?.chainId,
    },
    trustAnchorsPem: anchors ?? (pin?.signerRootsPem || undefined),
    timestampAnchorsPem: anchors === undefined ? pin?.timestampRootsPem : undefined,
    pinCheck,
  };
}

interface CheckedPin {
  readonly pin: Pin | undefined;
  readonly pinCheck: PinCheckResult | Promise<PinCheckResult>;
}

async function checkPinInTime(
  context: Context,
  { pin, rpcUrl }: Settings,
  client: RegistryClient | undefined,
): Promise<CheckedPin> {
  if (!pin || !client) return { pin, pinCheck: {} };
  const check = checkPinNow(context, pin, client);
  if (!rpcUrl) return check;
  // Ctrl-C ends the command: a check that it interrupts has nothing to say.
  const late = check.then(({ pinCheck }) => pinCheck).catch(() => ({}));
  const wait = delay(DISPENSABLE_IDENTITY_WAIT_MS, { pin, pinCheck: late }, { ref: false });
  return Promise.race([check, wait]);
}

/** The pin to rely on, which may be a renewed one. */
async function checkPinNow(
  context: Context,
  pin: Pin,
  client: RegistryClient,
): Promise<{ pin: Pin; pinCheck: PinCheckResult }> {
  const url = client.baseUrl;
  const identity = await readIdentity(context, url);
  if (!identity)
    return { pin, pinCheck: { note: `Could not check whether ${url} is still the registry that you pinned.` } };
  const { checkPin } = await import('./pins.js');
  const check = checkPin(pin, identity, new Date());
  if (check.state === 'same') return { pin, pinCheck: {} };
  if (check.state === 'changed') return { pin, pinCheck: { alarm: formatAlarm(url, pin, check.differences) } };
  const isSaved = await savePin(context, check.pin);
  const note =
    `${url} has changed its roots: ${check.changes.join('; ')}. The pinned roots allow this. ` +
    (isSaved ? 'The pin was updated.' : 'The pin could not be saved.');
  return { pin: check.pin, pinCheck: { note } };
}

/** Undefined if the service does not respond as documented: then verification says so too. */
async function readIdentity(context: Context, url: string): Promise<RegistryIdentity | undefined> {
  try {
    const { timeoutMs = IDENTITY_TIMEOUT_MS } = await context.loadSettings();
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(timeoutMs)]);
    const client = await connectTo(context, url, { maxAttempts: 1 });
    return await client.getRegistryIdentity({ signal });
  } catch {
    context.signal.throwIfAborted();
    return undefined;
  }
}

async function savePin(context: Context, pin: Pin): Promise<boolean> {
  const { profile, url } = await context.loadSettings();
  try {
    await changeProfile(context.env, profile.value, (before) => ({
      ...before,
      pins: { ...before.pins, [toPinKey(url.value)]: pin },
    }));
    return true;
  } catch {
    return false;
  }
}

function formatAlarm(url: string, { name, addedAt }: Pin, differences: readonly string[]): string {
  return (
    `${url} is not the registry "${name}" that you pinned on ${addedAt.slice(0, 10)}: ${differences.join('; ')}. ` +
    "Ask the operator through another channel. If the change is right, run 'provenance trust add' to compare it again."
  );
}

async function readTrustAnchors(context: Context, { trustAnchors }: Settings): Promise<string | undefined> {
  if (!trustAnchors) return undefined;
  const pem = await readTextFile(context.cwd, trustAnchors.value);
  if (pem.includes('-----BEGIN CERTIFICATE-----')) return pem;
  throw new UsageError(`${trustAnchors.from}: ${trustAnchors.value} contains no certificate.`);
}
