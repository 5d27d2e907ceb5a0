// What the user obtained elsewhere than from the service: options and profile first, then the pin of the registry.

import type { RegistryClient } from '@provenance-registry/client';
import type { RegistryIdentity } from '@provenance-registry/core';
import { changeProfile } from '../configFile.js';
import type { Pin } from '../configSchema.js';
import { connectTo } from '../connect.js';
import type { Context } from '../context.js';
import { UsageError } from '../errors.js';
import { readTextFile } from '../files.js';
import { type Settings, toPinKey } from '../settings.js';

/** A pin protects even if the service does not say who it is, so the check does not delay the verification for long. */
const IDENTITY_TIMEOUT_MS = 5_000;
/** With a node of the user's own, the service is not needed, and a dead one costs at most five seconds in all. */
const DISPENSABLE_IDENTITY_TIMEOUT_MS = 1_500;

/** In the form of the SDK's options. */
export interface Trust {
  readonly chain: {
    readonly rpcUrl?: readonly string[] | undefined;
    readonly address?: string | undefined;
    readonly chainId?: number | undefined;
  };
  readonly trustAnchorsPem: string | undefined;
  /** Empty: no time-stamp authority counts as independent. Undefined: the trust anchors apply. */
  readonly timestampAnchorsPem: string | undefined;
  /** The registry is not the one that was pinned. */
  readonly alarm?: string | undefined;
  readonly note?: string | undefined;
}

/** Without a client, the pin is not compared with what the registry says now. */
export async function loadTrust(context: Context, client?: RegistryClient): Promise<Trust> {
  const settings = await context.loadSettings();
  const { rpcUrl, chainId, contract } = settings;
  const compared = settings.pin && client ? await comparePin(context, settings.pin, client) : { pin: settings.pin };
  const { pin, alarm, note }: ComparedPin = compared;
  const anchors = await readTrustAnchors(context, settings);
  return {
    chain: {
      rpcUrl: rpcUrl?.value,
      address: contract?.value ?? pin?.contract,
      chainId: chainId ? Number(chainId.value) : pin?.chainId,
    },
    trustAnchorsPem: anchors ?? (pin?.signerRootsPem || undefined),
    timestampAnchorsPem: anchors === undefined ? pin?.timestampRootsPem : undefined,
    alarm,
    note,
  };
}

interface ComparedPin {
  readonly pin: Pin | undefined;
  readonly alarm?: string;
  readonly note?: string;
}

async function comparePin(context: Context, pin: Pin, client: RegistryClient): Promise<ComparedPin> {
  const identity = await readIdentity(context, client);
  if (!identity)
    return { pin, note: `Could not check whether ${client.baseUrl} is still the registry that you pinned.` };
  const { checkPin } = await import('./pins.js');
  const check = checkPin(pin, identity, new Date());
  if (check.state === 'same') return { pin };
  if (check.state === 'changed') return { pin, alarm: formatAlarm(client.baseUrl, pin, check.differences) };
  const isSaved = await savePin(context, check.pin);
  return {
    pin: check.pin,
    note:
      `${client.baseUrl} has changed its roots: ${check.changes.join('; ')}. The pinned roots allow this. ` +
      (isSaved ? 'The pin was updated.' : 'The pin could not be saved.'),
  };
}

/** Undefined if the service does not respond as documented: then verification says so too. */
async function readIdentity(context: Context, client: RegistryClient): Promise<RegistryIdentity | undefined> {
  try {
    const { rpcUrl } = await context.loadSettings();
    const timeoutMs = rpcUrl ? DISPENSABLE_IDENTITY_TIMEOUT_MS : IDENTITY_TIMEOUT_MS;
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(timeoutMs)]);
    const once = await connectTo(context, client.baseUrl, { maxAttempts: 1 });
    return await once.getRegistryIdentity({ signal });
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
