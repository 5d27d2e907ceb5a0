// What the user obtained elsewhere than from the service: options and profile first, then the pin of the registry.

import type { RegistryRecord } from '../configSchema.js';
import type { Context } from '../context.js';
import { UsageError } from '../errors.js';
import { readTextFile } from '../files.js';
import type { Settings } from '../settings.js';
import { readKnownRegistry } from './knownRegistries.js';

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
  /** Keys of the public log, unless the user demands witnesses. */
  readonly logKeys: readonly string[] | undefined;
  /** Keys of the log and of the witnesses that the user demands. */
  readonly policy?: string;
  /** The contract that anchors the log. */
  readonly logContract?: string | undefined;
}

/** A registry that is remembered and not compared contributes nothing. */
export async function loadTrust(context: Context, pin: RegistryRecord | undefined): Promise<Trust> {
  const settings = await context.loadSettings();
  const { rpcUrl, chainId, contract } = settings;
  const anchors = await readTrustAnchors(context, settings);
  return {
    chain: {
      rpcUrl: rpcUrl?.value,
      address: contract?.value ?? pin?.contract,
      chainId: chainId ? Number(chainId.value) : pin?.chainId,
    },
    trustAnchorsPem: anchors ?? (pin?.signerRootsPem || undefined),
    timestampAnchorsPem: anchors === undefined ? pin?.timestampRootsPem : undefined,
    ...(await readLogTrust(settings, pin)),
    logContract: settings.logContract?.value ?? pin?.logContract,
  };
}

async function readLogTrust(
  { logKey, witness }: Settings,
  pin: RegistryRecord | undefined,
): Promise<Pick<Trust, 'logKeys' | 'policy'>> {
  const logKeys = logKey ? [logKey.value] : pin?.logKeys;
  const witnesses = witness?.value ?? pin?.witnesses;
  if (!witnesses) return { logKeys };
  if (!logKeys) {
    throw new UsageError(
      `${witness?.from ?? 'The pin'} names witnesses, and nothing the key of their log: add --log-key KEY.`,
    );
  }
  const { formatPolicy } = await import('@provenance-registry/log');
  return { logKeys: undefined, policy: formatPolicy(logKeys, witnesses) };
}

/** The pin of the service in use, as it was compared. */
export async function readPin(context: Context): Promise<RegistryRecord | undefined> {
  const { profile, url } = await context.loadSettings();
  const known = await readKnownRegistry(context.env, profile.value, url.value);
  return known?.isCompared ? known.record : undefined;
}

async function readTrustAnchors(context: Context, { trustAnchors }: Settings): Promise<string | undefined> {
  if (!trustAnchors) return undefined;
  const pem = await readTextFile(context.cwd, trustAnchors.value);
  if (pem.includes('-----BEGIN CERTIFICATE-----')) return pem;
  throw new UsageError(`${trustAnchors.from}: ${trustAnchors.value} contains no certificate.`);
}
