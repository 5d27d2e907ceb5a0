// Chooses the JSON-RPC node of the chain to query: a configured one, or the one the service advertises.

import type { RegistryClient } from '@provenance-registry/client';
import type { Context } from './context.js';

export const FROM_SERVICE = 'service';

export interface ChainNode {
  readonly url: string;
  /** The origin of the setting, or `service`. */
  readonly from: string;
  /** The contract address, if configured. */
  readonly contract?: string | undefined;
}

export async function chooseChainNode(context: Context, client: RegistryClient): Promise<ChainNode | undefined> {
  const { rpcUrl, contract } = await context.loadSettings();
  const [first] = rpcUrl?.value ?? [];
  if (rpcUrl && first !== undefined) return { url: first, from: rpcUrl.from, contract: contract?.value };
  // An unreachable service is reported in the verdict anyway.
  const advertised = await client.getContract({ signal: context.signal }).catch(() => context.signal.throwIfAborted());
  if (advertised?.rpcUrl === undefined) return undefined;
  return { url: advertised.rpcUrl, from: FROM_SERVICE, contract: contract?.value };
}
