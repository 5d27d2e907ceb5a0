// Which node of the chain is asked, and whose word that is.

import type { RegistryClient } from '@provenance-registry/client';
import type { Context } from './context.js';

export const NAMED_BY_SERVICE = 'service';

export interface ChosenNode {
  readonly url: string;
  /** The setting, or `service` when nobody else has named one. */
  readonly from: string;
  /** The contract, if the settings have it. */
  readonly contract?: string | undefined;
}

export async function chooseNode(context: Context, client: RegistryClient): Promise<ChosenNode | undefined> {
  const { rpcUrl, contract } = await context.settings();
  if (rpcUrl) return { url: rpcUrl.value, from: rpcUrl.from, contract: contract?.value };
  // A service that does not answer has its say in the verdict already.
  const told = await client.getContract({ signal: context.signal }).catch(() => context.signal.throwIfAborted());
  return told?.rpcUrl === undefined
    ? undefined
    : { url: told.rpcUrl, from: NAMED_BY_SERVICE, contract: contract?.value };
}
